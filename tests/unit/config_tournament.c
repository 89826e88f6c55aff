/*
 * Tournament files: the one that the manual shows, and every fault that must be found.
 */
#include "tests/unit/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/tournament.h"

static bool zone_known(const char *name)
{
	return strcmp(name, "Europe/Rome") == 0 || strcmp(name, "Europe/Helsinki") == 0;
}

static const char whole[] = "[tournament KO-50.2]\n"
			    "name = Knockout 50, group 2\n"
			    "rules = iecc\n"
			    "start = 2026-01-10T09:00:00+02:00\n"
			    "end = 2027-01-10\n"
			    "arbiter = Director, Tarmo <td@club.example>\n"
			    "deputy = vice@club.example\n"
			    "copies = required\n"
			    "site = IECC\n"
			    "rated = yes\n"
			    "stage = knockout\n"
			    "repetition = typed\n"
			    "fide-2014 = no\n"
			    "bulletin-every = 7d\n"
			    "window-days = 40\n"
			    "[player anna]\n"
			    "name = Virtanen, Anna\n"
			    "email = anna@example.net, anna.virtanen@work.example\n"
			    "timezone = Europe/Helsinki\n"
			    "language = fi\n"
			    "notation = san-fi\n"
			    "country = FIN\n"
			    "elo = 1830\n"
			    "[player bruno]\n"
			    "name = Rossi, Bruno\n"
			    "email = bruno@example.org\n"
			    "[game 1]\n"
			    "white = anna\n"
			    "black = bruno\n"
			    "code = 0123\n"
			    "moves = 1.e4 c5\n"
			    "[game 2]\n"
			    "moves = Kd2\n"
			    "white = bruno\n"
			    "black = anna\n"
			    "fen = 4k3/8/8/8/8/8/8/4K2R w K - 0 1\n";

static struct tournament_file *parse(const char *text)
{
	struct fault_list faults = {0};
	struct tournament_file *file = NULL;

	int r = tournament_file_parse("f", text, strlen(text), zone_known, &faults, &file);
	fault_list_print(&faults, stderr);
	fault_list_release(&faults);
	expect_int(r, 0);
	return file;
}

static void reads_a_whole_file(void **state)
{
	struct tournament_file *file = parse(whole);
	const struct file_tournament *t = &file->tournament;
	struct clock_parameters parameters;
	struct fault_list faults = {0};

	(void)state;
	assert_string_equal(t->code, "KO-50.2");
	assert_string_equal(t->name.text, "Knockout 50, group 2");
	expect_int(t->name.line, 2);
	expect_int(t->rules.value, RULES_IECC);
	assert_false(t->start.is_date);
	expect_int(t->start.instant, 1768028400000);
	assert_true(t->end.is_date);
	assert_string_equal(t->arbiter.mailbox.name, "Director, Tarmo");
	assert_string_equal(t->arbiter.mailbox.address, "td@club.example");
	assert_null(t->deputy.mailbox.name);
	expect_int(t->public.line, 0);
	expect_int(t->copies.value, COPIES_REQUIRED);
	expect_int(t->rated.value, true);
	expect_int(t->stage.value, STAGE_KNOCKOUT);
	expect_int(t->repetition.value, REPETITION_POLICY_TYPED);
	expect_int(t->fide_2014.value, false);
	expect_int(t->bulletin_every, 7LL * 86400000);
	parameters_default(RULES_IECC, &parameters);
	expect_int(tournament_file_parameters(file, &parameters, &faults), 0);
	expect_int(parameters.window_days, 40);

	expect_int(file->n_players, 2);
	assert_string_equal(file->players[0].id, "anna");
	expect_int(file->players[0].email.n, 2);
	assert_string_equal(file->players[0].email.items[1], "anna.virtanen@work.example");
	assert_string_equal(file->players[0].notation.text, "san-fi");
	expect_int(file->players[0].elo.value, 1830);
	expect_int(file->players[1].timezone.line, 0);
	expect_int(file->n_games, 2);
	expect_int(file->games[0].number, 1);
	expect_int(file->games[0].n_moves, 2);
	expect_int(file->games[0].moves_line, 31);
	assert_string_equal(file->games[0].code.text, "0123");
	/* The position counts, wherever it stands in the section. */
	expect_int(file->games[1].n_moves, 1);
	expect_int(file->games[1].moves[0], move_pack(4, 11, PIECE_NONE));
	tournament_file_free(file);
}

static char *faults_text(const struct fault_list *faults)
{
	char *out = NULL;
	size_t size;
	FILE *stream = open_memstream(&out, &size);

	fault_list_print(faults, stream);
	(void)fclose(stream);
	return out;
}

#define T "[tournament T]\n"

