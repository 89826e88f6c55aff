/*
 * The languages that mails can be written in and commands read in.
 */
#pragma once

#include <stdbool.h>

bool language_is_known(const char *code);
