#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "core/fen.h"
#include "core/pgn.h"
#include "daemon/compose/board.h"
#include "daemon/compose/filling.h"
#include "daemon/compose/when.h"

#define LIST_COLUMNS 76

static const char *player_name(const struct compose_facts *facts, enum side side)
{
	const struct compose_player *player = facts->players[side];

	return player ? player->name : NULL;
}

/* "Rossi, Bruno" or "Bruno Rossi": the surname. */
static void put_surname(const char *name, char *out, size_t room)
{
	const char *comma = name ? strchr(name, ',') : NULL;
	const char *blank = name ? strrchr(name, ' ') : NULL;

	if (comma)
		(void)snprintf(out, room, "%.*s", (int)(comma - name), name);
	else
		(void)snprintf(out, room, "%s", blank ? blank + 1 : name ? name : "");
}

/* MC-link's Subject in its fixed columns: "0123- 12b Rossi-Bianchi" in mails of a move, else
 * "0123-     Rossi-Bianchi". */
static void fill_columns(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	char surnames[2][200], code[16], move[24];
	size_t n = facts->game ? facts->game->n_moves : 0;

	if (!facts->game) {
		put_format(filling, "subject-tag", "[%s]", facts->event->code);
		return;
	}
	if (facts->event->rules != RULES_MCLINK) {
		put_format(filling, "subject-tag", "[%s #%u]", facts->event->code, facts->number);
		if (player_name(facts, SIDE_WHITE) && player_name(facts, SIDE_BLACK))
			put_format(filling, "subject-names", "(%s - %s)",
				player_name(facts, SIDE_WHITE), player_name(facts, SIDE_BLACK));
		return;
	}
	(void)snprintf(code, sizeof(code), "%04u", facts->number);
	for (int side = 0; side < 2; side++)
		put_surname(player_name(facts, (enum side)side), surnames[side],
			sizeof(surnames[side]));
	(void)snprintf(move, sizeof(move), "    ");
	if (n > 0) {
		struct position before = game_position(facts->game, n - 1);
		(void)snprintf(move, sizeof(move), "%3u%c", before.fullmove,
			before.turn == SIDE_WHITE ? 'b' : 'n');
	}
	const char *id = facts->code ? facts->code : code;
	put_format(filling, "columns", "%s-%s %s-%s", id, move, surnames[0], surnames[1]);
	put_format(filling, "subject-tag", "%s-     %s-%s", id, surnames[0], surnames[1]);
	put_format(filling, "columns-general", "%s-     %s-%s", id, surnames[0], surnames[1]);
}

static void fill_event(struct filling *filling)
{
	const struct compose_event *event = filling->facts->event;
	const struct zone *zone = reader_zone(filling->facts);
	char start[WHEN_MAX];

	put(filling, "event-code", event->code);
	put(filling, "event-name", event->name);
	put(filling, rule_system_name(event->rules), "yes");
	put_flag(filling, "any-razsh", is_razsh(event->rules));
	if (instant_known(event->start)) {
		when_write(style_of(filling->facts), zone, event->start, start);
		put(filling, "start", start);
		put_date(filling, "start-date", zone_date_or_utc(zone, event->start));
	}
	if (filling->facts->game)
		put_format(filling, "number", "%u", filling->facts->number);
	fill_columns(filling);
	put_name(filling, "arbiter", event->arbiter_name ? event->arbiter_name : event->arbiter);
}

/* Who is who for this reader, and who made the last move. */
static void fill_people(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	enum side turn = (enum side)facts->game->now.turn;
	enum side own = (enum side)facts->reader;

	put(filling, "white", player_name(facts, SIDE_WHITE));
	put(filling, "black", player_name(facts, SIDE_BLACK));
	put_name(filling, "mover", player_name(facts, side_other(turn)));
	put_name(filling, "sender",
		player_name(facts, facts->message ? facts->message->by : side_other(turn)));
	put_flag(filling, "white-to-move", turn == SIDE_WHITE);
	put_flag(filling, "black-to-move", turn == SIDE_BLACK);
	if (!is_player(facts))
		return;
	put_name(filling, "opponent", player_name(facts, side_other(own)));
	put_flag(filling, "your-move", turn == own && facts->game->state == GAME_ACTIVE);
}

/* All moves by the writer of movetexts and records: ask for the size, then write. */
static char *move_list(const struct game *game)
{
	size_t size = movetext_write(
		&game->start, game->moves, game->n_moves, PGN_IECC, LIST_COLUMNS, NULL, 0);
	char *text = malloc(size + 1);

	if (text)
		(void)movetext_write(&game->start, game->moves, game->n_moves, PGN_IECC,
			LIST_COLUMNS, text, size + 1);
	while (text && size > 0 && text[size - 1] == '\n')
		text[--size] = '\0';
	return text;
}

