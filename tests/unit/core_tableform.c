/*
 * Rows of RAZSh's table.
 */
#include <stdlib.h>
#include <string.h>

#include "core/tableform.h"
#include "tests/unit/test.h"

struct row_case {
	const char *line;
	const char *wanted; /* NULL: no row */
};

static const struct row_case cases[] = {
	{"---    10/05  0/00    01.  4244   4745     12/05  12/05  0/00",
		"1 4244 (0/0 10/5 0/0) 4745 (12/5 12/5 0/0)"},
	{"12/05  16/05  4/04    02.  7163   7776     17/05  18/05  1/01",
		"2 7163 (12/5 16/5 4/4) 7776 (17/5 18/5 1/1)"},
	{"19/05  22/05  3/07    03.  3234\r\n", "3 3234 (19/5 22/5 3/7)"},
	{"12.05 16.05 14/104 12. e7-e8=Q Kd7", "12 e7-e8=Q (12/5 16/5 14/104) Kd7"},
	{"03. 3234 3736 17/05 18/05 1/01", "3 3234 3736 (17/5 18/5 1/1)"},
	{"12. Nf3 d5", NULL},
	{"12/05 16/05 4/04", NULL},
	{"12/05 16/05 4/04 02.", NULL},
	{"32/05 16/05 4/04 02. 7163", NULL},
	{"12/13 16/05 4/04 02. 7163", NULL},
	{"12/05 16/05 4/04 00. 7163", NULL},
	{"12/05 16/05 4/04 02. 7163 7776 17/05 18/05 1/01 more", NULL},
	{"", NULL},
};

static void describe_half(const char *line, const struct tableform_half *half, char *out)
{
	char text[100];

	if (half->move_size) {
		(void)snprintf(
			text, sizeof(text), " %.*s", (int)half->move_size, line + half->move_at);
		strncat(out, text, 100);
	}
	if (half->dated) {
		(void)snprintf(text, sizeof(text), " (%d/%d %d/%d %d/%d)", half->received.day,
			half->received.month, half->answered.day, half->answered.month, half->days,
			half->total);
		strncat(out, text, 100);
	}
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t size = strlen(cases[i].line);
		char *copy = malloc(size + !size), got[300];
		struct tableform_row row;
		bool good;

		assert_non_null(copy);
		memcpy(copy, cases[i].line, size);
		good = tableform_row_read(copy, size, &row);
		if (good != (cases[i].wanted != NULL))
			fail_msg("'%s': %d", cases[i].line, good);
		if (good) {
			(void)snprintf(got, sizeof(got), "%u", row.number);
			describe_half(copy, &row.halves[SIDE_WHITE], got);
			describe_half(copy, &row.halves[SIDE_BLACK], got);
			assert_string_equal(got, cases[i].wanted);
		}
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
