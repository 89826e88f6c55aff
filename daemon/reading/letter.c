#include "daemon/reading/letter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "daemon/reading/clean.h"
#include "daemon/reading/parse.h"
#include "daemon/reading/precheck.h"

void letter_free(struct letter *letter)
{
	if (letter)
		pool_free(letter->pool);
}

void letter_note(struct letter *letter, const char *note)
{
	for (size_t i = 0; i < letter->n_notes; i++)
		if (strcmp(letter->notes[i], note) == 0)
			return;
	if (letter->n_notes < LETTER_LIST_MAX)
		letter->notes[letter->n_notes++] = note;
}

const char *letter_line(
	struct letter *letter, const char *value, size_t size, const char *fallback_charset)
{
	struct buffer decoded = BUFFER_INIT((size_t)8192);
	header_decode(value, size, fallback_charset, &decoded);
	char *line = NULL;
	size_t n = 0;
	int r = decoded.failed
			? -ENOMEM
			: clean_line(decoded.bytes ? decoded.bytes : "", decoded.size, &line, &n);
	buffer_release(&decoded);
	if (r < 0)
		return NULL;
	size_t start = 0;
	while (start < n && line[start] == ' ')
		start++;
	while (n > start && line[n - 1] == ' ')
		n--;
	const char *copy = pool_copy(letter->pool, line + start, n - start);
	free(line);
	return copy;
}

/* LF line ends, no NUL, no mbox line and no blank lines in front. */
static int normalise(const char *raw, size_t size, struct buffer *out)
{
	size_t at = 0;
	while (at < size && (raw[at] == '\n' || raw[at] == '\r'))
		at++;
	if (size - at > 5 && memcmp(raw + at, "From ", 5) == 0)
		while (at < size && raw[at] != '\n' && raw[at] != '\r')
			at++;
	while (at < size && (raw[at] == '\n' || raw[at] == '\r'))
		at++;
	for (size_t start = at; at <= size; at++) {
		bool end = at == size, cr = !end && raw[at] == '\r', nul = !end && raw[at] == '\0';
		if (!end && !cr && !nul)
			continue;
		buffer_add(out, raw + start, at - start);
		if (cr && !(at + 1 < size && raw[at + 1] == '\n'))
			buffer_char(out, '\n');
		start = at + 1;
	}
	buffer_add(out, "", 0);
	return out->failed ? -ENOMEM : 0;
}

/* The value unfolded, but as it stands: neither encoded words nor anything beyond ASCII belongs
 * there, and what looks like our name must be it. */
static const char *field_raw(struct letter *letter, const struct header *header, const char *name)
{
	const struct header_field *field = header_find(header, name, 0);
	char *copy = field ? pool_copy(letter->pool, field->value, field->value_size) : NULL;
	char *end = copy;
	for (const char *c = copy; c && *c; c++) {
		bool blank = *c == ' ' || *c == '\n' || *c == '\t';
		if (blank && end > copy && end[-1] == ' ')
			continue;
		*end++ = (char)(blank ? ' ' : *c > ' ' && *c <= '~' ? *c : '?');
	}
	if (end)
		*end = '\0';
	return copy;
}

static const char *field_line(
	struct letter *letter, const struct header *header, const char *name, const char *charset)
{
	const struct header_field *field = header_find(header, name, 0);
	return field ? letter_line(letter, field->value, field->value_size, charset) : NULL;
}