/* MC-link 4.6: the move stands twice. */
static void put_twofold(
	struct filling *filling, const struct position *before, uint16_t move, const char *shown)
{
	char text[NOTATION_MAX], once[NUMBERED_MAX];

	move_write(before, move, NOTATION_MCLINK, NULL, text);
	(void)snprintf(once, sizeof(once), "%u%c %s", before->fullmove,
		before->turn == SIDE_WHITE ? 'b' : 'n', text);
	put_format(filling, strcmp(shown, once) == 0 ? "last-move" : "last-twice", "%s  %s", once,
		once);
}

static void fill_last_move(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct game *game = facts->game;
	struct position before = game_position(game, game->n_moves - 1);
	uint16_t move = game->moves[game->n_moves - 1];
	char san[NUMBERED_MAX], shown[NUMBERED_MAX];

	numbered_text(&before, move, NULL, san);
	shown_move(facts, &before, move, shown);
	put(filling, "last-san", san);
	put(filling, "last-move", shown);
	put_flag(filling, "last-differs", strcmp(san, shown) != 0);
	/* What a repetition must say, whatever was shown. */
	put(filling, "expected", san);
	if (facts->event && facts->event->rules == RULES_MCLINK)
		put_twofold(filling, &before, move, shown);
}

static void fill_moves(struct filling *filling)
{
	const struct game *game = filling->facts->game;

	put_flag(filling, "has-moves", game->n_moves > 0);
	if (game->n_moves == 0)
		return;
	if (game->n_thematic > 0)
		put_format(filling, "thematic", "%zu", game->n_thematic);
	char *list = move_list(game);
	if (!list && filling->r == 0)
		filling->r = -ENOMEM;
	put(filling, "moves", list);
	free(list);

	fill_last_move(filling);
}

static void fill_position(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	char board[BOARD_MAX], fen[FEN_MAX];

	size_t size = board_write(
		&facts->game->now, facts->reader == READER_BLACK ? SIDE_BLACK : SIDE_WHITE, board);
	if (size > 0)
		board[size - 1] = '\0';
	put(filling, "board", board);
	fen_write(&facts->game->now, fen);
	put(filling, "fen", fen);
}

/* An offer that the reader may answer; to others, any that stands. */
static void fill_draw_offer(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	enum draw_offer offer = facts->game->draw_offer;
	enum draw_offer own = facts->reader == READER_WHITE ? OFFER_WHITE : OFFER_BLACK;

	put_flag(filling, "draw-offered",
		offer != OFFER_NONE && (!is_player(facts) || offer != own));
}

static void fill_result(struct filling *filling)
{
	const struct game *game = filling->facts->game;
	const char *termination = termination_name(game->termination);

	if (game->state != GAME_FINISHED)
		return;
	put(filling, "result", result_name(game->result));
	if (termination)
		put_flag(filling, termination, true);
}

static void fill_reply_line(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	char line[REPLY_LINE_MAX] = "";

	if (is_player(facts) && facts->game->state == GAME_ACTIVE)
		compose_reply_line(facts->event ? facts->event->rules : RULES_IECC, facts->game,
			facts->game->n_moves, (enum side)facts->reader, line);
	put(filling, "reply-line", line);
}

enum pgn_style compose_record_style(enum rule_system system)
{
	switch (system) {
	case RULES_IECC:
		return PGN_IECC;
	case RULES_RAZSH:
	case RULES_RAZSH_POST:
		return PGN_ICCF;
	case RULES_MCLINK:
		break;
	}
	return PGN_EXPORT;
}

/* The name that a record gives a player: RAZSh appends the country (appendix 4). */
static void record_name(
	const struct compose_player *player, enum pgn_style style, char *out, size_t room)
{
	if (style == PGN_ICCF && player->country)
		(void)snprintf(out, room, "%s (%s)", player->name, player->country);
	else
		(void)snprintf(out, room, "%s", player->name);
}

