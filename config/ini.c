#include "config/ini.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/utf8.h"

#define INI_FILE_MAX ((size_t)16 << 20)

struct ini {
	char *file;
	struct ini_handler handler;
	struct fault_list *faults;

	char *line; /* the bytes of the line that is being collected */
	size_t line_size;
	bool line_too_long;
	unsigned number; /* of that line, from 1 */

	char *kind, *name; /* the section we are in, NULL before the first */
	unsigned section_line;
	bool skip; /* in a section whose header is at fault: its keys are passed over */

	char *key, *value; /* the key that may still be continued, NULL if none */
	size_t value_size;
	unsigned key_line;
	bool key_bad; /* a line after a faulty key may continue it */

	void *sections, *keys; /* trees of names that were used */
};

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

int ini_new(const char *file, const struct ini_handler *handler, struct fault_list *faults,
	struct ini **ret_ini)
{
	struct ini *ini = calloc(1, sizeof(*ini));
	if (!ini)
		return -ENOMEM;
	ini->handler = *handler;
	ini->faults = faults;
	ini->file = strdup(file);
	ini->line = malloc(INI_LINE_MAX + 1);
	ini->value = malloc(INI_LINE_MAX + 1);
	if (!ini->file || !ini->line || !ini->value) {
		ini_free(ini);
		return -ENOMEM;
	}
	*ret_ini = ini;
	return 0;
}

struct ini *ini_free(struct ini *ini)
{
	if (!ini)
		return NULL;
	tdestroy(ini->sections, free);
	tdestroy(ini->keys, free);
	free(ini->file);
	free(ini->line);
	free(ini->kind);
	free(ini->name);
	free(ini->key);
	free(ini->value);
	free(ini);
	return NULL;
}

