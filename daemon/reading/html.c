#include "daemon/reading/html.h"

#include <ctype.h>
#include <errno.h>
#include <libxml/HTMLparser.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define QUOTE_DEPTH_MAX 20
#define STYLE_MAX ((size_t)32 << 10)
#define HIDDEN_CLASSES_MAX 64
#define TAG_MAX ((size_t)4096)       /* bytes of a tag that are read */
#define TAG_SCAN_MAX ((size_t)65536) /* how far a quoted value may reach */

enum element_flag { /* or-ed */
	ELEMENT_BLOCK = 1,
	ELEMENT_HIDDEN = 2, /* its content is not seen */
	ELEMENT_PRE = 4,
	ELEMENT_QUOTE = 8,
	ELEMENT_STRUCK = 16,
	ELEMENT_CELL = 32,
	ELEMENT_STYLE = 64,
	ELEMENT_BREAK = 128,
	ELEMENT_SYMBOLS = 256, /* letters stand for pictures: Outlook's J is a smile */
};

static const struct element {
	const char *name;
	unsigned flags;
} elements[] = {
	{"address", ELEMENT_BLOCK},
	{"article", ELEMENT_BLOCK},
	{"blockquote", ELEMENT_BLOCK},
	{"body", ELEMENT_BLOCK},
	{"br", ELEMENT_BREAK},
	{"center", ELEMENT_BLOCK},
	{"dd", ELEMENT_BLOCK},
	{"del", ELEMENT_STRUCK},
	{"div", ELEMENT_BLOCK},
	{"dl", ELEMENT_BLOCK},
	{"dt", ELEMENT_BLOCK},
	{"fieldset", ELEMENT_BLOCK},
	{"footer", ELEMENT_BLOCK},
	{"form", ELEMENT_BLOCK},
	{"h1", ELEMENT_BLOCK},
	{"h2", ELEMENT_BLOCK},
	{"h3", ELEMENT_BLOCK},
	{"h4", ELEMENT_BLOCK},
	{"h5", ELEMENT_BLOCK},
	{"h6", ELEMENT_BLOCK},
	{"head", ELEMENT_HIDDEN},
	{"header", ELEMENT_BLOCK},
	{"hr", ELEMENT_BLOCK},
	{"iframe", ELEMENT_HIDDEN},
	{"li", ELEMENT_BLOCK},
	{"noscript", ELEMENT_HIDDEN},
	{"object", ELEMENT_HIDDEN},
	{"ol", ELEMENT_BLOCK},
	{"p", ELEMENT_BLOCK},
	{"pre", ELEMENT_BLOCK | ELEMENT_PRE},
	{"s", ELEMENT_STRUCK},
	{"script", ELEMENT_HIDDEN},
	{"section", ELEMENT_BLOCK},
	{"select", ELEMENT_HIDDEN},
	{"strike", ELEMENT_STRUCK},
	{"style", ELEMENT_HIDDEN | ELEMENT_STYLE},
	{"table", ELEMENT_BLOCK},
	{"tbody", ELEMENT_BLOCK},
	{"td", ELEMENT_CELL},
	{"template", ELEMENT_HIDDEN},
	{"th", ELEMENT_CELL},
	{"title", ELEMENT_HIDDEN},
	{"tr", ELEMENT_BLOCK},
	{"ul", ELEMENT_BLOCK},
};

struct open_element {
	char name[12]; /* enough to tell elements apart; longer names are unknown anyway */
	unsigned flags;
};

struct html {
	struct buffer *out;
	struct open_element *open;
	size_t n_open, room;
	size_t hidden, struck, symbols, quotes, pre, styles;
	bool line_started, blank_wanted;
	bool failed;
	char last_char; /* the last visible character of the line before: an attribution's colon */
	struct buffer style;
	char hidden_classes[HIDDEN_CLASSES_MAX][32];
	size_t n_hidden_classes;
	struct html_facts facts;
};

static unsigned element_flags(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(elements); i++)
		if (strcasecmp(name, elements[i].name) == 0)
			return elements[i].flags;
	return 0;
}

static const char *attribute(const xmlChar **attributes, const char *name)
{
	for (size_t i = 0; attributes && attributes[i]; i += 2)
		if (strcasecmp((const char *)attributes[i], name) == 0)
			return attributes[i + 1] ? (const char *)attributes[i + 1] : "";
	return NULL;
}

