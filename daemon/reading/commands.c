#include "daemon/reading/commands.h"

#include <ctype.h>
#include <glib.h>
#include <string.h>

/* What may stand behind the words. */
enum argument {
	ARGUMENT_NONE = 0,
	ARGUMENT_DIGIT,   /* a date, a number */
	ARGUMENT_ADDRESS, /* holds an '@' */
	ARGUMENT_WORD,    /* exactly one word */
};

static const struct {
	const char *words;
	enum command command;
	enum argument argument;
} table[] = {
	{"resign", COMMAND_RESIGN, ARGUMENT_NONE},
	{"i resign", COMMAND_RESIGN, ARGUMENT_NONE},
	{"resigns", COMMAND_RESIGN, ARGUMENT_NONE},
	{"draw", COMMAND_DRAW, ARGUMENT_NONE},
	{"draw offer", COMMAND_DRAW, ARGUMENT_NONE},
	{"draw offered", COMMAND_DRAW, ARGUMENT_NONE},
	{"offer draw", COMMAND_DRAW, ARGUMENT_NONE},
	{"i offer a draw", COMMAND_DRAW, ARGUMENT_NONE},
	{"i offer draw", COMMAND_DRAW, ARGUMENT_NONE},
	{"i propose a draw", COMMAND_DRAW, ARGUMENT_NONE},
	{"i would like to offer a draw", COMMAND_DRAW, ARGUMENT_NONE},
	{"i'd like to offer a draw", COMMAND_DRAW, ARGUMENT_NONE},
	{"with a draw offer", COMMAND_DRAW, ARGUMENT_NONE},
	{"offering a draw", COMMAND_DRAW, ARGUMENT_NONE},
	{"and i offer a draw", COMMAND_DRAW, ARGUMENT_NONE},
	{"and offer a draw", COMMAND_DRAW, ARGUMENT_NONE},
	{"accept", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"i accept", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"accept draw", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"accept the draw", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"i accept the draw", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"i accept your draw offer", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"draw accepted", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"decline", COMMAND_DECLINE, ARGUMENT_NONE},
	{"i decline", COMMAND_DECLINE, ARGUMENT_NONE},
	{"decline draw", COMMAND_DECLINE, ARGUMENT_NONE},
	{"i decline the draw", COMMAND_DECLINE, ARGUMENT_NONE},
	{"claim threefold", COMMAND_CLAIM_THREEFOLD, ARGUMENT_NONE},
	{"claim 50", COMMAND_CLAIM_FIFTY, ARGUMENT_NONE},
	{"claim fifty", COMMAND_CLAIM_FIFTY, ARGUMENT_NONE},
	{"demand 50", COMMAND_DEMAND_FIFTY, ARGUMENT_NONE},
	{"claim time", COMMAND_CLAIM_TIME, ARGUMENT_NONE},
	{"leave", COMMAND_LEAVE, ARGUMENT_DIGIT},
	{"end leave", COMMAND_END_LEAVE, ARGUMENT_NONE},
	{"stop", COMMAND_STOP, ARGUMENT_DIGIT},
	{"vacation", COMMAND_VACATION, ARGUMENT_DIGIT},
	{"withdraw", COMMAND_WITHDRAW, ARGUMENT_NONE},
	{"i withdraw", COMMAND_WITHDRAW, ARGUMENT_NONE},
	{"agree", COMMAND_AGREE, ARGUMENT_NONE},
	{"refuse", COMMAND_REFUSE, ARGUMENT_NONE},
	{"status", COMMAND_STATUS, ARGUMENT_NONE},
	{"resend", COMMAND_RESEND, ARGUMENT_NONE},
	{"address", COMMAND_ADDRESS, ARGUMENT_ADDRESS},
	{"language", COMMAND_LANGUAGE, ARGUMENT_WORD},
	{"notation", COMMAND_NOTATION, ARGUMENT_WORD},
	{"help", COMMAND_HELP, ARGUMENT_NONE},
	/* Finnish */
	{"luovutan", COMMAND_RESIGN, ARGUMENT_NONE},
	{"tasapeli", COMMAND_DRAW, ARGUMENT_NONE},
	{"tarjoan tasapeliä", COMMAND_DRAW, ARGUMENT_NONE},
	{"tasapelitarjous", COMMAND_DRAW, ARGUMENT_NONE},
	{"hyväksyn", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"hyväksyn tasapelin", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"hylkään", COMMAND_DECLINE, ARGUMENT_NONE},
	{"hylkään tasapelin", COMMAND_DECLINE, ARGUMENT_NONE},
	{"vetäydyn", COMMAND_WITHDRAW, ARGUMENT_NONE},
	{"tilanne", COMMAND_STATUS, ARGUMENT_NONE},
	{"ohje", COMMAND_HELP, ARGUMENT_NONE},
	{"lähetä uudelleen", COMMAND_RESEND, ARGUMENT_NONE},
	{"loma", COMMAND_LEAVE, ARGUMENT_DIGIT},
	{"loma päättyy", COMMAND_END_LEAVE, ARGUMENT_NONE},
	/* Italian */
	{"abbandono", COMMAND_RESIGN, ARGUMENT_NONE},
	{"mi arrendo", COMMAND_RESIGN, ARGUMENT_NONE},
	{"patta", COMMAND_DRAW, ARGUMENT_NONE},
	{"offro patta", COMMAND_DRAW, ARGUMENT_NONE},
	{"propongo patta", COMMAND_DRAW, ARGUMENT_NONE},
	{"accetto", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"accetto la patta", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"rifiuto", COMMAND_DECLINE, ARGUMENT_NONE},
	{"rifiuto la patta", COMMAND_DECLINE, ARGUMENT_NONE},
	{"mi ritiro", COMMAND_WITHDRAW, ARGUMENT_NONE},
	{"stato", COMMAND_STATUS, ARGUMENT_NONE},
	{"aiuto", COMMAND_HELP, ARGUMENT_NONE},
	{"rispedisci", COMMAND_RESEND, ARGUMENT_NONE},
	{"ferie", COMMAND_LEAVE, ARGUMENT_DIGIT},
	{"fine ferie", COMMAND_END_LEAVE, ARGUMENT_NONE},
	/* Russian */
	{"сдаюсь", COMMAND_RESIGN, ARGUMENT_NONE},
	{"ничья", COMMAND_DRAW, ARGUMENT_NONE},
	{"предлагаю ничью", COMMAND_DRAW, ARGUMENT_NONE},
	{"принимаю", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"принимаю ничью", COMMAND_ACCEPT, ARGUMENT_NONE},
	{"отклоняю", COMMAND_DECLINE, ARGUMENT_NONE},
	{"отклоняю ничью", COMMAND_DECLINE, ARGUMENT_NONE},
	{"выбываю", COMMAND_WITHDRAW, ARGUMENT_NONE},
	{"статус", COMMAND_STATUS, ARGUMENT_NONE},
	{"помощь", COMMAND_HELP, ARGUMENT_NONE},
	{"повторите", COMMAND_RESEND, ARGUMENT_NONE},
	{"отпуск", COMMAND_LEAVE, ARGUMENT_DIGIT},
	{"конец отпуска", COMMAND_END_LEAVE, ARGUMENT_NONE},
};

