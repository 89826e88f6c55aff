#include "daemon/reading/precheck.h"

#include <string.h>
#include <strings.h>

#define BOUNDARIES_MAX ((size_t)2 * PRECHECK_MIME_DEPTH)

struct boundaries {
	struct {
		const char *text;
		size_t size;
	} items[BOUNDARIES_MAX];
	size_t n;
	size_t composites; /* fields that declare a multipart or a message: no nesting is deeper */
	size_t parts;
};

/* The end of the line at AT, without its LF. */
static size_t line_end(const char *raw, size_t size, size_t at)
{
	const char *lf = memchr(raw + at, '\n', size - at);
	return lf ? (size_t)(lf - raw) : size;
}

/* The end of a field with its continuation lines. */
static size_t field_end(const char *raw, size_t size, size_t at)
{
	size_t end = line_end(raw, size, at);
	while (end + 1 < size && (raw[end + 1] == ' ' || raw[end + 1] == '\t'))
		end = line_end(raw, size, end + 1);
	return end;
}

/* The length of a field's name if a field begins here, else 0. */
static size_t field_name(const char *line, size_t size)
{
	size_t n = 0;
	while (n < size && n < 80 && line[n] > ' ' && line[n] < 127 && line[n] != ':')
		n++;
	size_t colon = n;
	while (colon < size && (line[colon] == ' ' || line[colon] == '\t'))
		colon++;
	return n > 0 && colon < size && line[colon] == ':' ? n : 0;
}

static bool name_is(const char *line, size_t n, const char *name)
{
	return n == strlen(name) && strncasecmp(line, name, n) == 0;
}

static bool comments_too_deep(const char *text, size_t size)
{
	size_t depth = 0;
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '(' && ++depth > PRECHECK_COMMENT_DEPTH)
			return true;
		if (text[i] == ')' && depth > 0)
			depth--;
	}
	return false;
}

static const char *find_word(const char *text, size_t size, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= size; i++)
		if (strncasecmp(text + i, word, n) == 0)
			return text + i;
	return NULL;
}

static enum precheck_fault take_boundary(struct boundaries *known, const char *value, size_t size)
{
	size_t i = 0;
	while (i < size && (value[i] == ' ' || value[i] == '\t' || value[i] == '\n'))
		i++;
	bool quoted = i < size && value[i] == '"';
	if (quoted)
		i++;
	size_t start = i;
	while (i < size && (quoted ? value[i] != '"' : !strchr(" \t\r\n;,()\"", value[i])))
		i++;
	size_t n = i - start;
	if (n == 0 || n > PRECHECK_BOUNDARY_MAX || (quoted && i == size))
		return PRECHECK_BOUNDARY;
	for (size_t k = start; k < i; k++)
		if (value[k] < ' ' || value[k] > '~')
			return PRECHECK_BOUNDARY;
	if (known->n == BOUNDARIES_MAX)
		return PRECHECK_DEPTH;
	known->items[known->n].text = value + start;
	known->items[known->n++].size = n;
	return PRECHECK_FINE;
}

/* A Content-Type field, wherever in the message it stands. */
static enum precheck_fault check_type(struct boundaries *known, const char *field, size_t size)
{
	const char *word = find_word(field, size, "boundary");
	if (find_word(field, size, "multipart") || find_word(field, size, "message"))
		if (++known->composites > BOUNDARIES_MAX)
			return PRECHECK_DEPTH;
	if (!word)
		return PRECHECK_FINE;
	/* An escaped character in a boundary breaks libetpan; nobody needs one in this field. */
	if (memchr(field, '\\', size))
		return PRECHECK_BOUNDARY;
	for (const char *end = field + size; word;
		word = find_word(word, (size_t)(end - word), "boundary")) {
		word += strlen("boundary");
		while (word < end && (*word == ' ' || *word == '\t'))
			word++;
		if (word == end || *word != '=')
			continue;
		enum precheck_fault fault =
			take_boundary(known, word + 1, (size_t)(end - word - 1));
		if (fault != PRECHECK_FINE)
			return fault;
	}
	return PRECHECK_FINE;
}

static bool is_delimiter(const struct boundaries *known, const char *line, size_t size)
{
	if (size < 3 || line[0] != '-' || line[1] != '-')
		return false;
	for (size_t i = 0; i < known->n; i++)
		if (size - 2 >= known->items[i].size &&
			memcmp(line + 2, known->items[i].text, known->items[i].size) == 0)
			return true;
	return false;
}

static size_t header_size(const char *raw, size_t size)
{
	for (size_t at = 0; at < size;) {
		size_t end = line_end(raw, size, at);
		if (end == at || (end == at + 1 && raw[at] == '\r'))
			return at;
		at = end + 1;
	}
	return size;
}

enum precheck_fault precheck_message(const char *raw, size_t size)
{
	struct boundaries known = {.n = 0};
	if (size == 0)
		return PRECHECK_EMPTY;
	size_t header = header_size(raw, size);
	if (header > PRECHECK_HEADER_MAX)
		return PRECHECK_HEADER_SIZE;
	/* Every line that looks like a field is checked, in whatever part it stands: what the
	 * library takes for a header cannot be told from outside. */
	for (size_t at = 0, end; at < size; at = end + 1) {
		end = line_end(raw, size, at);
		if (is_delimiter(&known, raw + at, end - at)) {
			if (++known.parts > PRECHECK_PARTS)
				return PRECHECK_PARTS_TOO_MANY;
			continue;
		}
		size_t name = field_name(raw + at, end - at);
		if (name == 0)
			continue;
		end = field_end(raw, size, at);
		if (!name_is(raw + at, name, "Subject") && (at < header || end - at > 100) &&
			comments_too_deep(raw + at, end - at))
			return PRECHECK_COMMENTS;
		if (name_is(raw + at, name, "Content-Type")) {
			enum precheck_fault fault = check_type(&known, raw + at, end - at);
			if (fault != PRECHECK_FINE)
				return fault;
		}
	}
	return PRECHECK_FINE;
}

const char *precheck_fault_name(enum precheck_fault fault)
{
	switch (fault) {
	case PRECHECK_FINE:
		return "fine";
	case PRECHECK_EMPTY:
		return "empty";
	case PRECHECK_HEADER_SIZE:
		return "header-size";
	case PRECHECK_COMMENTS:
		return "comment-depth";
	case PRECHECK_DEPTH:
		return "mime-depth";
	case PRECHECK_PARTS_TOO_MANY:
		return "mime-parts";
	case PRECHECK_BOUNDARY:
		return "boundary";
	}
	return "unknown";
}