/* A keyword: lower case, up to the first blank, comment or parameter. */
static const char *field_keyword(
	struct letter *letter, const struct header *header, const char *name)
{
	const struct header_field *field = header_find(header, name, 0);
	if (!field)
		return NULL;
	size_t n = 0;
	while (n < field->value_size && !strchr(" \t\n;(", field->value[n]))
		n++;
	char *copy = (char *)letter_line(letter, field->value, n, NULL);
	for (char *c = copy; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copy;
}

/* Decoded bytes of a From field hide nothing: no control characters, and an address that is
 * none of an encoded word. */
static bool from_is_plain(const struct header_field *field, const struct mailbox *mailbox)
{
	struct buffer decoded = BUFFER_INIT((size_t)8192);
	header_decode(field->value, field->value_size, NULL, &decoded);
	bool fine = !header_has_controls(decoded.bytes ? decoded.bytes : "", decoded.size);
	buffer_release(&decoded);
	const char *address = mailbox->address.bytes;
	return fine && !strstr(address, "=?") &&
	       !header_has_controls(address, mailbox->address.size);
}

static int read_from(struct letter *letter, const struct header *header)
{
	const struct header_field *field = header_find(header, "From", 0);
	letter->from_name = "";
	letter->from = FROM_MISSING;
	if (!field || field->value_size == 0)
		return 0;
	letter->from = FROM_SEVERAL;
	if (header_find(header, "From", 1))
		return 0;
	struct mailbox_scan scan = {.text = field->value, .size = field->value_size};
	struct mailbox first, second;
	enum mailbox_step step = mailbox_next(&scan, &first);
	letter->from = scan.saw_group ? FROM_GROUP : FROM_INVALID;
	if (step != MAILBOX_READ)
		return 0;
	enum mailbox_step more = mailbox_next(&scan, &second);
	if (more == MAILBOX_READ)
		mailbox_list_release(&second);
	int r = 0;
	if (more != MAILBOX_END)
		letter->from = FROM_SEVERAL;
	else if (!scan.saw_group && from_is_plain(field, &first))
		letter->from = FROM_USABLE;
	if (letter->from == FROM_USABLE) {
		letter->from_address =
			letter_line(letter, first.address.bytes, first.address.size, NULL);
		letter->from_name = letter_line(
			letter, first.name.bytes ? first.name.bytes : "", first.name.size, NULL);
		r = letter->from_address && letter->from_name ? 0 : -ENOMEM;
	}
	mailbox_list_release(&first);
	return r;
}

/* All addresses of all fields of that name. */
static int add_addresses(struct letter *letter, const struct header *header, const char *name)
{
	const struct header_field *field;
	for (size_t i = 0; (field = header_find(header, name, i)) && i < LETTER_LIST_MAX; i++) {
		struct mailbox_scan scan = {.text = field->value, .size = field->value_size};
		struct mailbox mailbox;
		enum mailbox_step step;
		while ((step = mailbox_next(&scan, &mailbox)) != MAILBOX_END) {
			if (step != MAILBOX_READ)
				continue;
			const char *address = letter_line(
				letter, mailbox.address.bytes, mailbox.address.size, NULL);
			mailbox_list_release(&mailbox);
			if (!address)
				return -ENOMEM;
			if (letter->n_recipients < LETTER_LIST_MAX)
				letter->recipients[letter->n_recipients++] = address;
		}
	}
	return 0;
}

static int read_reply_to(struct letter *letter, const struct header *header)
{
	const struct header_field *field = header_find(header, "Reply-To", 0);
	struct mailbox mailbox;
	struct mailbox_scan scan = {
		.text = field ? field->value : "", .size = field ? field->value_size : 0};
	if (!field || mailbox_next(&scan, &mailbox) != MAILBOX_READ)
		return 0;
	letter->reply_to = letter_line(letter, mailbox.address.bytes, mailbox.address.size, NULL);
	mailbox_list_release(&mailbox);
	return letter->reply_to ? 0 : -ENOMEM;
}

static int read_id(
	struct letter *letter, const struct header *header, const char *name, const char **ret_id)
{
	const struct header_field *field = header_find(header, name, 0);
	const char *id;
	size_t size, at = 0;
	if (!field || !message_id_next(field->value, field->value_size, &at, &id, &size))
		return 0;
	*ret_id = letter_line(letter, id, size, NULL);
	return *ret_id ? 0 : -ENOMEM;
}

static int read_references(struct letter *letter, const struct header *header)
{
	const struct header_field *field = header_find(header, "References", 0);
	const char *id;
	size_t size, at = 0;
	while (field && message_id_next(field->value, field->value_size, &at, &id, &size)) {
		if (letter->n_references == LETTER_LIST_MAX) {
			memmove(letter->references, letter->references + 1,
				(LETTER_LIST_MAX - 1) * sizeof(letter->references[0]));
			letter->n_references--;
		}
		const char *copy = letter_line(letter, id, size, NULL);
		if (!copy)
			return -ENOMEM;
		letter->references[letter->n_references++] = copy;
	}
	return 0;
}

static void read_signs(struct letter *letter, const struct header *header)
{
	static const char *const lists[] = {
		"List-Id", "List-Post", "List-Help", "List-Subscribe", "Mailing-List"};
	static const char *const replies[] = {"X-Autoreply", "X-Autorespond", "X-Autoreply-From",
		"X-Auto-Reply", "X-Autogenerated", "X-Mail-Autoreply"};
	static const char *const challenges[] = {
		"X-TMDA-Fingerprint", "X-TMDA-Confirm", "X-Challenge"};
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		letter->list |= header_find(header, lists[i], 0) != NULL;
	for (size_t i = 0; i < ARRAY_SIZE(replies); i++)
		letter->autoreply |= header_find(header, replies[i], 0) != NULL;
	for (size_t i = 0; i < ARRAY_SIZE(challenges); i++)
		letter->challenge |= header_find(header, challenges[i], 0) != NULL;
	const struct header_field *spam = header_find(header, "X-Spam-Flag", 0);
	letter->spam = spam && spam->value_size >= 3 && strncasecmp(spam->value, "yes", 3) == 0;
	const struct header_field *path = header_find(header, "Return-Path", 0);
	letter->null_return_path =
		path && path->value_size == 2 && memcmp(path->value, "<>", 2) == 0;
}

static int read_loops(struct letter *letter, const struct header *header)
{
	struct buffer loops = BUFFER_INIT((size_t)4096);
	const struct header_field *field;
	for (size_t i = 0; (field = header_find(header, "X-Loop", i)) && i < 16; i++) {
		if (i > 0)
			buffer_char(&loops, ' ');
		buffer_add(&loops, field->value, field->value_size);
	}
	if (loops.size)
		letter->x_loop = letter_line(letter, loops.bytes, loops.size, NULL);
	bool failed = loops.failed || (loops.size && !letter->x_loop);
	buffer_release(&loops);
	return failed ? -ENOMEM : 0;
}

static int read_header(struct letter *letter, const struct header *header, const char *charset)
{
	int r = read_from(letter, header);
	static const char *const addresses[] = {"Delivered-To", "X-Original-To", "To", "Cc"};
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(addresses); i++)
		r = add_addresses(letter, header, addresses[i]);
	if (r == 0)
		r = read_reply_to(letter, header);
	if (r == 0)
		r = read_id(letter, header, "Message-ID", &letter->message_id);
	if (r == 0)
		r = read_id(letter, header, "In-Reply-To", &letter->in_reply_to);
	if (r == 0)
		r = read_references(letter, header);
	if (r == 0)
		r = read_loops(letter, header);
	if (r < 0)
		return r;
	read_signs(letter, header);
	const char *subject = field_line(letter, header, "Subject", charset);
	letter->subject = subject ? subject : "";
	letter->date = field_line(letter, header, "Date", NULL);
	letter->authentication = field_raw(letter, header, "Authentication-Results");
	letter->zugpost_kind = field_keyword(letter, header, "Zugpost-Kind");
	letter->auto_submitted = field_keyword(letter, header, "Auto-Submitted");
	letter->precedence = field_keyword(letter, header, "Precedence");
	return 0;
}

