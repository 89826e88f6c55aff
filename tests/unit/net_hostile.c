/*
 * Workers that have been taken over: main believes nothing that the protocol does not
 * allow, hears no more of such a worker, and starts another one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/delivery/delivery.h"
#include "daemon/delivery/protocol.h"
#include "daemon/intake/intake.h"
#include "daemon/intake/protocol.h"
#include "daemon/net/channel.h"
#include "tests/unit/test.h"

#define NOW INT64_C(1700000000000)
#define ROUND 42
#define MESSAGE_SIZE 100

/* ---- the workers' side: what one says instead of the truth ---- */

static const char zeros[MESSAGE_SIZE + 1];

static void put_message(struct frame_writer *writer, const char *place, int64_t arrival,
	int64_t size_full, size_t size)
{
	frame_put_string(writer, place);
	frame_put_i64(writer, arrival);
	frame_put_i64(writer, size_full);
	frame_put_blob(writer, zeros, size);
}

enum lie {
	LIE_NONE,
	LIE_TYPE,
	LIE_SHARED_TYPE,
	LIE_READY_TWICE,
	LIE_PLACE_CONTROL,
	LIE_PLACE_EMPTY,
	LIE_PLACE_LONG,
	LIE_FUTURE,
	LIE_TOO_LONG,
	LIE_SIZE,
	LIE_NEGATIVE_SIZE,
	LIE_LEFT_OVER,
	LIE_TRUNCATED,
	LIE_ROUND,
	LIE_FAILED_WITHOUT_ERROR,
	LIE_FAILED_TEXT,
	LIE_HANDLED,
	LIE_NOTICE,
	LIE_MAIN_S_OWN,
	LIE_MARK_NONE,
	LIE_BUSY_LONG,
	LIE_PASSWORD_WANTED,
	LIE_UNREACHABLE_WITHOUT_ERROR,
	LIES,
};

static uint8_t lie_type(enum lie lie)
{
	static const uint8_t types[LIES] = {
		[LIE_TYPE] = 200,
		[LIE_SHARED_TYPE] = FRAME_CONFIG,
		[LIE_READY_TWICE] = FRAME_READY,
		[LIE_ROUND] = INTAKE_SCAN_DONE,
		[LIE_FAILED_WITHOUT_ERROR] = INTAKE_SCAN_FAILED,
		[LIE_FAILED_TEXT] = INTAKE_SCAN_FAILED,
		[LIE_HANDLED] = INTAKE_HANDLED_DONE,
		[LIE_NOTICE] = INTAKE_NOTICE,
		[LIE_MAIN_S_OWN] = INTAKE_SCAN,
		[LIE_MARK_NONE] = INTAKE_MARKED,
		[LIE_BUSY_LONG] = INTAKE_BUSY,
		[LIE_PASSWORD_WANTED] = INTAKE_PASSWORD_WANTED, /* a Maildir has none */
		[LIE_UNREACHABLE_WITHOUT_ERROR] = INTAKE_UNREACHABLE,
	};

	return lie < LIES && types[lie] ? types[lie] : INTAKE_MESSAGE;
}

static void put_lie(struct frame_writer *writer, enum lie lie)
{
	char place[INTAKE_PLACE_MAX + 1];

	memset(place, 'p', sizeof(place) - 1);
	place[sizeof(place) - 1] = '\0';
	switch (lie) {
	case LIE_NONE:
		put_message(writer, "1.a", NOW, 5, 5);
		break;
	case LIE_PLACE_CONTROL:
		put_message(writer, "1.a\nb", NOW, 5, 5);
		break;
	case LIE_PLACE_EMPTY:
		put_message(writer, "", NOW, 5, 5);
		break;
	case LIE_PLACE_LONG:
		put_message(writer, place, NOW, 5, 5);
		break;
	case LIE_FUTURE:
		put_message(writer, "1.a", NOW + 1, 5, 5);
		break;
	case LIE_TOO_LONG:
		put_message(writer, "1.a", NOW, MESSAGE_SIZE + 1, MESSAGE_SIZE + 1);
		break;
	case LIE_SIZE:
		put_message(writer, "1.a", NOW, 4, 5);
		break;
	case LIE_NEGATIVE_SIZE:
		put_message(writer, "1.a", NOW, -1, 0);
		break;
	case LIE_LEFT_OVER:
		put_message(writer, "1.a", NOW, 5, 5);
		frame_put_u8(writer, 0);
		break;
	case LIE_TRUNCATED:
		frame_put_string(writer, "1.a");
		break;
	case LIE_ROUND:
		frame_put_i64(writer, ROUND + 1);
		break;
	case LIE_FAILED_WITHOUT_ERROR:
		frame_put_i64(writer, ROUND);
		frame_put_u32(writer, 0);
		frame_put_string(writer, "x");
		break;
	case LIE_FAILED_TEXT:
		frame_put_i64(writer, ROUND);
		frame_put_u32(writer, EIO);
		frame_put_string(writer, "\x1b[2J");
		break;
	case LIE_HANDLED:
		frame_put_string(writer, "1.a");
		frame_put_u32(writer, 0);
		break;
	case LIE_NOTICE:
		frame_put_string(writer, "line\n<0>line");
		break;
	case LIE_MAIN_S_OWN:
		frame_put_i64(writer, ROUND);
		frame_put_i64(writer, NOW);
		break;
	case LIE_MARK_NONE:
		frame_put_u32(writer, 0);
		frame_put_u32(writer, 1);
		break;
	case LIE_BUSY_LONG:
		frame_put_u32(writer, UINT32_MAX);
		break;
	case LIE_UNREACHABLE_WITHOUT_ERROR:
		frame_put_u32(writer, 0);
		frame_put_u32(writer, 0);
		frame_put_string(writer, "x");
		break;
	case LIE_PASSWORD_WANTED:
	case LIE_TYPE:
	case LIE_SHARED_TYPE:
	case LIE_READY_TWICE:
	case LIES:
		break;
	}
}

