#include "daemon/compose/mail.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <idn2.h>
#include <libetpan/libetpan.h>

#include "config/utf8.h"
#include "config/value.h"
#include "rules/calendar.h"

#define ENCODED_WORD_WIDTH 50 /* with its frame of 12 and "Subject: " in front a line of 72 */

#define LINE_MAX_7BIT 78

void mail_release(struct mail *mail)
{
	free(mail->message_id);
	free(mail->envelope_from);
	free(mail->to);
	free(mail->subject);
	free(mail->text);
	free(mail->raw);
	*mail = (struct mail){0};
}

/* ---- RFC 2047 ---- */

static bool needs_encoding(const char *text)
{
	if (strstr(text, "=?"))
		return true;
	for (; *text; text++)
		if ((unsigned char)*text >= 0x7f || (unsigned char)*text < 0x20)
			return true;
	return false;
}

/* What an encoded word in a display name may hold as it is. */
static bool is_plain(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr("!*+-/", c));
}

/* One word of as many whole characters as fit; returns the bytes taken. */
static size_t encode_word(const char *text, size_t size, char *out, size_t *ret_size)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t at = 0, n = 0, length, used = 0;
	uint32_t code;

	while (at < size && (length = utf8_decode(text + at, size - at, &code)) > 0) {
		size_t width = is_plain(text[at]) || text[at] == ' ' ? 1 : 3 * length;
		if (used + width > ENCODED_WORD_WIDTH)
			break;
		used += width;
		for (size_t i = 0; i < length; i++, at++) {
			unsigned char c = (unsigned char)text[at];
			if (text[at] == ' ' || is_plain(text[at])) {
				out[n++] = text[at] == ' ' ? '_' : text[at];
				continue;
			}
			out[n++] = '=';
			out[n++] = digits[c >> 4];
			out[n++] = digits[c & 15];
		}
	}
	*ret_size = n;
	return at;
}

int mail_encode_words(const char *text, char **ret_text)
{
	size_t size = strlen(text);

	if (!value_is_line(text))
		return -EINVAL;
	/* Blanks in a row are columns (MC-link); in plain text a header loses them. */
	if (!needs_encoding(text) && !strstr(text, "  ")) {
		char *copy = strdup(text);
		if (!copy)
			return -ENOMEM;
		*ret_text = copy;
		return 0;
	}
	/* A word takes at least one character, so at most 13 + 12 bytes for each byte. */
	char *out = malloc(size * 25 + 1), *end = out;
	if (!out)
		return -ENOMEM;
	while (size > 0) {
		size_t length = 0;
		if (end > out)
			*end++ = ' ';
		end = stpcpy(end, "=?utf-8?Q?");
		size_t taken = encode_word(text, size, end, &length);
		end = stpcpy(end + length, "?=");
		text += taken;
		size -= taken;
	}
	*end = '\0';
	*ret_text = out;
	return 0;
}

/* ---- Headers ---- */

bool mail_is_message_id(const char *text, size_t size)
{
	const char *at = memchr(text, '@', size);

	if (!at || at == text || at == text + size - 1 || size > 900 ||
		memchr(at + 1, '@', size - (size_t)(at + 1 - text)))
		return false;
	for (size_t i = 0; i < size; i++)
		if (text[i] <= ' ' || text[i] >= 0x7f || strchr("<>()\"\\,;", text[i]))
			return false;
	return true;
}

static bool optional_line(const char *text)
{
	return !text || value_is_line(text);
}

/* Whether everything that goes into a header may stand there. */
static bool parts_fit(const struct mail_parts *parts)
{
	return mail_is_message_id(parts->message_id, strlen(parts->message_id)) &&
	       (!*parts->envelope_from || value_is_address(parts->envelope_from)) &&
	       value_is_line(parts->from_name) && value_is_address(parts->from_address) &&
	       optional_line(parts->to_name) && value_is_address(parts->to_address) &&
	       (!parts->reply_to || value_is_address(parts->reply_to)) &&
	       (!parts->in_reply_to ||
		       mail_is_message_id(parts->in_reply_to, strlen(parts->in_reply_to))) &&
	       optional_line(parts->references) && value_is_line(parts->subject) &&
	       *parts->subject && optional_line(parts->game) && optional_line(parts->verdict) &&
	       optional_line(parts->before) && value_is_line(parts->auto_submitted) &&
	       utf8_valid(parts->text, strlen(parts->text));
}

/* The address as a header has it: with A-labels, which every server takes. What is foreign in
 * the part before them stays, and needs a server with SMTPUTF8 (RFC 6532). */