#define COMMAND_LINE_MAX ((size_t)200)

/* Lower case, single blanks, marks off both ends. Returns the length; 0 if it is too long. */
static size_t plain_line(const char *line, size_t size, char out[COMMAND_LINE_MAX])
{
	while (size > 0 && strchr(" \t*_\"'([,;-", line[0])) {
		line++;
		size--;
	}
	while (size > 0 && strchr(" \t*_\"')].!?,;:-", line[size - 1]))
		size--;
	if (size == 0 || size >= COMMAND_LINE_MAX || !g_utf8_validate(line, (gssize)size, NULL))
		return 0;
	char *lower = g_utf8_strdown(line, (gssize)size);
	size_t n = 0;
	for (const char *c = lower; *c && n + 1 < COMMAND_LINE_MAX; c++)
		if (!strchr(" \t", *c))
			out[n++] = *c;
		else if (n > 0 && out[n - 1] != ' ')
			out[n++] = ' ';
	out[n] = '\0';
	g_free(lower);
	return n;
}

static bool argument_fits(enum argument argument, const char *rest)
{
	if (argument == ARGUMENT_NONE)
		return *rest == '\0';
	if (*rest != ' ')
		return false;
	rest++;
	switch (argument) {
	case ARGUMENT_NONE:
		return false;
	case ARGUMENT_DIGIT:
		return isdigit((unsigned char)*rest);
	case ARGUMENT_ADDRESS:
		return strchr(rest, '@') && !strchr(rest, ' ');
	case ARGUMENT_WORD:
		return *rest && !strchr(rest, ' ');
	}
	return false;
}

enum command command_find(const char *line, size_t size)
{
	char plain[COMMAND_LINE_MAX];
	if (plain_line(line, size, plain) == 0)
		return COMMAND_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		size_t n = strlen(table[i].words);
		if (strncmp(plain, table[i].words, n) == 0 &&
			argument_fits(table[i].argument, plain + n))
			return table[i].command;
	}
	return COMMAND_NONE;
}

bool command_is_offer(const char *text, size_t size)
{
	return command_find(text, size) == COMMAND_DRAW;
}
