/*
 * The ledger in words, in every language: of a game in each system, and a line for every
 * article that the clocks can book, whatever it takes to book it. Compared with
 * tests/golden/LANGUAGE/ledger-SYSTEM.txt; see compose_golden.c.
 */
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/compose/ledger_words.h"
#include "tests/unit/compose_compare.h"
#include "tests/unit/compose_facts.h"

enum booking {
	BOOKS_TIME = 0,
	BOOKS_PENALTY,
	BOOKS_NOTHING, /* a move without time */
	BOOKS_END,     /* an end that was put aside */
};

/* What the clocks book, and under which rules. */
static const struct {
	enum rule_system rules;
	const char *article;
	enum booking booking;
} articles[] = {
	{RULES_IECC, "IECC 7.3", BOOKS_TIME},
	{RULES_IECC, "IECC 7.6b", BOOKS_NOTHING},
	{RULES_IECC, "IECC 7.6c", BOOKS_TIME},
	{RULES_IECC, "IECC 7.8", BOOKS_PENALTY},
	{RULES_IECC, "IECC 7.9", BOOKS_PENALTY},
	{RULES_IECC, "ruling", BOOKS_END},
	{RULES_RAZSH, "RAZSh 3.7", BOOKS_NOTHING},
	{RULES_RAZSH, "RAZSh 4.4", BOOKS_TIME},
	{RULES_RAZSH, "RAZSh 4.6", BOOKS_TIME},
	{RULES_RAZSH, "RAZSh 4.6", BOOKS_NOTHING},
	{RULES_RAZSH, "RAZSh 4.7", BOOKS_PENALTY},
	{RULES_RAZSH, "RAZSh 4.8", BOOKS_PENALTY},
	{RULES_RAZSH, "RAZSh 4.9", BOOKS_PENALTY},
	{RULES_RAZSH_POST, "RAZSh II 4.9", BOOKS_PENALTY},
	{RULES_RAZSH_POST, "ruling", BOOKS_PENALTY},
	{RULES_MCLINK, "MC-link 5.3", BOOKS_NOTHING},
	{RULES_MCLINK, "MC-link 7.3", BOOKS_TIME},
	{RULES_MCLINK, "MC-link 7bis.2", BOOKS_PENALTY},
	{RULES_MCLINK, "MC-link 7bis.3", BOOKS_PENALTY},
	{RULES_MCLINK, "ruling", BOOKS_PENALTY},
	{RULES_MCLINK, "ruling", BOOKS_END},
};

static void fault(struct sample *sample, enum side by, int days, enum clock_fault kind)
{
	struct clock_event event = CLOCK_EVENT_NONE;
	struct clock_answer answer;

	event.kind = CLOCK_FAULT;
	event.by = by;
	event.at = sample_instant(days, 120);
	event.query_delivered = event.at + 60000;
	event.fault = kind;
	event.bad_format = sample->event.rules == RULES_MCLINK;
	expect_int(clock_apply(sample->clock, &event, &answer), 0);
}

static void write_line(
	FILE *stream, const struct ledger_words *words, const struct clock_charge *charge)
{
	char *line;

	expect_int(ledger_words_line(words, charge, &line), 0);
	if (strchr(line, '\n') || strstr(line, "  ") || strstr(line, "()") || strstr(line, " ,") ||
		strstr(line, " .") || line[strlen(line) - 1] != '.')
		fail_msg("a hole: %s", line);
	(void)fprintf(stream, "%s\n", line);
	free(line);
}

/* A charge of the sample's clock made into one of that article. */
static struct clock_charge charge_of(const struct sample *sample, size_t i)
{
	size_t n;
	const struct clock_charge *charges = clock_charges(sample->clock, &n);
	struct clock_charge charge = charges[2];

	charge.article = articles[i].article;
	if (articles[i].booking == BOOKS_TIME)
		return charge;
	charge.days = 0;
	charge.ended = articles[i].booking == BOOKS_END;
	if (charge.ended)
		return charge;
	if (articles[i].booking == BOOKS_PENALTY)
		charge.tenths_penalty = articles[i].rules == RULES_MCLINK ? 576 : 10;
	else
		charge.sent = INSTANT_NONE;
	charge.received = INSTANT_NONE;
	return charge;
}

