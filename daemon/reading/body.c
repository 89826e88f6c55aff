/* From parts to the text that the sender wrote, for parse.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "daemon/reading/charset.h"
#include "daemon/reading/clean.h"
#include "daemon/reading/flowed.h"
#include "daemon/reading/html.h"
#include "daemon/reading/parse.h"

static bool is_type(const struct mime_part *part, const char *type)
{
	return strcmp(part->type, type) == 0;
}

static bool is_html(const struct mime_part *part)
{
	return is_type(part, "text/html");
}

/* Text that people read: plain, and what calls itself text without being data. */
static bool is_plain(const struct mime_part *part)
{
	static const char *const data[] = {"text/html", "text/calendar", "text/csv", "text/rtf",
		"text/vcard", "text/x-vcard", "text/directory", "text/rfc822-headers", "text/xml",
		"text/x-pgn", "text/x-chess-pgn", "text/css"};
	if (strncmp(part->type, "text/", 5) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(data); i++)
		if (is_type(part, data[i]))
			return false;
	return true;
}

static bool is_body(const struct mime_tree *tree, const struct mime_part *part)
{
	if (part->in_message || part->attachment || (!is_plain(part) && !is_html(part)))
		return false;
	/* A named text is a file unless it is all there is. */
	return !part->named || part == &tree->parts[0];
}

/* text/enriched (RFC 1896): commands in angle brackets go, "<<" is "<". */
static void enriched_to_text(const char *text, size_t size, struct buffer *out)
{
	for (size_t i = 0; i < size; i++) {
		if (text[i] != '<') {
			buffer_char(out, text[i]);
		} else if (i + 1 < size && text[i + 1] == '<') {
			buffer_char(out, '<');
			i++;
		} else {
			const char *end = memchr(text + i, '>', size - i);
			if (!end)
				return;
			i = (size_t)(end - text);
		}
	}
}

static int html_part(struct letter *letter, const struct buffer *text, struct buffer *out)
{
	struct html_facts facts;
	int r = html_to_text(text->bytes, text->size, out, &facts);
	if (r < 0)
		return r;
	if (facts.hidden)
		letter_note(letter, "hidden-text-dropped");
	if (facts.struck)
		letter_note(letter, "struck-text-dropped");
	return 0;
}

/* Decodes one part into OUT as UTF-8 text. */
static int decode_part(struct letter *letter, const struct mime_part *part, struct buffer *out)
{
	struct buffer bytes = BUFFER_INIT(LETTER_TEXT_MAX);
	struct buffer text = BUFFER_INIT(LETTER_TEXT_MAX * 3);
	char meta[64];
	mime_decode(part, &bytes);
	buffer_add(&bytes, "", 0);
	const char *charset = part->charset;
	if (!bytes.failed && is_html(part) && !charset &&
		html_meta_charset(bytes.bytes, bytes.size, meta))
		charset = meta;
	if (!bytes.failed &&
		charset_decode(charset, bytes.bytes, bytes.size, &text) == CHARSET_GUESSED &&
		charset)
		letter_note(letter, "charset-guessed");
	buffer_add(&text, "", 0);
	int r = bytes.failed || text.failed ? -ENOMEM : 0;
	if (r == 0 && is_html(part))
		r = html_part(letter, &text, out);
	else if (r == 0 && is_type(part, "text/enriched"))
		enriched_to_text(text.bytes, text.size, out);
	else if (r == 0 && part->flowed)
		flowed_undo(text.bytes, text.size, part->delsp, out);
	else if (r == 0)
		buffer_add(out, text.bytes, text.size);
	if (bytes.full || text.full || out->full)
		letter_note(letter, "text-cut");
	buffer_release(&bytes);
	buffer_release(&text);
	return r < 0 || !out->failed ? r : -ENOMEM;
}

static bool is_blank_text(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!strchr(" \t\r\n", text[i]))
			return false;
	return true;
}

/* Decodes, cleans and appends one part; *ret_blank says whether it holds anything. */
static int add_part(
	struct letter *letter, const struct mime_part *part, struct buffer *out, bool *ret_blank)
{
	struct buffer raw = BUFFER_INIT(LETTER_TEXT_MAX);
	int r = decode_part(letter, part, &raw);
	char *text = NULL;
	size_t size = 0;
	if (r == 0)
		r = clean_text(raw.bytes ? raw.bytes : "", raw.size, &text, &size);
	buffer_release(&raw);
	if (r < 0)
		return r;
	*ret_blank = is_blank_text(text, size);
	if (!*ret_blank) {
		buffer_add(out, text, size);
		if (size && text[size - 1] != '\n')
			buffer_char(out, '\n');
	}
	free(text);
	return out->failed ? -ENOMEM : 0;
}

