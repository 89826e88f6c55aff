/*
 * What an arbiter or the administrator has entered for a player is told to him as well: he has not
 * written it himself.
 */
#pragma once

#include "daemon/relay/match.h"
#include "daemon/relay/post.h"

/* A leave or stop (POST has what became of it in each game) or, without leaves, a withdrawal from
 * these games. They stand as it has left them. */
MUST_CHECK int entered_request(struct club *club, struct arena *arena, const char *player,
	struct match *const *matches, size_t n, const struct post *post);

/* Another address, zone, language or notation. The addresses that he has no longer are told
 * too. */
MUST_CHECK int entered_change(struct club *club, struct arena *arena,
	const struct player_row *before, const struct player_row *after, int64_t now);