int compose_record(const struct compose_facts *facts, enum pgn_style style, char **ret_text)
{
	const struct game *game = facts->game;
	char names[2][300], elos[2][16], date[WHEN_MAX] = "????.??.??";
	struct pgn_tag tags[9];
	size_t n = 0;

	if (instant_known(facts->event->start)) {
		when_iso_date(zone_date_or_utc(reader_zone(facts), facts->event->start), date);
		date[4] = date[7] = '.';
	}
	tags[n++] = (struct pgn_tag){"Event", facts->event->code};
	if (facts->event->site)
		tags[n++] = (struct pgn_tag){"Site", facts->event->site};
	tags[n++] = (struct pgn_tag){"Date", date};
	for (unsigned i = 0; i < 2; i++) {
		record_name(facts->players[i], style, names[i], sizeof(names[i]));
		tags[n++] = (struct pgn_tag){i == 0 ? "White" : "Black", names[i]};
		if (facts->players[i]->elo <= 0)
			continue;
		(void)snprintf(elos[i], sizeof(elos[i]), "%d", facts->players[i]->elo);
		tags[n++] = (struct pgn_tag){i == 0 ? "WhiteElo" : "BlackElo", elos[i]};
	}
	struct pgn_game record = {.tags = tags,
		.n_tags = n,
		.start = &game->start,
		.moves = game->moves,
		.n_moves = game->n_moves,
		.result = result_name(game->result)};
	size_t size = pgn_write(&record, style, NULL, 0);
	char *text = malloc(size + 1);
	if (!text)
		return -ENOMEM;
	(void)pgn_write(&record, style, text, size + 1);
	*ret_text = text;
	return 0;
}

/* The moves of a record are filled to the columns of a mail; its tags stay as they are. */
static int record_for_mail(const char *record, struct text *out)
{
	const char *moves = strstr(record, "\n\n");

	if (!moves)
		return text_add_string(out, record);
	int r = text_add(out, record, (size_t)(moves + 2 - record));
	return r < 0 ? r : text_add_filled(out, moves + 2, strlen(moves + 2));
}

static void fill_record(struct filling *filling)
{
	struct text out = {0};
	char *record = NULL;

	if (filling->facts->kind != MAIL_RESULT || filling->r < 0 || !filling->facts->event ||
		!filling->facts->players[0] || !filling->facts->players[1])
		return;
	filling->r = compose_record(
		filling->facts, compose_record_style(filling->facts->event->rules), &record);
	if (filling->r == 0)
		filling->r = record_for_mail(record, &out);
	while (out.size > 0 && out.bytes[out.size - 1] == '\n')
		out.bytes[--out.size] = '\0';
	put(filling, "pgn", out.bytes);
	text_release(&out);
	free(record);
}

/* A move of the game as the reply line repeats it. */
static size_t write_repeated(
	enum rule_system system, const struct game *game, size_t ply, char *out, size_t room)
{
	struct position before = game_position(game, ply);
	char text[NUMBERED_MAX];

	if (system == RULES_MCLINK) {
		move_write(&before, game->moves[ply], NOTATION_MCLINK, NULL, text);
		char colour = before.turn == SIDE_WHITE ? 'b' : 'n';
		return (size_t)snprintf(out, room, "%u%c %s  %u%c %s ", before.fullmove, colour,
			text, before.fullmove, colour, text);
	}
	numbered_text(&before, game->moves[ply], system == RULES_IECC ? NULL : "iccf", text);
	return (size_t)snprintf(out, room, "%s ", text);
}

size_t compose_reply_line(enum rule_system system, const struct game *game, size_t ply,
	enum side side, char out[REPLY_LINE_MAX])
{
	struct position now = game_position(game, ply);
	bool mclink = system == RULES_MCLINK;
	size_t n = 0;

	*out = '\0';
	if (now.turn != side)
		return 0;
	if (ply > 0)
		n = write_repeated(system, game, ply - 1, out, REPLY_LINE_MAX);
	if (mclink)
		return n + (size_t)snprintf(out + n, REPLY_LINE_MAX - n, "%s%u%c ", n ? " " : "",
				   now.fullmove, side == SIDE_WHITE ? 'b' : 'n');
	/* Black's answer stands behind White's move and needs no number of its own. */
	if (n > 0 && side == SIDE_BLACK)
		return n;
	return n + (size_t)snprintf(out + n, REPLY_LINE_MAX - n, "%u%s ", now.fullmove,
			   side == SIDE_WHITE ? "." : "...");
}

void fill_game(struct filling *filling)
{
	if (filling->facts->event)
		fill_event(filling);
	if (!filling->facts->game)
		return;
	fill_people(filling);
	fill_moves(filling);
	fill_position(filling);
	fill_draw_offer(filling);
	fill_result(filling);
	fill_reply_line(filling);
	fill_table_form(filling);
	fill_record(filling);
}
