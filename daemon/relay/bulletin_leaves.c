#include "daemon/relay/bulletin_leaves.h"

#include <stdlib.h>
#include <string.h>

struct list {
	struct arena *arena;
	int64_t from, to;
	struct compose_leave *leaves;
	size_t n, room;
};

static bool within(const struct list *list, int64_t at)
{
	return at != INSTANT_NONE && at > list->from && at <= list->to;
}

static bool is_listed(const struct list *list, const struct compose_leave *leave)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->leaves[i].player, leave->player) == 0 &&
			list->leaves[i].command == leave->command &&
			list->leaves[i].outcome->from == leave->outcome->from &&
			list->leaves[i].outcome->to == leave->outcome->to)
			return true;
	return false;
}

static void add(struct list *list, const struct compose_leave *leave)
{
	if (is_listed(list, leave))
		return;
	if (list->n == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		struct compose_leave *leaves = arena_alloc(list->arena, room * sizeof(*leaves));
		if (list->n > 0)
			memcpy(leaves, list->leaves, list->n * sizeof(*leaves));
		list->leaves = leaves;
		list->room = room;
	}
	list->leaves[list->n++] = *leave;
}

static struct compose_leave describe(struct list *list, const struct match *match, enum side by,
	enum command command, int32_t from, int32_t to)
{
	struct leave_outcome *outcome = arena_alloc(list->arena, sizeof(*outcome));

	*outcome = (struct leave_outcome){.granted = true, .from = from, .to = to};
	return (struct compose_leave){
		.command = command,
		.by = by,
		.player = match->players[by].name,
		.outcome = outcome,
		.start = INSTANT_NONE,
		.end = INSTANT_NONE,
	};
}

/* What the clock counts with, and so what has not been taken back. */
static bool still_stands(const struct match *match, const struct clock_event *event)
{
	struct clock_leave leave;

	for (size_t i = 0; clock_leave_at(match->clock, i, &leave); i++)
		if (leave.by == event->by && leave.from == event->from)
			return true;
	return false;
}

/* When it was granted: the last time, if it was taken back before. */
static int64_t granted_at(const struct match *match, const struct clock_leave *leave)
{
	for (size_t i = match->n_ledger; i-- > 0;) {
		const struct clock_event *event = &match->ledger[i].event;
		if (event->kind == CLOCK_LEAVE && event->by == leave->by &&
			event->from == leave->from)
			return event->at;
	}
	return INSTANT_NONE;
}

static void add_standing(struct list *list, const struct match *match)
{
	struct clock_leave leave;

	for (size_t i = 0; clock_leave_at(match->clock, i, &leave); i++) {
		const struct zone *zone = clock_zone(match->clock, leave.by);
		int64_t begin = zone_date_start(zone, leave.from);
		int64_t end = zone_date_start(zone, leave.to + 1);
		if (!within(list, granted_at(match, &leave)) && !within(list, begin) &&
			!within(list, end))
			continue;
		struct compose_leave told =
			describe(list, match, leave.by, COMMAND_LEAVE, leave.from, leave.to);
		told.begun = begin <= list->to;
		told.over = end <= list->to;
		add(list, &told);
	}
}

/* The leave that event I granted was taken back before it began. */
static void add_cancelled(struct list *list, const struct match *match, size_t i)
{
	const struct clock_event *granted = &match->ledger[i].event;

	if (still_stands(match, granted))
		return;
	for (i++; i < match->n_ledger; i++) {
		const struct clock_event *event = &match->ledger[i].event;
		if (event->kind != CLOCK_LEAVE_END || event->by != granted->by)
			continue;
		struct compose_leave told = describe(
			list, match, granted->by, COMMAND_END_LEAVE, granted->from, DATE_NONE);
		if (within(list, event->at))
			add(list, &told);
		return;
	}
}

static int in_order(const void *left, const void *right)
{
	const struct compose_leave *a = left, *b = right;

	if (a->outcome->from != b->outcome->from)
		return a->outcome->from < b->outcome->from ? -1 : 1;
	return strcmp(a->player, b->player);
}

void bulletin_leaves(struct arena *arena, struct match *const *matches, size_t n, int64_t from,
	int64_t to, struct compose_leave **ret_leaves, size_t *ret_n)
{
	struct list list = {.arena = arena, .from = from, .to = to};

	for (size_t i = 0; i < n; i++) {
		add_standing(&list, matches[i]);
		for (size_t j = 0; j < matches[i]->n_ledger; j++)
			if (matches[i]->ledger[j].event.kind == CLOCK_LEAVE)
				add_cancelled(&list, matches[i], j);
	}
	if (list.n > 0)
		qsort(list.leaves, list.n, sizeof(*list.leaves), in_order);
	*ret_leaves = list.leaves;
	*ret_n = list.n;
}
