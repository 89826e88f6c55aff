#include "config/template.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "config/utf8.h"
#include "config/values.h"

#define NAME_MAX_SIZE 40
#define SECTION_DEPTH 20
#define PARTIAL_DEPTH 8

enum node_kind {
	NODE_TEXT = 0,
	NODE_VALUE,
	NODE_SECTION,
	NODE_INVERTED,
	NODE_WRAP,
	NODE_PARTIAL,
	NODE_FORMS,
};

struct node {
	enum node_kind kind;
	unsigned line;
	char *text; /* bytes or name */
	size_t size;
	size_t end;  /* of sections: the node behind the last one inside */
	char *forms; /* NODE_FORMS: "day|days" */
};

struct template
{
	char *file;
	struct node *nodes;
	size_t n;
	enum plural_rule plural;
};

/* ---- Parsing ---- */

struct parsing {
	struct template *template;
	struct fault_list *faults;
	const char *text;
	size_t size, at;
	unsigned line;
	size_t open[SECTION_DEPTH]; /* sections that have not ended */
	size_t depth;
};

static int add_node(struct parsing *parsing, enum node_kind kind, const char *text, size_t size)
{
	struct template *template = parsing->template;

	if ((template->n & (template->n - 1)) == 0) {
		struct node *grown = reallocarray(
			template->nodes, template->n ? 2 * template->n : 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		template->nodes = grown;
	}
	char *copy = strndup(text, size);
	if (!copy)
		return -ENOMEM;
	template->nodes[template->n] =
		(struct node){.kind = kind, .line = parsing->line, .text = copy, .size = size};
	template->n++;
	return 0;
}

static void count_lines(struct parsing *parsing, size_t to)
{
	for (; parsing->at < to; parsing->at++)
		if (parsing->text[parsing->at] == '\n')
			parsing->line++;
}

static void parse_fault(struct parsing *parsing, const char *what, const char *name, size_t size)
{
	fault_add(parsing->faults, parsing->template->file, parsing->line, "%s {{%.*s}}", what,
		(int)size, name);
}

/* If the tag between START and END stands alone on its line, widens it to the whole line. */
static void widen(const struct parsing *parsing, size_t *start, size_t *end)
{
	size_t left = *start, right = *end;

	while (left > 0 && (parsing->text[left - 1] == ' ' || parsing->text[left - 1] == '\t'))
		left--;
	while (right < parsing->size &&
		(parsing->text[right] == ' ' || parsing->text[right] == '\t'))
		right++;
	if (left > 0 && parsing->text[left - 1] != '\n')
		return;
	if (right < parsing->size && parsing->text[right] != '\n')
		return;
	*start = left;
	*end = right < parsing->size ? right + 1 : right;
}

static bool name_fits(const char *name, size_t size)
{
	return size > 0 && size <= NAME_MAX_SIZE &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") >= size;
}

static int close_section(struct parsing *parsing, const char *name, size_t size)
{
	if (parsing->depth == 0) {
		parse_fault(parsing, "no section to end before", name - 1, size + 1);
		return 0;
	}
	struct node *node = &parsing->template->nodes[parsing->open[--parsing->depth]];
	if (node->size != size || memcmp(node->text, name, size) != 0)
		fault_add(parsing->faults, parsing->template->file, parsing->line,
			"{{/%.*s}} ends the section {{#%s}} of line %u", (int)size, name,
			node->text, node->line);
	node->end = parsing->template->n;
	return 0;
}

static int open_section(struct parsing *parsing, enum node_kind kind, const char *name, size_t size)
{
	if (parsing->depth == SECTION_DEPTH) {
		parse_fault(parsing, "sections nested too deeply at", name - 1, size + 1);
		return 0;
	}
	parsing->open[parsing->depth++] = parsing->template->n;
	if (kind == NODE_SECTION && size == 4 && memcmp(name, "wrap", 4) == 0)
		kind = NODE_WRAP;
	return add_node(parsing, kind, name, size);
}

/* "days-left|day|days" */
static int take_forms(struct parsing *parsing, const char *tag, size_t size)
{
	const char *bar = memchr(tag, '|', size);
	size_t name = (size_t)(bar - tag);

	if (!name_fits(tag, name)) {
		parse_fault(parsing, "not a tag:", tag, size);
		return 0;
	}
	int r = add_node(parsing, NODE_FORMS, tag, name);
	if (r < 0)
		return r;
	struct node *node = &parsing->template->nodes[parsing->template->n - 1];
	node->forms = strndup(bar + 1, size - name - 1);
	return node->forms ? 0 : -ENOMEM;
}

/* The inside of a tag. */
static int take_tag(struct parsing *parsing, const char *tag, size_t size)
{
	char sign = size > 0 && strchr("#^/>!", *tag) ? *tag : '\0';
	const char *name = sign ? tag + 1 : tag;
	size_t name_size = sign ? size - 1 : size;

	if (sign == '!')
		return 0;
	if (!sign && memchr(tag, '|', size))
		return take_forms(parsing, tag, size);
	while (name_size > 0 && name[0] == ' ') {
		name++;
		name_size--;
	}
	while (name_size > 0 && name[name_size - 1] == ' ')
		name_size--;
	if (!name_fits(name, name_size)) {
		parse_fault(parsing, "not a tag:", tag, size);
		return 0;
	}
	switch (sign) {
	case '#':
		return open_section(parsing, NODE_SECTION, name, name_size);
	case '^':
		return open_section(parsing, NODE_INVERTED, name, name_size);
	case '/':
		return close_section(parsing, name, name_size);
	case '>':
		return add_node(parsing, NODE_PARTIAL, name, name_size);
	default:
		return add_node(parsing, NODE_VALUE, name, name_size);
	}
}

static int parse_all(struct parsing *parsing)
{
	int r = 0;

	while (r >= 0 && parsing->at < parsing->size) {
		const char *here = parsing->text + parsing->at;
		const char *tag = memmem(here, parsing->size - parsing->at, "{{", 2);
		if (!tag)
			return add_node(parsing, NODE_TEXT, here, parsing->size - parsing->at);
		size_t start = (size_t)(tag - parsing->text);
		const char *close = memmem(tag, parsing->size - start, "}}", 2);
		const char *newline = memchr(tag, '\n', parsing->size - start);
		size_t text_end = start, end;
		if (!close || (newline && newline < close)) {
			count_lines(parsing, start);
			fault_add(parsing->faults, parsing->template->file, parsing->line,
				"a tag without its }} on the same line");
			return 0;
		}
		end = (size_t)(close - parsing->text) + 2;
		if (strchr("#^/>!", tag[2]))
			widen(parsing, &text_end, &end);
		if (text_end > parsing->at)
			r = add_node(parsing, NODE_TEXT, here, text_end - parsing->at);
		count_lines(parsing, start);
		if (r >= 0)
			r = take_tag(parsing, tag + 2, (size_t)(close - tag) - 2);
		count_lines(parsing, end);
	}
	return r;
}

int template_parse_at(const char *file, unsigned line, const char *text, size_t size,
	struct fault_list *faults, struct template **ret_template)
{
	struct parsing parsing = {.faults = faults, .text = text, .size = size, .line = line};
	size_t before = fault_list_total(faults);
	int r = -ENOMEM;

	parsing.template = calloc(1, sizeof(*parsing.template));
	if (!parsing.template)
		return r;
	parsing.template->file = strdup(file);
	if (!parsing.template->file)
		goto fail;
	r = 0;
	if (!utf8_valid(text, size) || memchr(text, '\0', size))
		fault_add(faults, file, line, "text that is no UTF-8");
	else
		r = parse_all(&parsing);
	for (size_t i = 0; r >= 0 && i < parsing.depth; i++) {
		const struct node *node = &parsing.template->nodes[parsing.open[i]];
		fault_add(faults, file, node->line, "the section {{#%s}} does not end", node->text);
	}
	if (r >= 0 && fault_list_total(faults) > before)
		r = FILE_FAULTY;
	if (r != 0)
		goto fail;
	*ret_template = parsing.template;
	return 0;
fail:
	template_free(parsing.template);
	return r;
}

int template_parse(const char *file, const char *text, size_t size, struct fault_list *faults,
	struct template **ret_template)
{
	return template_parse_at(file, 1, text, size, faults, ret_template);
}

struct template *template_free(struct template *template)
{
	if (!template)
		return NULL;
	for (size_t i = 0; i < template->n; i++) {
		free(template->nodes[i].text);
		free(template->nodes[i].forms);
	}
	free(template->nodes);
	free(template->file);
	free(template);
	return NULL;
}

/* ---- Plural forms ---- */

static size_t count_forms(const char *forms)
{
	size_t n = 1;

	for (; *forms; forms++)
		n += *forms == '|';
	return n;
}

void template_set_plural(
	struct template *template, enum plural_rule rule, struct fault_list *faults)
{
	template->plural = rule;
	for (size_t i = 0; i < template->n; i++) {
		const struct node *node = &template->nodes[i];
		if (node->kind == NODE_FORMS && count_forms(node->forms) != plural_forms(rule))
			fault_add(faults, template->file, node->line,
				"{{%s|%s}} has not as many forms as words of the language: %zu",
				node->text, node->forms, plural_forms(rule));
	}
}

static int render_forms(const struct template *template, const struct node *node,
	const struct values *values, struct text *out)
{
	const char *number = values_get(values, node->text), *form = node->forms;

	if (!number)
		return 0;
	for (size_t i = plural_form(template->plural, number); i > 0; i--)
		form += strcspn(form, "|") + 1;
	return text_add(out, form, strcspn(form, "|"));
}

/* ---- Rendering ---- */

struct rendering {
	template_find_fn *find;
	void *context;
	unsigned partials; /* how deep we are in them */
};

static int render_nodes(struct rendering *rendering, const struct template *template, size_t from,
	size_t to, const struct values *values, struct text *out);

static int render_section(struct rendering *rendering, const struct template *template, size_t at,
	const struct values *values, struct text *out)
{
	const struct node *node = &template->nodes[at];
	const struct value_entry *entry = values_find(values, node->text);
	bool set = entry && (entry->text || entry->n_items > 0);
	int r = 0;

	if (node->kind == NODE_INVERTED || (set && entry->text))
		return set == (node->kind == NODE_SECTION)
			       ? render_nodes(rendering, template, at + 1, node->end, values, out)
			       : 0;
	for (size_t i = 0; set && r >= 0 && i < entry->n_items; i++)
		r = render_nodes(rendering, template, at + 1, node->end, entry->items[i], out);
	return r;
}

static int render_wrapped(struct rendering *rendering, const struct template *template, size_t at,
	const struct values *values, struct text *out)
{
	struct text inner = {0};

	int r = render_nodes(rendering, template, at + 1, template->nodes[at].end, values, &inner);
	if (r >= 0 && inner.size > 0)
		r = text_add_filled(out, inner.bytes, inner.size);
	text_release(&inner);
	return r;
}

static int render_partial(struct rendering *rendering, const char *name,
	const struct values *values, struct text *out)
{
	const struct template *template = rendering->find(rendering->context, name);

	if (!template)
		return -ENOENT;
	if (rendering->partials == PARTIAL_DEPTH)
		return -ELOOP;
	rendering->partials++;
	int r = render_nodes(rendering, template, 0, template->n, values, out);
	rendering->partials--;
	return r;
}

static int render_nodes(struct rendering *rendering, const struct template *template, size_t from,
	size_t to, const struct values *values, struct text *out)
{
	int r = 0;

	for (size_t i = from; r >= 0 && i < to; i++) {
		const struct node *node = &template->nodes[i];
		const char *value;
		switch (node->kind) {
		case NODE_TEXT:
			r = text_add(out, node->text, node->size);
			break;
		case NODE_VALUE:
			value = values_get(values, node->text);
			r = value ? text_add_string(out, value) : 0;
			break;
		case NODE_FORMS:
			r = render_forms(template, node, values, out);
			break;
		case NODE_PARTIAL:
			r = render_partial(rendering, node->text, values, out);
			break;
		case NODE_SECTION:
		case NODE_INVERTED:
			r = render_section(rendering, template, i, values, out);
			i = node->end - 1;
			break;
		case NODE_WRAP:
			r = render_wrapped(rendering, template, i, values, out);
			i = node->end - 1;
			break;
		}
	}
	return r;
}

int template_render(const struct template *template, const struct values *values,
	template_find_fn *find, void *context, char **ret_text, size_t *ret_size)
{
	struct rendering rendering = {.find = find, .context = context};
	struct text out = {0};

	int r = text_add(&out, "", 0);
	if (r >= 0)
		r = render_nodes(&rendering, template, 0, template->n, values, &out);
	if (r < 0) {
		text_release(&out);
		return r;
	}
	*ret_text = out.bytes;
	*ret_size = out.size;
	return 0;
}

void template_check(const struct template *template, bool (*known)(const char *name),
	template_find_fn *find, void *context, struct fault_list *faults)
{
	for (size_t i = 0; i < template->n; i++) {
		const struct node *node = &template->nodes[i];
		if (node->kind == NODE_TEXT || node->kind == NODE_WRAP)
			continue;
		if (node->kind == NODE_PARTIAL) {
			if (!find(context, node->text))
				fault_add(faults, template->file, node->line,
					"there is no template \"%s\"", node->text);
		} else if (!known(node->text)) {
			fault_add(faults, template->file, node->line,
				"no mail has a value named \"%s\"", node->text);
		}
	}
}

void template_names(const struct template *template,
	void (*fn)(void *context, char sign, const char *name), void *context)
{
	static const char signs[] = {
		[NODE_VALUE] = '\0',
		[NODE_SECTION] = '#',
		[NODE_INVERTED] = '^',
		[NODE_PARTIAL] = '>',
		[NODE_FORMS] = '|',
	};

	for (size_t i = 0; i < template->n; i++) {
		const struct node *node = &template->nodes[i];
		if (node->kind != NODE_TEXT && node->kind != NODE_WRAP)
			fn(context, signs[node->kind], node->text);
	}
}
