#include "daemon/ctl/arbiter_commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/value.h"
#include "daemon/relay/club.h"
#include "daemon/relay/rulings.h"

/* ---- Words of a ruling ---- */

bool arbiter_read_side(const char *word, enum side *ret_side)
{
	if (strcmp(word, "white") != 0 && strcmp(word, "black") != 0)
		return false;
	*ret_side = strcmp(word, "white") == 0 ? SIDE_WHITE : SIDE_BLACK;
	return true;
}

static bool read_count(const char *word, int64_t max, int64_t *ret_count)
{
	return value_number(word[0] == '+' ? word + 1 : word, max, ret_count) == 0;
}

static bool read_result(const char *word, enum clock_result *ret_result)
{
	static const struct {
		const char *word;
		enum clock_result result;
	} results[] = {
		{"1-0", RESULT_WHITE},
		{"0-1", RESULT_BLACK},
		{"1/2", RESULT_DRAW},
		{"1/2-1/2", RESULT_DRAW},
	};

	for (size_t i = 0; i < ARRAY_SIZE(results); i++)
		if (strcmp(word, results[i].word) == 0) {
			*ret_result = results[i].result;
			return true;
		}
	return false;
}

/* One kind of ruling: its word, how many operands follow, and what reads them. */
struct ruling_word {
	const char *word;
	enum ruling_kind kind;
	int operands;
	bool (*read)(char **operands, struct ruling *ruling);
};

static bool read_nothing(char **operands, struct ruling *ruling)
{
	(void)operands;
	(void)ruling;
	return true;
}

static bool read_ply(char **operands, struct ruling *ruling)
{
	int64_t ply;

	if (!read_count(operands[0], 100000, &ply))
		return false;
	ruling->ply = (size_t)ply;
	return true;
}

static bool read_outcome(char **operands, struct ruling *ruling)
{
	return read_result(operands[0], &ruling->result);
}

static bool read_penalty(char **operands, struct ruling *ruling)
{
	int64_t n;

	if (!arbiter_read_side(operands[0], &ruling->side) || !read_count(operands[1], 1000, &n))
		return false;
	ruling->n = (int)n;
	return true;
}

static bool read_lift(char **operands, struct ruling *ruling)
{
	int64_t move;

	if (!arbiter_read_side(operands[0], &ruling->side) ||
		!read_count(operands[1], 10000, &move))
		return false;
	ruling->move = (int)move;
	return true;
}

static bool read_correction(char **operands, struct ruling *ruling)
{
	int64_t instant;

	if (!read_ply(operands, ruling) || value_instant(operands[2], &instant) < 0)
		return false;
	if (strcmp(operands[1], "sent") == 0)
		ruling->sent = instant;
	else if (strcmp(operands[1], "delivered") == 0)
		ruling->delivered = instant;
	else
		return false;
	return true;
}

static const struct ruling_word words[] = {
	{"uphold", RULING_UPHOLD, 0, read_nothing},
	{"reject", RULING_REJECT, 0, read_nothing},
	{"resume", RULING_RESUME, 0, read_nothing},
	{"draw", RULING_DRAW, 0, read_nothing},
	{"annul", RULING_ANNUL, 0, read_nothing},
	{"credit", RULING_CREDIT, 1, read_ply},
	{"rollback", RULING_ROLLBACK, 1, read_ply},
	{"unclear", RULING_UNCLEAR, 1, read_ply},
	{"result", RULING_RESULT, 1, read_outcome},
	{"adjudicate", RULING_ADJUDICATE, 1, read_outcome},
	{"penalty", RULING_PENALTY, 2, read_penalty},
	{"lift", RULING_LIFT, 2, read_lift},
	{"correct", RULING_CORRECT, 3, read_correction},
};

/* ARGV holds the ruling's word and its operands. */
static bool read_ruling(int argc, char **argv, struct ruling *ret_ruling)
{
	for (size_t i = 0; argc > 0 && i < ARRAY_SIZE(words); i++) {
		if (strcmp(argv[0], words[i].word) != 0)
			continue;
		ret_ruling->kind = words[i].kind;
		return argc == words[i].operands + 1 && words[i].read(argv + 1, ret_ruling);
	}
	return false;
}

static const char *join(struct arena *arena, int argc, char **argv)
{
	const char *text = "";

	for (int i = 0; i < argc; i++)
		text = arena_format(arena, "%s%s%s", text, i ? " " : "", argv[i]);
	return text;
}

/* ---- rule ---- */

static int carry_ruling(struct ctl *ctl, int64_t id, const struct ruling *ruling, const char *text)
{
	struct match *match CLEANUP_MATCH = NULL;
	struct decision *decision = calloc(1, sizeof(*decision));
	int r = decision ? store_begin(ctl->club->store) : -ENOMEM;
	int code = CTL_DONE;

	if (r >= 0)
		r = match_open(ctl->club, id, &match);
	if (r >= 0)
		r = rulings_carry(match, ruling, text, ctl->now, decision);
	if (r >= 0 && decision->verdict == VERDICT_COMMAND) {
		r = store_commit(ctl->club->store);
	} else {
		store_rollback(ctl->club->store);
		if (r >= 0)
			code = ctl_refuse(ctl, "%s", refusal_text(decision->refusal));
	}
	free(decision);
	return r < 0 ? ctl_fail(ctl, r) : code;
}

int rule_command(struct ctl *ctl, int argc, char **argv)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct ruling ruling = {.at = ctl->now, .sent = INSTANT_NONE, .delivered = INSTANT_NONE};
	const char *reason = NULL, *days = NULL;
	int64_t id, n = 0;

	ruling.bar = ctl_option(&argc, argv, "--bar", NULL) > 0;
	if (ctl_option(&argc, argv, "--reason", &reason) < 0 ||
		ctl_option(&argc, argv, "--days", &days) < 0 || argc < 3 ||
		(days && !read_count(days, 1000, &n)) || !read_ruling(argc - 2, argv + 2, &ruling))
		return ctl_usage(ctl, "rule");
	ruling.days = (int)n;
	ruling.n = ruling.kind == RULING_CREDIT ? (int)n : ruling.n;
	int code = ctl_find_game(ctl, argv[1], &id);
	if (code != CTL_DONE)
		return code;
	const char *text = join(&arena, argc - 2, argv + 2);
	if (reason)
		text = arena_format(&arena, "%s (%s)", text, reason);
	code = carry_ruling(ctl, id, &ruling, text);
	ctl_kick(ctl);
	return code;
}
