#include "daemon/reading/newtext.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reading/buffer.h"
#include "daemon/reading/clean.h"
#include "daemon/reading/lines.h"

#define DROPPED_MAX ((size_t)4096)

bool line_looks_like_move(const char *text, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++) {
		char a = text[i], b = text[i + 1];
		if (((a >= 'a' && a <= 'h') || (a >= 'A' && a <= 'H')) && b >= '1' && b <= '8' &&
			(i + 2 == size || !isalnum((unsigned char)text[i + 2]) ||
				strchr("abcdefghQRBNqrbn", text[i + 2])))
			return true;
		if (i + 2 < size && strchr("Oo0", a) && b == '-' && text[i + 2] == a)
			return true;
	}
	return false;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* The length of one level's mark at TEXT: '>', or a writer's initials and '>' ("JS> "). */
static size_t quote_mark(const char *text, size_t size, bool first)
{
	size_t i = 0;
	while (first && i < size && i < 3 && text[i] == ' ')
		i++;
	size_t letters = i;
	while (first && letters < size && letters - i < 4 && isupper((unsigned char)text[letters]))
		letters++;
	if (letters < size && text[letters] == '>')
		return letters + 1;
	return i < size && text[i] == '>' ? i + 1 : 0;
}

static void read_quote_marks(struct mail_line *line)
{
	size_t at = 0, n;
	while ((n = quote_mark(line->text + at, line->size - at, line->depth == 0)) > 0 ||
		(line->depth > 0 && at + 1 < line->size && line->text[at] == ' ' &&
			line->text[at + 1] == '>' && (n = 2) == 2)) {
		at += n;
		line->depth++;
	}
	if (line->depth > 0 && at < line->size && line->text[at] == ' ')
		at++;
	line->body = line->text + at;
	line->body_size = line->size - at;
}

