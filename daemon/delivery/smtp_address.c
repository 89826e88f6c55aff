#include "daemon/delivery/smtp_address.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>

#include "config/value.h"

#define LOCAL_MAX 64
#define DOMAIN_MAX 255

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_ascii(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

/* A dot-string, with UTF-8 among its letters. *ret_odd: with dots where none may be, as some
 * providers have given out; then it is quoted. */
static bool local_fits(const char *local, size_t size, bool *ret_odd)
{
	char last = '.';

	*ret_odd = false;
	for (size_t i = 0; i < size; i++) {
		char c = local[i];
		if (!is_alnum(c) && (unsigned char)c < 0x80 && !strchr("!#$%&'*+-/=?^_`{|}~.", c))
			return false;
		if (c == '.' && last == '.')
			*ret_odd = true;
		last = c;
	}
	if (last == '.')
		*ret_odd = true;
	return size > 0 && size <= LOCAL_MAX;
}

static bool is_literal(const char *domain)
{
	size_t size = strlen(domain);

	return size > 3 && domain[0] == '[' && domain[size - 1] == ']' &&
	       strspn(domain + 1, "0123456789abcdefABCDEFIPv.:") == size - 2;
}

static bool is_host(const char *domain)
{
	char last = '.';

	for (const char *c = domain; *c; c++) {
		if (!is_alnum(*c) && *c != '.' && *c != '-')
			return false;
		if (last == '.' && (*c == '.' || *c == '-'))
			return false;
		last = *c;
	}
	return *domain && last != '.' && last != '-' && strlen(domain) <= DOMAIN_MAX;
}

static int write_address(const char *local, size_t size, const char *domain, bool odd, char *out)
{
	const char *quote = odd ? "\"" : "";
	int n = snprintf(
		out, SMTP_ADDRESS_MAX, "%s%.*s%s@%s", quote, (int)size, local, quote, domain);

	return n > 0 && n < SMTP_ADDRESS_MAX ? 0 : -EINVAL;
}

int smtp_address(const char *address, char out[static SMTP_ADDRESS_MAX])
{
	const char *at = strrchr(address, '@');
	size_t size = at ? (size_t)(at - address) : 0;
	gnutls_datum_t labels = {.data = NULL};
	const char *domain = at ? at + 1 : "";
	bool odd;
	int r;

	if (!at || !value_is_line(address) || !local_fits(address, size, &odd))
		return -EINVAL;
	if (!is_ascii(domain, strlen(domain))) {
		r = gnutls_idna_map(domain, (unsigned)strlen(domain), &labels, 0);
		if (r < 0)
			return -EINVAL;
		domain = (const char *)labels.data;
	}
	r = is_host(domain) || is_literal(domain) ? write_address(address, size, domain, odd, out)
						  : -EINVAL;
	gnutls_free(labels.data);
	return r < 0 ? r : !is_ascii(address, size);
}

int smtp_xtext(const char *text, char *out, size_t max)
{
	size_t size = 0;

	for (; *text; text++) {
		bool plain = *text != '+' && *text != '=';
		if (*text < '!' || *text > '~')
			return -EINVAL;
		if (size + (plain ? 1 : 3) > max)
			return -EMSGSIZE;
		if (plain)
			out[size++] = *text;
		else
			size += (size_t)snprintf(out + size, 4, "+%02X", (unsigned char)*text);
	}
	out[size] = '\0';
	return 0;
}
