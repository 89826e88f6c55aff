/*
 * Commands by mail: words of four languages, what may stand behind them, and chat that is none.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/pgn.h"
#include "daemon/reading/grammar.h"
#include "rules/calendar.h"

#define TODAY date_from_civil(2026, 3, 5)

static struct words *words;
static struct newtext newtext;

static struct message read_text(const char *text)
{
	static const char game[] = "e4 e5 Nf3 Nc6";
	static struct position start;
	static uint16_t moves[8];
	size_t n, at;
	struct letter letter = {.text = text, .text_size = strlen(text), .other_text = ""};
	struct message message;

	start = position_initial();
	expect_int(movetext_read(&start, game, sizeof(game) - 1, moves, 8, &n, &at), 0);
	newtext_release(&newtext);
	expect_int(newtext_find(&letter, NULL, 0, NULL, &newtext), 0);
	const struct grammar_context context = {.start = &start,
		.moves = moves,
		.n = (unsigned)n,
		.ply = (unsigned)n,
		.by = SIDE_WHITE,
		.words = words,
		.today = TODAY};
	expect_int(grammar_read(&newtext, &context, &message), 0);
	return message;
}

static const char *describe(const struct stated_command *command)
{
	static char out[80];
	int year[2] = {0};
	unsigned month[2] = {0}, day[2] = {0};

	if (!command->has_period)
		return "";
	date_to_civil(command->from, &year[0], &month[0], &day[0]);
	date_to_civil(command->to, &year[1], &month[1], &day[1]);
	snprintf(out, sizeof(out), "%d-%02u-%02u %d %d-%02u-%02u %d", year[0], month[0], day[0],
		command->from_minute, year[1], month[1], day[1], command->to_minute);
	return out;
}

static void test_words(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum command command;
	} cases[] = {
		{"resign", COMMAND_RESIGN},
		{"> I resign.\nI  RESIGN!", COMMAND_RESIGN},
		{"Luovutan!", COMMAND_RESIGN},
		{"Abbandono.", COMMAND_RESIGN},
		{"СДАЮСЬ", COMMAND_RESIGN},
		{"accept", COMMAND_ACCEPT},
		{"Hyväksyn tasapelin.", COMMAND_ACCEPT},
		{"HYVÄKSYN", COMMAND_ACCEPT},
		{"Accetto la patta", COMMAND_ACCEPT},
		{"согласен на ничью", COMMAND_ACCEPT},
		{"decline", COMMAND_DECLINE},
		{"en hyväksy", COMMAND_DECLINE},
		{"Rifiuto.", COMMAND_DECLINE},
		{"не принимаю", COMMAND_DECLINE},
		{"claim threefold", COMMAND_CLAIM_THREEFOLD},
		{"triplice ripetizione", COMMAND_CLAIM_THREEFOLD},
		{"claim 50", COMMAND_CLAIM_FIFTY},
		{"demand 50", COMMAND_DEMAND_FIFTY},
		{"Chiedo il matto in 50 mosse", COMMAND_DEMAND_FIFTY},
		{"claim time", COMMAND_CLAIM_TIME},
		{"заявляю о просрочке времени", COMMAND_CLAIM_TIME},
		{"end leave", COMMAND_END_LEAVE},
		{"loma päättyy", COMMAND_END_LEAVE},
		{"withdraw", COMMAND_WITHDRAW},
		{"Mi ritiro", COMMAND_WITHDRAW},
		{"agree", COMMAND_AGREE},
		{"Согласен", COMMAND_AGREE},
		{"не согласен", COMMAND_REFUSE},
		{"status", COMMAND_STATUS},
		{"Tilanne", COMMAND_STATUS},
		{"resend", COMMAND_RESEND},
		{"address anna@new.example", COMMAND_ADDRESS},
		{"Uusi osoite: anna@new.example", COMMAND_ADDRESS},
		{"language fi", COMMAND_LANGUAGE},
		{"lingua: it", COMMAND_LANGUAGE},
		{"notation san-fi", COMMAND_NOTATION},
		{"help", COMMAND_HELP},
		{"- help", COMMAND_HELP},
		/* chat */
		{"I will not resign", COMMAND_NONE},
		{"I never resign", COMMAND_NONE},
		{"I resign. Well played!", COMMAND_RESIGN},
		{"Thanks, I resign.", COMMAND_RESIGN},
		{"I resign, well played!", COMMAND_RESIGN},
		{"Dear Anna,\nI resign. It was a fine game.\nBruno", COMMAND_RESIGN},
		{"Yes, I accept the draw. Thank you!", COMMAND_ACCEPT},
		{"Accetto la patta, grazie", COMMAND_ACCEPT},
		{"Luovutan, kiitos pelistä", COMMAND_RESIGN},
		{"Сдаюсь. Спасибо!", COMMAND_RESIGN},
		{"Resign?", COMMAND_NONE},
		{"I resign?", COMMAND_NONE},
		{"Accept?", COMMAND_NONE},
		{"I resign, if you insist", COMMAND_NONE},
		{"I resign tomorrow.", COMMAND_NONE},
		{"I resign. Just kidding!", COMMAND_NONE},
		{"I resign\n\nNo, wait!", COMMAND_NONE},
		{"If you play Nd5 here\nI resign", COMMAND_NONE},
		{"You should say: I resign.", COMMAND_NONE},
		{"\"I resign.\" was what he said.", COMMAND_NONE},
		{"I never said I resign.", COMMAND_NONE},
		{"I do not accept the draw.", COMMAND_NONE},
		{"should I resign", COMMAND_NONE},
		{"non abbandono", COMMAND_NONE},
		{"не сдаюсь", COMMAND_NONE},
		{"en luovuta", COMMAND_NONE},
		{"accept nothing", COMMAND_NONE},
		{"leave me alone", COMMAND_NONE},
		{"leave 3 pawns to me", COMMAND_NONE},
		{"stop it", COMMAND_NONE},
		{"stop 5", COMMAND_NONE},
		{"claim time is over", COMMAND_NONE},
		{"claim threefold never", COMMAND_NONE},
		{"address unknown", COMMAND_NONE},
		{"language is a fine thing", COMMAND_NONE},
		{"help me out", COMMAND_NONE},
		{"status quo", COMMAND_NONE},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct message message = read_text(cases[i].text);
		enum command kind = message.n_commands ? message.commands[0].kind : COMMAND_NONE;
		if (kind != cases[i].command || message.n_commands > 1 || message.has_own)
			fail_msg("[%s] is command %d", cases[i].text, (int)kind);
	}
}

