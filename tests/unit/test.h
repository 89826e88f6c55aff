/*
 * cmocka with the headers it wants, and comparisons that print what they compared.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* cmocka 1.1.5 prints integers as unsigned hexadecimal. */
#define expect_int(actual, wanted)                                                      \
	do {                                                                            \
		long long actual_ = (long long)(actual), wanted_ = (long long)(wanted); \
		if (actual_ != wanted_)                                                 \
			fail_msg("%s is %lld, not %lld", #actual, actual_, wanted_);    \
	} while (0)
