#include "daemon/net/frame.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t u32_decode(const uint8_t bytes[static 4])
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static void u32_encode(uint8_t bytes[static 4], uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
}

/* Room for size bytes behind used ones, never more than cap in all. */
static int buffer_reserve(uint8_t **bytes, size_t *allocated, size_t used, size_t size, size_t cap)
{
	size_t wanted = *allocated ? *allocated : 1024;
	uint8_t *grown;

	if (used > cap || size > cap - used)
		return -ENOBUFS;
	if (used + size <= *allocated)
		return 0;
	while (wanted < used + size)
		wanted = wanted > cap / 2 ? cap : 2 * wanted;
	grown = realloc(*bytes, wanted);
	if (!grown)
		return -ENOMEM;
	*bytes = grown;
	*allocated = wanted;
	return 0;
}

void frame_parser_init(struct frame_parser *parser, size_t limit)
{
	assert(limit <= UINT32_MAX);
	*parser = (struct frame_parser){.limit = limit};
}

void frame_parser_clear(struct frame_parser *parser)
{
	free(parser->bytes);
	frame_parser_init(parser, parser->limit);
}

int frame_parser_push(struct frame_parser *parser, const void *data, size_t size)
{
	size_t used = parser->end - parser->start;
	int r;

	if (size == 0)
		return 0;
	/* What is used up goes first, so that the buffer need not grow for it. */
	if (parser->start > 0) {
		memmove(parser->bytes, parser->bytes + parser->start, used);
		parser->start = 0;
		parser->end = used;
	}
	r = buffer_reserve(&parser->bytes, &parser->allocated, used, size,
		parser->limit + FRAME_HEADER_SIZE + FRAME_PUSH_MAX);
	if (r < 0)
		return r;
	memcpy(parser->bytes + used, data, size);
	parser->end = used + size;
	return 0;
}

int frame_parser_next(struct frame_parser *parser, struct frame *ret_frame)
{
	size_t used = parser->end - parser->start;
	const uint8_t *head;
	size_t size;

	if (used < FRAME_HEADER_SIZE)
		return 0;
	head = parser->bytes + parser->start;
	size = u32_decode(head);
	if (size > parser->limit)
		return -EMSGSIZE;
	if (used - FRAME_HEADER_SIZE < size)
		return 0;
	parser->start += FRAME_HEADER_SIZE + size;
	*ret_frame =
		(struct frame){.type = head[4], .payload = head + FRAME_HEADER_SIZE, .size = size};
	return 1;
}

bool frame_parser_pending(const struct frame_parser *parser)
{
	return parser->end > parser->start;
}

void frame_writer_init(struct frame_writer *writer, size_t limit)
{
	assert(limit <= UINT32_MAX);
	*writer = (struct frame_writer){.limit = limit};
}

void frame_writer_clear(struct frame_writer *writer)
{
	free(writer->bytes);
	frame_writer_init(writer, writer->limit);
}

void frame_writer_reset(struct frame_writer *writer)
{
	writer->size = 0;
	writer->error = 0;
}

static uint8_t *writer_room(struct frame_writer *writer, size_t size)
{
	size_t cap = writer->begun + FRAME_HEADER_SIZE + writer->limit;
	uint8_t *room;
	int r;

	if (writer->error)
		return NULL;
	r = buffer_reserve(&writer->bytes, &writer->allocated, writer->size, size, cap);
	if (r < 0) {
		writer->error = r == -ENOBUFS ? -EMSGSIZE : r;
		return NULL;
	}
	room = writer->bytes + writer->size;
	writer->size += size;
	return room;
}

void frame_begin(struct frame_writer *writer, uint8_t type)
{
	uint8_t *head;

	writer->begun = writer->size;
	writer->error = 0;
	head = writer_room(writer, FRAME_HEADER_SIZE);
	if (head)
		head[4] = type;
}

void frame_put_u8(struct frame_writer *writer, uint8_t value)
{
	uint8_t *room = writer_room(writer, 1);

	if (room)
		*room = value;
}

void frame_put_u32(struct frame_writer *writer, uint32_t value)
{
	uint8_t *room = writer_room(writer, 4);

	if (room)
		u32_encode(room, value);
}

void frame_put_i64(struct frame_writer *writer, int64_t value)
{
	frame_put_u32(writer, (uint32_t)((uint64_t)value & UINT32_MAX));
	frame_put_u32(writer, (uint32_t)((uint64_t)value >> 32));
}

void frame_put_raw(struct frame_writer *writer, const void *data, size_t size)
{
	uint8_t *room = writer_room(writer, size);

	if (room && size > 0)
		memcpy(room, data, size);
}

void frame_put_blob(struct frame_writer *writer, const void *data, size_t size)
{
	if (size > writer->limit) {
		writer->error = writer->error ? writer->error : -EMSGSIZE;
		return;
	}
	frame_put_u32(writer, (uint32_t)size);
	frame_put_raw(writer, data, size);
}

void frame_put_string(struct frame_writer *writer, const char *string)
{
	string = string ? string : "";
	/* The NUL travels too, so that the other side can use the bytes in place. */
	frame_put_blob(writer, string, strlen(string) + 1);
}

int frame_end(struct frame_writer *writer)
{
	int error = writer->error;

	if (error) {
		writer->size = writer->begun;
		writer->error = 0;
		return error;
	}
	u32_encode(writer->bytes + writer->begun,
		(uint32_t)(writer->size - writer->begun - FRAME_HEADER_SIZE));
	return 0;
}

void frame_fields_begin(struct frame_fields *fields, const struct frame *frame)
{
	*fields = (struct frame_fields){.next = frame->payload, .left = frame->size};
}

static const uint8_t *fields_take(struct frame_fields *fields, size_t size)
{
	const uint8_t *taken = fields->next;

	if (fields->bad || size > fields->left) {
		fields->bad = true;
		return NULL;
	}
	fields->next += size;
	fields->left -= size;
	return taken;
}

uint8_t frame_get_u8(struct frame_fields *fields)
{
	const uint8_t *bytes = fields_take(fields, 1);

	return bytes ? *bytes : 0;
}

uint32_t frame_get_u32(struct frame_fields *fields)
{
	const uint8_t *bytes = fields_take(fields, 4);

	return bytes ? u32_decode(bytes) : 0;
}

int64_t frame_get_i64(struct frame_fields *fields)
{
	const uint8_t *bytes = fields_take(fields, 8);

	if (!bytes)
		return 0;
	return (int64_t)((uint64_t)u32_decode(bytes) | (uint64_t)u32_decode(bytes + 4) << 32);
}

const void *frame_get_blob(struct frame_fields *fields, size_t *ret_size)
{
	uint32_t size = frame_get_u32(fields);
	const uint8_t *bytes = fields_take(fields, size);

	*ret_size = bytes ? size : 0;
	return bytes;
}

const char *frame_get_string(struct frame_fields *fields)
{
	size_t size;
	const char *string = frame_get_blob(fields, &size);

	if (!string || size == 0 || memchr(string, '\0', size) != string + size - 1) {
		fields->bad = true;
		return "";
	}
	return string;
}

const char *frame_get_line(struct frame_fields *fields)
{
	const char *string = frame_get_string(fields);

	for (const char *c = string; *c; c++) {
		if (*c < ' ' || *c >= 0x7f) {
			fields->bad = true;
			return "";
		}
	}
	return string;
}

int frame_fields_end(const struct frame_fields *fields)
{
	return fields->bad || fields->left > 0 ? -EBADMSG : 0;
}