/* Is WORD one of the blank-separated words of LIST? */
static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = list; at && *at;) {
		size_t size = strcspn(at, " \t\r\n");
		if (size == n && strncasecmp(at, word, n) == 0)
			return true;
		at += size;
		at += strspn(at, " \t\r\n");
	}
	return false;
}

/* A value of nothing but noughts, with or without a unit: 0, 0px, 0.0pt. */
static bool is_zero(const char *value, size_t size)
{
	size_t i = 0;
	while (i < size && (value[i] == '0' || value[i] == '.'))
		i++;
	if (i == 0)
		return false;
	while (i < size && (isalpha((unsigned char)value[i]) || value[i] == '%'))
		i++;
	return i == size || value[i] == '!';
}

static bool value_is(const char *value, size_t size, const char *word)
{
	size_t n = strlen(word);
	return size >= n && memcmp(value, word, n) == 0 && (size == n || value[n] == '!');
}

static bool declaration_hides(const char *name, size_t n, const char *value, size_t size)
{
	struct {
		const char *name, *word; /* NULL: nought */
	} const hiding[] = {
		{"display", "none"},
		{"visibility", "hidden"},
		{"visibility", "collapse"},
		{"mso-hide", "all"},
		{"font-size", NULL},
		{"opacity", NULL},
		{"max-height", NULL},
		{"max-width", NULL},
	};
	for (size_t i = 0; i < ARRAY_SIZE(hiding); i++)
		if (strlen(hiding[i].name) == n && memcmp(hiding[i].name, name, n) == 0 &&
			(hiding[i].word ? value_is(value, size, hiding[i].word)
					: is_zero(value, size)))
			return true;
	return false;
}

struct declaration {
	const char *name, *value;
	size_t name_size, value_size;
};

static bool declares(const struct declaration *declaration, const char *name)
{
	return strlen(name) == declaration->name_size &&
	       memcmp(declaration->name, name, declaration->name_size) == 0;
}

static bool value_has(const struct declaration *declaration, const char *word)
{
	return memmem(declaration->value, declaration->value_size, word, strlen(word)) != NULL;
}

/* What a style sheet or attribute does to the text, gathered over its declarations. */
struct style {
	bool hides, strikes, symbols;
	bool flat, cut; /* no height or no width; what flows over is cut */
};

static void take_declaration(struct style *style, const struct declaration *declaration)
{
	style->hides |= declaration_hides(declaration->name, declaration->name_size,
		declaration->value, declaration->value_size);
	if (declares(declaration, "height") || declares(declaration, "width"))
		style->flat |= is_zero(declaration->value, declaration->value_size);
	if (declares(declaration, "overflow"))
		style->cut |= value_has(declaration, "hidden");
	if (declares(declaration, "text-decoration") ||
		declares(declaration, "text-decoration-line"))
		style->strikes |= value_has(declaration, "line-through");
	if (declares(declaration, "font-family"))
		style->symbols |= value_has(declaration, "wingdings");
}

/* Reads declarations "a: b; c: d"; blanks, comments and letter case do not count. Returns flags
 * of elements. */
static unsigned style_flags(const char *style, size_t size)
{
	char plain[2048];
	struct style found = {.hides = false};
	size_t n = 0;
	for (size_t i = 0; i < size && n < sizeof(plain); i++) {
		if (style[i] == '/' && i + 1 < size && style[i + 1] == '*') {
			const char *end = memmem(style + i + 2, size - i - 2, "*/", 2);
			if (!end)
				break;
			i = (size_t)(end + 1 - style);
		} else if (!isspace((unsigned char)style[i])) {
			plain[n++] = (char)tolower((unsigned char)style[i]);
		}
	}
	for (size_t at = 0; at < n;) {
		const char *semicolon = memchr(plain + at, ';', n - at);
		size_t end = semicolon ? (size_t)(semicolon - plain) : n;
		const char *colon = memchr(plain + at, ':', end - at);
		if (colon) {
			const struct declaration declaration = {.name = plain + at,
				.name_size = (size_t)(colon - plain) - at,
				.value = colon + 1,
				.value_size = end - (size_t)(colon + 1 - plain)};
			take_declaration(&found, &declaration);
		}
		at = end + 1;
	}
	return (found.hides || (found.flat && found.cut) ? ELEMENT_HIDDEN : 0U) |
	       (found.strikes ? ELEMENT_STRUCK : 0U) | (found.symbols ? ELEMENT_SYMBOLS : 0U);
}

