#include "rules/razsh.h"

bool razsh_is_post(const struct clock *clock)
{
	return clock->parameters.system == RULES_RAZSH_POST;
}

/* Leave days of the player by the calendar years that they fall in; false if too many. */
static bool years_fill(const struct clock *clock, enum side by, struct clock_answer *ret)
{
	for (size_t i = 0; i < clock->n_leaves; i++) {
		int year, last;
		unsigned month, day;
		if (clock->leaves[i].by != by)
			continue;
		date_to_civil(clock->leaves[i].from, &year, &month, &day);
		date_to_civil(clock->leaves[i].to, &last, &month, &day);
		for (; year <= last; year++) {
			int at = 0;
			while (at < ret->n_years && ret->years[at].year != year)
				at++;
			if (at == CLOCK_YEARS_MAX)
				return false;
			ret->years[at].year = year;
			ret->years[at].days = leaves_days(clock, by, year);
			if (at == ret->n_years)
				ret->n_years++;
		}
	}
	return true;
}

static const char *leave_refusal(const struct clock *clock, const struct clock_event *event,
	const struct clock_answer *answer, int32_t announced)
{
	const struct clock_parameters *parameters = &clock->parameters;

	if (event->approved || clock->replaying) /* 7.7 */
		return NULL;
	if (razsh_is_post(clock)) {
		bool over = parameters->leave_total > 0 &&
			    leaves_days(clock, event->by, 0) > parameters->leave_total;
		return over ? "over the leave of the event" : NULL;
	}
	if (announced >= event->from) /* 7.2 */
		return "not announced in advance";
	for (int i = 0; i < answer->n_years; i++)
		if (answer->years[i].days > parameters->leave_quota) /* 7.1 */
			return "over 30 days in a year";
	return NULL;
}

int razsh_leave(struct clock *clock, struct applied *entry, struct clock_answer *ret, bool *keep)
{
	struct clock_event *event = &entry->event;
	int32_t announced = zone_date(
		clock->zones[event->by], event->sent != INSTANT_NONE ? event->sent : event->at);

	if (event->from == DATE_NONE || event->to < event->from ||
		event->to - event->from > LEAVE_DAYS_MAX)
		return CLOCK_ERROR_VALUE;
	/* Section II 7.6: announced late, it runs from the date of the notice. */
	if (razsh_is_post(clock) && announced > event->from && !event->approved)
		event->from = announced <= event->to ? announced : event->to + 1;
	if (event->from > event->to) {
		ret->reason = "not announced in advance";
		ret->ask = true;
		*keep = false;
		return 0;
	}
	leaves_add(clock, event->by, event->from, event->to);
	bool fits = years_fill(clock, event->by, ret);
	ret->reason = leave_refusal(clock, event, ret, announced);
	if (!fits || ret->reason != NULL) {
		clock->n_leaves--;
		*keep = false;
		ret->ask = true;
		return fits ? 0 : CLOCK_ERROR_VALUE;
	}
	ret->granted = true;
	ret->from = event->from;
	ret->to = event->to;
	return 0;
}

static bool is_of(const struct leave *leave, enum side by, int32_t today)
{
	return leave->by == by && leave->to >= today;
}

/* The leave that began or begins first of those that are not over. */
static struct leave *first_leave(struct clock *clock, enum side by, int32_t today)
{
	struct leave *found = NULL;

	for (size_t i = 0; i < clock->n_leaves; i++)
		if (is_of(&clock->leaves[i], by, today) &&
			(found == NULL || clock->leaves[i].from < found->from))
			found = &clock->leaves[i];
	return found;
}

/* The last day of an absence: leaves that overlap or follow each other are one. */
static int32_t absence_end(const struct clock *clock, const struct leave *first)
{
	enum side by = first->by;
	int32_t end = first->to, before;

	do {
		before = end;
		for (size_t i = 0; i < clock->n_leaves; i++) {
			const struct leave *leave = &clock->leaves[i];
			if (leave->by == by && leave->from >= first->from &&
				leave->from <= end + 1 && leave->to > end)
				end = leave->to;
		}
	} while (end != before);
	return end;
}

/* The absence that runs or comes next. */
static void end_absence(struct clock *clock, const struct leave *first, int32_t today)
{
	int32_t end = absence_end(clock, first);
	enum side by = first->by;

	for (size_t i = 0; i < clock->n_leaves;) {
		struct leave *leave = &clock->leaves[i];
		bool concerned = is_of(leave, by, today) && leave->from <= end;
		if (concerned && leave->from <= today)
			leave->to = today;
		if (concerned && leave->from > today)
			*leave = clock->leaves[--clock->n_leaves];
		else
			i++;
	}
}

/* 7.3: the day of the notice is the last day of leave; a leave that has not begun is
 * cancelled whole. */
int razsh_leave_end(struct clock *clock, const struct clock_event *event, struct clock_answer *ret)
{
	int32_t today = zone_date(clock->zones[event->by], event->at);
	struct leave *found = first_leave(clock, event->by, today);
	int before = leaves_days(clock, event->by, 0);

	if (found == NULL)
		return CLOCK_ERROR_STATUS;
	int32_t first = found->from;
	if (event->flag)
		end_absence(clock, found, today);
	else if (first > today)
		*found = clock->leaves[--clock->n_leaves];
	else
		found->to = today;
	if (first <= today)
		ret->to = today;
	ret->given_back = before - leaves_days(clock, event->by, 0);
	return 0;
}
