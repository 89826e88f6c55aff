#include "daemon/relay/bounce.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "daemon/log.h"
#include "daemon/reading/trust.h"
#include "daemon/relay/alert.h"
#include "daemon/relay/carry.h"
#include "daemon/relay/identify.h"
#include "daemon/relay/match.h"
#include "daemon/store/ledger.h"
#include "daemon/store/outbox.h"
#include "daemon/store/tokens.h"
#include "rules/edition.h"

#define REASON_MAX 400
#define REPORTS_NEEDED 2
#define DAY_MS INT64_C(86400000)

/* ---- Which mail ---- */

static bool came_to(const struct letter *letter, const char *envelope_from)
{
	for (size_t i = 0; *envelope_from && i < letter->n_recipients; i++)
		if (strcasecmp(letter->recipients[i], envelope_from) == 0)
			return true;
	return false;
}

/* What the report says of a recipient; NULL if it does not name him. */
static const struct letter_recipient *reported(const struct letter *letter, const char *recipient)
{
	for (size_t i = 0; i < letter->n_report_recipients; i++)
		if (address_same(letter->report_recipients[i].recipient, recipient))
			return &letter->report_recipients[i];
	return NULL;
}

static bool speaks_of(const struct letter *letter, const struct outbox_row *row)
{
	const char *id = letter->report_message_id;
	int agree = 0;

	agree += came_to(letter, row->envelope_from);
	agree += id && strcmp(id, row->message_id) == 0;
	agree += reported(letter, row->recipient) != NULL;
	return agree >= REPORTS_NEEDED;
}

/* The row that the report is about: 1 found. */
static int find_row(
	struct club *club, struct arena *arena, const struct letter *letter, struct outbox_row *row)
{
	int64_t id = 0;
	int r = letter->report_message_id ? outbox_find(club->store, letter->report_message_id, &id)
					  : 0;

	for (size_t i = 0; r == 0 && i < letter->n_recipients; i++)
		r = outbox_last_from(club->store, letter->recipients[i], &id);
	if (r > 0)
		r = outbox_load(club->store, arena, id, row);
	return r > 0 ? speaks_of(letter, row) : r;
}

/* ---- What it says ---- */

static bool has_any(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcasestr(text, *words))
			return true;
	return false;
}

/* A warning in prose: the mail still waits somewhere. */
static bool is_delay(const struct letter *letter)
{
	static const char *const subjects[] = {"delayed", "warning", "delay", NULL};
	static const char *const texts[] = {"not yet been delivered", "will be retried",
		"will continue to", "has been delayed", "you do not need to resend", NULL};

	return has_any(letter->subject, subjects) || has_any(letter->text, texts);
}

static bool has_failed(const struct letter *letter, const struct letter_recipient *recipient)
{
	if (recipient && recipient->action)
		return strcmp(recipient->action, "failed") == 0;
	if (recipient && recipient->status)
		return recipient->status[0] == '5';
	return letter->report == REPORT_FREE_TEXT && !is_delay(letter);
}

/* The first lines of a bounce in prose, whole ones. */
static char *first_lines(struct arena *arena, const char *text)
{
	size_t size = 0;

	while (text[size]) {
		size_t line = strcspn(text + size, "\n");
		line += text[size + line] == '\n';
		if (size + line > REASON_MAX)
			break;
		size += line;
	}
	while (size > 0 && text[size - 1] == '\n')
		size--;
	return arena_copy(arena, text, size);
}

static char *reason_of(
	struct arena *arena, const struct letter *letter, const struct letter_recipient *recipient)
{
	if (recipient && recipient->diagnostic && *recipient->diagnostic)
		return arena_string(arena, recipient->diagnostic);
	if (recipient && recipient->status)
		return arena_string(arena, recipient->status);
	return first_lines(arena, letter->text);
}

/* ---- What follows ---- */

/* The reader has not answered, so it is still his clock that must stop. Where the game waits
 * for a ruling, it is the arbiter's. */
static bool is_of_use(const struct match *match, const struct outbox_row *row)
{
	return match->row.state == GAME_ACTIVE && row->ply == (int64_t)match->row.n_moves;
}

