/*
 * Frames from hostile bytes: the same frames come out however the bytes are cut, and
 * fields are read within their bounds.
 */
#include "daemon/net/frame.h"

#include <string.h>

#include "require.h"

#define LIMIT 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads fields in an order that the payload itself chooses. */
static void walk_fields(const struct frame *frame)
{
	const uint8_t *end = (const uint8_t *)frame->payload + frame->size;
	struct frame_fields fields;
	const void *blob;
	const char *string;
	size_t size;

	frame_fields_begin(&fields, frame);
	while (!fields.bad && fields.left > 0) {
		switch (frame_get_u8(&fields) % 5) {
		case 0:
			(void)frame_get_u32(&fields);
			break;
		case 1:
			(void)frame_get_i64(&fields);
			break;
		case 2:
			string = frame_get_string(&fields);
			require(fields.bad || (const uint8_t *)string + strlen(string) < end);
			break;
		case 3:
			blob = frame_get_blob(&fields, &size);
			require(fields.bad || (const uint8_t *)blob + size <= end);
			break;
		default:
			break;
		}
	}
	require((frame_fields_end(&fields) == 0) == !fields.bad);
}

/* Sums up what comes out; *ret_end is what the parser says at last. */
static uint64_t parse_in_pieces(const uint8_t *data, size_t size, size_t piece, int *ret_end)
{
	struct frame_parser parser;
	struct frame frame;
	uint64_t sum = 1;
	int r = 0;

	frame_parser_init(&parser, LIMIT);
	for (size_t at = 0; at < size && r == 0; at += piece) {
		size_t n = size - at < piece ? size - at : piece;

		require(frame_parser_push(&parser, data + at, n) == 0);
		require(parser.allocated <= LIMIT + FRAME_HEADER_SIZE + FRAME_PUSH_MAX);
		while ((r = frame_parser_next(&parser, &frame)) > 0) {
			require(frame.size <= LIMIT);
			sum = sum * 31 + frame.type;
			for (size_t i = 0; i < frame.size; i++)
				sum = sum * 31 + ((const uint8_t *)frame.payload)[i];
			walk_fields(&frame);
		}
	}
	*ret_end = r;
	frame_parser_clear(&parser);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int whole_end, cut_end;
	uint64_t whole, cut;

	if (size < 1 || size > FRAME_PUSH_MAX)
		return 0;
	whole = parse_in_pieces(data + 1, size - 1, FRAME_PUSH_MAX, &whole_end);
	cut = parse_in_pieces(data + 1, size - 1, (size_t)data[0] % 64 + 1, &cut_end);
	require(whole == cut && whole_end == cut_end);
	return 0;
}