/* The scan's answer: one lie, then an honest message and an honest end. */
static int say_lie(struct channel *channel, struct frame_writer *writer, enum lie lie)
{
	int r;

	frame_begin(writer, lie_type(lie));
	put_lie(writer, lie);
	r = frame_end(writer);
	if (r == 0) {
		frame_begin(writer, INTAKE_MESSAGE);
		put_message(writer, "2.b", NOW, 5, 5);
		r = frame_end(writer);
	}
	if (r == 0) {
		frame_begin(writer, INTAKE_SCAN_DONE);
		frame_put_i64(writer, ROUND);
		r = frame_end(writer);
	}
	return r == 0 ? channel_send(channel, writer) : r;
}

static int lying_intake(int fd)
{
	struct channel channel;
	struct frame_writer writer;
	struct frame_fields fields;
	struct frame frame;
	long lie = -1;
	int r;

	channel_init(&channel, fd, 65536);
	frame_writer_init(&writer, 65536);
	r = channel_config(&channel, &fields);
	if (r == 0)
		lie = strtol(frame_get_string(&fields) + strlen("maildir:"), NULL, 10);
	if (r == 0)
		r = channel_ready(&channel);
	while (r == 0 && (r = channel_receive(&channel, &frame)) > 0)
		r = say_lie(&channel, &writer, (enum lie)lie);
	frame_writer_clear(&writer);
	channel_clear(&channel);
	return r == 0 ? 0 : 1;
}

static const struct {
	const char *text;
	int64_t id_offset;
	uint32_t code;
	uint8_t type, status, slow_down;
	bool good;
} results[] = {
	{"fine", 0, 250, DELIVERY_RESULT, DELIVERY_DELIVERED, 0, true},
	{"", 0, 0, DELIVERY_RESULT, DELIVERY_UNREACHABLE, 0, true},
	{"", 0, 421, DELIVERY_RESULT, DELIVERY_TEMPORARY, 1, true},
	{"fine", 0, 250, DELIVERY_RESULT, 0, 0, false},
	{"fine", 0, 250, DELIVERY_RESULT, DELIVERY_LOST + 1, 0, false},
	{"fine", 0, 1000, DELIVERY_RESULT, DELIVERY_DELIVERED, 0, false},
	{"fine", 0, 250, DELIVERY_RESULT, DELIVERY_DELIVERED, 2, false},
	{"two\nlines", 0, 250, DELIVERY_RESULT, DELIVERY_DELIVERED, 0, false},
	{"fine", 1, 250, DELIVERY_RESULT, DELIVERY_DELIVERED, 0, false},
	{"fine", 0, 250, DELIVERY_DELIVER, DELIVERY_DELIVERED, 0, false},
};

static int lying_delivery(int fd)
{
	struct channel channel;
	struct frame_writer writer;
	struct frame_fields fields;
	struct frame frame;
	size_t row;
	int64_t id;
	int r;

	channel_init(&channel, fd, 65536);
	frame_writer_init(&writer, 65536);
	r = channel_config(&channel, &fields);
	if (r == 0)
		r = channel_ready(&channel);
	while (r == 0 && (r = channel_receive(&channel, &frame)) > 0) {
		frame_fields_begin(&fields, &frame);
		id = frame_get_i64(&fields);
		row = (size_t)id;
		frame_begin(&writer, results[row].type);
		frame_put_i64(&writer, id + results[row].id_offset);
		frame_put_u8(&writer, results[row].status);
		frame_put_u32(&writer, results[row].code);
		frame_put_u8(&writer, results[row].slow_down);
		frame_put_string(&writer, results[row].text);
		r = frame_end(&writer);
		if (r == 0)
			r = channel_send(&channel, &writer);
	}
	frame_writer_clear(&writer);
	channel_clear(&channel);
	return r == 0 ? 0 : 1;
}

