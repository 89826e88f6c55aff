/*
 * Game codes behind the prefixes of all mail programs.
 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "daemon/reading/subject.h"

static void test_columns(void **state)
{
	(void)state;
	static const struct {
		const char *subject, *found; /* code, move and colour; NULL: none */
	} cases[] = {
		{"0123- 12b Rossi-Bianchi", "0123 12b"},
		{"0123-  2n Rossi-Bianchi", "0123 2n"},
		{"0123- 2n Rossi-Bianchi", "0123 2n"},
		{"0123-122n Rossi-Bianchi", "0123 122n"},
		{"0123-     Rossi-Bianchi", "0123 0"},
		{"0123- Rossi-Bianchi", "0123 0"},
		{"0123-      12bis-Bianchi", "0123 0"},
		{"Re: 0123- 12b Rossi-Bianchi", "0123 12b"},
		{"Re[2]: 0123- 12b Rossi-Bianchi", "0123 12b"},
		{"RE: R: [EXT] Re: [SPAM] 0123- 12b Rossi-Bianchi", "0123 12b"},
		{"\xd0\x9e\xd1\x82\xd0\xb2\xd0\xb5\xd1\x82: 0123- 12b Rossi-Bianchi", "0123 12b"},
		{"R\xc3\xa9p : 0123- 12b Rossi-Bianchi", "0123 12b"},
		{"\xe7\xad\x94\xe5\xa4\x8d: 0123- 12b Rossi-Bianchi", "0123 12b"},
		{"Antwort: 0123- 12b Rossi-Bianchi (was: hello)", "0123 12b"},
		{"re: ab1z- 12N x", "AB1Z 12n"},
		{"KOTA- 12b x", "KOTA 12b"},
		{"10123- 12b x", NULL},
		{"Rossi-Bianchi", NULL},
		{"Anna- Bruno", NULL},
		{"2024-01-12 b", NULL},
		{"0123-1234b", NULL},
		{"0123-12bx", NULL},
		{"0123", NULL},
		{"012", NULL},
		{"", NULL},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct subject_columns columns;
		char found[32] = "";
		if (subject_find_columns(cases[i].subject, &columns))
			snprintf(found, sizeof(found), "%s %u%.*s", columns.code, columns.move,
				columns.colour != 0, &columns.colour);
		if (strcmp(found, cases[i].found ? cases[i].found : "") != 0)
			fail_msg("[%s]: [%s]", cases[i].subject, found);
	}
}

static void test_brackets(void **state)
{
	(void)state;
	static const struct {
		const char *subject, *event;
		unsigned number;
	} cases[] = {
		{"[KO-50.2 #1] Nf6 (Virtanen - Rossi)", "KO-50.2", 1},
		{"Re: [SPAM] [KO-50.2 #12] Nf6", "KO-50.2", 12},
		{"Re: [KO-50.2  #12]", "KO-50.2", 12},
		{"[KO-50.2 #]", NULL, 0},
		{"[KO-50.2 12]", NULL, 0},
		{"[ #1]", NULL, 0},
		{"[KO 50 #1]", NULL, 0},
		{"[KO-50.2 #1", NULL, 0},
		{"[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa #1]", NULL, 0},
		{"", NULL, 0},
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct subject_bracket bracket;
		bool found = subject_find_bracket(cases[i].subject, &bracket);
		if (found != (cases[i].event != NULL) ||
			(found && (strcmp(bracket.event, cases[i].event) != 0 ||
					  bracket.number != cases[i].number)))
			fail_msg("[%s]", cases[i].subject);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_brackets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
