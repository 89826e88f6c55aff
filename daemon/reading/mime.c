#include "daemon/reading/mime.h"

#include <ctype.h>
#include <errno.h>
#include <libetpan/libetpan.h>
#include <string.h>
#include <strings.h>

#include "daemon/reading/precheck.h"
#include "daemon/reading/transfer.h"

/* The boundary of a body whose header forgot to name it, or names it in pieces (RFC 2231):
 * its first line that begins with two dashes. */
static bool boundary_from_body(const char *body, size_t size, char *out, size_t room)
{
	const char *end = body + size;
	for (int i = 0; i < 20 && body < end; i++) {
		const char *lf = memchr(body, '\n', (size_t)(end - body));
		size_t n = lf ? (size_t)(lf - body) : (size_t)(end - body);
		while (n > 0 && (body[n - 1] == ' ' || body[n - 1] == '\t'))
			n--;
		if (n > 2 && n - 2 < room && body[0] == '-' && body[1] == '-' && body[2] != '-') {
			for (size_t k = 2; k < n; k++)
				if (!strchr("'()+_,-./:=?", body[k]) &&
					!isalnum((unsigned char)body[k]))
					return false;
			memcpy(out, body + 2, n - 2);
			out[n - 2] = '\0';
			return true;
		}
		if (!lf)
			break;
		body = lf + 1;
	}
	return false;
}

static const char *find_word(const struct header_field *field, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= field->value_size; i++)
		if (strncasecmp(field->value + i, word, n) == 0)
			return field->value + i;
	return NULL;
}

/* A boundary without quotes that needs them, as some programs write it: libetpan would stop at
 * its first '=' or ':'. */
static void write_type(const struct header_field *field, struct buffer *out)
{
	const char *end = field->value + field->value_size;
	const char *value = find_word(field, "boundary=");
	if (value)
		value += strlen("boundary=");
	if (!value || value == end || *value == '"') {
		buffer_add(out, field->value, field->value_size);
		return;
	}
	size_t n = 0;
	while (value + n < end && !strchr(" \t\n;\"\\", value[n]))
		n++;
	buffer_add(out, field->value, (size_t)(value - field->value));
	buffer_char(out, '"');
	buffer_add(out, value, n);
	buffer_char(out, '"');
	buffer_add(out, value + n, (size_t)(end - value) - n);
}

/* libetpan gets a header of its own making: the first field of each kind, nothing else. */
static void write_header(
	const struct header *header, const char *raw, size_t size, struct buffer *out)
{
	static const char *const names[] = {
		"Content-Type", "Content-Transfer-Encoding", "Content-Disposition"};
	buffer_text(out, "MIME-Version: 1.0\n");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct header_field *field = header_find(header, names[i], 0);
		char boundary[PRECHECK_BOUNDARY_MAX];
		if (!field)
			continue;
		buffer_text(out, names[i]);
		buffer_text(out, ": ");
		if (i > 0) {
			buffer_add(out, field->value, field->value_size);
		} else if (find_word(field, "multipart/") && !find_word(field, "boundary=") &&
			   boundary_from_body(raw + header->body, size - header->body, boundary,
				   sizeof(boundary))) {
			buffer_text(out, "multipart/mixed; boundary=\"");
			buffer_text(out, boundary);
			buffer_char(out, '"');
		} else {
			write_type(field, out);
		}
		buffer_char(out, '\n');
	}
	buffer_char(out, '\n');
}

/* Tokens in lower case; what no token may hold becomes '?'. */
static char *lower_copy(struct letter_pool *pool, const char *text)
{
	char *copy = pool_copy(pool, text, strlen(text));
	for (char *c = copy; c && *c; c++)
		*c = *c > ' ' && *c < 0x7F ? (char)tolower((unsigned char)*c) : '?';
	return copy;
}

static const char *discrete_name(int type)
{
	switch (type) {
	case MAILMIME_DISCRETE_TYPE_TEXT:
		return "text";
	case MAILMIME_DISCRETE_TYPE_IMAGE:
		return "image";
	case MAILMIME_DISCRETE_TYPE_AUDIO:
		return "audio";
	case MAILMIME_DISCRETE_TYPE_VIDEO:
		return "video";
	case MAILMIME_DISCRETE_TYPE_APPLICATION:
		return "application";
	default:
		return "x-unknown";
	}
}

