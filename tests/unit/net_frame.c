/*
 * Frames: what goes in comes out, however it is cut; and hostile bytes neither read
 * nor allocate beyond their bounds.
 */
#include "daemon/net/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

static const struct {
	int64_t number;
	uint8_t small;
	const char *string;
	size_t blob_size;
} samples[] = {
	{0, 0, "", 0},
	{-1, 255, "a", 1},
	{INT64_MIN, 7, "maildir:/var/mail/moves", 300},
	{INT64_MAX, 128, "\xc3\xa9\n\t", 5000},
};

static uint8_t pattern[5000];

static void write_samples(struct frame_writer *writer)
{
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		frame_begin(writer, (uint8_t)(20 + i));
		frame_put_i64(writer, samples[i].number);
		frame_put_u8(writer, samples[i].small);
		frame_put_string(writer, samples[i].string);
		frame_put_blob(writer, pattern, samples[i].blob_size);
		frame_put_u32(writer, 0xdeadbeef);
		expect_int(frame_end(writer), 0);
	}
}

static void check_sample(const struct frame *frame, size_t i)
{
	struct frame_fields fields;
	const void *blob;
	size_t size;

	expect_int(frame->type, 20 + i);
	frame_fields_begin(&fields, frame);
	expect_int(frame_get_i64(&fields), samples[i].number);
	expect_int(frame_get_u8(&fields), samples[i].small);
	assert_string_equal(frame_get_string(&fields), samples[i].string);
	blob = frame_get_blob(&fields, &size);
	expect_int(size, samples[i].blob_size);
	assert_non_null(blob);
	assert_memory_equal(blob, pattern, size);
	expect_int(frame_get_u32(&fields), 0xdeadbeef);
	expect_int(frame_fields_end(&fields), 0);
}

/* Feeds in pieces of one length, each a copy of its exact size on the heap. */
static void feed_in_pieces(const struct frame_writer *writer, size_t piece)
{
	struct frame_parser parser;
	struct frame frame;
	size_t seen = 0;
	int r = 0;

	frame_parser_init(&parser, 6000);
	for (size_t at = 0; at < writer->size; at += piece) {
		size_t size = writer->size - at < piece ? writer->size - at : piece;
		uint8_t *copy = malloc(size);

		assert_non_null(copy);
		memcpy(copy, writer->bytes + at, size);
		expect_int(frame_parser_push(&parser, copy, size), 0);
		free(copy);
		while ((r = frame_parser_next(&parser, &frame)) > 0)
			check_sample(&frame, seen++);
		expect_int(r, 0);
	}
	expect_int(seen, ARRAY_SIZE(samples));
	assert_false(frame_parser_pending(&parser));
	frame_parser_clear(&parser);
}

static void test_any_cut(void **state)
{
	static const size_t pieces[] = {1, 2, 3, 4, 5, 6, 7, 11, 64, 1000, 4096, FRAME_PUSH_MAX};
	struct frame_writer writer;

	(void)state;
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = (uint8_t)(i * 7);
	frame_writer_init(&writer, 6000);
	write_samples(&writer);
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
		feed_in_pieces(&writer, pieces[i]);
	frame_writer_clear(&writer);
}

static void test_hostile_lengths(void **state)
{
	static const struct {
		uint8_t head[FRAME_HEADER_SIZE];
		int wanted;
	} heads[] = {
		{{100, 0, 0, 0, 16}, 0}, /* at the limit: waits for the payload */
		{{101, 0, 0, 0, 16}, -EMSGSIZE}, {{0, 0, 0, 0x80, 16}, -EMSGSIZE},
		{{0xff, 0xff, 0xff, 0xff, 16}, -EMSGSIZE},
		{{0xfb, 0xff, 0xff, 0xff, 16}, -EMSGSIZE}, /* wraps round with the header */
	};
	struct frame frame;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		struct frame_parser parser;

		frame_parser_init(&parser, 100);
		for (size_t j = 0; j < FRAME_HEADER_SIZE; j++) {
			expect_int(frame_parser_next(&parser, &frame), 0);
			expect_int(frame_parser_push(&parser, &heads[i].head[j], 1), 0);
		}
		expect_int(frame_parser_next(&parser, &frame), heads[i].wanted);
		expect_int(frame_parser_next(&parser, &frame), heads[i].wanted);
		/* A length alone costs no memory. */
		assert_true(parser.allocated < 4096);
		frame_parser_clear(&parser);
	}
}