static int split_lines(const char *text, size_t size, struct mail_lines *ret)
{
	size_t n = 0;
	for (size_t at = 0; at < size && n < NEWTEXT_LINES_MAX; n++) {
		const char *lf = memchr(text + at, '\n', size - at);
		at = lf ? (size_t)(lf - text) + 1 : size;
	}
	ret->n = 0;
	ret->items = calloc(n + 1, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	for (size_t at = 0; at < size && ret->n < n;) {
		const char *lf = memchr(text + at, '\n', size - at);
		size_t end = lf ? (size_t)(lf - text) : size;
		struct mail_line *line = &ret->items[ret->n++];
		*line = (struct mail_line){.text = text + at, .size = end - at};
		read_quote_marks(line);
		size_t body = 0;
		while (body < line->body_size && is_space(line->body[body]))
			body++;
		if (line->depth > 0)
			line->state = STATE_QUOTED;
		else if (body == line->body_size)
			line->state = STATE_BLANK;
		at = end + 1;
	}
	return 0;
}

/* Some programs quote with "| " or ": ": three lines of that kind in a row are a quote. */
static void find_odd_quotes(struct mail_lines *lines, char mark)
{
	for (size_t i = 0; i < lines->n;) {
		size_t n = 0;
		while (i + n < lines->n && lines->items[i + n].size > 0 &&
			lines->items[i + n].text[0] == mark &&
			(lines->items[i + n].size == 1 || lines->items[i + n].text[1] == ' '))
			n++;
		for (size_t k = i; n >= 3 && k < i + n; k++) {
			struct mail_line *line = &lines->items[k];
			line->depth = 1;
			line->state = STATE_QUOTED;
			line->body = line->text + (line->size > 1 ? 2 : 1);
			line->body_size = line->size - (size_t)(line->body - line->text);
		}
		i += n ? n : 1;
	}
}

/* ---- quotes that were never decoded ---- */

static size_t line_size(const char *text, size_t size)
{
	const char *lf = memchr(text, '\n', size);
	return lf ? (size_t)(lf - text) : size;
}

static bool is_marked(const char *line, size_t size)
{
	return quote_mark(line, size, true) > 0;
}

/* Some programs (MH) quote the bytes of a mail as they came: quoted-printable. All of our mails
 * hold one of these two. */
static bool quotes_encoded(const char *text, size_t size)
{
	for (size_t at = 0, n; at < size; at += n + 1) {
		const char *line = text + at;
		n = line_size(line, size - at);
		if (is_marked(line, n) && (memmem(line, n, "=3D", 3) || memmem(line, n, "=20", 3)))
			return true;
	}
	return false;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void add_decoded(struct buffer *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		int high = i + 2 < size && text[i] == '=' ? hex_digit(text[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
		int byte = low >= 0 ? high * 16 + low : -1;
		if (byte >= ' ' && byte != 0x7F) {
			buffer_char(out, (char)byte);
			i += 2;
		} else {
			buffer_char(out, text[i]);
		}
	}
}

/* Decodes the quoted lines of a text, and joins what was broken. */
static void decode_quotes(const char *text, size_t size, struct buffer *out)
{
	bool quoted = false, goes_on = false;
	for (size_t at = 0, n; at < size; at += n + 1) {
		const char *line = text + at;
		n = line_size(line, size - at);
		bool mark = is_marked(line, n);
		size_t skipped = goes_on && mark ? quote_mark(line, n, true) : 0;
		skipped += skipped > 0 && skipped < n && line[skipped] == ' ';
		quoted = mark || goes_on;
		goes_on = quoted && n > skipped && line[n - 1] == '=';
		if (quoted)
			add_decoded(out, line + skipped, n - skipped - goes_on);
		else
			buffer_add(out, line, n);
		if (!goes_on)
			buffer_char(out, '\n');
	}
}

static bool is_new(const struct mail_line *line)
{
	return line->state == STATE_PLAIN || line->state == STATE_TYPED;
}

static bool is_old(const struct mail_line *line)
{
	return line->state == STATE_QUOTED || line->state == STATE_OURS || line->state == STATE_CUT;
}

struct output {
	struct buffer text, dropped;
	struct newtext_line *lines;
	size_t n;
	bool blank; /* a blank line waits */
};

static void add_line(struct output *out, const char *text, size_t size, enum line_origin origin)
{
	while (size > 0 && (is_space(text[size - 1]) || text[size - 1] == '\r'))
		size--;
	if (size == 0) {
		out->blank = out->n > 0;
		return;
	}
	if (out->n > 0)
		buffer_char(&out->text, '\n');
	if (out->blank) {
		out->lines[out->n++] = (struct newtext_line){out->text.size, 0, origin};
		buffer_char(&out->text, '\n');
	}
	out->blank = false;
	out->lines[out->n++] = (struct newtext_line){out->text.size, size, origin};
	buffer_add(&out->text, text, size);
}

static enum line_origin origin_of(size_t i, size_t first_old, size_t last_old)
{
	if (i < first_old)
		return LINE_ABOVE;
	return i > last_old ? LINE_BELOW : LINE_BETWEEN;
}

static void collect(const struct mail_lines *lines, struct output *out)
{
	size_t first = lines->n, last = 0;
	for (size_t i = 0; i < lines->n; i++)
		if (is_old(&lines->items[i])) {
			first = first == lines->n ? i : first;
			last = i;
		}
	if (first == lines->n)
		last = lines->n;
	for (size_t i = 0; i < lines->n; i++) {
		const struct mail_line *line = &lines->items[i];
		if (line->state == STATE_TYPED)
			add_line(out, line->typed, line->typed_size, LINE_IN_OURS);
		else if (line->state == STATE_PLAIN)
			add_line(out, line->text, line->size, origin_of(i, first, last));
		else
			out->blank = out->n > 0;
		if (!is_new(line) && line->state != STATE_OURS && line->state != STATE_BLANK &&
			line_looks_like_move(line->body, line->body_size)) {
			buffer_add(&out->dropped, line->body, line->body_size);
			buffer_char(&out->dropped, '\n');
		}
	}
	buffer_add(&out->text, "", 0);
	buffer_add(&out->dropped, "", 0);
}

static bool has_foreign(const struct mail_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		if (lines->items[i].state == STATE_QUOTED || lines->items[i].state == STATE_CUT)
			return true;
	return false;
}

static int find_in_lines(const char *text, size_t size, const char *const *sent, size_t n_sent,
	const char *reply_line, struct newtext *ret)
{
	struct mail_lines lines;
	struct ours ours = {.found = false};
	int r = split_lines(text, size, &lines);
	if (r < 0)
		return r;
	find_odd_quotes(&lines, '|');
	find_odd_quotes(&lines, ':');
	r = ours_mark(&lines, sent, n_sent, reply_line, &ours);
	struct output out = {.text = BUFFER_INIT(LETTER_TEXT_MAX * 2),
		.dropped = BUFFER_INIT(DROPPED_MAX),
		.lines = r < 0 ? NULL : calloc(2 * lines.n + 1, sizeof(*out.lines))};
	if (r == 0 && out.lines) {
		layout_mark(&lines);
		collect(&lines, &out);
		*ret = (struct newtext){.ours_found = ours.found,
			.reply_line = ours.reply_line,
			.reply_line_typed = ours.reply_line_typed,
			.foreign = has_foreign(&lines)};
	}
	free(lines.items);
	if (r < 0 || !out.lines || out.text.failed || out.dropped.failed) {
		buffer_release(&out.text);
		buffer_release(&out.dropped);
		free(out.lines);
		return r < 0 ? r : -ENOMEM;
	}
	ret->text = out.text.bytes;
	ret->size = out.text.size;
	ret->lines = out.lines;
	ret->n_lines = out.n;
	ret->dropped = out.dropped.bytes;
	ret->dropped_size = out.dropped.size;
	return 0;
}

static int find_new(const char *text, size_t size, const char *const *sent, size_t n_sent,
	const char *reply_line, struct newtext *ret)
{
	struct buffer decoded = BUFFER_INIT(LETTER_TEXT_MAX + 1);
	char *clean;
	size_t clean_size;
	if (n_sent == 0 || !quotes_encoded(text, size))
		return find_in_lines(text, size, sent, n_sent, reply_line, ret);
	decode_quotes(text, size, &decoded);
	int r = decoded.failed ? -ENOMEM
			       : clean_text(decoded.bytes, decoded.size, &clean, &clean_size);
	buffer_release(&decoded);
	if (r < 0)
		return r;
	r = find_in_lines(clean, clean_size, sent, n_sent, reply_line, ret);
	free(clean);
	return r;
}

static void free_all(char **texts, size_t n)
{
	for (size_t i = 0; texts && i < n; i++)
		free(texts[i]);
	free(texts);
}

/* What we sent comes back cleaned, and is compared so. */
static int clean_all(const char *const *texts, size_t n, char ***ret)
{
	char **cleaned = calloc(n + 1, sizeof(*cleaned));
	if (!cleaned)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t size;
		int r = clean_text(texts[i], strlen(texts[i]), &cleaned[i], &size);
		if (r < 0) {
			free_all(cleaned, n);
			return r;
		}
	}
	*ret = cleaned;
	return 0;
}

/* As much of a text as is read, up to the end of a line or at least of a character. */
static size_t size_read(const char *text, size_t size)
{
	if (size <= NEWTEXT_SIZE_MAX)
		return size;
	const char *lf = memrchr(text, '\n', NEWTEXT_SIZE_MAX);
	size = NEWTEXT_SIZE_MAX;
	while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80)
		size--;
	return lf ? (size_t)(lf - text) : size;
}

int newtext_find(const struct letter *letter, const char *const *sent_texts, size_t n_sent,
	const char *reply_line, struct newtext *ret)
{
	char **sent;
	struct newtext found = {.n_lines = 0}, other = {.n_lines = 0};
	size_t size = size_read(letter->text, letter->text_size);
	int r = clean_all(sent_texts, n_sent, &sent);
	if (r < 0)
		return r;
	r = find_new(letter->text, size, (const char *const *)sent, n_sent, reply_line, &found);
	if (r == 0 && letter->other_size > 0) {
		size = size_read(letter->other_text, letter->other_size);
		r = find_new(letter->other_text, size, (const char *const *)sent, n_sent,
			reply_line, &other);
	}
	free_all(sent, n_sent);
	if (r < 0) {
		newtext_release(&found);
		return r;
	}
	found.other = other.text;
	found.other_size = other.size;
	other.text = NULL;
	newtext_release(&other);
	*ret = found;
	return 0;
}

void newtext_release(struct newtext *newtext)
{
	free(newtext->text);
	free(newtext->lines);
	free(newtext->dropped);
	free(newtext->other);
	*newtext = (struct newtext){.n_lines = 0};
}
