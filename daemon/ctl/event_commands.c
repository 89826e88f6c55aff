/*
 * What concerns all players of an event: announce CODE TEXT, bulletin CODE.
 */
#include <inttypes.h>

#include "config/value.h"
#include "daemon/ctl/arbiter_commands.h"
#include "daemon/ctl/clock_words.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/scope.h"
#include "daemon/relay/announce.h"
#include "daemon/relay/bulletin.h"

static int conclude(struct ctl *ctl, int r)
{
	if (r >= 0)
		r = store_commit(ctl->club->store);
	else
		store_rollback(ctl->club->store);
	if (r < 0)
		return ctl_fail(ctl, r);
	ctl_kick(ctl);
	return CTL_DONE;
}

/* Line ends are kept; other control characters are not text. */
static bool is_text(const char *text)
{
	bool some = false;

	for (; *text; text++) {
		if ((unsigned char)*text < ' ' && *text != '\n' && *text != '\t')
			return false;
		some = some || (unsigned char)*text > ' ';
	}
	return some;
}

int announce_command(struct ctl *ctl, int argc, char **argv)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct tournament_row row;

	if (argc < 3)
		return ctl_usage(ctl, "announce");
	const char *text = ctl_join(&arena, argc - 2, argv + 2);
	if (!is_text(text))
		return ctl_usage(ctl, "announce");
	int code = scope_find_tournament(ctl, &arena, argv[1], &row);
	if (code != CTL_DONE)
		return code;
	int r = store_begin(ctl->club->store);
	if (r >= 0)
		r = announce(ctl->club, &row, text, NULL, ctl->now);
	code = conclude(ctl, r);
	if (code != CTL_DONE)
		return code;
	if (ctl->json)
		return print_json(
			ctl, json_pack("{s:s, s:s}", "tournament", row.code, "text", text));
	fprintf(ctl->out, "%s: announced\n", row.code);
	return CTL_DONE;
}

int bulletin_command(struct ctl *ctl, int argc, char **argv)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct tournament_row row;
	int64_t number = 0;

	if (argc != 2)
		return ctl_usage(ctl, "bulletin");
	int code = scope_find_tournament(ctl, &arena, argv[1], &row);
	if (code != CTL_DONE)
		return code;
	int r = store_begin(ctl->club->store);
	if (r >= 0)
		r = bulletin_carry(ctl->club, &row, ctl->now, ctl->now, &number);
	code = conclude(ctl, r);
	if (code != CTL_DONE)
		return code;
	if (ctl->json)
		return print_json(
			ctl, json_pack("{s:s, s:I, s:o}", "tournament", row.code, "number",
				     (json_int_t)number, "at", json_instant(ctl->now)));
	fprintf(ctl->out, "%s: bulletin %" PRId64 "\n", row.code, number);
	return CTL_DONE;
}