static char *header_address(const char *address)
{
	const char *domain = strrchr(address, '@');
	char *labels = NULL, *made = NULL;

	if (!domain || value_is_ascii(domain + 1) ||
		idn2_lookup_u8((const uint8_t *)domain + 1, (uint8_t **)&labels,
			IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL) != IDN2_OK)
		return strdup(address);
	if (asprintf(&made, "%.*s@%s", (int)(domain - address), address, labels) < 0)
		made = NULL;
	idn2_free(labels);
	return made;
}

static struct mailimf_mailbox *new_mailbox(const char *name, const char *address)
{
	char *words = NULL;

	if (name && *name && mail_encode_words(name, &words) < 0)
		return NULL;
	char *copy = header_address(address);
	struct mailimf_mailbox *mailbox = copy ? mailimf_mailbox_new(words, copy) : NULL;
	if (!mailbox) {
		free(words);
		free(copy);
	}
	return mailbox;
}

static struct mailimf_address_list *new_addresses(const char *name, const char *address)
{
	struct mailimf_address_list *list = mailimf_address_list_new_empty();
	struct mailimf_mailbox *mailbox = list ? new_mailbox(name, address) : NULL;

	if (!mailbox || mailimf_address_list_add_mb(list, mailbox->mb_display_name,
				mailbox->mb_addr_spec) != MAILIMF_NO_ERROR) {
		if (mailbox)
			mailimf_mailbox_free(mailbox);
		if (list)
			mailimf_address_list_free(list);
		return NULL;
	}
	free(mailbox); /* its strings belong to the list now */
	return list;
}

static struct mailimf_date_time *new_date(int64_t instant)
{
	int32_t date = (int32_t)(instant / 86400000);
	int64_t rest = instant % 86400000;
	int year;
	unsigned month, day;

	if (rest < 0) {
		rest += 86400000;
		date--;
	}
	date_to_civil(date, &year, &month, &day);
	int second = (int)(rest / 1000);
	return mailimf_date_time_new(
		(int)day, (int)month, year, second / 3600, second / 60 % 60, second % 60, 0);
}

/* A list of one id. */
static clist *new_ids(const char *id)
{
	clist *list = clist_new();
	char *copy = strdup(id);

	if (!list || !copy || clist_append(list, copy) < 0) {
		free(copy);
		if (list)
			clist_free(list);
		return NULL;
	}
	return list;
}

static void free_ids(clist *list)
{
	if (!list)
		return;
	for (clistiter *at = clist_begin(list); at; at = clist_next(at))
		free(clist_content(at));
	clist_free(list);
}

/* The ids of "<a> <b>", the last 20 of them; what is no id is left out. */
static clist *new_references(const char *text)
{
	clist *list = clist_new();

	while (list && *text) {
		text += strspn(text, " \t");
		size_t size = strcspn(text, " \t");
		const char *id = text;
		text += size;
		if (size > 2 && id[0] == '<' && id[size - 1] == '>') {
			id++;
			size -= 2;
		}
		if (!mail_is_message_id(id, size))
			continue;
		char *copy = strndup(id, size);
		if (!copy || clist_append(list, copy) < 0) {
			free(copy);
			free_ids(list);
			return NULL;
		}
		if (clist_count(list) > 20) {
			free(clist_content(clist_begin(list)));
			clist_delete(list, clist_begin(list));
		}
	}
	return list;
}

static int add_field(struct mailimf_fields *fields, const char *name, const char *value)
{
	char *name_copy = strdup(name), *value_copy = strdup(value);
	struct mailimf_field *field = NULL;

	if (name_copy && value_copy)
		field = mailimf_field_new_custom(name_copy, value_copy);
	if (!field) {
		free(name_copy);
		free(value_copy);
		return -ENOMEM;
	}
	if (mailimf_fields_add(fields, field) != MAILIMF_NO_ERROR) {
		mailimf_field_free(field);
		return -ENOMEM;
	}
	return 0;
}

static int add_own_fields(struct mailimf_fields *fields, const struct mail_parts *parts)
{
	char ply[16];

	int r = add_field(fields, "Auto-Submitted", parts->auto_submitted);
	if (r >= 0)
		r = add_field(fields, "X-Auto-Response-Suppress", "All");
	if (r >= 0)
		r = add_field(fields, "Zugpost-Kind", mail_kind_name(parts->kind));
	if (r >= 0 && parts->game)
		r = add_field(fields, "Zugpost-Game", parts->game);
	if (r >= 0 && parts->ply >= 0) {
		(void)snprintf(ply, sizeof(ply), "%d", parts->ply);
		r = add_field(fields, "Zugpost-Ply", ply);
	}
	if (r >= 0 && parts->verdict)
		r = add_field(fields, "Zugpost-Verdict", parts->verdict);
	if (r >= 0 && parts->before)
		r = add_field(fields, MAIL_RECEIPT_BEFORE, parts->before);
	return r;
}

