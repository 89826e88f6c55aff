#include "rules/lotto.h"

#define HALF (LOTTO_NUMBERS / 2)
#define NUMBERS_PER_POINT 5
#define BARRED_DAYS 90

struct lotto lotto_draw(int white_counter, int black_counter, int drawn)
{
	struct lotto lotto = {.counters = {white_counter, black_counter}};
	int numbers = HALF + NUMBERS_PER_POINT * (white_counter - black_counter);

	if (numbers < 0)
		numbers = 0;
	if (numbers > LOTTO_NUMBERS)
		numbers = LOTTO_NUMBERS;
	lotto.white_numbers = numbers;
	lotto.winner = drawn <= numbers ? SIDE_WHITE : SIDE_BLACK;
	lotto.counters[lotto.winner]--;
	lotto.counters[side_other(lotto.winner)]++;
	return lotto;
}

int32_t withdrawal_may_join_from(int32_t official)
{
	return official + BARRED_DAYS;
}

#define DECIDING_GAMES 3

enum after_draw lotto_after_draw(bool knockout, bool decides, int drawn)
{
	if (!knockout)
		return AFTER_DRAW_SHARED;
	if (!decides || drawn >= DECIDING_GAMES)
		return AFTER_DRAW_LOTTO;
	return drawn <= 1 ? AFTER_DRAW_REVERSED : AFTER_DRAW_AGAIN;
}
