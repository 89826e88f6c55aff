/*
 * What an outage of the club's servers touches, and what of it a ruling takes off.
 */
#include "tests/unit/decision.h"

#include "rules/outage.h"

#define MINUTE_MS 60000LL
#define MIDNIGHT (SENT - (9 * HOUR_MS + 33 * MINUTE_MS + 20000)) /* of the 1st of January */
/* An instant of January. */
#define ON(day, hour, minute) (MIDNIGHT + ((day)-1) * DAY_MS + (hour)*HOUR_MS + (minute)*MINUTE_MS)

static void apply(struct clock *clock, const struct clock_event *event)
{
	struct clock_answer answer;

	expect_int(clock_apply(clock, event, &answer), 0);
}

static void happen(struct clock *clock, enum clock_event_kind kind, enum side by, int64_t at)
{
	struct clock_event event = CLOCK_EVENT_NONE;

	event.kind = kind;
	event.by = by;
	event.at = event.delivered = at;
	apply(clock, &event);
}

/* White gets the game at SENT. */
static struct clock *clock_of(enum rule_system system)
{
	struct clock_parameters parameters;
	struct clock *clock;

	parameters_default(system, &parameters);
	parameters.zone = &utc;
	parameters.start = SENT;
	parameters.moves_per_manche = 10;
	parameters.standard_hours = 240;
	expect_int(clock_new(&parameters, &utc, &utc, &clock), 0);
	happen(clock, CLOCK_START, SIDE_WHITE, SENT);
	return clock;
}

struct sample {
	const char *name;
	struct outage outages[2];
	size_t n;
	int credit;
	bool touches;
};

static void check(struct clock *clock, int ply, const struct sample *samples, size_t n)
{
	size_t n_charges;

	for (size_t i = 0; i < n; i++) {
		const struct sample *sample = &samples[i];
		const struct clock_charge *charges = clock_charges(clock, &n_charges);
		int credit = outage_credit(
			clock, ply, ON(9, 12, 0), INSTANT_NONE, sample->outages, sample->n);
		assert_true(n_charges > 0);
		if (credit != sample->credit)
			fail_msg("%s: %d credited, not %d", sample->name, credit, sample->credit);
		if (outage_touches(&charges[0], sample->outages, sample->n) != sample->touches)
			fail_msg("%s: not marked as it should be", sample->name);
	}
}

/* Received on the 1st, sent on the 6th: the dates from the 2nd to the 6th are counted. */
static const struct sample of_days[] = {
	{"none", {{0, 0}}, 0, 0, false},
	{"an hour of the 3rd", {{ON(3, 12, 0), ON(3, 13, 0)}}, 1, 1, true},
	{"over midnight", {{ON(3, 23, 0), ON(4, 1, 0)}}, 1, 2, true},
	{"up to midnight", {{ON(3, 23, 0), ON(4, 0, 0)}}, 1, 1, true},
	{"on the date of receipt", {{ON(1, 10, 0), ON(1, 11, 0)}}, 1, 0, true},
	{"before the receipt", {{ON(1, 1, 0), SENT}}, 1, 0, false},
	{"just before the answer", {{ON(6, 9, 0), ON(6, 9, 30)}}, 1, 1, true},
	{"after the answer", {{ON(6, 9, 34), ON(8, 0, 0)}}, 1, 0, false},
	{"twice on one date", {{ON(4, 1, 0), ON(4, 2, 0)}, {ON(4, 5, 0), ON(4, 6, 0)}}, 2, 1, true},
	{"it lasts", {{ON(5, 1, 0), INT64_MAX}}, 1, 2, true},
	{"the whole time", {{ON(1, 0, 0), ON(20, 0, 0)}}, 1, 5, true},
};

static void test_days(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct clock *clock = clock_of(i ? RULES_RAZSH : RULES_IECC);
		happen(clock, CLOCK_MOVE, SIDE_WHITE, SENT + 5 * DAY_MS);
		check(clock, 1, of_days, ARRAY_SIZE(of_days));
		clock_free(clock);
	}
}

/* What has been taken off is not taken off again. */
static void test_credited_once(void **state)
{
	const struct sample after[] = {
		{"the same", {{ON(3, 12, 0), ON(3, 13, 0)}}, 1, 0, true},
		{"another too", {{ON(3, 12, 0), ON(3, 13, 0)}, {ON(5, 1, 0), ON(5, 2, 0)}}, 2, 1,
			true},
	};
	struct clock *clock = clock_of(RULES_IECC);
	struct clock_event edit = CLOCK_EVENT_NONE;

	(void)state;
	happen(clock, CLOCK_MOVE, SIDE_WHITE, SENT + 5 * DAY_MS);
	edit.kind = CLOCK_EDIT;
	edit.action = ACTION_CREDIT;
	edit.by = SIDE_WHITE;
	edit.at = SENT + 6 * DAY_MS;
	edit.ply = 1;
	edit.n = 1;
	apply(clock, &edit);
	check(clock, 1, after, ARRAY_SIZE(after));
	clock_free(clock);
}