/* What a header is made of, before the library owns it. */
struct header {
	struct mailimf_date_time *date;
	struct mailimf_mailbox_list *from;
	struct mailimf_mailbox *sender;
	struct mailimf_address_list *reply_to, *to;
	clist *in_reply_to, *references;
	char *message_id, *subject;
};

static bool header_make(const struct mail_parts *parts, struct header *header)
{
	header->date = new_date(parts->date);
	header->from = mailimf_mailbox_list_new_empty();
	struct mailimf_mailbox *from = new_mailbox(parts->from_name, parts->from_address);
	if (!header->from || !from ||
		mailimf_mailbox_list_add(header->from, from) != MAILIMF_NO_ERROR) {
		if (from)
			mailimf_mailbox_free(from);
		return false;
	}
	header->to = new_addresses(parts->to_name, parts->to_address);
	header->message_id = strdup(parts->message_id);
	if (parts->reply_to)
		header->reply_to = new_addresses(NULL, parts->reply_to);
	if (parts->in_reply_to)
		header->in_reply_to = new_ids(parts->in_reply_to);
	if (parts->references)
		header->references = new_references(parts->references);
	if (header->references && clist_count(header->references) == 0) {
		free_ids(header->references);
		header->references = NULL;
	} else if (parts->references && !header->references) {
		return false;
	}
	return header->date && header->to && header->message_id &&
	       (header->reply_to || !parts->reply_to) &&
	       (header->in_reply_to || !parts->in_reply_to) &&
	       mail_encode_words(parts->subject, &header->subject) == 0;
}

static void header_release(struct header *header)
{
	if (header->date)
		mailimf_date_time_free(header->date);
	if (header->from)
		mailimf_mailbox_list_free(header->from);
	if (header->reply_to)
		mailimf_address_list_free(header->reply_to);
	if (header->to)
		mailimf_address_list_free(header->to);
	free_ids(header->in_reply_to);
	free_ids(header->references);
	free(header->message_id);
	free(header->subject);
}

static struct mailimf_fields *new_fields(const struct mail_parts *parts)
{
	struct header header = {0};
	struct mailimf_fields *fields = NULL;

	if (header_make(parts, &header))
		fields = mailimf_fields_new_with_data_all(header.date, header.from, NULL,
			header.reply_to, header.to, NULL, NULL, header.message_id,
			header.in_reply_to, header.references, header.subject);
	if (!fields) {
		header_release(&header);
		return NULL;
	}
	if (add_own_fields(fields, parts) < 0) {
		mailimf_fields_free(fields);
		return NULL;
	}
	return fields;
}

/* ---- The whole ---- */

/* Whether the text arrives unchanged without an encoding: ASCII in short lines, none with a
 * blank at its end, none that an mbox would change. */
static bool is_seven_bit(const char *text)
{
	for (const char *line = text; *line;) {
		size_t size = strcspn(line, "\n");
		if (size > LINE_MAX_7BIT || strncmp(line, "From ", 5) == 0 ||
			(size > 0 && strchr(" \t", line[size - 1])))
			return false;
		for (size_t i = 0; i < size; i++)
			if ((unsigned char)line[i] >= 0x7f ||
				((unsigned char)line[i] < 0x20 && line[i] != '\t'))
				return false;
		line += size + (line[size] == '\n');
	}
	return true;
}

/* TEXT with CRLF line ends. */
static char *with_crlf(const char *text)
{
	char *out = malloc(2 * strlen(text) + 1), *end = out;

	if (!out)
		return NULL;
	for (; *text; text++) {
		if (*text == '\n')
			*end++ = '\r';
		*end++ = *text;
	}
	*end = '\0';
	return out;
}

/* Whether a character of a line needs encoding: what is not printable ASCII, a blank at the
 * end, and at the start what a mailbox file or SMTP would take for its own. */
static bool must_quote(const char *line, size_t size, size_t at)
{
	unsigned char c = (unsigned char)line[at];

	if (c == ' ' || c == '\t')
		return at + 1 == size;
	if (at == 0 && (c == '.' || strncmp(line, "From ", 5) == 0))
		return true;
	return c == '=' || c < 0x20 || c >= 0x7f;
}

