#include "config/style.h"

#include <stdio.h>
#include <string.h>

#include "config/utf8.h"

static const char day_holes[] = "{d} {dd} {m} {mm} {yyyy} ", time_holes[] = "{h} {hh} {min} ";
static const char second_holes[] = "{sec} ", both_holes[] = "{date} {time} ";

/* Keys whose value is a text: what it may hold, NULL for plain words. */
static const struct {
	const char *key;
	size_t offset;
	const char *holes;
} texts[] = {
	{"name", offsetof(struct style, name), NULL},
	{"decimal", offsetof(struct style, decimal), NULL},
	{"date", offsetof(struct style, date), day_holes},
	{"time", offsetof(struct style, time), time_holes},
	{"seconds", offsetof(struct style, seconds), second_holes},
	{"moment", offsetof(struct style, moment), both_holes},
	{"stamp", offsetof(struct style, stamp), both_holes},
	{"razsh", offsetof(struct style, razsh), NULL},
};

static const char *const orders[] = {
	[NAMES_GIVEN_FAMILY] = "given family",
	[NAMES_FAMILY_GIVEN] = "family given",
	[NAMES_REGISTERED] = "as registered",
};

/* Whether every {...} of the value is one of HOLES. */
static bool holes_fit(const char *value, const char *holes)
{
	for (const char *at = strchr(value, '{'); at; at = strchr(at + 1, '{')) {
		size_t size = strcspn(at, "}") + 1;
		const char *hole = holes;
		for (; *hole; hole += strcspn(hole, " ") + 1)
			if (strncmp(hole, at, size) == 0 && hole[size] == ' ')
				break;
		if (!*hole)
			return false;
	}
	return true;
}

static bool take_text(struct style *style, const char *key, const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (strcmp(texts[i].key, key) != 0)
			continue;
		if (strlen(value) >= STYLE_TEXT_MAX ||
			(texts[i].holes && !holes_fit(value, texts[i].holes)))
			return false;
		(void)snprintf((char *)style + texts[i].offset, STYLE_TEXT_MAX, "%s", value);
		return true;
	}
	return false;
}

static bool take_value(struct style *style, const char *key, const char *value)
{
	if (strcmp(key, "plural") == 0)
		return plural_find(value, &style->plural);
	for (size_t i = 0; strcmp(key, "names") == 0 && i < ARRAY_SIZE(orders); i++) {
		if (strcmp(orders[i], value) == 0) {
			style->names = (enum name_order)i;
			return true;
		}
	}
	return take_text(style, key, value);
}

static bool take_line(struct style *style, char *line)
{
	size_t size = strlen(line);

	while (size > 0 && strchr(" \t\r", line[size - 1]))
		line[--size] = '\0';
	if (size == 0 || *line == '#')
		return true;
	char *colon = strchr(line, ':');
	if (!colon)
		return false;
	*colon = '\0';
	const char *value = colon + 1 + strspn(colon + 1, " \t");
	return *value && take_value(style, line, value);
}

int style_parse(const char *file, const char *text, size_t size, struct fault_list *faults,
	struct style *style)
{
	size_t before = fault_list_total(faults);
	unsigned number = 0;

	if (!utf8_valid(text, size) || memchr(text, '\0', size)) {
		fault_add(faults, file, 1, "text that is no UTF-8");
		return FILE_FAULTY;
	}
	for (size_t at = 0; at < size;) {
		const char *lf = memchr(text + at, '\n', size - at);
		size_t n = lf ? (size_t)(lf - text) - at : size - at;
		char line[256];
		number++;
		(void)snprintf(line, sizeof(line), "%.*s", (int)n, text + at);
		if (n >= sizeof(line) || !take_line(style, line))
			fault_add(faults, file, number,
				"a line says how the language writes: a known key, a colon, a "
				"value that fits it");
		at += n + 1;
	}
	return fault_list_total(faults) > before ? FILE_FAULTY : 0;
}

/* What snprintf has written into a buffer of that room. */
static size_t written(int n, size_t room)
{
	return n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

size_t style_name(const struct style *style, const char *name, char out[STYLE_NAME_MAX])
{
	const char *comma = name ? strstr(name, ", ") : NULL;
	int n;

	/* What has two commas ("King, Martin, Jr.") is left as it is. */
	if (!comma || strchr(comma + 1, ',') || style->names == NAMES_REGISTERED)
		n = snprintf(out, STYLE_NAME_MAX, "%s", name ? name : "");
	else if (style->names == NAMES_FAMILY_GIVEN)
		n = snprintf(out, STYLE_NAME_MAX, "%.*s %s", (int)(comma - name), name, comma + 2);
	else
		n = snprintf(out, STYLE_NAME_MAX, "%s %.*s", comma + 2, (int)(comma - name), name);
	return written(n, STYLE_NAME_MAX);
}

size_t style_article(const struct style *style, const char *article, char out[STYLE_ARTICLE_MAX])
{
	static const char razsh[] = "RAZSh ";
	size_t size = sizeof(razsh) - 1;
	int n;

	if (article && strncmp(article, razsh, size) == 0)
		n = snprintf(out, STYLE_ARTICLE_MAX, "%s %s", style->razsh, article + size);
	else
		n = snprintf(out, STYLE_ARTICLE_MAX, "%s", article ? article : "");
	return written(n, STYLE_ARTICLE_MAX);
}