static const struct {
	const char *text, *faults;
} cases[] = {
	{"", "f:1: there is no [tournament CODE]\n"},
	{"[tournament a b]\nnmae=x\n[extra]\ny=1\n[player]\n",
		"f:1: a tournament needs a code of up to 32 letters, digits, '.', '_' or '-': "
		"[tournament CODE]\n"
		"f:2: unknown key \"nmae\" in [tournament]\nf:3: unknown section [extra]\n"
		"f:5: a player needs an id of up to 32 letters, digits, '.', '_' or '-': "
		"[player ID]\n"},
	{T "[tournament U]\nname=x\n",
		"f:2: a file describes one tournament, and [tournament T] stands on line 1\n"},
	{T "rules=chess\nstart=2026-02-30\ncopies=some\nrated=true\nbulletin-every=1s\n"
	   "arbiter=a@b, c@d\n",
		"f:2: rules: \"chess\" is refused: wanted is iecc, razsh, razsh-post or mclink\n"
		"f:3: start: \"2026-02-30\" is refused: wanted is an instant such as "
		"2026-01-10T09:00:00+02:00, or a date such as 2026-01-10\n"
		"f:4: copies: \"some\" is refused: wanted is all, required or none\n"
		"f:5: rated: \"true\" is refused: wanted is yes or no\n"
		"f:6: bulletin-every: \"1s\" is refused: wanted is a duration of an hour or more, "
		"such as 7d\n"
		"f:7: arbiter: \"a@b, c@d\" is refused: wanted is one mailbox: an address or "
		"\"Name <address>\"\n"},
	{T "start=2026-02-02\nend=2026-02-01\n",
		"f:3: end: the tournament ends before it starts\n"},
	{T "start=2026-02-02\nend=2026-02-02\n", ""},
	{T "[player a]\nemail=a@b@c\n[player b]\nemail=a@b,\n x@y\n[player c]\nemail=c@d, C@d\n"
	   "[player d]\nemail=d@e\n f.example\n[player e]\nemail=e@f\rBcc: x@y\n",
		"f:3: email: \"a@b@c\" is refused: wanted is different plain addresses, "
		"local@domain, "
		"separated by commas\n"
		"f:8: email: \"c@d, C@d\" is refused: wanted is different plain addresses, "
		"local@domain, separated by commas\n"
		"f:10: email: \"d@e f.example\" is refused: wanted is different plain addresses, "
		"local@domain, separated by commas\n"
		"f:13: a control character\n"},
	{T "[player a]\ntimezone=Mars/Olympus\nlanguage=eo\nnotation=san-eo\ncountry=Finland\n"
	   "elo=high\n",
		"f:3: timezone: \"Mars/Olympus\" is refused: wanted is a name of the system's list "
		"of "
		"time zones\n"
		"f:4: language: \"eo\" is refused: wanted is a language that mails can be written "
		"in\n"
		"f:5: notation: \"san-eo\" is refused: wanted is san, san-fi, san-it, san-ru, "
		"figurine, long or iccf\n"
		"f:6: country: \"Finland\" is refused: wanted is three capital letters\n"
		"f:7: elo: \"high\" is refused: wanted is a number from 1 to 4000\n"},
	{T "[game 0]\n[game x]\n[game 01]\n[game 1]\n[game 1]\n",
		"f:2: a game needs a number from 1 to 999999: [game NUMBER]\n"
		"f:3: a game needs a number from 1 to 999999: [game NUMBER]\n"
		"f:4: a game needs a number from 1 to 999999: [game NUMBER]\n"
		"f:6: section [game 1] comes twice\n"},
	{T "[player a]\n[player a]\nname=x\n", "f:3: section [player a] comes twice\n"},
	{T "[game 1]\ncode=12\nwhite=a b\n",
		"f:3: code: \"12\" is refused: wanted is four characters\n"
		"f:4: white: \"a b\" is refused: wanted is the id of a player: up to 32 letters, "
		"digits, '.', '_' or '-'\n"},
	{T "rules=iecc\nwindow-days=0\ncontrol-days=60\n[player a]\nwindow-days=3\n", NULL},
	{T "[game 1]\nmoves=1.e4 e5 2.Ke3\n[game 2]\nfen=8/8/8/8/8/8/8/8 w - - 0 1\nmoves=e4\n"
	   "[game 3]\nmoves=f3 e5 g4 Qh4#\n",
		NULL},
};

static void finds_every_fault(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fault_list faults = {0};
		struct tournament_file *file = NULL;
		int r = tournament_file_parse(
			"f", cases[i].text, strlen(cases[i].text), zone_known, &faults, &file);
		char *text = faults_text(&faults);
		expect_int(r, faults.n > 0 ? FILE_FAULTY : 0);
		if (cases[i].faults)
			assert_string_equal(text, cases[i].faults);
		free(text);
		fault_list_release(&faults);
		tournament_file_free(file);
	}
}

