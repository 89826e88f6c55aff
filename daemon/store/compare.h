/*
 * Two stores of the same inputs must hold the same. What does not follow from inputs is left
 * out: the secret, when the last pass was, what has been moved out of a mailbox.
 */
#pragma once

#include "daemon/store/store.h"

/* Compares FOUND, table by table and row by row, with WANTED, and calls EACH with one line of
 * words for every difference. Secrets, tokens and what mails say are never in it. */
MUST_CHECK int compare_stores(struct store *found, struct store *wanted,
	void (*each)(void *userdata, const char *line), void *userdata);