/* Collects the classes that a style sheet hides: ".name { display: none }". */
static void read_style_sheet(struct html *html)
{
	const char *text = html->style.bytes;
	const char *end = text ? text + html->style.size : NULL;
	while (text && text < end) {
		const char *brace = memchr(text, '{', (size_t)(end - text));
		const char *close = brace ? memchr(brace, '}', (size_t)(end - brace)) : NULL;
		if (!close)
			break;
		bool hides = style_flags(brace + 1, (size_t)(close - brace - 1)) & ELEMENT_HIDDEN;
		for (const char *at = text; hides && at < brace; at++) {
			size_t n = 0;
			while (*at == '.' && at + 1 + n < brace &&
				(isalnum((unsigned char)at[1 + n]) || strchr("-_", at[1 + n])))
				n++;
			if (n == 0 || n >= sizeof(html->hidden_classes[0]) ||
				html->n_hidden_classes == HIDDEN_CLASSES_MAX)
				continue;
			memcpy(html->hidden_classes[html->n_hidden_classes], at + 1, n);
			html->hidden_classes[html->n_hidden_classes++][n] = '\0';
		}
		text = close + 1;
	}
	buffer_clear(&html->style);
}

static void end_line(struct html *html)
{
	if (html->line_started)
		buffer_char(html->out, '\n');
	html->line_started = false;
}

static void start_line(struct html *html)
{
	if (html->line_started)
		return;
	size_t depth = html->quotes < QUOTE_DEPTH_MAX ? html->quotes : QUOTE_DEPTH_MAX;
	for (size_t i = 0; i < depth; i++)
		buffer_text(html->out, "> ");
	html->line_started = true;
	html->blank_wanted = false;
}

static bool is_quote(const struct html *html, const char *name, const xmlChar **attributes)
{
	static const char *const classes[] = {"gmail_quote", "moz-cite", "cite", "protonmail_quote",
		"yahoo_quoted", "tutanota_quote", "quote", "crm_quote"};
	const char *class = attribute(attributes, "class"), *type = attribute(attributes, "type");
	if (strcasecmp(name, "blockquote") != 0)
		return false;
	if (type && strcasecmp(type, "cite") == 0)
		return true;
	if (attribute(attributes, "cite"))
		return true;
	for (size_t i = 0; class && i < ARRAY_SIZE(classes); i++)
		if (has_word(class, classes[i]))
			return true;
	return html->last_char == ':';
}

/* What its attributes do to the text of an element: flags of elements. */
static unsigned look_flags(const struct html *html, const xmlChar **attributes)
{
	const char *style = attribute(attributes, "style"), *class = attribute(attributes, "class");
	const char *face = attribute(attributes, "face");
	unsigned flags = style ? style_flags(style, strlen(style)) : 0;
	if (attribute(attributes, "hidden"))
		flags |= ELEMENT_HIDDEN;
	if (face && strncasecmp(face, "wingdings", strlen("wingdings")) == 0)
		flags |= ELEMENT_SYMBOLS;
	for (size_t i = 0; class && i < html->n_hidden_classes; i++)
		if (has_word(class, html->hidden_classes[i]))
			flags |= ELEMENT_HIDDEN;
	return flags;
}

static void count(struct html *html, unsigned flags, int step)
{
	size_t n = (size_t)step;
	html->hidden += flags & ELEMENT_HIDDEN ? n : 0;
	html->struck += flags & ELEMENT_STRUCK ? n : 0;
	html->symbols += flags & ELEMENT_SYMBOLS ? n : 0;
	html->quotes += flags & ELEMENT_QUOTE ? n : 0;
	html->pre += flags & ELEMENT_PRE ? n : 0;
	html->styles += flags & ELEMENT_STYLE ? n : 0;
}

