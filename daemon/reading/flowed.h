/*
 * format=flowed undone (RFC 3676).
 */
#pragma once

#include "daemon/reading/buffer.h"

/* Joins the flowed lines of SIZE bytes of TEXT (LF line ends) and writes quotes as "> " each. */
void flowed_undo(const char *text, size_t size, bool delsp, struct buffer *out);
