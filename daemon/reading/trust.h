/*
 * What may be believed about a From address (product, section 2; RFC 8601).
 */
#pragma once

#include "daemon/reading/letter.h"

enum auth {
	AUTH_NONE = 0, /* nothing that we trust says anything */
	AUTH_PASS,     /* dmarc=pass for exactly the domain of From */
	AUTH_FAIL,     /* our own server says that DMARC failed */
};

/* Judges the topmost Authentication-Results field. It counts only if its authserv-id is, as a
 * whole, one of AUTHSERV_IDS (any letter case), or if it has none and the list holds
 * "topmost". Anything that cannot be read is AUTH_NONE. */
enum auth trust_authentication(
	const struct letter *letter, const char *const *authserv_ids, size_t n_ids);

/* The key by which addresses are compared: lower case (also the local part), quotes of the
 * local part removed, domain as A-labels. -EINVAL if it is no address. The caller frees it. */
MUST_CHECK int address_key(const char *address, char **ret_key);
bool address_same(const char *a, const char *b);