static void on_start(void *user, const xmlChar *tag, const xmlChar **attributes)
{
	struct html *html = user;
	const char *name = (const char *)tag;
	unsigned flags = element_flags(name);
	if (flags & ELEMENT_BREAK) {
		if (html->hidden == 0 && html->struck == 0) {
			start_line(html);
			end_line(html);
		}
		return;
	}
	flags |= look_flags(html, attributes);
	if (is_quote(html, name, attributes))
		flags |= ELEMENT_QUOTE;
	if ((flags & ELEMENT_BLOCK) && html->hidden == 0)
		end_line(html);
	if ((flags & ELEMENT_CELL) && html->line_started)
		html->blank_wanted = true;
	if (html->n_open == html->room) {
		size_t room = html->room ? html->room * 2 : 64;
		struct open_element *open = reallocarray(html->open, room, sizeof(*open));
		if (!open) {
			html->failed = true;
			return;
		}
		html->open = open;
		html->room = room;
	}
	struct open_element *element = &html->open[html->n_open++];
	*element = (struct open_element){.flags = flags};
	strncpy(element->name, name, sizeof(element->name) - 1);
	count(html, flags, 1);
}

static void close_top(struct html *html)
{
	unsigned flags = html->open[--html->n_open].flags;
	if ((flags & (ELEMENT_BLOCK | ELEMENT_QUOTE)) && html->hidden == 0)
		end_line(html);
	if (flags & ELEMENT_CELL)
		html->blank_wanted = true;
	if (flags & ELEMENT_STYLE)
		read_style_sheet(html);
	count(html, flags, -1);
}

static void on_end(void *user, const xmlChar *tag)
{
	struct html *html = user;
	struct open_element name = {.flags = 0};
	strncpy(name.name, (const char *)tag, sizeof(name.name) - 1);
	/* The parser balances its events; elements that it could not open are not on the stack. */
	if (html->n_open > 0 && strcmp(html->open[html->n_open - 1].name, name.name) == 0)
		close_top(html);
}

static void add_visible(struct html *html, char c)
{
	bool white = c == ' ' || c == '\t' || c == '\r' || c == '\n';
	if (html->pre && (c == '\n' || c == '\r')) {
		if (c == '\n') {
			start_line(html);
			end_line(html);
		}
		return;
	}
	if (white && !html->pre) {
		html->blank_wanted = html->line_started;
		return;
	}
	bool blank = html->blank_wanted && html->line_started;
	start_line(html);
	if (blank)
		buffer_char(html->out, ' ');
	html->blank_wanted = false;
	buffer_char(html->out, c);
	if (!white)
		html->last_char = c;
}

static void on_text(void *user, const xmlChar *text, int size)
{
	struct html *html = user;
	if (html->styles) {
		buffer_add(&html->style, text, (size_t)size);
		return;
	}
	bool seen = html->hidden == 0 && html->struck == 0;
	for (int i = 0; i < size; i++) {
		char c = (char)text[i];
		if (seen) {
			add_visible(html, html->symbols ? ' ' : c);
		} else if (!isspace((unsigned char)c)) {
			html->facts.hidden |= html->hidden > 0;
			html->facts.struck |= html->hidden == 0;
		}
	}
}

/* What makes libxml2 stop or print marks: end tags of html and body, <![...]>, controls. */
static size_t skip_size(const char *at, size_t size)
{
	if (size >= 7 && strncasecmp(at, "</html>", 7) == 0)
		return 7;
	if (size >= 7 && strncasecmp(at, "</body>", 7) == 0)
		return 7;
	if (size >= 3 && memcmp(at, "<![", 3) == 0) {
		const char *end = memchr(at, '>', size < 200 ? size : 200);
		return end ? (size_t)(end + 1 - at) : 0;
	}
	unsigned char c = (unsigned char)at[0];
	return c < ' ' && c != '\n' && c != '\t' ? 1 : 0;
}

/* The length of the tag at AT with its '>', quoted values minded; 0 if it has no end. A quote
 * that is not closed soon is none. */