static void test_periods(void **state)
{
	(void)state;
	static const struct {
		const char *text, *period; /* "": a command whose period cannot be read */
	} cases[] = {
		{"leave 2026-04-01 2026-04-10", "2026-04-01 -1 2026-04-10 -1"},
		{"leave from 1.4.2026 to 10.4.2026", "2026-04-01 -1 2026-04-10 -1"},
		{"Leave: 1/4/2026 - 10/4/2026.", "2026-04-01 -1 2026-04-10 -1"},
		{"leave 01/04/26-10/04/26", "2026-04-01 -1 2026-04-10 -1"},
		{"leave 1.4.-10.4.2026", "2026-04-01 -1 2026-04-10 -1"},
		{"loma 1.-10.4.2026", "2026-04-01 -1 2026-04-10 -1"},
		{"loma 1-10.4.2026", "2026-04-01 -1 2026-04-10 -1"},
		{"loma 28.12.-3.1.2027", "2026-12-28 -1 2027-01-03 -1"},
		{"ferie dal 1/4 al 10/4", "2026-04-01 -1 2026-04-10 -1"},
		{"отпуск с 1.4. по 10.4.", "2026-04-01 -1 2026-04-10 -1"},
		/* Without a year: the next such date, today included. */
		{"leave 5.3. 6.3.", "2026-03-05 -1 2026-03-06 -1"},
		{"leave 4.3. 6.3.", "2027-03-04 -1 2027-03-06 -1"},
		{"leave 20.12. 3.1.", "2026-12-20 -1 2027-01-03 -1"},
		{"leave 29.2. 1.3.", "2028-02-29 -1 2028-03-01 -1"},
		{"leave 2026-04-01 2026-04-10 (family)", "2026-04-01 -1 2026-04-10 -1"},
		{"end leave 2026-04-05", "2026-04-05 -1 2026-04-05 -1"},
		{"end leave", ""},
		{"stop 2026-04-01 10:00 2026-04-05 18:30", "2026-04-01 600 2026-04-05 1110"},
		{"stop 2026-04-01T10:00 to 2026-04-05T24:00", "2026-04-01 600 2026-04-05 1440"},
		{"chiedo lo stop dal 1.4.2026 ore 10.00 al 5.4.2026 ore 18.30",
			"2026-04-01 600 2026-04-05 1110"},
		{"stop 1.4.2026 10.12 5.4.2026 10.12", "2026-04-01 612 2026-04-05 612"},
		{"vacation 1/7/2026 15/7/2026", "2026-07-01 -1 2026-07-15 -1"},
		{"stop ferie dal 1/7/2026 al 15/7/2026", "2026-07-01 -1 2026-07-15 -1"},
		/* Not guessed. */
		{"leave 2026-04-01", ""},
		{"leave 2026-13-01 2026-14-01", ""},
		{"leave 31.2.2026 4.3.2026", ""},
		{"leave 1.4.2026 and some more", ""},
		{"stop 2026-04-01 25:00 2026-04-05 18:00", ""},
		{"leave 1.4.826 2.4.826", ""},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct message message = read_text(cases[i].text);
		if (message.n_commands != 1)
			fail_msg("[%s]: %zu commands", cases[i].text, message.n_commands);
		if (strcmp(describe(&message.commands[0]), cases[i].period) != 0)
			fail_msg("[%s]: %s", cases[i].text, describe(&message.commands[0]));
	}
}