/* As if it had never been delivered; *match is opened again. */
static int stop_clock(struct club *club, const struct outbox_row *row, struct match **match)
{
	int r = ledger_returned(club->store, row->game, row->clock_seq, row->clock_query);

	match_free(*match);
	*match = NULL;
	if (r >= 0)
		r = match_open(club, row->game, match);
	return r < 0 ? r : carry_deadlines(*match);
}

/* 1 if somebody misses it, 0 if not. */
static int take_back(struct club *club, const struct outbox_row *row, const char *reason,
	int64_t arrival, int64_t now)
{
	struct match *match CLEANUP_MATCH = NULL;
	int r = outbox_returned(club->store, row->id, arrival, reason);

	if (r < 0 || !row->game)
		return r < 0 ? r : 0;
	r = match_open(club, row->game, &match);
	/* Moves have been made since: it was read all the same, or nobody misses it. */
	if (r < 0 || (row->ply >= 0 && row->ply < (int64_t)match->row.n_moves))
		return r < 0 ? r : 0;
	if (row->clock_seq && is_of_use(match, row))
		r = stop_clock(club, row, &match);
	if (r >= 0)
		r = carry_bounce(match, row->id, reason, now);
	return r < 0 ? r : 1;
}

/* The administrator is told that a player cannot be reached (IECC 3.8), once in 24 hours. */
static int tell_administrator(struct club *club, struct arena *arena, const struct outbox_row *sent,
	const char *reason, int64_t now)
{
	const char *name = arena_format(arena, "unreachable:%s", sent->recipient);
	struct player_row player;
	int64_t told = INSTANT_NONE;
	int r = store_fact(club->store, name, &told);

	if (r < 0 || (told != INSTANT_NONE && now - told < DAY_MS))
		return r;
	r = people_player(club->store, arena, sent->player, &player);
	if (r > 0)
		r = store_set_fact(club->store, name, now);
	if (r < 0)
		return r;
	const struct alert alert = {
		.kind = ALERT_ADDRESS,
		.about = arena_format(arena, "%s (%s)", player.name, player.id),
		.since = INSTANT_NONE,
		.text = reason,
		.old_address = sent->recipient,
	};
	return alert_tell(club, &alert, now);
}

int bounce_receive(
	struct club *club, const struct inbox_row *row, const struct letter *letter, int64_t now)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct outbox_row sent;
	int r = find_row(club, &arena, letter, &sent);

	if (r < 0)
		return r;
	if (r == 0) {
		log_line(LOG_INFO, "message %lld reports on no mail of ours", (long long)row->id);
		return 0;
	}
	const struct letter_recipient *recipient = reported(letter, sent.recipient);
	if (!recipient && letter->n_report_recipients == 1)
		recipient = &letter->report_recipients[0];
	bool counts = has_failed(letter, recipient) && strcmp(sent.state, "delivered") == 0;
	log_with(counts ? LOG_WARNING : LOG_INFO,
		&(struct log_fields){.event = "bounce", .message = row->id},
		"message %lld reports that mail %lld %s", (long long)row->id, (long long)sent.id,
		counts ? "has come back" : "is delayed, or what is known already");
	if (!counts)
		return 0;
	char *reason = reason_of(&arena, letter, recipient);
	r = identify_hide_tokens(club, reason);
	if (r >= 0)
		r = take_back(club, &sent, reason, row->arrival, now);
	bool tells = sent.player && edition_includes(club->edition, EDITION_2);
	return r <= 0 || !tells ? r : tell_administrator(club, &arena, &sent, reason, now);
}

/* ---- Once more ---- */

/* The reply address in a mail of ours: where its token begins, NULL if it has none. */
static char *find_token(const struct club *club, char *raw)
{
	char *header = strcasestr(raw, "\nReply-To:"), *end = strstr(raw, "\r\n\r\n");
	char *at = header ? strchr(header, '@') : NULL;

	if (!at || !end || at > end || at - header <= TOKEN_LENGTH)
		return NULL;
	char *token = at - TOKEN_LENGTH;
	return token[-1] == club->configuration->club.separator ? token : NULL;
}

