/* Address lists (RFC 5322, 3.4), for header.h. */
#include <string.h>

#include "daemon/reading/header.h"

#define COMMENT_DEPTH_MAX 50

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* White space and comments; false if a comment does not end. */
static bool skip_cfws(struct mailbox_scan *scan)
{
	while (scan->at < scan->size) {
		if (is_blank(scan->text[scan->at])) {
			scan->at++;
			continue;
		}
		if (scan->text[scan->at] != '(')
			return true;
		unsigned depth = 0;
		for (; scan->at < scan->size; scan->at++) {
			char c = scan->text[scan->at];
			if (c == '\\')
				scan->at++;
			else if (c == '(' && ++depth > COMMENT_DEPTH_MAX)
				return false;
			else if (c == ')' && --depth == 0)
				break;
		}
		if (scan->at >= scan->size)
			return false;
		scan->at++;
	}
	return true;
}

static bool at_char(const struct mailbox_scan *scan, char c)
{
	return scan->at < scan->size && scan->text[scan->at] == c;
}

/* Letters of an atom, here with dots; bytes beyond ASCII are UTF-8 (RFC 6532). */
static size_t atom_size(const struct mailbox_scan *scan)
{
	size_t n = 0;
	while (scan->at + n < scan->size) {
		char c = scan->text[scan->at + n];
		if ((unsigned char)c <= ' ' || c == 0x7F || strchr("()<>[]:;@\\,\"", c))
			break;
		n++;
	}
	return n;
}

static bool quoted_string(struct mailbox_scan *scan, struct buffer *out)
{
	for (scan->at++; scan->at < scan->size; scan->at++) {
		char c = scan->text[scan->at];
		if (c == '"') {
			scan->at++;
			return true;
		}
		if (c == '\\' && scan->at + 1 < scan->size)
			c = scan->text[++scan->at];
		if (c != '\n' && c != '\r')
			buffer_char(out, c);
	}
	return false;
}

/* A word: an atom or a quoted string. */
static bool take_word(struct mailbox_scan *scan, struct buffer *out)
{
	if (at_char(scan, '"'))
		return quoted_string(scan, out);
	size_t n = atom_size(scan);
	if (n == 0)
		return false;
	buffer_add(out, scan->text + scan->at, n);
	scan->at += n;
	return true;
}

static bool take_domain(struct mailbox_scan *scan, struct buffer *out)
{
	if (!skip_cfws(scan))
		return false;
	size_t n = atom_size(scan);
	if (n == 0 && at_char(scan, '[')) {
		const char *end = memchr(scan->text + scan->at, ']', scan->size - scan->at);
		if (end)
			n = (size_t)(end + 1 - scan->text) - scan->at;
	}
	if (n == 0)
		return false;
	buffer_add(out, scan->text + scan->at, n);
	scan->at += n;
	return skip_cfws(scan);
}

/* local@domain behind an opened angle bracket, with an obsolete route in front. */
static bool take_angle(struct mailbox_scan *scan, struct buffer *out)
{
	scan->at++;
	if (!skip_cfws(scan))
		return false;
	while (at_char(scan, '@') || at_char(scan, ',')) {
		struct buffer route = BUFFER_INIT(1024);
		bool domain = at_char(scan, '@');
		scan->at++;
		bool fine = !domain || take_domain(scan, &route);
		buffer_release(&route);
		if (!fine || !skip_cfws(scan))
			return false;
		if (at_char(scan, ':')) {
			scan->at++;
			break;
		}
	}
	if (!skip_cfws(scan) || !take_word(scan, out) || !skip_cfws(scan) || !at_char(scan, '@'))
		return false;
	scan->at++;
	buffer_char(out, '@');
	if (!take_domain(scan, out) || !at_char(scan, '>'))
		return false;
	scan->at++;
	return true;
}

/* Words, then '<', '@', ':' or an end says what they were. */
static bool take_mailbox(struct mailbox_scan *scan, struct mailbox *ret, bool *ret_group)
{
	size_t words = 0;
	for (;;) {
		if (!skip_cfws(scan))
			return false;
		if (at_char(scan, '<'))
			return take_angle(scan, &ret->address) && skip_cfws(scan);
		if (words == 1 && at_char(scan, '@')) {
			scan->at++;
			buffer_add(&ret->address, ret->name.bytes, ret->name.size);
			buffer_char(&ret->address, '@');
			buffer_clear(&ret->name);
			return take_domain(scan, &ret->address);
		}
		if (words > 0 && at_char(scan, ':') && !scan->in_group) {
			scan->at++;
			*ret_group = true;
			return true;
		}
		if (words > 0)
			buffer_char(&ret->name, ' ');
		if (!take_word(scan, &ret->name))
			return false;
		words++;
	}
}

static void resync(struct mailbox_scan *scan)
{
	while (scan->at < scan->size && !at_char(scan, ','))
		scan->at++;
}

enum mailbox_step mailbox_next(struct mailbox_scan *scan, struct mailbox *ret)
{
	for (;;) {
		if (!skip_cfws(scan)) {
			scan->at = scan->size;
			return MAILBOX_INVALID;
		}
		if (at_char(scan, ',')) {
			scan->at++;
			continue;
		}
		if (scan->in_group && at_char(scan, ';')) {
			scan->in_group = false;
			scan->at++;
			continue;
		}
		if (scan->at >= scan->size)
			return MAILBOX_END;
		*ret = (struct mailbox){.name = BUFFER_INIT(4096),
			.address = BUFFER_INIT(1024),
			.group = scan->in_group};
		bool group = false;
		bool fine = take_mailbox(scan, ret, &group);
		if (fine && group) {
			scan->in_group = scan->saw_group = true;
			mailbox_list_release(ret);
			continue;
		}
		if (fine && (scan->at >= scan->size || at_char(scan, ',') ||
				    (scan->in_group && at_char(scan, ';'))))
			return MAILBOX_READ;
		mailbox_list_release(ret);
		resync(scan);
		return MAILBOX_INVALID;
	}
}

void mailbox_list_release(struct mailbox *mailbox)
{
	buffer_release(&mailbox->name);
	buffer_release(&mailbox->address);
}