/* Puts NAME into a tree. Returns 0, 1 if it is there already, or -ENOMEM. */
static int remember(void **tree, const char *name)
{
	char *copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	void *node = tsearch(copy, tree, compare);
	if (!node) {
		free(copy);
		return -ENOMEM;
	}
	if (*(char **)node != copy) {
		free(copy);
		return 1;
	}
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static size_t trim_end(const char *text, size_t size)
{
	while (size > 0 && is_blank(text[size - 1]))
		size--;
	return size;
}

static void flush_key(struct ini *ini)
{
	if (ini->key && !ini->skip) {
		struct ini_section section = {ini->kind, ini->name, ini->section_line};
		ini->value[ini->value_size] = '\0';
		ini->handler.key(
			ini->handler.context, &section, ini->key, ini->value, ini->key_line);
	}
	free(ini->key);
	ini->key = NULL;
	ini->key_bad = false;
}

/* Begins the section KIND NAME. */
static int begin_section(struct ini *ini, char *kind, size_t size)
{
	char *name = kind + size;
	int r;

	for (size_t i = 0; i < size; i++) {
		if (is_blank(kind[i])) {
			kind[i] = '\0';
			name = kind + i + 1;
			break;
		}
	}
	while (is_blank(*name))
		name++;

	char *full = NULL;
	if (asprintf(&full, "%s %s", kind, name) < 0)
		return -ENOMEM;
	r = remember(&ini->sections, full);
	if (r > 0) {
		fault_add(ini->faults, ini->file, ini->number, "section [%s%s%s] comes twice", kind,
			*name ? " " : "", name);
		ini->skip = true;
	}
	free(full);
	if (r < 0)
		return r;

	free(ini->kind);
	free(ini->name);
	ini->kind = strdup(kind);
	ini->name = strdup(name);
	if (!ini->kind || !ini->name)
		return -ENOMEM;
	ini->section_line = ini->number;
	if (!ini->skip) {
		struct ini_section section = {ini->kind, ini->name, ini->section_line};
		ini->handler.section(ini->handler.context, &section);
	}
	return 0;
}

/* The header is at fault: what follows belongs to no section that we know. */
static int skip_section(struct ini *ini)
{
	ini->skip = true;
	if (!ini->kind) {
		ini->kind = strdup("");
		if (!ini->kind)
			return -ENOMEM;
	}
	return 0;
}

static int take_header(struct ini *ini, char *line, size_t size)
{
	flush_key(ini);
	tdestroy(ini->keys, free);
	ini->keys = NULL;
	ini->skip = false;

	char *close = memchr(line, ']', size);
	if (!close || close != line + size - 1) {
		fault_add(ini->faults, ini->file, ini->number,
			close ? "text after the ']' of a section" : "section without a ']'");
		return skip_section(ini);
	}
	*close = '\0';
	line++;
	while (is_blank(*line))
		line++;
	size = trim_end(line, (size_t)(close - line));
	line[size] = '\0';
	if (size == 0) {
		fault_add(ini->faults, ini->file, ini->number, "section without a name");
		return skip_section(ini);
	}
	return begin_section(ini, line, size);
}

static int take_key(struct ini *ini, char *line, size_t size)
{
	flush_key(ini);
	ini->key_bad = true;

	char *equals = memchr(line, '=', size);
	size_t key_size = equals ? trim_end(line, (size_t)(equals - line)) : 0;
	if (!equals || key_size == 0) {
		if (!ini->skip)
			fault_add(ini->faults, ini->file, ini->number,
				"neither a section nor \"key = value\"");
		return 0;
	}
	line[key_size] = '\0';
	if (!ini->kind) {
		fault_add(
			ini->faults, ini->file, ini->number, "key \"%s\" before any section", line);
		return 0;
	}
	if (ini->skip)
		return 0;
	int r = remember(&ini->keys, line);
	if (r < 0)
		return r;
	if (r > 0) {
		fault_add(ini->faults, ini->file, ini->number, "key \"%s\" comes twice", line);
		return 0;
	}

	ini->key = strdup(line);
	if (!ini->key)
		return -ENOMEM;
	const char *value = equals + 1, *end = line + size;
	while (value < end && is_blank(*value))
		value++;
	ini->value_size = (size_t)(end - value);
	memcpy(ini->value, value, ini->value_size);
	ini->key_line = ini->number;
	ini->key_bad = false;
	return 0;
}

static void take_continuation(struct ini *ini, const char *text, size_t size)
{
	if (!ini->key) {
		if (!ini->key_bad && !ini->skip)
			fault_add(ini->faults, ini->file, ini->number,
				"a line that begins with white space continues a value, but no "
				"key stands above it");
		return;
	}
	if (ini->value_size + 1 + size > INI_LINE_MAX) {
		fault_add(ini->faults, ini->file, ini->number,
			"the value of \"%s\" is longer than %d bytes", ini->key, INI_LINE_MAX);
		free(ini->key);
		ini->key = NULL;
		ini->key_bad = true;
		return;
	}
	if (ini->value_size > 0)
		ini->value[ini->value_size++] = ' ';
	memcpy(ini->value + ini->value_size, text, size);
	ini->value_size += size;
}

/* Bytes of the line in front of a comment: the line begins with ';' or '#', or white space
 * is followed by ';'. */
static size_t without_comment(const char *line, size_t size)
{
	if (size > 0 && (line[0] == ';' || line[0] == '#'))
		return 0;
	for (size_t i = 1; i < size; i++)
		if (line[i] == ';' && is_blank(line[i - 1]))
			return i;
	return size;
}

/* What no line may hold, or NULL. */
static const char *bad_bytes(const char *line, size_t size)
{
	if (!utf8_valid(line, size))
		return "text that is no UTF-8";
	for (size_t i = 0; i < size; i++)
		if (((unsigned char)line[i] < 0x20 && line[i] != '\t') || line[i] == 0x7f)
			return "a control character";
	return NULL;
}

static int take_line(struct ini *ini)
{
	char *line = ini->line;
	size_t size = ini->line_size;

	ini->number++;
	ini->line_size = 0;
	if (ini->line_too_long) {
		fault_add(ini->faults, ini->file, ini->number, "line of more than %d bytes",
			INI_LINE_MAX);
		ini->line_too_long = false;
		return 0;
	}
	if (ini->number == 1 && size >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
		line += 3;
		size -= 3;
	}
	if (size > 0 && line[size - 1] == '\r')
		size--;
	const char *bad = bad_bytes(line, size);
	if (bad) {
		fault_add(ini->faults, ini->file, ini->number, "%s", bad);
		flush_key(ini);
		ini->key_bad = true;
		return size > 0 && line[0] == '[' ? skip_section(ini) : 0;
	}

	size = trim_end(line, without_comment(line, size));
	if (size == 0)
		return 0;
	line[size] = '\0';
	if (is_blank(line[0])) {
		size_t skip = strspn(line, " \t");
		take_continuation(ini, line + skip, size - skip);
		return 0;
	}
	return line[0] == '[' ? take_header(ini, line, size) : take_key(ini, line, size);
}

int ini_feed(struct ini *ini, const char *bytes, size_t size)
{
	int r;

	while (size > 0) {
		const char *end = memchr(bytes, '\n', size);
		size_t part = end ? (size_t)(end - bytes) : size;
		size_t room = INI_LINE_MAX - ini->line_size;
		if (part > room)
			ini->line_too_long = true;
		else
			room = part;
		memcpy(ini->line + ini->line_size, bytes, room);
		ini->line_size += room;
		bytes += part;
		size -= part;
		if (!end)
			break;
		bytes++;
		size--;
		r = take_line(ini);
		if (r < 0)
			return r;
	}
	return 0;
}

int ini_finish(struct ini *ini)
{
	if (ini->line_size > 0 || ini->line_too_long) {
		int r = take_line(ini);
		if (r < 0)
			return r;
	}
	flush_key(ini);
	return 0;
}

/* Feeds what FD yields. */
static int feed_file(struct ini *ini, int fd)
{
	char buffer[8192];
	size_t total = 0;

	for (;;) {
		ssize_t n = read(fd, buffer, sizeof(buffer));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			fault_add(ini->faults, ini->file, 0, "cannot be read: %s", strerror(errno));
			return 0;
		}
		if (n == 0)
			return ini_finish(ini);
		total += (size_t)n;
		if (total > INI_FILE_MAX) {
			fault_add(ini->faults, ini->file, 0, "longer than 16 MiB");
			return 0;
		}
		int r = ini_feed(ini, buffer, (size_t)n);
		if (r < 0)
			return r;
	}
}

int ini_read_file(const char *path, const struct ini_handler *handler, struct fault_list *faults)
{
	struct ini *ini = NULL;

	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		fault_add(faults, path, 0, "cannot be opened: %s", strerror(errno));
		return 0;
	}
	int r = ini_new(path, handler, faults, &ini);
	if (r >= 0)
		r = feed_file(ini, fd);
	ini_free(ini);
	close(fd);
	return r;
}

int ini_read_text(const char *file, const char *text, size_t size,
	const struct ini_handler *handler, struct fault_list *faults)
{
	struct ini *ini = NULL;

	int r = ini_new(file, handler, faults, &ini);
	if (r >= 0)
		r = ini_feed(ini, text, size);
	if (r >= 0)
		r = ini_finish(ini);
	ini_free(ini);
	return r;
}
