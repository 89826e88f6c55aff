/*
 * Frames: what main and its workers say to each other over a socketpair. A
 * frame is a u32 length of the payload (little endian), a u8 type, and the
 * payload; a payload is a row of fields. No I/O here: bytes in, frames out.
 *
 * Neither side trusts the other's lengths: a parser takes a cap, memory grows
 * only with bytes that have really come, and fields are checked to the byte.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base.h"

#define FRAME_HEADER_SIZE 5
/* The most that frame_parser_push() takes at once. */
#define FRAME_PUSH_MAX 65536

/* Types below this number belong to every worker, the others to its own
 * protocol. */
enum frame_type {
	FRAME_CONFIG = 1, /* main -> worker, the first frame; fields as the kind defines them */
	FRAME_READY = 2,  /* worker -> main: shut in, waiting for work; no fields */
	FRAME_FIRST_OWN = 16,
};

/* One frame; the payload belongs to the parser. */
struct frame {
	uint8_t type;
	const void *payload;
	size_t size;
};

/* Push parser. Feed it at most FRAME_PUSH_MAX bytes, then call
 * frame_parser_next() until it returns 0, then feed it again. */
struct frame_parser {
	uint8_t *bytes;
	size_t start, end, allocated;
	size_t limit;
};

/* limit: the largest payload that is accepted. */
void frame_parser_init(struct frame_parser *parser, size_t limit);
void frame_parser_clear(struct frame_parser *parser);
/* -ENOMEM; -ENOBUFS when frames that are complete were not taken out first. */
int frame_parser_push(struct frame_parser *parser, const void *data, size_t size) MUST_CHECK;
/* 1 with a frame, valid until the next push or clear; 0 when more bytes are
 * needed; -EMSGSIZE when the next frame is over the limit, for ever after. */
int frame_parser_next(struct frame_parser *parser, struct frame *ret_frame) MUST_CHECK;
/* Whether part of a frame is waiting for the rest. */
bool frame_parser_pending(const struct frame_parser *parser);

/* Writes frames one behind the other into one buffer. An error inside a frame
 * is kept until frame_end(), which then drops that frame alone. */
struct frame_writer {
	uint8_t *bytes;
	size_t size, allocated;
	size_t limit;
	size_t begun;
	int error;
};

/* limit: the largest payload of one frame. */
void frame_writer_init(struct frame_writer *writer, size_t limit);
void frame_writer_clear(struct frame_writer *writer);
/* Forgets what was written and keeps the memory. */
void frame_writer_reset(struct frame_writer *writer);

void frame_begin(struct frame_writer *writer, uint8_t type);
void frame_put_u8(struct frame_writer *writer, uint8_t value);
void frame_put_u32(struct frame_writer *writer, uint32_t value);
void frame_put_i64(struct frame_writer *writer, int64_t value);
/* NULL is written as the empty string. */
void frame_put_string(struct frame_writer *writer, const char *string);
void frame_put_blob(struct frame_writer *writer, const void *data, size_t size);
/* Fields that were written elsewhere. */
void frame_put_raw(struct frame_writer *writer, const void *data, size_t size);
/* -ENOMEM, -EMSGSIZE */
int frame_end(struct frame_writer *writer) MUST_CHECK;

/* Reads the fields of one frame in order. After the first fault every getter
 * returns nothing (0, "", NULL), and frame_fields_end() says so; act on no value
 * before that. Pointers lead into the frame's payload. */
struct frame_fields {
	const uint8_t *next;
	size_t left;
	bool bad;
};

void frame_fields_begin(struct frame_fields *fields, const struct frame *frame);
uint8_t frame_get_u8(struct frame_fields *fields);
uint32_t frame_get_u32(struct frame_fields *fields);
int64_t frame_get_i64(struct frame_fields *fields);
/* Ends with a NUL and holds no other. */
const char *frame_get_string(struct frame_fields *fields);
/* The same, and printable ASCII: fit for a log as it is. */
const char *frame_get_line(struct frame_fields *fields);
const void *frame_get_blob(struct frame_fields *fields, size_t *ret_size);
/* 0 when all fields were there and nothing is left over, otherwise -EBADMSG. */
int frame_fields_end(const struct frame_fields *fields) MUST_CHECK;
