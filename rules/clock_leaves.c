/*
 * The leaves that a clock has been told of (IECC 8, RAZSh 7).
 */
#include "rules/clock_system.h"

bool leaves_cover(const struct clock *clock, int32_t date, enum side side, bool anybody)
{
	for (size_t i = 0; i < clock->n_leaves; i++) {
		const struct leave *leave = &clock->leaves[i];
		if ((anybody || leave->by == side) && leave->from <= date && date <= leave->to)
			return true;
	}
	return false;
}

int leaves_days(const struct clock *clock, enum side side, int year)
{
	int total = 0;

	for (size_t i = 0; i < clock->n_leaves; i++) {
		const struct leave *leave = &clock->leaves[i];
		if (leave->by != side)
			continue;
		for (int32_t date = leave->from; date <= leave->to; date++) {
			bool counted = false;
			for (size_t j = 0; j < i && !counted; j++)
				counted = clock->leaves[j].by == side &&
					  clock->leaves[j].from <= date &&
					  date <= clock->leaves[j].to;
			int of_year;
			unsigned month, day;
			date_to_civil(date, &of_year, &month, &day);
			if (!counted && (year == 0 || year == of_year))
				total++;
		}
	}
	return total;
}

/* The first date of the side's return after the last event. */
static int32_t next_return(const struct clock *clock, enum side side)
{
	int32_t next = DATE_NONE;

	for (size_t i = 0; i < clock->n_leaves; i++) {
		const struct leave *leave = &clock->leaves[i];
		int32_t date = leave->to + 1;
		if (leave->by != side || leaves_cover(clock, date, side, false) ||
			zone_date_start(clock->zones[side], date) <= clock->now)
			continue;
		if (next == DATE_NONE || date < next)
			next = date;
	}
	return next;
}

size_t leaves_timers(const struct clock *clock, struct clock_timer *out)
{
	size_t n = 0;

	for (int i = 0; i < 2; i++) {
		enum side side = (enum side)i;
		int32_t date = next_return(clock, side);
		if (date == DATE_NONE)
			continue;
		out[n++] = (struct clock_timer){.kind = TIMER_LEAVE_END,
			.at = zone_date_start(clock->zones[side], date),
			.ply = date,
			.by = side};
	}
	return n;
}

void leaves_add(struct clock *clock, enum side by, int32_t from, int32_t to)
{
	clock->leaves[clock->n_leaves++] = (struct leave){.by = by, .from = from, .to = to};
}

bool clock_leave_at(const struct clock *clock, size_t index, struct clock_leave *ret)
{
	if (index >= clock->n_leaves)
		return false;
	*ret = (struct clock_leave){.by = clock->leaves[index].by,
		.from = clock->leaves[index].from,
		.to = clock->leaves[index].to};
	return true;
}
