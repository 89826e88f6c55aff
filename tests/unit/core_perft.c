/*
 * Leaf counts of tests/data/chess/perft.txt. Without arguments every count up to ten million;
 * with "all" every one.
 */
#include <stdlib.h>
#include <string.h>

#include "core/fen.h"
#include "core/perft.h"
#include "tests/unit/test.h"

static uint64_t nodes_max = 11100000;

static void check_counts(const char *line)
{
	const char *counts = strchr(line, ';');
	struct position position;
	size_t at;

	assert_non_null(counts);
	expect_int(fen_parse(line, (size_t)(counts - line), &position, &at), FEN_FINE);
	while (counts) {
		char *end;
		unsigned depth = (unsigned)strtoul(counts + 1, &end, 10);
		unsigned long long wanted = strtoull(end, &end, 10);

		counts = *end == ';' ? end : NULL;
		if (wanted > nodes_max)
			continue;
		if (position_perft(&position, depth) != wanted)
			fail_msg("depth %u of %s", depth, line);
		if (wanted < 100000 && perft_any(&position, depth) != wanted)
			fail_msg("without special instructions: depth %u of %s", depth, line);
	}
}

static void test_counts(void **state)
{
	FILE *file = fopen(TEST_DATA "/chess/perft.txt", "re");
	char line[1024];
	int n = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#')
			continue;
		check_counts(line);
		n++;
	}
	(void)fclose(file);
	expect_int(n, 92);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};

	if (argc > 1 && !strcmp(argv[1], "all"))
		nodes_max = UINT64_MAX;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