static const struct worker_kind kinds[] = {{"intake", lying_intake}, {"delivery", lying_delivery}};

/* ---- main's side ---- */

struct outcome {
	size_t messages, others, deaths;
	int scan_error; /* 1 while it runs */
	enum worker_fate fate;
	struct delivery_result result;
	size_t results;
};

static void on_message(void *userdata, const struct intake_message *message)
{
	(void)message;
	((struct outcome *)userdata)->messages++;
}

static void on_scan_done(void *userdata, int64_t round)
{
	expect_int(round, ROUND);
	((struct outcome *)userdata)->scan_error = 0;
}

static void on_scan_failed(void *userdata, int64_t round, int error, const char *text)
{
	expect_int(round, ROUND);
	assert_null(strchr(text, '\x1b'));
	((struct outcome *)userdata)->scan_error = error;
}

static void on_text(void *userdata, const char *text)
{
	(void)text;
	((struct outcome *)userdata)->others++;
}

static void on_changed(void *userdata)
{
	((struct outcome *)userdata)->others++;
}

static void on_death(void *userdata, const struct worker_death *death)
{
	struct outcome *outcome = userdata;

	outcome->deaths++;
	outcome->fate = death->fate;
}

static void on_result(void *userdata, const struct delivery_result *result)
{
	struct outcome *outcome = userdata;

	expect_int(outcome->deaths, 0); /* the result comes first */
	outcome->results++;
	outcome->result = *result;
}

static const struct intake_handlers intake_handlers = {
	.on_message = on_message,
	.on_scan_done = on_scan_done,
	.on_scan_failed = on_scan_failed,
	.on_handled = on_text,
	.on_changed = on_changed,
	.on_notice = on_text,
	.on_death = on_death,
};

static const struct delivery_handlers delivery_handlers = {
	.on_result = on_result, .on_death = on_death};

static void test_intake(void **state)
{
	(void)state;
	for (int lie = 0; lie < LIES; lie++) {
		struct outcome outcome = {.scan_error = 1};
		struct intake_config config = {.message_size = MESSAGE_SIZE};
		struct intake *intake;
		sd_event *event;
		char number[16];

		(void)snprintf(number, sizeof(number), "%d", lie);
		config.maildir = number;
		assert_true(sd_event_new(&event) >= 0);
		expect_int(intake_open(&intake, event, &config, &intake_handlers, &outcome), 0);
		expect_int(intake_scan(intake, ROUND, NOW), 0);
		while (outcome.scan_error == 1 || (lie && outcome.deaths == 0))
			assert_true(sd_event_run(event, 10000000) > 0);
		if (outcome.messages != (lie ? 0 : 2) || outcome.others != 0 ||
			outcome.scan_error != (lie ? -EIO : 0) ||
			(lie && outcome.fate != WORKER_MISSPOKE))
			fail_msg("lie %d: %zu messages, %zu others, scan %d, fate %d", lie,
				outcome.messages, outcome.others, outcome.scan_error,
				(int)outcome.fate);
		intake_close(intake);
		sd_event_unref(event);
	}
}

static void test_delivery(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		const struct delivery_mail mail = {
			.id = (int64_t)i, .key = "key", .from = "", .recipient = "a@b", .raw = ""};
		const struct delivery_config config = {.maildir = "x"};
		struct outcome outcome = {0};
		struct delivery *delivery;
		sd_event *event;

		assert_true(sd_event_new(&event) >= 0);
		expect_int(
			delivery_open(&delivery, event, &config, &delivery_handlers, &outcome), 0);
		expect_int(delivery_send(delivery, &mail), 0);
		while (outcome.results == 0)
			assert_true(sd_event_run(event, 10000000) > 0);
		expect_int(outcome.result.id, i);
		expect_int(
			outcome.result.status, results[i].good ? results[i].status : DELIVERY_LOST);
		expect_int(delivery_waiting(delivery), 0);
		delivery_close(delivery);
		sd_event_unref(event);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intake),
		cmocka_unit_test(test_delivery),
	};
	int r = worker_main(argc, argv, kinds, ARRAY_SIZE(kinds));

	return r >= 0 ? r : cmocka_run_group_tests(tests, NULL, NULL);
}