static void write_ledger(
	FILE *stream, const struct sample *sample, const struct ledger_words *words)
{
	size_t n;
	const struct clock_charge *charges = clock_charges(sample->clock, &n);

	assert_in_range(n, 6, 20);
	for (size_t i = 0; i < n; i++)
		write_line(stream, words, &charges[i]);
	(void)fprintf(stream, "\n");
	for (size_t i = 0; i < ARRAY_SIZE(articles); i++) {
		if (articles[i].rules != sample->event.rules)
			continue;
		struct clock_charge charge = charge_of(sample, i);
		write_line(stream, words, &charge);
	}
}

static void ledgers(void **state)
{
	static const enum rule_system systems[] = {
		RULES_IECC, RULES_RAZSH, RULES_RAZSH_POST, RULES_MCLINK};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(systems); i++) {
		struct sample sample;
		const char *language;
		sample_init_rules(&sample, systems[i], 5, true);
		for (int day = 11; day < 15; day++)
			fault(&sample, SIDE_BLACK, day, FAULT_AMBIGUOUS);
		for (size_t j = 0; (language = templates_language(sample.templates, j)); j++) {
			const struct ledger_words words = {
				.templates = sample.templates,
				.language = language,
				.clock = sample.clock,
				.game = &sample.game,
				.names = {sample.players[0].name},
			};
			char *text = NULL, name[64];
			size_t size;
			FILE *stream = open_memstream(&text, &size);
			write_ledger(stream, &sample, &words);
			(void)fclose(stream);
			(void)snprintf(name, sizeof(name), "%s/ledger-%s.txt", language,
				rule_system_name(systems[i]));
			sample_compare_text(text, name);
			free(text);
		}
		sample_release(&sample);
	}
}

/* What is said of a penalty before its number, without the names of players and numbers. */
static char *reason_of(const struct sample *sample, const char *language, size_t i)
{
	struct clock_charge charge = charge_of(sample, i);
	const struct ledger_words words = {.templates = sample->templates,
		.language = language,
		.clock = sample->clock,
		.game = &sample->game};
	char *line;

	charge.sent = INSTANT_NONE;
	expect_int(ledger_words_line(&words, &charge, &line), 0);
	const char *at = strchr(line, ':'), *end = strrchr(line, ',');
	if (!at || !end || end < at)
		fail_msg("%s says of %s: %s", language, articles[i].article, line);
	char *reason = at && end ? strndup(at + 1, (size_t)(end - at - 1)) : NULL;
	assert_non_null(reason);
	free(line);
	return reason;
}

/* Every penalty has its reason in words, and in every language other words than in English. */
static void penalties_have_reasons(void **state)
{
	struct sample sample;
	const char *language;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(articles); i++) {
		if (articles[i].booking != BOOKS_PENALTY)
			continue;
		sample_init_rules(&sample, articles[i].rules, 5, true);
		char *english = reason_of(&sample, "en", i);
		for (size_t j = 0; (language = templates_language(sample.templates, j)); j++) {
			char *reason = reason_of(&sample, language, i);
			if (strlen(reason) < 8 ||
				(strcmp(language, "en") != 0 && strcmp(reason, english) == 0))
				fail_msg("%s has no words for %s", language, articles[i].article);
			free(reason);
		}
		free(english);
		sample_release(&sample);
	}
}

static bool is_listed(const char *article, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(articles); i++)
		if (strlen(articles[i].article) == size &&
			strncmp(articles[i].article, article, size) == 0)
			return true;
	return false;
}

/* The table above is whole: the clocks book nothing else. */
static void every_article_is_here(void **state)
{
	static const char *const files[] = {"iecc.c", "razsh.c", "razsh_claim.c", "razsh_leave.c",
		"mclink.c", "mclink_stops.c", "clock.c", "clock_leaves.c"};
	static const char *const starts[] = {"\"IECC ", "\"RAZSh ", "\"MC-link ", "\"ruling\""};
	unsigned found = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[256], line[512];
		(void)snprintf(path, sizeof(path), "%s/%s", RULES, files[i]);
		FILE *stream = fopen(path, "r");
		if (!stream)
			fail_msg("%s cannot be read", path);
		while (fgets(line, sizeof(line), stream)) {
			for (size_t j = 0; j < ARRAY_SIZE(starts); j++) {
				const char *at = strstr(line, starts[j]);
				if (!at)
					continue;
				found++;
				if (!is_listed(at + 1, strcspn(at + 1, "\"")))
					fail_msg("%s books what this test does not know: %s", path,
						line);
			}
		}
		(void)fclose(stream);
	}
	assert_true(found > 15);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ledgers),
		cmocka_unit_test(penalties_have_reasons),
		cmocka_unit_test(every_article_is_here),
	};
	sample_regenerate = argc > 1 ? argv[1] : NULL;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