static void expect_argument(const char *text, const char *argument)
{
	struct message message = read_text(text);

	expect_int(message.n_commands, 1);
	struct excerpt found = message.commands[0].argument;
	if (found.size != strlen(argument) ||
		memcmp(message.text + found.at, argument, found.size) != 0)
		fail_msg("[%s]: argument [%.*s]", text, (int)found.size, message.text + found.at);
}

static void test_arguments(void **state)
{
	(void)state;
	expect_argument("Address:  Anna@New.example", "Anna@New.example");
	expect_argument("lingua it.", "it");
	expect_argument("leave 2026-04-01 2026-04-10", "2026-04-01 2026-04-10");
	expect_argument("resign", "");
	expect_int(read_text("claim time").commands[0].n, 0);
	expect_int(read_text("claim time 2").commands[0].n, 2);
	expect_int(read_text("Claim time, control 3.").commands[0].n, 3);
	expect_int(read_text("reclamo il tempo controllo 1").commands[0].n, 1);
}

/* The intended move may stand in the claim's line, and the claim behind the move. */
static void test_claims(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum command command;
	} cases[] = {
		{"2... Nc6 3. Bb5\nclaim threefold", COMMAND_CLAIM_THREEFOLD},
		{"2... Nc6 3. Bb5, claim threefold", COMMAND_CLAIM_THREEFOLD},
		{"2... Nc6 3. Bb5 and I claim a draw by threefold repetition",
			COMMAND_CLAIM_THREEFOLD},
		{"2... Nc6 3. Bb5 claim 50.", COMMAND_CLAIM_FIFTY},
		{"claim threefold 3. Bb5", COMMAND_CLAIM_THREEFOLD},
		{"claim 50 with Bb5", COMMAND_CLAIM_FIFTY},
		{"claim 50: 2... Nc6 3. Bb5", COMMAND_CLAIM_FIFTY},
		{"2... Nc6 3. Bb5 demand 50", COMMAND_DEMAND_FIFTY},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct message message = read_text(cases[i].text);
		if (message.n_commands != 1 || message.commands[0].kind != cases[i].command ||
			!message.has_own || message.own.result != MOVE_READ || message.several_own)
			fail_msg("[%s]: %zu commands, own %d", cases[i].text, message.n_commands,
				message.has_own);
	}
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int load_with(const char *root, const char *text, unsigned *ret_line)
{
	struct fault_list faults = {0};
	struct words *loaded = NULL;
	char path[200];

	snprintf(path, sizeof(path), "%s/words/de/commands.txt", root);
	put_file(path, text);
	int r = words_load(root, &faults, &loaded);
	*ret_line = faults.n > 0 ? faults.faults[0].line : 0;
	if (r == 0) {
		words_free(words);
		words = loaded;
	}
	fault_list_release(&faults);
	return r;
}

/* A language of the club's own, and what is wrong with such files. */
static void test_overrides(void **state)
{
	(void)state;
	char root[] = P_tmpdir "/zugpost-words-XXXXXX", path[200];
	unsigned line;

	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "mkdir -p %s/words/de", root);
	expect_int(system(path), 0);
	expect_int(load_with(root, "# Deutsch\n\nresign: ich gebe auf | aufgegeben\n", &line), 0);
	expect_int(read_text("Ich gebe auf.").commands[0].kind, COMMAND_RESIGN);
	expect_int(read_text("Luovutan").commands[0].kind, COMMAND_RESIGN);
	expect_int(load_with(root, "resign: aufgegeben\nsurrender: ja\n", &line), FILE_FAULTY);
	expect_int(line, 2);
	expect_int(load_with(root, "resign: remis\n\ndraw: remis\n", &line), FILE_FAULTY);
	expect_int(line, 3);
	expect_int(load_with(root, "resign: a | \n", &line), FILE_FAULTY);
	expect_int(line, 1);
	expect_int(load_with(root, "resign: \xff\n", &line), FILE_FAULTY);
	snprintf(path, sizeof(path), "rm -r %s", root);
	expect_int(system(path), 0);
}

int main(void)
{
	struct fault_list faults = {0};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_claims),
		cmocka_unit_test(test_overrides),
	};
	expect_int(words_load(NULL, &faults, &words), 0);
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	words_free(words);
	newtext_release(&newtext);
	fault_list_release(&faults);
	return r;
}