static const char *type_name(struct letter_pool *pool, const struct mailmime_content *content)
{
	if (!content || !content->ct_type || !content->ct_subtype)
		return "text/plain";
	const char *major = "x-unknown";
	if (content->ct_type->tp_type == MAILMIME_TYPE_DISCRETE_TYPE) {
		const struct mailmime_discrete_type *type =
			content->ct_type->tp_data.tp_discrete_type;
		major = type->dt_type == MAILMIME_DISCRETE_TYPE_EXTENSION && type->dt_extension
				? type->dt_extension
				: discrete_name(type->dt_type);
	} else if (content->ct_type->tp_type == MAILMIME_TYPE_COMPOSITE_TYPE) {
		const struct mailmime_composite_type *type =
			content->ct_type->tp_data.tp_composite_type;
		major = type->ct_type == MAILMIME_COMPOSITE_TYPE_MESSAGE ? "message" : "multipart";
		if (type->ct_type == MAILMIME_COMPOSITE_TYPE_EXTENSION && type->ct_token)
			major = type->ct_token;
	}
	struct buffer name = BUFFER_INIT(200);
	buffer_text(&name, major);
	buffer_char(&name, '/');
	buffer_text(&name, content->ct_subtype);
	char *copy = name.bytes ? lower_copy(pool, name.bytes) : NULL;
	buffer_release(&name);
	return copy;
}

static const char *parameter(const struct mailmime_content *content, const char *name)
{
	if (!content || !content->ct_parameters)
		return NULL;
	for (clistiter *at = clist_begin(content->ct_parameters); at; at = clist_next(at)) {
		const struct mailmime_parameter *item = clist_content(at);
		if (item->pa_name && item->pa_value && strcasecmp(item->pa_name, name) == 0)
			return item->pa_value;
	}
	return NULL;
}

static void read_disposition(struct mime_part *part, const struct mailmime_disposition *found)
{
	if (found->dsp_type)
		part->attachment =
			found->dsp_type->dsp_type == MAILMIME_DISPOSITION_TYPE_ATTACHMENT;
	if (!found->dsp_parms)
		return;
	for (clistiter *at = clist_begin(found->dsp_parms); at; at = clist_next(at)) {
		const struct mailmime_disposition_parm *item = clist_content(at);
		if (item->pa_type == MAILMIME_DISPOSITION_PARM_FILENAME)
			part->named = true;
	}
}

static void read_fields(struct mime_part *part, const struct mailmime *node)
{
	const struct mailmime_mechanism *mechanism = NULL;
	if (node->mm_mime_fields && node->mm_mime_fields->fld_list) {
		clist *list = node->mm_mime_fields->fld_list;
		for (clistiter *at = clist_begin(list); at; at = clist_next(at)) {
			const struct mailmime_field *field = clist_content(at);
			if (field->fld_type == MAILMIME_FIELD_TRANSFER_ENCODING)
				mechanism = field->fld_data.fld_encoding;
			if (field->fld_type == MAILMIME_FIELD_DISPOSITION)
				read_disposition(part, field->fld_data.fld_disposition);
		}
	}
	if (mechanism && mechanism->enc_type == MAILMIME_MECHANISM_BASE64)
		part->encoding = MIME_BASE64;
	else if (mechanism && mechanism->enc_type == MAILMIME_MECHANISM_QUOTED_PRINTABLE)
		part->encoding = MIME_QUOTED_PRINTABLE;
}

struct walk {
	struct letter_pool *pool;
	struct mime_tree *tree;
	unsigned alternatives;
	bool failed;
};

static const char *take_parameter(
	struct walk *walk, const struct mailmime_content *content, const char *name)
{
	const char *value = parameter(content, name);
	char *copy = value ? lower_copy(walk->pool, value) : NULL;
	walk->failed |= value && !copy;
	return copy;
}

static void take_leaf(
	struct walk *walk, const struct mailmime *node, unsigned alternative, bool in_message)
{
	struct mime_tree *tree = walk->tree;
	if (tree->n == MIME_PARTS_MAX || !node->mm_body)
		return;
	struct mime_part part = {.alternative = alternative, .in_message = in_message};
	const struct mailmime_content *content = node->mm_content_type;
	part.type = type_name(walk->pool, content);
	part.charset = take_parameter(walk, content, "charset");
	part.smime = take_parameter(walk, content, "smime-type");
	const char *format = parameter(content, "format"), *delsp = parameter(content, "delsp");
	part.flowed = format && strcasecmp(format, "flowed") == 0;
	part.delsp = delsp && strcasecmp(delsp, "yes") == 0;
	part.named = parameter(content, "name") != NULL;
	read_fields(&part, node);
	part.data = node->mm_body->dt_data.dt_text.dt_data;
	part.size = node->mm_body->dt_data.dt_text.dt_length;
	walk->failed |= !part.type;
	tree->parts[tree->n++] = part;
}

static void take_node(
	struct walk *walk, const struct mailmime *node, unsigned alternative, bool in_message);

