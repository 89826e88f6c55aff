#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/compose_facts.h"

static const char configuration_text[] =
	"[club]\nname=Demo Chess Club\naddress=moves@club.example\narbiter=arbiter@club.example\n"
	"[store]\ndirectory=/s\n[mailbox a]\nsource=maildir:/in\n"
	"[delivery]\ntarget=maildir:/out\n";

static const struct zone_transition helsinki[] = {{0, 7200}, {1774746000, 10800}};
static const struct zone zone_helsinki = {"Europe/Helsinki", helsinki, 2};
static const struct zone_transition rome[] = {{0, 3600}, {1774746000, 7200}};
static const struct zone zone_rome = {"Europe/Rome", rome, 2};

/* The game of IECC 12.3. */
static const char *const game_moves[] = {"e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "b7b6", "e1g1",
	"c8b7", "d2d4", "d8f6", "c2c3", "e8c8", "b1d2", "e5d4", "c3d4", "g8e7", "d4d5", "c6e5",
	"d1e2", "e7g6"};

static bool any_zone(const char *name)
{
	return name != NULL;
}

int64_t sample_instant(int days, int seconds)
{
	return INT64_C(1768028400000) + (int64_t)days * 86400000 + (int64_t)seconds * 1000;
}

static void apply(struct clock *clock, const struct clock_event *event)
{
	struct clock_answer answer;

	expect_int(clock_apply(clock, event, &answer), 0);
}

/* Each move takes two days, and reaches the opponent at once. */
static void run_clock(struct sample *sample, size_t n, bool delivered)
{
	struct clock_parameters parameters;
	struct clock_event event = CLOCK_EVENT_NONE;

	parameters_default(sample->event.rules, &parameters);
	if (sample->event.rules == RULES_MCLINK) {
		parameters.zone = &zone_rome;
		parameters.start = sample_instant(0, 0);
		parameters.moves_per_manche = 10;
		parameters.standard_hours = 600;
		parameters.month = 6;
	}
	assert_int_equal(clock_new(&parameters, &zone_helsinki, &zone_rome, &sample->clock), 0);
	event.kind = CLOCK_START;
	event.at = sample_instant(0, 0);
	apply(sample->clock, &event);
	for (size_t i = 0; i < n; i++) {
		event = CLOCK_EVENT_NONE;
		event.kind = CLOCK_MOVE;
		event.by = i % 2 ? SIDE_BLACK : SIDE_WHITE;
		event.at = sample_instant(2 * (int)i + 2, 65);
		if (delivered || i + 1 < n)
			event.delivered = event.at + 30000;
		apply(sample->clock, &event);
	}
}

void sample_init(struct sample *sample, size_t n, bool delivered)
{
	sample_init_rules(sample, RULES_IECC, n, delivered);
}

void sample_init_rules(struct sample *sample, enum rule_system rules, size_t n, bool delivered)
{
	struct fault_list faults = {0};

	memset(sample, 0, sizeof(*sample));
	assert_int_equal(configuration_parse("f", configuration_text, strlen(configuration_text),
				 any_zone, &faults, &sample->configuration),
		0);
	int r = templates_load(NULL, &faults, &sample->templates);
	fault_list_print(&faults, stderr);
	expect_int(r, 0);
	sample->event = (struct compose_event){.code = "KO-50.2",
		.name = "Knockout 50, group 2",
		.rules = rules,
		.site = rules == RULES_IECC ? "IECC" : NULL,
		.start = sample_instant(0, 0),
		.arbiter = "td@club.example",
		.arbiter_name = "Director, Tarmo"};
	sample->players[0] = (struct compose_player){.id = "anna",
		.name = "Virtanen, \xc3\x84nna",
		.language = "en",
		.zone = &zone_helsinki,
		.country = "FIN",
		.elo = 1830,
		.address = "anna@example.net"};
	sample->players[1] = (struct compose_player){.id = "bruno",
		.name = "Rossi, Bruno",
		.language = "en",
		.zone = &zone_rome,
		.address = "bruno@example.org"};

	struct game *game = &sample->game;
	game->start = game->now = position_initial();
	for (size_t i = 0; i < n; i++) {
		sample->moves[i] = move_from_uci(&game->now, game_moves[i], strlen(game_moves[i]));
		assert_int_not_equal(sample->moves[i], MOVE_NONE);
		position_make(&game->now, sample->moves[i]);
	}
	game->moves = sample->moves;
	game->n_moves = n;
	game->state = GAME_ACTIVE;
	run_clock(sample, n, delivered);

	sample->facts = (struct compose_facts){.configuration = sample->configuration,
		.templates = sample->templates,
		.event = &sample->event,
		.players = {&sample->players[0], &sample->players[1]},
		.number = 1,
		.game = game,
		.clock = sample->clock,
		.received = sample_instant(2 * (int)n, 65),
		.now = sample_instant(2 * (int)n, 70),
		.cause_digest = "00ff"};
	sample_reader(sample, (enum mail_reader)game->now.turn);
}

void sample_reader(struct sample *sample, enum mail_reader reader)
{
	struct compose_facts *facts = &sample->facts;

	facts->reader = reader;
	if (reader == READER_ARBITER || reader == READER_PUBLIC) {
		facts->to = reader == READER_PUBLIC ? "area@club.example" : sample->event.arbiter;
		facts->to_name = reader == READER_PUBLIC ? NULL : sample->event.arbiter_name;
		facts->token = NULL;
		return;
	}
	facts->to = sample->players[reader].address;
	facts->to_name = sample->players[reader].name;
	facts->token = reader == READER_WHITE ? "aaaaaaaaaaaaaaaaaaaa" : "bbbbbbbbbbbbbbbbbbbb";
}

void sample_decide(struct sample *sample, enum matter matter, const char *article)
{
	memset(&sample->decision, 0, sizeof(sample->decision));
	sample->decision.matter = matter;
	sample->decision.request = -1;
	sample->decision.article = article;
	sample->facts.decision = &sample->decision;
	sample->facts.article = article;
}

void sample_message(struct sample *sample, size_t ply, const char *text, const char *move)
{
	struct message *message = &sample->message;
	struct position position = game_position(&sample->game, ply);

	*message = (struct message){.by = (enum side)position.turn,
		.text = text,
		.text_size = strlen(text),
		.ply = (unsigned)ply,
		.has_own = move != NULL};
	if (move) {
		const char *at = strstr(text, move);
		assert_non_null(at);
		message->own_text = (struct excerpt){(size_t)(at - text), strlen(move)};
		message->own_line = (struct excerpt){0, strcspn(text, "\n")};
		(void)move_read(&position, NULL, move, strlen(move), &message->own);
	}
	sample->facts.message = message;
}

void sample_release(struct sample *sample)
{
	clock_free(sample->clock);
	templates_free(sample->templates);
	configuration_free(sample->configuration);
}
