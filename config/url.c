#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/value.h"

static const struct {
	const char *prefix;
	enum url_scheme scheme;
	uint16_t port;
} schemes[] = {
	{"imap://", URL_IMAP, 143},
	{"imaps://", URL_IMAPS, 993},
	{"smtp://", URL_SMTP, 587},
	{"smtps://", URL_SMTPS, 465},
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Decodes SIZE bytes of percent-encoded TEXT, which must be fit for a line then. */
static int percent_decode(const char *text, size_t size, char **ret_text)
{
	char *out = malloc(size + 1);
	size_t n = 0;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < size; i++) {
		if (text[i] != '%') {
			out[n++] = text[i];
			continue;
		}
		int high = i + 2 < size ? hex_digit(text[i + 1]) : -1;
		int low = i + 2 < size ? hex_digit(text[i + 2]) : -1;
		if (high < 0 || low < 0)
			goto invalid;
		out[n] = (char)(high * 16 + low);
		if (!out[n++])
			goto invalid;
		i += 2;
	}
	out[n] = '\0';
	if (!value_is_line(out))
		goto invalid;
	*ret_text = out;
	return 0;
invalid:
	free(out);
	return -EINVAL;
}

static bool host_is_loopback(const char *host)
{
	struct in_addr v4;
	struct in6_addr v6;

	if (strcasecmp(host, "localhost") == 0)
		return true;
	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, host, &v6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&v6);
	return false;
}

/* A host name or an IPv6 address; SIZE bytes of TEXT without brackets. */
static int read_host(const char *text, size_t size, bool brackets, struct mail_url *url)
{
	struct in6_addr v6;

	if (size == 0 || size > 253)
		return -EINVAL;
	url->host = strndup(text, size);
	if (!url->host)
		return -ENOMEM;
	if (brackets) {
		if (inet_pton(AF_INET6, url->host, &v6) != 1)
			return -EINVAL;
	} else if (strspn(url->host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789.-") != size) {
		return -EINVAL;
	}
	url->loopback = host_is_loopback(url->host);
	return 0;
}

/* HOST[:PORT] up to END. */
static int read_host_and_port(
	const char *text, const char *end, struct mail_url *url, const char **ret_why)
{
	bool brackets = text < end && *text == '[';
	const char *host = brackets ? text + 1 : text;
	const char *host_end = memchr(host, brackets ? ']' : ':', (size_t)(end - host));
	int r;

	*ret_why = "the host is missing or not a host name";
	if (!host_end) {
		if (brackets)
			return -EINVAL;
		host_end = end;
	}
	r = read_host(host, (size_t)(host_end - host), brackets, url);
	if (r < 0)
		return r;
	const char *rest = host_end + (brackets ? 1 : 0);
	if (rest == end)
		return 0;

	char digits[6] = "";
	int64_t port;
	size_t size = (size_t)(end - rest) - 1;
	*ret_why = "the port is not a number from 1 to 65535";
	if (*rest != ':' || size == 0 || size >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, rest + 1, size);
	if (value_number(digits, UINT16_MAX, &port) < 0 || port == 0)
		return -EINVAL;
	url->port = (uint16_t)port;
	return 0;
}

/* USER@HOST[:PORT][/FOLDER]. */
static int read_authority(const char *text, struct mail_url *url, const char **ret_why)
{
	const char *end = text + strcspn(text, "/");
	const char *at = memrchr(text, '@', (size_t)(end - text));
	int r;

	*ret_why = "'?' and '#' must be percent-encoded";
	if (strpbrk(text, "?#"))
		return -EINVAL;
	if (at) {
		*ret_why = "a password has no place in a URL; an '@' or ':' of the user is "
			   "written %40 or %3A";
		if (at == text || memchr(text, ':', (size_t)(at - text)) ||
			memchr(text, '@', (size_t)(at - text)))
			return -EINVAL;
		*ret_why = "the user is not properly percent-encoded";
		r = percent_decode(text, (size_t)(at - text), &url->user);
		if (r < 0)
			return r;
	}
	r = read_host_and_port(at ? at + 1 : text, end, url, ret_why);
	if (r < 0)
		return r;

	if (url->scheme == URL_SMTP || url->scheme == URL_SMTPS) {
		*ret_why = "an SMTP server has no folder";
		return *end && end[1] ? -EINVAL : 0;
	}
	*ret_why = "the folder is not properly percent-encoded";
	const char *folder = *end && end[1] ? end + 1 : "INBOX";
	return percent_decode(folder, strlen(folder), &url->folder);
}

int value_url(const char *text, struct mail_url *ret_url, const char **ret_why)
{
	struct mail_url url = {0};
	int r = -EINVAL;

	*ret_why = "not a URL of the form imaps://, imap://, smtps://, smtp:// or maildir:/PATH";
	if (!value_is_line(text))
		return -EINVAL;
	if (strncmp(text, "maildir:", 8) == 0) {
		*ret_why = "maildir: wants an absolute path";
		if (text[8] != '/' || !text[8 + strspn(text + 8, "/")])
			return -EINVAL;
		url.path = strdup(text + 8 + strspn(text + 8, "/") - 1);
		if (!url.path)
			return -ENOMEM;
		*ret_url = url;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		size_t size = strlen(schemes[i].prefix);
		if (strncasecmp(text, schemes[i].prefix, size) != 0)
			continue;
		url.scheme = schemes[i].scheme;
		url.port = schemes[i].port;
		r = read_authority(text + size, &url, ret_why);
		break;
	}
	if (r < 0) {
		mail_url_release(&url);
		return r;
	}
	*ret_url = url;
	return 0;
}

void mail_url_release(struct mail_url *url)
{
	free(url->path);
	free(url->user);
	free(url->host);
	free(url->folder);
	*url = (struct mail_url){0};
}
