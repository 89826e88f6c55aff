#include "daemon/reading/header.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "daemon/reading/charset.h"
#include "daemon/reading/transfer.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t line_end(const char *raw, size_t size, size_t at)
{
	const char *lf = memchr(raw + at, '\n', size - at);
	return lf ? (size_t)(lf - raw) : size;
}

/* The length of the name of the field that begins at LINE, or 0. */
static size_t name_size(const char *line, size_t size, size_t *ret_colon)
{
	size_t n = 0;
	while (n < size && line[n] > ' ' && line[n] < 127 && line[n] != ':')
		n++;
	size_t colon = n;
	while (colon < size && (line[colon] == ' ' || line[colon] == '\t'))
		colon++;
	if (n == 0 || colon == size || line[colon] != ':')
		return 0;
	*ret_colon = colon;
	return n;
}

static bool field_follows(const char *raw, size_t size, size_t at)
{
	size_t colon;
	return at < size && name_size(raw + at, line_end(raw, size, at) - at, &colon) > 0;
}

static int add_field(struct header *header, size_t *room, struct header_field field)
{
	if (header->n == *room) {
		size_t more = *room ? *room * 2 : 32;
		struct header_field *fields =
			reallocarray(header->fields, more, sizeof(*header->fields));
		if (!fields)
			return -ENOMEM;
		header->fields = fields;
		*room = more;
	}
	while (field.value_size > 0 && is_blank(field.value[0])) {
		field.value++;
		field.value_size--;
	}
	while (field.value_size > 0 && is_blank(field.value[field.value_size - 1]))
		field.value_size--;
	header->fields[header->n++] = field;
	return 0;
}

int header_read(const char *raw, size_t size, struct header *ret)
{
	struct header header = {.body = size};
	size_t room = 0;
	for (size_t at = 0, end; at < size; at = end + 1) {
		end = line_end(raw, size, at);
		if (end == at) {
			header.body = end + 1;
			break;
		}
		size_t colon = 0, n = name_size(raw + at, end - at, &colon);
		if (n == 0) {
			if (field_follows(raw, size, end + 1) || end + 1 >= size ||
				raw[end + 1] == '\n')
				continue;
			header.body = at;
			break;
		}
		while (end + 1 < size && (raw[end + 1] == ' ' || raw[end + 1] == '\t'))
			end = line_end(raw, size, end + 1);
		if (header.n == HEADER_FIELDS_MAX)
			continue;
		int r = add_field(&header, &room,
			(struct header_field){
				raw + at, n, raw + at + colon + 1, end - at - colon - 1});
		if (r < 0) {
			header_release(&header);
			return r;
		}
	}
	if (header.body > size)
		header.body = size;
	*ret = header;
	return 0;
}

void header_release(struct header *header)
{
	free(header->fields);
	*header = (struct header){.n = 0};
}

const struct header_field *header_find(const struct header *header, const char *name, size_t index)
{
	size_t size = strlen(name);
	for (size_t i = 0; i < header->n; i++)
		if (header->fields[i].name_size == size &&
			strncasecmp(header->fields[i].name, name, size) == 0 && index-- == 0)
			return &header->fields[i];
	return NULL;
}

bool header_has_prefix(const struct header *header, const char *prefix)
{
	size_t size = strlen(prefix);
	for (size_t i = 0; i < header->n; i++)
		if (header->fields[i].name_size >= size &&
			strncasecmp(header->fields[i].name, prefix, size) == 0)
			return true;
	return false;
}

bool header_has_controls(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F)
			return true;
	return false;
}

/* An encoded word =?charset?encoding?text?=. */
struct encoded_word {
	const char *charset;
	size_t charset_size;
	char encoding; /* 'B' or 'Q' */
	const char *text;
	size_t text_size;
	size_t size; /* of all */
};

