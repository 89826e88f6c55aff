#include <errno.h>
#include <inttypes.h>

#include "daemon/ctl/clock_words.h"
#include "daemon/ctl/print.h"
#include "daemon/ctl/store_commands.h"
#include "daemon/engine/engine.h"
#include "daemon/relay/import.h"
#include "daemon/relay/work.h"
#include "daemon/store/games.h"
#include "daemon/store/inbox.h"
#include "daemon/store/outbox.h"

/* ---- import ---- */

static json_t *names_json(const char **names, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_string(names[i]));
	return array;
}

static void print_names(FILE *out, const char *what, const char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s %s\n", what, names[i]);
}

static int print_import(struct ctl *ctl, const struct import_report *report)
{
	if (ctl->json)
		return print_json(ctl,
			json_pack("{s:s, s:b, s:b, s:o, s:o, s:o}", "tournament",
				report->tournament, "created", report->created, "changed",
				report->changed, "new_players",
				names_json(report->new_players, report->n_new_players),
				"changed_players",
				names_json(report->changed_players, report->n_changed_players),
				"new_games", names_json(report->new_games, report->n_new_games)));
	if (report->created || report->changed)
		fprintf(ctl->out, "tournament %s: %s\n", report->tournament,
			report->created ? "created" : "changed");
	print_names(ctl->out, "new player", report->new_players, report->n_new_players);
	print_names(ctl->out, "changed player", report->changed_players, report->n_changed_players);
	print_names(ctl->out, "new game", report->new_games, report->n_new_games);
	if (!report->created && !report->changed && !report->n_new_players &&
		!report->n_changed_players && !report->n_new_games)
		fprintf(ctl->out, "tournament %s: nothing new\n", report->tournament);
	return CTL_DONE;
}

int import_command(struct ctl *ctl, int argc, char **argv)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct fault_list faults = {0};
	struct import_report report;

	if (argc != 2)
		return ctl_usage(ctl, "import");
	int r = import_text(
		ctl->club, &arena, argv[1], ctl->text, ctl->text_size, ctl->now, &faults, &report);
	if (r == FILE_FAULTY)
		fault_list_print(&faults, ctl->err);
	fault_list_release(&faults);
	if (r == FILE_FAULTY)
		return CTL_REFUSED;
	if (r < 0)
		return ctl_fail(ctl, r);
	if (ctl->engine)
		engine_kick(ctl->engine);
	return print_import(ctl, &report);
}
