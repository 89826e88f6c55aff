/*
 * One game's facts, as mails of every kind are made from.
 */
#pragma once

#include "daemon/compose/compose.h"

struct sample {
	struct configuration *configuration;
	struct templates *templates;
	struct compose_event event;
	struct compose_player players[2];
	uint16_t moves[64];
	struct game game;
	struct clock *clock;
	struct message message;
	struct decision decision;
	struct compose_facts facts;
};

/* The first N plies of a game, sent every other day; the clock of the move to come runs
 * only if DELIVERED. */
void sample_init(struct sample *sample, size_t n, bool delivered);
/* The same under other rules; MC-link: ten moves in 600 hours. */
void sample_init_rules(struct sample *sample, enum rule_system rules, size_t n, bool delivered);
/* The facts get a decision about this matter. */
void sample_decide(struct sample *sample, enum matter matter, const char *article);
void sample_release(struct sample *sample);
/* The message that the facts answer, about the position after PLY plies: TEXT is the new
 * text, its own move MOVE. */
void sample_message(struct sample *sample, size_t ply, const char *text, const char *move);
/* Turns the mail to another reader. */
void sample_reader(struct sample *sample, enum mail_reader reader);

/* 2026-01-10T09:00:00+02:00, DAYS and SECONDS later. */
int64_t sample_instant(int days, int seconds);