static bool encoded_word(const char *at, size_t size, struct encoded_word *ret)
{
	if (size < 8 || at[0] != '=' || at[1] != '?')
		return false;
	const char *end = at + size;
	const char *charset = at + 2, *mark = memchr(charset, '?', (size_t)(end - charset));
	if (!mark || mark == charset || mark - charset > 40 || end - mark < 4 || mark[2] != '?')
		return false;
	char encoding = (char)(mark[1] & ~0x20);
	if (encoding != 'B' && encoding != 'Q')
		return false;
	const char *text = mark + 3, *close = memchr(text, '?', (size_t)(end - text));
	if (!close || close + 1 == end || close[1] != '=' || close - text > 2000)
		return false;
	const char *language = memchr(charset, '*', (size_t)(mark - charset));
	*ret = (struct encoded_word){charset, (size_t)((language ? language : mark) - charset),
		encoding, text, (size_t)(close - text), (size_t)(close + 2 - at)};
	return true;
}

/* Bytes of adjacent encoded words that wait to be decoded together. */
struct pending {
	struct buffer bytes;
	char charset[48];
};

static void flush(struct pending *pending, struct buffer *out)
{
	if (pending->bytes.size)
		charset_decode(pending->charset, pending->bytes.bytes, pending->bytes.size, out);
	buffer_clear(&pending->bytes);
}

static void take_word(struct pending *pending, const struct encoded_word *word, struct buffer *out)
{
	if (strlen(pending->charset) != word->charset_size ||
		strncasecmp(pending->charset, word->charset, word->charset_size) != 0) {
		flush(pending, out);
		memcpy(pending->charset, word->charset, word->charset_size);
		pending->charset[word->charset_size] = '\0';
	}
	if (word->encoding == 'B')
		transfer_base64(word->text, word->text_size, &pending->bytes);
	else
		transfer_q(word->text, word->text_size, &pending->bytes);
}

/* Plain stretches: valid UTF-8 as it is, else in the fallback charset. */
static void add_plain(const char *text, size_t size, const char *fallback, struct buffer *out)
{
	if (g_utf8_validate(text, (gssize)size, NULL))
		buffer_add(out, text, size);
	else
		charset_decode(fallback && strncasecmp(fallback, "utf", 3) != 0 &&
					       strcasecmp(fallback, "us-ascii") != 0
				       ? fallback
				       : "windows-1252",
			text, size, out);
}

static void unfold(const char *value, size_t size, struct buffer *out)
{
	for (size_t i = 0; i < size; i++) {
		if (value[i] == '\n' || value[i] == '\r')
			continue;
		buffer_char(out, value[i] == '\t' ? ' ' : value[i]);
	}
}

void header_decode(const char *value, size_t size, const char *fallback, struct buffer *out)
{
	struct buffer flat = BUFFER_INIT((size_t)1 << 17);
	unfold(value, size, &flat);
	const char *text = flat.bytes ? flat.bytes : "";
	size_t n = flat.size, plain = 0;
	struct pending pending = {.bytes = BUFFER_INIT((size_t)1 << 17)};
	bool after_word = false;
	for (size_t i = 0; i < n;) {
		struct encoded_word word;
		if (text[i] != '=' || !encoded_word(text + i, n - i, &word)) {
			i++;
			continue;
		}
		size_t gap = plain;
		while (gap < i && is_blank(text[gap]))
			gap++;
		if (!after_word || gap < i) {
			flush(&pending, out);
			add_plain(text + plain, i - plain, fallback, out);
		}
		take_word(&pending, &word, out);
		i += word.size;
		plain = i;
		after_word = true;
	}
	flush(&pending, out);
	add_plain(text + plain, n - plain, fallback, out);
	buffer_release(&pending.bytes);
	buffer_release(&flat);
}

bool message_id_next(
	const char *text, size_t size, size_t *at, const char **ret_id, size_t *ret_size)
{
	while (*at < size) {
		const char *open = memchr(text + *at, '<', size - *at);
		if (!open)
			break;
		const char *id = open + 1;
		const char *close = memchr(id, '>', size - (size_t)(id - text));
		if (!close) {
			*at = size;
			return false;
		}
		*at = (size_t)(close + 1 - text);
		if (close > id && close - id <= 998) {
			*ret_id = id;
			*ret_size = (size_t)(close - id);
			return true;
		}
	}
	/* Broken programs leave the brackets out. */
	if (*at == 0 && size > 0 && size <= 998 && memchr(text, '@', size) &&
		!memchr(text, ' ', size) && !memchr(text, '\n', size)) {
		*ret_id = text;
		*ret_size = size;
		*at = size;
		return true;
	}
	*at = size;
	return false;
}