/* A date of leave is not counted, so nothing of it is credited. */
static void test_leave(void **state)
{
	const struct sample samples[] = {
		{"on leave", {{ON(3, 12, 0), ON(3, 13, 0)}}, 1, 0, true},
		{"before and on leave", {{ON(2, 23, 0), ON(3, 13, 0)}}, 1, 1, true},
		{"the whole time", {{ON(1, 0, 0), ON(20, 0, 0)}}, 1, 3, true},
	};
	struct clock *clock = clock_of(RULES_IECC);
	struct clock_event leave = CLOCK_EVENT_NONE;

	(void)state;
	leave.kind = CLOCK_LEAVE;
	leave.by = SIDE_WHITE;
	leave.at = SENT + HOUR_MS;
	leave.from = date_from_civil(2026, 1, 3);
	leave.to = date_from_civil(2026, 1, 4);
	leave.agreed = leave.approved = true;
	apply(clock, &leave);
	happen(clock, CLOCK_MOVE, SIDE_WHITE, SENT + 5 * DAY_MS);
	check(clock, 1, samples, ARRAY_SIZE(samples));
	clock_free(clock);
}

/* The move that is thought about: up to the ruling. */
static void test_running(void **state)
{
	struct clock *clock = clock_of(RULES_IECC);
	const struct outage outage = {ON(7, 12, 0), ON(8, 13, 0)};

	(void)state;
	happen(clock, CLOCK_MOVE, SIDE_WHITE, SENT + 5 * DAY_MS);
	expect_int(outage_credit(clock, 2, ON(9, 12, 0), SENT + 5 * DAY_MS, &outage, 1), 2);
	expect_int(outage_credit(clock, 2, ON(7, 11, 0), SENT + 5 * DAY_MS, &outage, 1), 0);
	expect_int(outage_credit(clock, 3, ON(9, 12, 0), SENT + 5 * DAY_MS, &outage, 1), 0);
	clock_free(clock);
}

/* The move that oversteps: up to that instant, however late the arbiter rules. */
static void test_overstep(void **state)
{
	static const enum rule_system systems[] = {RULES_IECC, RULES_MCLINK};
	static const int wanted[] = {2, 25};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
		struct clock *clock = clock_of(systems[i]);
		int64_t overstep = clock_overstep_at(clock);
		const struct outage outages[] = {
			{ON(3, 12, 0), ON(4, 12, 30)},
			{overstep + HOUR_MS, overstep + 9 * DAY_MS},
		};
		clock_advance(clock, overstep + 20 * DAY_MS);
		expect_int(outage_credit(clock, 1, overstep + 20 * DAY_MS, SENT, outages, 2),
			wanted[i]);
		expect_int(outage_credit(clock, 1, overstep + 20 * DAY_MS, SENT, outages, 0), 0);
		clock_free(clock);
	}
}

/* Received at 9.33, which counts as 10; sent at 14.33, which counts as 15 (MC-link 7.4). */
static void test_hours(void **state)
{
	const struct sample samples[] = {
		{"over the hour", {{ON(1, 11, 30), ON(1, 12, 10)}}, 1, 2, true},
		{"in the hour", {{ON(1, 12, 1), ON(1, 12, 59)}}, 1, 1, true},
		{"before the counted hour", {{ON(1, 9, 35), ON(1, 9, 59)}}, 1, 0, false},
		{"in the last hour", {{ON(1, 14, 10), ON(1, 14, 20)}}, 1, 1, true},
		{"the whole day", {{ON(1, 0, 0), ON(2, 0, 0)}}, 1, 5, true},
	};
	struct clock *clock = clock_of(RULES_MCLINK);
	const struct outage outage = {ON(1, 20, 15), ON(1, 21, 15)};

	(void)state;
	happen(clock, CLOCK_MOVE, SIDE_WHITE, SENT + 5 * HOUR_MS);
	check(clock, 1, samples, ARRAY_SIZE(samples));
	expect_int(outage_credit(clock, 2, ON(1, 23, 0), SENT + 5 * HOUR_MS, &outage, 1), 2);
	clock_free(clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_days),
		cmocka_unit_test(test_credited_once),
		cmocka_unit_test(test_leave),
		cmocka_unit_test(test_running),
		cmocka_unit_test(test_overstep),
		cmocka_unit_test(test_hours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