static int read_message(struct letter *letter, const char *raw, size_t size)
{
	enum precheck_fault fault = precheck_message(raw, size);
	if (fault != PRECHECK_FINE) {
		letter->unparsable = precheck_fault_name(fault);
		return 0;
	}
	struct header header;
	struct mime_tree *tree = pool_take(letter->pool, sizeof(*tree));
	int r = tree ? header_read(raw, size, &header) : -ENOMEM;
	if (r < 0)
		return r;
	r = mime_parse(&header, raw, size, letter->pool, tree);
	if (r == 0) {
		const char *charset = tree->n ? tree->parts[0].charset : NULL;
		letter->content_type = tree->type;
		r = read_header(letter, &header, charset);
		if (r == 0)
			r = body_read(letter, tree);
		if (r == 0)
			r = report_read(letter, &header, tree);
	} else if (r == -EBADMSG) {
		letter->unparsable = "mime";
		r = 0;
	}
	header_release(&header);
	return r;
}

int letter_parse(const void *raw, size_t size, struct letter **ret)
{
	struct letter_pool *pool = pool_new();
	struct letter *letter = pool ? pool_take(pool, sizeof(*letter)) : NULL;
	if (!letter) {
		pool_free(pool);
		return -ENOMEM;
	}
	*letter = (struct letter){.from = FROM_MISSING,
		.from_name = "",
		.subject = "",
		.content_type = "text/plain",
		.text = "",
		.other_text = "",
		.pool = pool};
	bool cut = size > LETTER_RAW_MAX;
	struct buffer plain = BUFFER_INIT(LETTER_RAW_MAX + 2);
	int r = normalise(raw, cut ? LETTER_RAW_MAX : size, &plain);
	if (r == 0)
		r = read_message(letter, plain.bytes, plain.size);
	buffer_release(&plain);
	if (r < 0) {
		letter_free(letter);
		return r;
	}
	if (cut)
		letter_note(letter, "message-cut");
	*ret = letter;
	return 0;
}
