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

/* ---- status ---- */

static int count_games(struct ctl *ctl, json_t **ret_json)
{
	static const enum game_state states[] = {
		GAME_SCHEDULED, GAME_ACTIVE, GAME_SUSPENDED, GAME_FINISHED};

	*ret_json = json_object();
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		int64_t count = 0;
		int r = games_count_state(ctl->club->store, states[i], &count);
		if (r < 0)
			return r;
		json_object_set_new(*ret_json, game_state_name(states[i]), json_integer(count));
	}
	return 0;
}

static int gather_status(struct ctl *ctl, struct engine_status *status)
{
	struct store *store = ctl->club->store;

	if (ctl->engine)
		return engine_status(ctl->engine, status);
	*status = (struct engine_status){.next_timer = INSTANT_NONE, .last_round = INSTANT_NONE};
	int r = inbox_count_waiting(store, &status->waiting_messages);
	if (r >= 0)
		r = outbox_count(store, "waiting", &status->waiting_mails);
	if (r >= 0)
		r = work_next_timer(ctl->club, &status->next_timer);
	if (r >= 0)
		r = store_fact(store, "last_pass", &status->last_round);
	return r;
}

int status_command(struct ctl *ctl, int argc, char **argv)
{
	struct engine_status status;
	json_t *games;

	(void)argv;
	if (argc != 1)
		return ctl_usage(ctl, "status");
	int r = gather_status(ctl, &status);
	if (r >= 0)
		r = count_games(ctl, &games);
	if (r < 0)
		return ctl_fail(ctl, r);
	if (ctl->json)
		return print_json(ctl,
			json_pack("{s:s, s:b, s:b, s:I, s:I, s:o, s:o, s:o}", "club",
				ctl->club->configuration->club.name, "running", ctl->engine != NULL,
				"mailboxes_reached", ctl->engine && status.complete,
				"waiting_messages", (json_int_t)status.waiting_messages,
				"waiting_mails", (json_int_t)status.waiting_mails, "next_deadline",
				json_instant(status.next_timer), "last_pass",
				json_instant(status.last_round), "games", games));
	fprintf(ctl->out, "%s: the daemon is %s\n", ctl->club->configuration->club.name,
		ctl->engine ? "running" : "not running");
	if (ctl->engine && !status.complete)
		fprintf(ctl->out, "a mailbox cannot be reached: deadlines wait\n");
	const char *name;
	json_t *count;
	fprintf(ctl->out, "games:");
	json_object_foreach (games, name, count)
		fprintf(ctl->out, " %" JSON_INTEGER_FORMAT " %s", json_integer_value(count), name);
	json_decref(games);
	fprintf(ctl->out,
		"\nmessages to decide: %" PRId64 "\nmails to deliver: %" PRId64
		"\nlast pass: %s\nnext deadline: %s\n",
		status.waiting_messages, status.waiting_mails, print_instant(status.last_round),
		print_instant(status.next_timer));
	return CTL_DONE;
}
