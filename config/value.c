#include "config/value.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/utf8.h"
#include "rules/calendar.h"

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool value_is_id(const char *text)
{
	size_t size = strlen(text);

	if (size == 0 || size > ID_MAX)
		return false;
	for (size_t i = 0; i < size; i++)
		if (!is_alnum(text[i]) && !strchr("._-", text[i]))
			return false;
	return true;
}

/* Control characters, and marks that break a line or turn its direction. */
static bool is_unfit(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
	       code == 0x061c || code == 0x200e || code == 0x200f ||
	       (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
	       code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb);
}

bool value_is_line(const char *text)
{
	size_t size = strlen(text);
	uint32_t code;

	while (size > 0) {
		size_t length = utf8_decode(text, size, &code);
		if (length == 0 || is_unfit(code))
			return false;
		text += length;
		size -= length;
	}
	return true;
}

int value_bool(const char *text, bool *ret_value)
{
	if (strcmp(text, "yes") == 0)
		*ret_value = true;
	else if (strcmp(text, "no") == 0)
		*ret_value = false;
	else
		return -EINVAL;
	return 0;
}

/* Reads digits; *end stands behind them. */
static int read_digits(const char *text, int64_t max, const char **ret_end, int64_t *ret_value)
{
	int64_t value = 0;

	if (!is_digit(*text))
		return -EINVAL;
	for (; is_digit(*text); text++) {
		int digit = *text - '0';
		if (value > (max - digit) / 10)
			return -ERANGE;
		value = value * 10 + digit;
	}
	*ret_end = text;
	*ret_value = value;
	return 0;
}

int value_number(const char *text, int64_t max, int64_t *ret_value)
{
	const char *end;
	int64_t value;

	int r = read_digits(text, max, &end, &value);
	if (r < 0)
		return r;
	if (*end)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

int value_duration(const char *text, int64_t *ret_milliseconds)
{
	static const struct {
		const char *unit;
		int64_t milliseconds;
	} units[] = {{"s", 1000}, {"min", 60000}, {"h", 3600000}, {"d", 86400000}};
	const char *end;
	int64_t value;

	int r = read_digits(text, 1000000000, &end, &value);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i].unit) == 0) {
			*ret_milliseconds = value * units[i].milliseconds;
			return 0;
		}
	}
	return -EINVAL;
}

int value_size(const char *text, uint64_t *ret_bytes)
{
	const char *end;
	int64_t value;

	int r = read_digits(text, 1000000000, &end, &value);
	if (r < 0)
		return r;
	if (strcmp(end, "K") == 0)
		*ret_bytes = (uint64_t)value << 10;
	else if (strcmp(end, "M") == 0)
		*ret_bytes = (uint64_t)value << 20;
	else if (!*end)
		*ret_bytes = (uint64_t)value;
	else
		return -EINVAL;
	return 0;
}

/* Reads exactly N digits. */
static bool fixed_digits(const char **text, unsigned n, unsigned *ret_value)
{
	unsigned value = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!is_digit((*text)[i]))
			return false;
		value = value * 10 + (unsigned)((*text)[i] - '0');
	}
	*text += n;
	*ret_value = value;
	return true;
}

static bool literal(const char **text, char c)
{
	if (**text != c)
		return false;
	(*text)++;
	return true;
}

static bool read_date(const char **text, int32_t *ret_date)
{
	unsigned year, month, day;

	if (!fixed_digits(text, 4, &year) || !literal(text, '-') ||
		!fixed_digits(text, 2, &month) || !literal(text, '-') ||
		!fixed_digits(text, 2, &day) || !date_is_civil((int)year, month, day))
		return false;
	*ret_date = date_from_civil((int)year, month, day);
	return true;
}

int value_date(const char *text, int32_t *ret_date)
{
	int32_t date;

	if (!read_date(&text, &date) || *text)
		return -EINVAL;
	*ret_date = date;
	return 0;
}

/* HH:MM:SS with an optional fraction, of which milliseconds are kept. */
static bool read_time(const char **text, int64_t *ret_milliseconds)
{
	unsigned hour, minute, second, digit;
	int64_t milliseconds = 0, scale = 100;

	if (!fixed_digits(text, 2, &hour) || !literal(text, ':') ||
		!fixed_digits(text, 2, &minute) || !literal(text, ':') ||
		!fixed_digits(text, 2, &second) || hour > 23 || minute > 59 || second > 59)
		return false;
	if (literal(text, '.')) {
		if (!is_digit(**text))
			return false;
		for (; fixed_digits(text, 1, &digit); scale /= 10)
			milliseconds += digit * scale;
	}
	*ret_milliseconds =
		((int64_t)hour * 3600 + (int64_t)minute * 60 + second) * 1000 + milliseconds;
	return true;
}