static void take_multipart(
	struct walk *walk, const struct mailmime *node, unsigned alternative, bool in_message)
{
	const char *type = type_name(walk->pool, node->mm_content_type);
	if (!type) {
		walk->failed = true;
		return;
	}
	if (strcmp(type, "multipart/alternative") == 0)
		alternative = ++walk->alternatives;
	walk->tree->is_signed |= strcmp(type, "multipart/signed") == 0 && !in_message;
	walk->tree->encrypted |= strcmp(type, "multipart/encrypted") == 0 && !in_message;
	bool digest = strcmp(type, "multipart/digest") == 0;
	walk->tree->digest |= digest;
	clist *list = node->mm_data.mm_multipart.mm_mp_list;
	for (clistiter *at = list ? clist_begin(list) : NULL; at; at = clist_next(at))
		take_node(walk, clist_content(at), alternative, in_message || digest);
}

/* Depth is bounded by the checks before. */
// NOLINTNEXTLINE(misc-no-recursion)
static void take_node(
	struct walk *walk, const struct mailmime *node, unsigned alternative, bool in_message)
{
	switch (node->mm_type) {
	case MAILMIME_SINGLE:
	case MAILMIME_MESSAGE:
		/* An attached message stays one part: nothing inside it is from the sender. */
		take_leaf(walk, node, alternative, in_message);
		break;
	case MAILMIME_MULTIPLE:
		take_multipart(walk, node, alternative, in_message);
		break;
	default:
		break;
	}
}

static size_t line_size(const char *text, size_t size)
{
	const char *lf = memchr(text, '\n', size);
	return lf ? (size_t)(lf - text) : size;
}

static bool is_blank(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] != ' ' && text[i] != '\t')
			return false;
	return true;
}

/* The bytes of an empty part without a header: its delimiter and blank lines, before the same
 * delimiter again, or the closing one. 0: none begins here. */
static size_t empty_part(const char *text, size_t size, size_t delimiter)
{
	size_t at = delimiter, n = 0;
	while (at < size && is_blank(text + at + 1, n = line_size(text + at + 1, size - at - 1)))
		at += n + 1;
	bool blank = at > delimiter && at < size && n >= delimiter;
	return blank && memcmp(text + at + 1, text, delimiter) == 0 &&
			       (n == delimiter || memcmp(text + at + 1 + delimiter, "--", 2) == 0)
		       ? at + 1
		       : 0;
}

/* libetpan takes the delimiter behind an empty part without a header for that part's text. */
static void write_body(const char *text, size_t size, struct buffer *out)
{
	for (size_t at = 0; at < size;) {
		size_t n = line_size(text + at, size - at);
		bool delimiter = n > 2 && text[at] == '-' && text[at + 1] == '-';
		size_t skipped = delimiter ? empty_part(text + at, size - at, n) : 0;
		if (skipped == 0) {
			skipped = at + n < size ? n + 1 : n;
			buffer_add(out, text + at, skipped);
		}
		at += skipped;
	}
}

int mime_parse(const struct header *header, const char *raw, size_t size, struct letter_pool *pool,
	struct mime_tree *ret)
{
	struct buffer made = BUFFER_INIT(size + 4096 + PRECHECK_HEADER_MAX);
	write_header(header, raw, size, &made);
	write_body(raw + header->body, size - header->body, &made);
	/* The parts point into the copy, which therefore belongs to the pool. */
	char *copy = made.failed ? NULL : pool_copy(pool, made.bytes, made.size);
	size_t length = made.size;
	buffer_release(&made);
	if (!copy)
		return -ENOMEM;
	size_t at = 0;
	struct mailmime *mime = NULL;
	int r = mailmime_parse(copy, length, &at, &mime);
	if (r != MAILIMF_NO_ERROR)
		return r == MAILIMF_ERROR_MEMORY ? -ENOMEM : -EBADMSG;
	const struct mailmime *top =
		mime->mm_type == MAILMIME_MESSAGE ? mime->mm_data.mm_message.mm_msg_mime : mime;
	struct walk walk = {.pool = pool, .tree = ret};
	*ret = (struct mime_tree){.n = 0};
	ret->type = top ? type_name(pool, top->mm_content_type) : "text/plain";
	if (top)
		take_node(&walk, top, 0, false);
	mailmime_free(mime);
	return walk.failed || !ret->type ? -ENOMEM : 0;
}

void mime_decode(const struct mime_part *part, struct buffer *out)
{
	switch (part->encoding) {
	case MIME_IDENTITY:
		buffer_add(out, part->data, part->size);
		break;
	case MIME_QUOTED_PRINTABLE:
		transfer_quoted_printable(part->data, part->size, out);
		break;
	case MIME_BASE64:
		transfer_base64(part->data, part->size, out);
		break;
	}
}