static void test_parser_is_capped(void **state)
{
	static uint8_t zeros[FRAME_PUSH_MAX];
	struct frame_parser parser;
	struct frame frame;

	(void)state;
	frame_parser_init(&parser, 10);
	expect_int(frame_parser_push(&parser, zeros, sizeof(zeros)), 0);
	expect_int(frame_parser_push(&parser, zeros, 16), -ENOBUFS);
	/* Empty frames of type 0, each five zeros; one byte is left over. */
	for (size_t i = 0; i < sizeof(zeros) / FRAME_HEADER_SIZE; i++)
		expect_int(frame_parser_next(&parser, &frame), 1);
	expect_int(frame_parser_next(&parser, &frame), 0);
	assert_true(frame_parser_pending(&parser));
	expect_int(frame_parser_push(&parser, zeros, 4), 0);
	expect_int(frame_parser_next(&parser, &frame), 1);
	frame_parser_clear(&parser);
}

static void test_writer_drops_one_frame(void **state)
{
	struct frame_writer writer;
	struct frame_parser parser;
	struct frame frame;
	struct frame_fields fields;

	(void)state;
	frame_writer_init(&writer, 16);
	frame_begin(&writer, 1);
	frame_put_string(&writer, "first");
	expect_int(frame_end(&writer), 0);
	frame_begin(&writer, 2);
	frame_put_blob(&writer, pattern, 17);
	frame_put_u8(&writer, 1);
	expect_int(frame_end(&writer), -EMSGSIZE);
	frame_begin(&writer, 2);
	frame_put_blob(&writer, pattern, 13); /* with its length one too many */
	expect_int(frame_end(&writer), -EMSGSIZE);
	frame_begin(&writer, 3);
	frame_put_blob(&writer, pattern, 12);
	expect_int(frame_end(&writer), 0);

	frame_parser_init(&parser, 16);
	expect_int(frame_parser_push(&parser, writer.bytes, writer.size), 0);
	expect_int(frame_parser_next(&parser, &frame), 1);
	frame_fields_begin(&fields, &frame);
	assert_string_equal(frame_get_string(&fields), "first");
	expect_int(frame_fields_end(&fields), 0);
	expect_int(frame_parser_next(&parser, &frame), 1);
	expect_int(frame.type, 3);
	expect_int(frame_parser_next(&parser, &frame), 0);
	frame_parser_clear(&parser);
	frame_writer_clear(&writer);
}

/* Every prefix of a payload, and every payload with one byte too many, is refused; a
 * copy of the exact size lets the address sanitizer see a read past its end. */
static void test_fields_to_the_byte(void **state)
{
	struct frame_writer writer;
	struct frame whole;
	struct frame_parser parser;

	(void)state;
	frame_writer_init(&writer, 6000);
	write_samples(&writer);
	frame_parser_init(&parser, 6000);
	expect_int(frame_parser_push(&parser, writer.bytes, writer.size), 0);
	while (frame_parser_next(&parser, &whole) > 0) {
		for (size_t size = 0; size <= whole.size + 1; size++) {
			uint8_t *copy = malloc(size + 1);
			struct frame frame = {.payload = copy, .size = size};
			struct frame_fields fields;
			size_t blob_size;

			assert_non_null(copy);
			copy = realloc(copy, size ? size : 1);
			assert_non_null(copy);
			frame.payload = copy;
			memset(copy, 0, size);
			memcpy(copy, whole.payload, size < whole.size ? size : whole.size);
			frame_fields_begin(&fields, &frame);
			(void)frame_get_i64(&fields);
			(void)frame_get_u8(&fields);
			assert_non_null(frame_get_string(&fields));
			(void)frame_get_blob(&fields, &blob_size);
			(void)frame_get_u32(&fields);
			expect_int(frame_fields_end(&fields), size == whole.size ? 0 : -EBADMSG);
			free(copy);
		}
	}
	frame_parser_clear(&parser);
	frame_writer_clear(&writer);
}

static void test_strings_are_strings(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		int wanted;
	} rows[] = {
		{"\1\0\0\0\0", 5, 0},           /* "" */
		{"\2\0\0\0a\0", 6, 0},          /* "a" */
		{"\0\0\0\0", 4, -EBADMSG},      /* no NUL */
		{"\1\0\0\0a", 5, -EBADMSG},     /* no NUL */
		{"\3\0\0\0a\0\0", 7, -EBADMSG}, /* a NUL inside */
		{"\2\0\0\0a", 5, -EBADMSG},     /* short */
		{"\xff\xff\xff\xff"
		 "a",
			5, -EBADMSG},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct frame frame = {.payload = rows[i].bytes, .size = rows[i].size};
		struct frame_fields fields;
		const char *string;

		frame_fields_begin(&fields, &frame);
		string = frame_get_string(&fields);
		expect_int(frame_fields_end(&fields), rows[i].wanted);
		if (rows[i].wanted < 0)
			assert_string_equal(string, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_cut),
		cmocka_unit_test(test_hostile_lengths),
		cmocka_unit_test(test_parser_is_capped),
		cmocka_unit_test(test_writer_drops_one_frame),
		cmocka_unit_test(test_fields_to_the_byte),
		cmocka_unit_test(test_strings_are_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