/* Z, +HH:MM or -HH:MM. */
static bool read_offset(const char **text, int64_t *ret_milliseconds)
{
	unsigned hour, minute;
	bool west;

	if (literal(text, 'Z')) {
		*ret_milliseconds = 0;
		return true;
	}
	west = **text == '-';
	if (!literal(text, '-') && !literal(text, '+'))
		return false;
	if (!fixed_digits(text, 2, &hour) || !literal(text, ':') ||
		!fixed_digits(text, 2, &minute) || hour > 23 || minute > 59)
		return false;
	*ret_milliseconds = ((int64_t)hour * 60 + minute) * 60000 * (west ? -1 : 1);
	return true;
}

int value_instant(const char *text, int64_t *ret_instant)
{
	int32_t date;
	int64_t time, offset;

	if (!read_date(&text, &date) || !literal(&text, 'T') || !read_time(&text, &time) ||
		!read_offset(&text, &offset) || *text)
		return -EINVAL;
	*ret_instant = (int64_t)date * 86400000 + time - offset;
	return 0;
}

/* RFC 6531: part of a character that is no ASCII. */
static bool is_foreign(char c)
{
	return (c & '\x80') != 0;
}

static bool is_atext(char c)
{
	return is_alnum(c) || is_foreign(c) || (c && strchr("!#$%&'*+-/=?^_`{|}~", c));
}

/* Words of FIT characters with single dots between them. */
static bool is_dotted(const char *text, size_t size, bool (*fit)(char c))
{
	bool dot = true;

	for (size_t i = 0; i < size; i++) {
		if (text[i] == '.' ? dot : !fit(text[i]))
			return false;
		dot = text[i] == '.';
	}
	return !dot;
}

static bool is_host_character(char c)
{
	return is_alnum(c) || is_foreign(c) || c == '-';
}

bool value_is_ascii(const char *text)
{
	for (; *text; text++)
		if (*text & '\x80')
			return false;
	return true;
}

bool value_is_address(const char *text)
{
	const char *at = strchr(text, '@');
	size_t size = strlen(text);

	if (!at || size > 254 || at - text > 64 || !value_is_line(text))
		return false;
	return is_dotted(text, (size_t)(at - text), is_atext) &&
	       is_dotted(at + 1, size - (size_t)(at + 1 - text), is_host_character);
}

/* A new string of the bytes between START and END without blanks (and double quotes around
 * all of it). */
static char *trimmed(const char *start, const char *end)
{
	while (start < end && isblank((unsigned char)*start))
		start++;
	while (end > start && isblank((unsigned char)end[-1]))
		end--;
	if (end - start >= 2 && *start == '"' && end[-1] == '"') {
		start++;
		end--;
	}
	return strndup(start, (size_t)(end - start));
}

int value_mailbox(const char *text, struct mailbox *ret_mailbox)
{
	struct mailbox mailbox = {0};
	const char *open = strchr(text, '<');
	size_t size = strlen(text);

	if (!value_is_line(text))
		return -EINVAL;
	if (!open) {
		if (!value_is_address(text))
			return -EINVAL;
		mailbox.address = strdup(text);
		if (!mailbox.address)
			return -ENOMEM;
		*ret_mailbox = mailbox;
		return 0;
	}
	if (text[size - 1] != '>')
		return -EINVAL;
	mailbox.name = trimmed(text, open);
	mailbox.address = strndup(open + 1, size - (size_t)(open + 2 - text));
	if (!mailbox.name || !mailbox.address) {
		mailbox_release(&mailbox);
		return -ENOMEM;
	}
	if (!value_is_address(mailbox.address) || strchr(mailbox.name, '@')) {
		mailbox_release(&mailbox);
		return -EINVAL;
	}
	if (!*mailbox.name) {
		free(mailbox.name);
		mailbox.name = NULL;
	}
	*ret_mailbox = mailbox;
	return 0;
}

void mailbox_release(struct mailbox *mailbox)
{
	free(mailbox->name);
	free(mailbox->address);
	*mailbox = (struct mailbox){0};
}

int value_list(const char *text, struct value_list *ret_list)
{
	struct value_list list = {0};

	for (;;) {
		const char *comma = strchrnul(text, ',');
		char **grown = realloc(list.items, (list.n + 1) * sizeof(*grown));
		if (!grown)
			break;
		list.items = grown;
		list.items[list.n] = trimmed(text, comma);
		if (!list.items[list.n])
			break;
		list.n++;
		if (!*list.items[list.n - 1]) {
			value_list_release(&list);
			return -EINVAL;
		}
		if (!*comma) {
			*ret_list = list;
			return 0;
		}
		text = comma + 1;
	}
	value_list_release(&list);
	return -ENOMEM;
}

void value_list_release(struct value_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct value_list){0};
}
