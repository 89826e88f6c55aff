/*
 * Commands in the words of a line (product, section 4): inside of the grammar.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "rules/message.h"

/* The command that SIZE bytes of a line state, COMMAND_NONE if it is chat. The whole line must
 * be the command; "I will not resign" is none. */
enum command command_find(const char *line, size_t size);

/* Is this all that follows a move on its line: the offer of a draw in words? */
bool command_is_offer(const char *text, size_t size);