static size_t tag_size(const char *at, size_t size, char *ret_quote)
{
	size_t near = size < TAG_SCAN_MAX ? size : TAG_SCAN_MAX;
	char quote = '\0', before = '\0';
	*ret_quote = '\0';
	for (size_t i = 1; i < near; i++) {
		if (i == TAG_MAX)
			*ret_quote = quote;
		if (quote && at[i] == quote)
			quote = '\0';
		else if (!quote && before == '=' && (at[i] == '"' || at[i] == '\''))
			quote = at[i];
		else if (!quote && at[i] == '>')
			return i + 1;
		if (!isspace((unsigned char)at[i]))
			before = at[i];
	}
	const char *end = memchr(at, '>', size);
	return end ? (size_t)(end + 1 - at) : 0;
}

struct feeder {
	htmlParserCtxtPtr parser;
	char chunk[4096];
	size_t n;
};

static void feed_char(struct feeder *feeder, char c)
{
	if (feeder->n == sizeof(feeder->chunk)) {
		htmlParseChunk(feeder->parser, feeder->chunk, (int)feeder->n, 0);
		feeder->n = 0;
	}
	feeder->chunk[feeder->n++] = c;
}

/* A tag of thousands of attributes takes libxml2 quadratic time: its tail is left out. Returns
 * how much of the text was dealt with. */
static size_t feed_long_tag(struct feeder *feeder, const char *at, size_t size)
{
	char quote;
	size_t n = size > 1 && isalpha((unsigned char)at[1]) ? tag_size(at, size, &quote) : 0;
	if (n <= TAG_MAX)
		return 0;
	for (size_t i = 0; i < TAG_MAX; i++)
		feed_char(feeder, at[i]);
	if (quote)
		feed_char(feeder, quote);
	feed_char(feeder, '>');
	return n;
}

static void feed(htmlParserCtxtPtr parser, const char *html, size_t size)
{
	struct feeder feeder = {.parser = parser};
	for (size_t i = 0; i < size;) {
		size_t skip = 0;
		if ((unsigned char)html[i] < ' ' || html[i] == '<')
			skip = skip_size(html + i, size - i);
		/* A mark inside a comment may hold the comment's end. */
		if (skip >= 5 && memcmp(html + i + skip - 3, "-->", 3) == 0)
			skip = 0;
		if (skip == 0 && html[i] == '<')
			skip = feed_long_tag(&feeder, html + i, size - i);
		if (skip == 0)
			feed_char(&feeder, html[i]);
		i += skip ? skip : 1;
	}
	htmlParseChunk(parser, feeder.chunk, (int)feeder.n, 1);
}

int html_to_text(const char *html, size_t size, struct buffer *out, struct html_facts *ret_facts)
{
	struct html state = {.out = out, .style = BUFFER_INIT(STYLE_MAX)};
	htmlSAXHandler handler = {
		.startElement = on_start,
		.endElement = on_end,
		.characters = on_text,
		.cdataBlock = on_text,
		.ignorableWhitespace = on_text,
	};
	htmlParserCtxtPtr parser =
		htmlCreatePushParserCtxt(&handler, &state, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
	if (!parser)
		return -ENOMEM;
	htmlCtxtUseOptions(parser, HTML_PARSE_RECOVER | HTML_PARSE_NONET | HTML_PARSE_NOERROR |
					   HTML_PARSE_NOWARNING | HTML_PARSE_IGNORE_ENC);
	feed(parser, html, size);
	htmlDocPtr document = parser->myDoc;
	htmlFreeParserCtxt(parser);
	xmlFreeDoc(document);
	while (state.n_open > 0)
		close_top(&state);
	end_line(&state);
	free(state.open);
	buffer_release(&state.style);
	*ret_facts = state.facts;
	return state.failed || out->failed ? -ENOMEM : 0;
}

bool html_meta_charset(const char *html, size_t size, char out[64])
{
	if (size > 2048)
		size = 2048;
	for (size_t i = 0; i + 8 < size; i++) {
		if (strncasecmp(html + i, "charset=", 8) != 0)
			continue;
		size_t at = i + 8, n = 0;
		while (at < size && (html[at] == '"' || html[at] == '\'' || html[at] == ' '))
			at++;
		while (at + n < size && n < 63 &&
			(isalnum((unsigned char)html[at + n]) || strchr("-_.:", html[at + n])))
			n++;
		memcpy(out, html + at, n);
		out[n] = '\0';
		return n > 0;
	}
	return false;
}