/* Quoted-printable (RFC 2045, 6.7), lines of at most 76 characters ending in CRLF. */
static char *quoted_printable(const char *text)
{
	static const char digits[] = "0123456789ABCDEF";
	/* Three characters a byte, and three for each soft line break of a line of 72. */
	char *out = malloc(4 * strlen(text) + 1), *end = out;

	if (!out)
		return NULL;
	for (const char *line = text; *line;) {
		size_t size = strcspn(line, "\n"), column = 0;
		for (size_t i = 0; i < size; i++) {
			size_t width = must_quote(line, size, i) ? 3 : 1;
			/* The last one of a line needs no room for a '=' behind it. */
			if (column + width + (i + 1 < size) > 76) {
				end = stpcpy(end, "=\r\n");
				column = 0;
			}
			column += width;
			if (width == 1) {
				*end++ = line[i];
				continue;
			}
			*end++ = '=';
			*end++ = digits[(unsigned char)line[i] >> 4];
			*end++ = digits[(unsigned char)line[i] & 15];
		}
		line += size;
		if (*line) {
			end = stpcpy(end, "\r\n");
			line++;
		}
	}
	*end = '\0';
	return out;
}

/* A text/plain part. BODY is encoded and stays with the caller. */
static struct mailmime *new_body(char *body, int mechanism)
{
	struct mailmime_content *content = mailmime_content_new_with_str("text/plain");
	struct mailmime_fields *fields = mailmime_fields_new_encoding(mechanism);
	char name[] = "charset", value[] = "utf-8";
	struct mailmime_parameter *charset = mailmime_param_new_with_data(name, value);
	struct mailmime_data *data =
		mailmime_data_new(MAILMIME_DATA_TEXT, mechanism, 1, body, strlen(body), NULL);
	struct mailmime *mime = NULL;

	if (content && fields && charset && data &&
		clist_append(content->ct_parameters, charset) == 0) {
		charset = NULL;
		mime = mailmime_new_empty(content, fields);
	}
	if (charset)
		mailmime_parameter_free(charset);
	if (mime) {
		mime->mm_data.mm_single = data;
		return mime;
	}
	if (content)
		mailmime_content_free(content);
	if (fields)
		mailmime_fields_free(fields);
	if (data)
		mailmime_data_free(data);
	return NULL;
}

static int write_raw(struct mailmime *message, struct mail *mail)
{
	MMAPString *string = mmap_string_new("");
	int column = 0, r = -ENOMEM;

	if (!string)
		return r;
	if (mailmime_write_mem(string, &column, message) == MAILIMF_NO_ERROR) {
		mail->raw = malloc(string->len + 1);
		if (mail->raw) {
			memcpy(mail->raw, string->str, string->len);
			mail->raw[string->len] = '\0';
			mail->raw_size = string->len;
			r = 0;
		}
	}
	mmap_string_free(string);
	return r;
}

static int write_mime(const struct mail_parts *parts, char *body, int mechanism, struct mail *mail)
{
	struct mailimf_fields *fields = new_fields(parts);
	struct mailmime *mime = fields ? new_body(body, mechanism) : NULL;
	struct mailmime *message = mime ? mailmime_new_message_data(mime) : NULL;

	if (!message) {
		if (fields)
			mailimf_fields_free(fields);
		if (mime)
			mailmime_free(mime);
		return -ENOMEM;
	}
	mailmime_set_imf_fields(message, fields);
	int r = write_raw(message, mail);
	mailmime_free(message);
	return r;
}

static bool copy_strings(const struct mail_parts *parts, struct mail *mail)
{
	mail->message_id = strdup(parts->message_id);
	mail->envelope_from = strdup(parts->envelope_from);
	mail->to = strdup(parts->to_address);
	mail->subject = strdup(parts->subject);
	mail->text = strdup(parts->text);
	return mail->message_id && mail->envelope_from && mail->to && mail->subject && mail->text;
}

int mail_write(const struct mail_parts *parts, struct mail *ret_mail)
{
	struct mail mail = {0};
	int r = -ENOMEM;

	if (!parts_fit(parts))
		return -EINVAL;
	bool plain = is_seven_bit(parts->text);
	char *body = plain ? with_crlf(parts->text) : quoted_printable(parts->text);
	int mechanism = plain ? MAILMIME_MECHANISM_7BIT : MAILMIME_MECHANISM_QUOTED_PRINTABLE;
	if (body && copy_strings(parts, &mail))
		r = write_mime(parts, body, mechanism, &mail);
	free(body);
	if (r < 0) {
		mail_release(&mail);
		return r;
	}
	*ret_mail = mail;
	return 0;
}
