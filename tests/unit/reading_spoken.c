/*
 * Moves in words become notation, in the place of the words; and what is no move stays.
 */
#include "test.h"

#include <string.h>

#include "config/words.h"
#include "core/moveform.h"
#include "daemon/reading/spoken.h"

static struct words *words;

/* The line as it becomes, without fillers. */
static const char *rewrite(const char *text)
{
	static char line[400], out[400];
	size_t size = strlen(text), n = 0;

	memcpy(line, text, size + 1);
	spoken_rewrite(words_talk(words), line, size);
	for (size_t i = 0; i < size; i++)
		if (line[i] != SPOKEN_FILLER)
			out[n++] = line[i];
	out[n] = '\0';
	return out;
}

static void test_moves(void **state)
{
	static const struct {
		const char *text, *notation;
	} cases[] = {
		{"knight d7", "♘d7"},
		{"Knight to d7.", "♘d7."},
		{"12... knight f6 to d7", "12... ♘f6d7"},
		{"knight from f6 to d7", "♘f6d7"},
		{"knight b to d7", "♘bd7"},
		{"knight f6 - d7", "♘f6d7"},
		{"KNIGHT D7", "♘d7"},
		{"knight f three", "♘f3"},
		{"I move my knight back to d7", "I move my ♘d7"},
		{"put the knight on d7", "put the ♘d7"},
		{"N to d7", "Nd7"},
		{"Nf6 -> d7", "Nf6d7"},
		{"Nd 7", "Nd7"},
		{"N d 7, thanks", "Nd7, thanks"},
		{"Kn-d7", "♘d7"},
		{"queen takes the pawn on d5", "♕xd5"},
		{"I take on d5 with the queen", "I ♕xd5"},
		{"Q takes d5", "Qxd5"},
		{"e2 to e4", "e2e4"},
		{"from e2 to e4", "e2e4"},
		{"e2→e4", "e2e4"},
		{"e takes d6", "exd6"},
		{"e-pawn takes d6", "exd6"},
		{"c pawn to c4", "c4"},
		{"axb8 promoting to a queen", "axb8=♕"},
		{"e8 = queen", "e8=♕"},
		{"a7 takes b8 and becomes a knight", "a7xb8=♘"},
		{"e four", "e4"},
		{"1. e 4", "1. e4"},
		{"castles king side", "O-O"},
		{"long castling", "OOO"},
		{"I castle", "I " MOVEFORM_CASTLES},
		/* Finnish, Italian, Russian, German, French, Spanish, Dutch */
		{"ratsu d7:ään", "♘d7"},
		{"pitkä linnoitus", "OOO"},
		{"cavallo in d7", "♘d7"},
		{"e prende d6", "exd6"},
		{"arrocco corto", "O-O"},
		{"конём на d7", "♘d7"},
		{"К на d7", "Кd7"},
		{"конь на е4", "♘e4"},
		{"короткая рокировка", "O-O"},
		{"Springer nach d7", "♘d7"},
		{"Dame schlägt d5", "♕xd5"},
		{"kurz", "O-O"},
		{"cavalier en d7", "♘d7"},
		{"petit roque", "O-O"},
		{"caballo a d7", "♘d7"},
		{"paard naar d7", "♘d7"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (strcmp(rewrite(cases[i].text), cases[i].notation) != 0)
			fail_msg("[%s] became [%s], not [%s]", cases[i].text,
				rewrite(cases[i].text), cases[i].notation);
}

static void test_no_moves(void **state)
{
	static const char *const cases[] = {"", "the queen and the king", "knight, d7 is free",
		"a to z", "I go to d5", "e 4 people", "Rd 5 London", "Bd 1: Nd7", "Nd7 or b4",
		"the knight on d7 is bad", "king takes all", "to be", "take a6", "12. g5 Nd7",
		"from a to b", "e8, queen and king are mated", "four to five", "queen", "x"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (strcmp(rewrite(cases[i]), cases[i]) != 0)
			fail_msg("[%s] became [%s]", cases[i], rewrite(cases[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_no_moves),
	};
	struct fault_list faults = {0};

	expect_int(words_load(NULL, &faults, &words), 0);
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	words_free(words);
	return r;
}