/* The faults whose words other modules write: their lines count. */
static void faults_of_rules_and_moves_have_lines(void **state)
{
	static const struct {
		const char *text;
		unsigned lines[4];
	} lines[] = {
		{T "rules=iecc\nwindow-days=x\ncontrol-days=60\n[player a]\nwindow-days=3\n",
			{6, 3, 4}},
		{T "control-days=x\nrules=razsh\n", {2}},
		{T "[game 1]\nmoves=1.e4 e5 2.Ke3\n[game 2]\nfen=8/8/8/8/8/8/8/8 w - - 0 1\n"
		   "moves=e4\n[game 3]\nmoves=f3 e5 g4 Qh4#\n",
			{3, 5, 7}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct fault_list faults = {0};
		struct tournament_file *file = NULL;
		expect_int(tournament_file_parse("f", lines[i].text, strlen(lines[i].text),
				   zone_known, &faults, &file),
			FILE_FAULTY);
		for (size_t j = 0; lines[i].lines[j]; j++) {
			assert_true(j < faults.n);
			expect_int(faults.faults[j].line, lines[i].lines[j]);
		}
		fault_list_release(&faults);
		tournament_file_free(file);
	}
}

struct store {
	bool tournament, player, game;
};

static bool knows_tournament(void *context, const char *code)
{
	(void)code;
	return ((struct store *)context)->tournament;
}

static bool knows_player(void *context, const char *id)
{
	return ((struct store *)context)->player && strcmp(id, "carl") == 0;
}

static bool knows_game(void *context, const char *code, unsigned number)
{
	(void)code;
	return ((struct store *)context)->game && number == 1;
}

static void checks_against_the_store(void **state)
{
	static const struct {
		struct store store;
		const char *text, *faults;
	} checks[] = {
		{{false, false, false}, whole, ""},
		{{false, false, false},
			T "[player a]\n[game 1]\nwhite=a\n[game 2]\nwhite=a\nblack=b\n"
			  "[game 3]\nwhite=a\nblack=a\n",
			"f:1: the new tournament lacks name\nf:1: the new tournament lacks rules\n"
			"f:1: the new tournament lacks start\nf:2: the new player lacks name\n"
			"f:2: the new player lacks email\nf:3: the new game lacks black\n"
			"f:7: unknown player \"b\"\nf:10: \"a\" cannot play against himself\n"},
		{{true, true, true},
			T "[player carl]\nelo=1\n[game 1]\ncode=1234\n[game 2]\nwhite=carl\n",
			"f:6: the new game lacks black\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		struct store store = checks[i].store;
		struct tournament_known known = {
			knows_tournament, knows_player, knows_game, &store};
		struct fault_list faults = {0};
		struct tournament_file *file = parse(checks[i].text);
		int r = tournament_file_check(file, &known, &faults);
		char *text = faults_text(&faults);
		expect_int(r, faults.n > 0 ? FILE_FAULTY : 0);
		assert_string_equal(text, checks[i].faults);
		free(text);
		fault_list_release(&faults);
		tournament_file_free(file);
	}
}

/* A value that is refused is not also missing, and hides no other fault. */
static void a_refused_value_hides_nothing(void **state)
{
	struct store store = {0};
	struct tournament_known known = {knows_tournament, knows_player, knows_game, &store};
	static const char text[] =
		T "name=\nrules=fide\nstart=soon\n[player a]\nname=A\nemail=a\n[player b]\n"
		  "email=b@c.example\n[game 1]\nwhite=a b\nblack=z\n[game 2]\nwhite=a\nblack=a\n";
	struct fault_list faults = {0};
	struct tournament_file *file = NULL;

	(void)state;
	expect_int(tournament_file_parse("f", text, strlen(text), zone_known, &faults, &file),
		FILE_FAULTY);
	assert_non_null(file);
	size_t refused = faults.n;
	expect_int(refused, 5);
	expect_int(tournament_file_check(file, &known, &faults), FILE_FAULTY);
	static const unsigned lines[] = {8, 12, 15};
	expect_int(faults.n, refused + ARRAY_SIZE(lines));
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		expect_int(faults.faults[refused + i].line, lines[i]);
	fault_list_release(&faults);
	tournament_file_free(file);
}

/* MC-link has parameters without a default. */
static void new_tournament_needs_what_its_rules_demand(void **state)
{
	struct store store = {0};
	struct tournament_known known = {knows_tournament, knows_player, knows_game, &store};
	static const char *const texts[] = {
		T "name=x\nstart=2026-01-01\nrules=mclink\nstandard-hours=480\n", T
		"name=x\nstart=2026-01-01\nrules=mclink\nstandard-hours=480\nmoves-per-manche=10\n"
		"increments=2:48, 3:96\n"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fault_list faults = {0};
		struct tournament_file *file = parse(texts[i]);
		expect_int(tournament_file_check(file, &known, &faults), i == 0 ? FILE_FAULTY : 0);
		expect_int(faults.n, i == 0);
		fault_list_release(&faults);
		tournament_file_free(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_whole_file),
		cmocka_unit_test(finds_every_fault),
		cmocka_unit_test(faults_of_rules_and_moves_have_lines),
		cmocka_unit_test(a_refused_value_hides_nothing),
		cmocka_unit_test(checks_against_the_store),
		cmocka_unit_test(new_tournament_needs_what_its_rules_demand),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