/* What the two sides of multipart/alternative say, each for itself. */
struct sides {
	struct buffer plain, html;
};

static int read_sides(struct letter *letter, const struct mime_tree *tree, unsigned alternative,
	struct sides *sides)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct mime_part *part = &tree->parts[i];
		bool blank;
		if (part->alternative != alternative || !is_body(tree, part))
			continue;
		int r = add_part(
			letter, part, is_html(part) ? &sides->html : &sides->plain, &blank);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_alternative(struct letter *letter, const struct mime_tree *tree,
	unsigned alternative, struct buffer *text, struct buffer *other)
{
	struct sides sides = {
		.plain = BUFFER_INIT(LETTER_TEXT_MAX), .html = BUFFER_INIT(LETTER_TEXT_MAX)};
	int r = read_sides(letter, tree, alternative, &sides);
	if (r == 0 && sides.plain.size) {
		buffer_add(text, sides.plain.bytes, sides.plain.size);
		buffer_add(other, sides.html.bytes, sides.html.size);
	} else if (r == 0 && sides.html.size) {
		buffer_add(text, sides.html.bytes, sides.html.size);
		letter->from_html = true;
	}
	buffer_release(&sides.plain);
	buffer_release(&sides.html);
	return r;
}

static int add_bodies(struct letter *letter, const struct mime_tree *tree, struct buffer *text,
	struct buffer *other)
{
	unsigned done = 0;
	for (size_t i = 0; i < tree->n; i++) {
		const struct mime_part *part = &tree->parts[i];
		bool blank = true;
		int r = 0;
		if (!is_body(tree, part))
			continue;
		if (part->alternative > done) {
			done = part->alternative;
			r = add_alternative(letter, tree, done, text, other);
		} else if (part->alternative == 0) {
			r = add_part(letter, part, text, &blank);
			letter->from_html |= is_html(part) && !blank;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static void take_facts(struct letter *letter, const struct mime_tree *tree)
{
	bool tnef = false, opaque = false;
	for (size_t i = 0; i < tree->n; i++) {
		const struct mime_part *part = &tree->parts[i];
		bool signature = is_type(part, "application/pgp-signature") ||
				 is_type(part, "application/pkcs7-signature") ||
				 is_type(part, "application/x-pkcs7-signature");
		tnef |= is_type(part, "application/ms-tnef");
		opaque |= is_type(part, "application/pkcs7-mime") ||
			  is_type(part, "application/x-pkcs7-mime");
		letter->attached_message |= is_type(part, "message/rfc822") ||
					    is_type(part, "message/global") || part->in_message;
		letter->partial |=
			is_type(part, "message/partial") || is_type(part, "message/external-body");
		letter->attachments |= !signature && !is_body(tree, part) &&
				       strncmp(part->type, "message/", 8) != 0;
	}
	bool blank = is_blank_text(letter->text, letter->text_size);
	letter->is_signed = tree->is_signed;
	letter->tnef_only = tnef && blank;
	letter->encrypted = blank && (tree->encrypted || opaque);
	if (strstr(letter->text, "-----BEGIN PGP MESSAGE-----"))
		letter->encrypted = true;
}

int body_read(struct letter *letter, const struct mime_tree *tree)
{
	struct buffer text = BUFFER_INIT(LETTER_TEXT_MAX), other = BUFFER_INIT(LETTER_TEXT_MAX);
	int r = add_bodies(letter, tree, &text, &other);
	if (r == 0 && (text.failed || other.failed))
		r = -ENOMEM;
	if (r == 0 && text.size) {
		letter->text = pool_copy(letter->pool, text.bytes, text.size);
		letter->text_size = text.size;
	}
	if (r == 0 && other.size) {
		letter->other_text = pool_copy(letter->pool, other.bytes, other.size);
		letter->other_size = other.size;
	}
	if (text.full)
		letter_note(letter, "text-cut");
	buffer_release(&text);
	buffer_release(&other);
	if (r < 0)
		return r;
	if (!letter->text || !letter->other_text)
		return -ENOMEM;
	take_facts(letter, tree);
	if (letter->attachments)
		letter_note(letter, "attachments-ignored");
	if (letter->attached_message)
		letter_note(letter, "attached-message-ignored");
	return 0;
}
