#include "daemon/reading/trust.h"

#include <ctype.h>
#include <errno.h>
#include <idn2.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "daemon/reading/buffer.h"
#include "daemon/reading/clean.h"

#define RESULTS_MAX ((size_t)16384)
#define COMMENT_DEPTH_MAX 50

/* The field without comments; quoted strings keep their text, escaped. A ';' or a blank in a
 * quoted string cannot be meant by anybody: it makes the field unreadable. */
static bool strip_comments(const char *text, struct buffer *out)
{
	unsigned depth = 0;
	bool quoted = false;
	for (; *text; text++) {
		char c = *text;
		if (c == '\\' && (quoted || depth > 0)) {
			if (!text[1] || quoted)
				return false;
			text++;
		} else if (quoted) {
			if (c == '"')
				quoted = false;
			else if (strchr("; \t=", c))
				return false;
			else
				buffer_char(out, c);
		} else if (c == '(') {
			if (++depth > COMMENT_DEPTH_MAX)
				return false;
		} else if (c == ')') {
			if (depth == 0)
				return false;
			depth--;
			buffer_char(out, ' ');
		} else if (depth == 0 && c == '"') {
			quoted = true;
		} else if (depth == 0) {
			buffer_char(out, c);
		}
	}
	buffer_add(out, "", 0);
	return depth == 0 && !quoted && !out->failed && !out->full;
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

static bool is_one_of(const char *text, size_t size, const char *const *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(items[i]) == size && strncasecmp(items[i], text, size) == 0)
			return true;
	return false;
}

/* Steps over the authserv-id and its version if we trust it; NULL if not. */
static const char *trusted_results(const char *text, const char *const *ids, size_t n)
{
	text = skip_blanks(text);
	size_t end = strcspn(text, ";"), size = strcspn(text, "; \t");
	/* A first element with a '=' is a result: the server names itself nowhere. */
	if (memchr(text, '=', end))
		return is_one_of("topmost", strlen("topmost"), ids, n) ? text : NULL;
	const char *rest = skip_blanks(text + size);
	if (*rest != ';' && *rest != '1')
		return NULL;
	if (*rest == '1' && *skip_blanks(rest + 1) != ';')
		return NULL;
	if (size == strlen("topmost") && strncasecmp(text, "topmost", size) == 0)
		return NULL;
	return is_one_of(text, size, ids, n) && text[end] == ';' ? text + end + 1 : NULL;
}

struct pair {
	const char *name, *value;
	size_t name_size, value_size;
};

/* The next name=value, blanks allowed around the sign; words without a value are skipped. */
static bool next_pair(const char **at, const char *end, struct pair *ret)
{
	while (*at < end) {
		const char *name = *at + strspn(*at, " \t");
		if (name >= end)
			break;
		size_t size = strcspn(name, " \t=;");
		const char *sign = skip_blanks(name + size);
		if (sign >= end || *sign != '=') {
			*at = size ? name + size : name + 1;
			continue;
		}
		const char *value = skip_blanks(sign + 1);
		size_t value_size = value < end ? strcspn(value, " \t;") : 0;
		*at = value + value_size;
		*ret = (struct pair){name, value, size, value_size};
		return true;
	}
	*at = end;
	return false;
}

static bool text_is(const char *text, size_t size, const char *word)
{
	return strlen(word) == size && strncasecmp(text, word, size) == 0;
}

/* Two domains by their keys. */
static bool same_domain(const char *a, size_t a_size, const char *b)
{
	char left[300];
	if (a_size == 0 || a_size + 3 > sizeof(left))
		return false;
	memcpy(left, "x@", 2);
	memcpy(left + 2, a, a_size);
	left[a_size + 2] = '\0';
	struct buffer right = BUFFER_INIT(300);
	buffer_text(&right, "x@");
	buffer_text(&right, b);
	bool same = !right.failed && !right.full && address_same(left, right.bytes);
	buffer_release(&right);
	return same;
}