/* The token that the reader has now, where the old one was a reply token. */
static int renew_token(struct club *club, struct arena *arena, const struct outbox_row *row,
	char *raw, char *envelope_from)
{
	char old[TOKEN_LENGTH + 1], fresh[TOKEN_LENGTH + 1];
	char *token = find_token(club, raw);
	struct token_row found;
	struct player_row player;
	int r = 0;

	if (!token || !row->player)
		return 0;
	memcpy(old, token, TOKEN_LENGTH);
	old[TOKEN_LENGTH] = '\0';
	r = tokens_find(club->store, arena, old, &found);
	if (r <= 0 || strcmp(found.purpose, "reply") != 0)
		return r < 0 ? r : 0;
	r = people_player(club->store, arena, row->player, &player);
	if (r > 0)
		r = tokens_reply(club->store, row->game, row->player, player.generation, fresh);
	if (r < 0)
		return r;
	memcpy(token, fresh, TOKEN_LENGTH);
	char *sender = strcasestr(envelope_from, old);
	if (sender)
		memcpy(sender, fresh, TOKEN_LENGTH);
	return 0;
}

/* The field To with another address. */
static const char *readdress(
	struct arena *arena, const char *raw, const char *old, const char *fresh)
{
	const char *to = strcasestr(raw, "\nTo:"), *body = strstr(raw, "\r\n\r\n");
	const char *at = to ? strstr(to, old) : NULL;

	if (!at || !body || at > body || strcmp(old, fresh) == 0)
		return raw;
	return arena_format(arena, "%.*s%s%s", (int)(at - raw), raw, fresh, at + strlen(old));
}

static int send_again(struct club *club, struct arena *arena, const struct outbox_row *row)
{
	char *raw = arena_copy(arena, row->raw, row->raw_size);
	char *envelope_from = arena_string(arena, row->envelope_from);
	const char *recipient = row->recipient;
	struct player_row player;
	int r = row->player ? people_player(club->store, arena, row->player, &player) : 0;

	if (r > 0 && player.n_addresses > 0)
		recipient = player.addresses[0];
	if (r >= 0 && row->game)
		r = renew_token(club, arena, row, raw, envelope_from);
	if (r < 0)
		return r;
	const char *mail = readdress(arena, raw, row->recipient, recipient);
	return outbox_again(
		club->store, row->id, recipient, envelope_from, mail, strlen(mail), row->created);
}

int bounce_retry(struct club *club, int64_t outbox)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct outbox_row row;
	int r = outbox_load(club->store, &arena, outbox, &row);

	if (r <= 0)
		return r;
	if (strcmp(row.state, "delivered") == 0)
		return -EALREADY;
	r = send_again(club, &arena, &row);
	return r < 0 ? r : 1;
}

void bounce_first_sent(const struct club *club, struct arena *arena, const struct outbox_row *made,
	struct outbox_row *row)
{
	char *raw = arena_copy(arena, row->raw, row->raw_size);
	char *token = find_token(club, raw);
	const char *old = find_token(club, arena_copy(arena, made->raw, made->raw_size));

	if (token && old)
		memcpy(token, old, TOKEN_LENGTH);
	row->raw = readdress(arena, raw, row->recipient, made->recipient);
	row->raw_size = strlen(row->raw);
}

static int renew_one(struct club *club, int64_t id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct match *match CLEANUP_MATCH = NULL;
	struct outbox_row row;
	int r = outbox_load(club->store, &arena, id, &row);

	if (r <= 0 || !row.game)
		return r;
	r = match_open(club, row.game, &match);
	return r < 0 || !is_of_use(match, &row) ? r : send_again(club, &arena, &row);
}

int bounce_new_address(struct club *club, const char *player)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	int64_t *ids;
	size_t n;
	int r = outbox_failed_of(club->store, &arena, player, &ids, &n);

	for (size_t i = 0; r >= 0 && i < n; i++)
		r = renew_one(club, ids[i]);
	return r < 0 ? r : 0;
}