/* Judges one "method=result ptype.property=value ..." element. */
static enum auth judge_element(const char *at, const char *end, const char *domain, bool *ret_dmarc)
{
	struct pair pair;
	*ret_dmarc = false;
	if (!next_pair(&at, end, &pair) || !text_is(pair.name, pair.name_size, "dmarc"))
		return AUTH_NONE;
	*ret_dmarc = true;
	bool pass = text_is(pair.value, pair.value_size, "pass");
	bool fail = text_is(pair.value, pair.value_size, "fail");
	bool named = false, matches = true;
	while (next_pair(&at, end, &pair)) {
		if (!text_is(pair.name, pair.name_size, "header.from"))
			continue;
		named = true;
		matches &= same_domain(pair.value, pair.value_size, domain);
	}
	if (fail)
		return AUTH_FAIL;
	return pass && named && matches ? AUTH_PASS : AUTH_NONE;
}

static enum auth judge(const char *results, const char *domain)
{
	enum auth found = AUTH_NONE;
	bool seen = false;
	for (const char *at = results; at && *at;) {
		const char *end = at + strcspn(at, ";");
		bool dmarc;
		enum auth one = judge_element(at, end, domain, &dmarc);
		if (dmarc && one == AUTH_FAIL)
			return AUTH_FAIL;
		if (dmarc)
			found = seen && one != found ? AUTH_NONE : one;
		seen |= dmarc;
		at = *end ? end + 1 : end;
	}
	return found;
}

enum auth trust_authentication(
	const struct letter *letter, const char *const *authserv_ids, size_t n_ids)
{
	const char *at = letter->from_address ? strrchr(letter->from_address, '@') : NULL;
	if (!at || !letter->authentication)
		return AUTH_NONE;
	struct buffer plain = BUFFER_INIT(RESULTS_MAX);
	enum auth auth = AUTH_NONE;
	if (strip_comments(letter->authentication, &plain)) {
		const char *results = trusted_results(plain.bytes, authserv_ids, n_ids);
		if (results)
			auth = judge(results, at + 1);
	}
	buffer_release(&plain);
	return auth;
}

/* The domain as lower-case A-labels. */
static int domain_key(const char *domain, char **ret)
{
	char *ascii = NULL;
	size_t n = strlen(domain);
	if (n == 0 || n > 255 || strpbrk(domain, " \t\r\n<>,;()\"\\"))
		return -EINVAL;
	if (domain[0] == '[') {
		ascii = strdup(domain);
	} else {
		int r = idn2_to_ascii_8z(domain, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
		if (r == IDN2_MALLOC)
			return -ENOMEM;
		/* Names that IDNA refuses but the DNS has (underscores) stay as they are. */
		if (r != IDN2_OK)
			ascii = strdup(domain);
	}
	if (!ascii)
		return -ENOMEM;
	for (char *c = ascii; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	n = strlen(ascii);
	if (n > 1 && ascii[n - 1] == '.')
		ascii[n - 1] = '\0';
	*ret = ascii;
	return 0;
}

int address_key(const char *address, char **ret_key)
{
	const char *at = strrchr(address, '@');
	if (!at || at == address || !at[1] || strlen(address) > 320)
		return -EINVAL;
	struct buffer local = BUFFER_INIT(320);
	bool quoted = address[0] == '"' && at - address > 2 && at[-1] == '"';
	for (const char *c = address + quoted; c < at - quoted; c++) {
		if (quoted && *c == '\\' && c + 1 < at - quoted)
			c++;
		if ((unsigned char)*c < 0x20 || *c == 0x7F) {
			buffer_release(&local);
			return -EINVAL;
		}
		buffer_char(&local, (char)tolower((unsigned char)*c));
	}
	char *domain = NULL, *plain = NULL;
	size_t size = 0;
	int r = local.failed ? -ENOMEM : domain_key(at + 1, &domain);
	/* NFKC folds what looks the same in an internationalised local part. */
	if (r == 0)
		r = clean_line(local.bytes ? local.bytes : "", local.size, &plain, &size);
	if (r == 0 && size == 0)
		r = -EINVAL;
	buffer_clear(&local);
	if (r == 0) {
		struct buffer key = BUFFER_INIT(1024);
		buffer_add(&key, plain, size);
		buffer_char(&key, '@');
		buffer_text(&key, domain);
		if (key.failed || key.full) {
			buffer_release(&key);
			r = -ENOMEM;
		} else {
			*ret_key = key.bytes;
		}
	}
	buffer_release(&local);
	free(domain);
	free(plain);
	return r;
}

bool address_same(const char *a, const char *b)
{
	char *left = NULL, *right = NULL;
	bool same = address_key(a, &left) == 0 && address_key(b, &right) == 0 &&
		    strcmp(left, right) == 0;
	free(left);
	free(right);
	return same;
}
