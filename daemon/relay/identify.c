#include "daemon/relay/identify.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/reading/subject.h"
#include "daemon/reading/trust.h"
#include "daemon/store/games.h"
#include "daemon/store/outbox.h"
#include "daemon/store/people.h"

/* What one letter's sources say. */
struct search {
	struct club *club;
	struct arena *arena;
	const struct letter *letter;
	struct identity *identity;
	const char *owner; /* whose registered address From is, or NULL */
	int64_t games[4];  /* by source: token, answered mail, subject, only game */
	bool torn;         /* two tokens name two games */
	bool code_unknown; /* a code names no game of the sender */
};

enum source {
	SOURCE_TOKEN = 0,
	SOURCE_ANSWERED,
	SOURCE_SUBJECT,
};

/* Longer runs of such letters are no address, and would take long to look through. */
#define TOKEN_RUN_MAX ((size_t)3 * TOKEN_LENGTH)

/* ---- Tokens ---- */

/* The token in an address of ours: local+TOKEN@domain; NULL if there is none. */
static const char *token_of(struct search *search, const char *recipient)
{
	const struct club *club = search->club;
	size_t local = strlen(club->local);
	const char *at = strrchr(recipient, '@');

	if (!at || strcasecmp(at + 1, club->domain) != 0)
		return NULL;
	const char *separator =
		memrchr(recipient, club->configuration->club.separator, (size_t)(at - recipient));
	if (!separator || (size_t)(separator - recipient) != local ||
		strncasecmp(recipient, club->local, local) != 0 ||
		(size_t)(at - separator - 1) != TOKEN_LENGTH)
		return NULL;
	char *token = arena_copy(search->arena, separator + 1, TOKEN_LENGTH);
	for (char *c = token; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return token;
}

static bool plays(struct search *search, int64_t game, bool *ret_to_move)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct game_row row;

	if (games_load(search->club->store, &arena, game, &row) <= 0)
		return false;
	bool white = strcmp(row.players[SIDE_WHITE], search->identity->player) == 0;
	bool black = strcmp(row.players[SIDE_BLACK], search->identity->player) == 0;
	const char *turn = strchr(row.fen, ' ');
	bool white_to_move = turn && turn[1] == 'w';
	*ret_to_move = row.state != GAME_FINISHED && (white_to_move ? white : black);
	return white || black;
}

/* Does the address belong to an arbiter of the game's event, or of the club? */
static int is_arbiter(struct search *search, int64_t game, const char *address, bool *ret_is)
{
	const struct club *club = search->club;
	struct tournament_row event;
	struct game_row row;
	int r = games_load(club->store, search->arena, game, &row);

	if (r > 0)
		r = people_tournament(club->store, search->arena, row.tournament, &event);
	if (r <= 0)
		return r < 0 ? r : -EBADMSG;
	const char *arbiters[] = {
		event.arbiter_address, event.deputy, club->configuration->club.arbiter};
	*ret_is = false;
	for (size_t i = 0; i < ARRAY_SIZE(arbiters); i++)
		*ret_is = *ret_is || (arbiters[i] && address_same(arbiters[i], address));
	return 0;
}

/* An arbiter's token: of his address, as long as he is one. */
static int try_arbiter_token(struct search *search, const struct token_row *row)
{
	struct identity *identity = search->identity;
	const char *address = row->player + 1;
	bool own = !search->owner || address_same(address, identity->address), is = false, turn;

	/* Never in his own games. */
	identity->player = search->owner;
	if (search->owner && plays(search, row->game, &turn))
		own = false;
	identity->player = NULL;
	if (search->games[SOURCE_TOKEN] != 0 && search->games[SOURCE_TOKEN] != row->game)
		search->torn = true;
	search->games[SOURCE_TOKEN] = row->game;
	int r = is_arbiter(search, row->game, address, &is);
	if (r < 0 || !is || !own || identity->trust == TRUST_TOKEN)
		return r;
	identity->arbiter = arena_string(search->arena, address);
	identity->trust = TRUST_TOKEN;
	return 0;
}

static enum confirmation confirmation_of(const char *purpose)
{
	if (strcmp(purpose, "address-old") == 0)
		return CONFIRM_OLD_ADDRESS;
	return strcmp(purpose, "address-new") == 0 ? CONFIRM_NEW_ADDRESS : CONFIRM_MOVE;
}

/* A token proves its own person, unless From is somebody else's registered address; any
 * other token only names the game. */
static int try_token(struct search *search, const char *token)
{
	struct identity *identity = search->identity;
	struct token_row row;
	int r = tokens_find(search->club->store, search->arena, token, &row);

	if (r <= 0)
		return r;
	if (*row.player == '@')
		return try_arbiter_token(search, &row);
	bool confirm = strcmp(row.purpose, "reply") != 0;
	bool own = !search->owner || strcmp(search->owner, row.player) == 0, is = false;
	/* An arbiter is a person too. */
	if (!search->owner)
		r = is_arbiter(search, row.game, identity->address, &is);
	if (r < 0)
		return r;
	own = own && !is;
	bool proves = own && row.current && !identity->arbiter;
	bool proven = identity->trust == TRUST_TOKEN;
	/* What proves stands over what only names. */
	if (search->games[SOURCE_TOKEN] == 0 || (proves && !proven)) {
		search->games[SOURCE_TOKEN] = row.game;
		search->torn = false;
	} else if (proves == proven && search->games[SOURCE_TOKEN] != row.game) {
		search->torn = true;
	}
	if (!proves)
		return 0;
	if (confirm) {
		identity->confirms = row.inbox;
		identity->confirmation = confirmation_of(row.purpose);
		identity->token = token;
	}
	identity->player = row.player;
	identity->trust = TRUST_TOKEN;
	return 0;
}

static int look_for_tokens(struct search *search)
{
	for (size_t i = 0; i < search->letter->n_recipients; i++) {
		const char *token = token_of(search, search->letter->recipients[i]);
		int r = token ? try_token(search, token) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* Is there a token in the run of letters at RUN? */
static int hide_in_run(struct club *club, char *run, size_t size)
{
	for (size_t i = 0; i + TOKEN_LENGTH <= size; i++) {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		struct token_row row;
		char *token = arena_copy(&arena, run + i, TOKEN_LENGTH);
		for (char *c = token; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		int r = tokens_find(club->store, &arena, token, &row);
		if (r < 0)
			return r;
		if (r > 0)
			memset(run + i, '*', TOKEN_LENGTH);
	}
	return 0;
}

int identify_hide_tokens(struct club *club, char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	int r = 0;

	while (r >= 0 && *text) {
		size_t size = strspn(text, letters);
		if (size >= TOKEN_LENGTH && size <= TOKEN_RUN_MAX)
			r = hide_in_run(club, text, size);
		text += size;
		text += strcspn(text, letters);
	}
	return r;
}

/* ---- The mail that is answered ---- */

static int try_answered(struct search *search, const char *message_id)
{
	struct arena arena CLEANUP_ARENA = ARENA_INIT;
	struct outbox_row row;
	int64_t id;
	int r = message_id ? outbox_find(search->club->store, message_id, &id) : 0;

	if (r <= 0)
		return r;
	r = outbox_load(search->club->store, &arena, id, &row);
	if (r <= 0 || row.game == 0)
		return r < 0 ? r : 0;
	search->identity->answered = id;
	search->games[SOURCE_ANSWERED] = row.game;
	return 1;
}

static int look_for_answered(struct search *search)
{
	const struct letter *letter = search->letter;
	int r = try_answered(search, letter->in_reply_to);

	for (size_t i = letter->n_references; r == 0 && i-- > 0;)
		r = try_answered(search, letter->references[i]);
	return r < 0 ? r : 0;
}

/* ---- A code in the subject ---- */

/* "[CODE #n]" */
static int subject_bracket(struct search *search, int64_t *ret_game)
{
	struct subject_bracket bracket;

	if (!subject_find_bracket(search->letter->subject, &bracket))
		return 0;
	int r = games_find(search->club->store, bracket.event, bracket.number, ret_game);
	if (r == 0)
		search->code_unknown = true;
	return r;
}

/* MC-link's columns, "0123- 12b Rossi-Bianchi", behind any "Re: ". */
static int subject_columns(struct search *search, int64_t *ret_game)
{
	struct subject_columns columns;

	if (!subject_find_columns(search->letter->subject, &columns))
		return 0;
	int r = games_find_code(search->club->store, columns.code, ret_game);
	if (r == 0)
		search->code_unknown = true;
	return r;
}

static int look_at_subject(struct search *search)
{
	int64_t game = 0;
	int r = subject_bracket(search, &game);

	if (r == 0 && !search->code_unknown)
		r = subject_columns(search, &game);
	if (r > 0)
		search->games[SOURCE_SUBJECT] = game;
	return r < 0 ? r : 0;
}

/* ---- The only game ---- */

/* The only game in which the sender is to move; failing that, his only unfinished one. */
static int look_for_only_game(struct search *search, int64_t *ret_game)
{
	const struct games_filter filter = {.player = search->identity->player, .unfinished = true};
	size_t n, to_move = 0, unfinished = 0;
	int64_t *ids, mine = 0, other = 0;
	int r = games_list(search->club->store, search->arena, &filter, &ids, &n);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		struct arena arena CLEANUP_ARENA = ARENA_INIT;
		struct game_row row;
		bool turn;
		r = games_load(search->club->store, &arena, ids[i], &row);
		if (r < 0)
			return r;
		if (row.state == GAME_FINISHED || !plays(search, ids[i], &turn))
			continue;
		unfinished++;
		other = ids[i];
		if (turn) {
			to_move++;
			mine = ids[i];
		}
	}
	if (to_move > 1 || (to_move == 0 && unfinished > 1))
		return -EMLINK;
	*ret_game = to_move == 1 ? mine : unfinished == 1 ? other : 0;
	return *ret_game != 0;
}

/* ---- Who ---- */

/* An address has many spellings. Answers go, and are counted, by the registered one. */
static int respell(struct search *search)
{
	struct player_row player;
	int r = people_player(search->club->store, search->arena, search->owner, &player);

	for (size_t i = 0; r > 0 && i < player.n_addresses; i++)
		if (address_same(player.addresses[i], search->identity->address))
			search->identity->address = player.addresses[i];
	return r < 0 ? r : 0;
}

static int find_owner(struct search *search)
{
	char *key;
	int r = address_key(search->letter->from_address, &key);

	if (r < 0)
		return r == -EINVAL ? 0 : r;
	r = people_by_address(search->club->store, search->arena, key, &search->owner);
	free(key);
	return r <= 0 ? r : respell(search);
}

static enum auth authenticate(struct search *search)
{
	const struct configuration *configuration = search->club->configuration;
	size_t n = configuration->trust.authserv_ids.n;
	const char **ids = arena_alloc(search->arena, (n + 1) * sizeof(*ids));

	for (size_t i = 0; i < n; i++)
		ids[i] = configuration->trust.authserv_ids.items[i];
	if (configuration->trust.topmost)
		ids[n++] = "topmost";
	return trust_authentication(search->letter, ids, n);
}

/* No token of his own: what do we know of the sender? */
static void judge_address(struct search *search)
{
	const struct configuration *configuration = search->club->configuration;
	struct identity *identity = search->identity;

	if (!search->owner && !identity->arbiter) {
		identity->verdict = VERDICT_UNKNOWN_SENDER;
		return;
	}
	identity->player = identity->arbiter ? NULL : search->owner;
	switch (authenticate(search)) {
	case AUTH_PASS:
		identity->trust = TRUST_AUTHENTICATED;
		break;
	case AUTH_FAIL:
		identity->dmarc_failed = true;
		identity->verdict = VERDICT_UNTRUSTED;
		break;
	case AUTH_NONE:
		identity->trust = TRUST_REGISTERED;
		if (configuration->trust.otherwise == OTHERWISE_REJECT)
			identity->verdict = VERDICT_UNTRUSTED;
		break;
	}
}

/* No token: an arbiter who names a game that he does not play in writes as arbiter. */
static int look_for_arbiter(struct search *search)
{
	struct identity *identity = search->identity;
	int64_t game = 0;
	bool is = false, turn;

	for (size_t i = 0; i < ARRAY_SIZE(search->games) && game == 0; i++)
		game = search->games[i];
	int r = game ? is_arbiter(search, game, identity->address, &is) : 0;
	if (r < 0 || !is)
		return r;
	if (search->owner) {
		identity->player = search->owner;
		if (plays(search, game, &turn))
			return 0;
		identity->player = NULL;
	}
	identity->arbiter = identity->address;
	return 0;
}

/* ---- Which ---- */

/* An address that nobody has registered names a game (product, section 2): whose move it could
 * be is not asked of an address whose domain disowns it. */
static void hint_game(struct search *search)
{
	int64_t game = 0;

	if (search->torn || search->code_unknown || authenticate(search) == AUTH_FAIL)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(search->games); i++) {
		if (game && search->games[i] && search->games[i] != game)
			return;
		game = search->games[i] ? search->games[i] : game;
	}
	search->identity->hinted = game;
}

static int choose_game(struct search *search)
{
	struct identity *identity = search->identity;
	int64_t game = 0;
	bool turn;

	if (search->torn) {
		identity->verdict = VERDICT_AMBIGUOUS_GAME;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(search->games); i++) {
		int64_t named = search->games[i];
		if (named == 0)
			continue;
		if (!identity->arbiter && !plays(search, named, &turn)) {
			/* Codes decide: one that is not the sender's ends the search. */
			identity->verdict = VERDICT_UNKNOWN_GAME;
			return 0;
		}
		if (game != 0 && named != game) {
			identity->verdict = VERDICT_AMBIGUOUS_GAME;
			return 0;
		}
		game = named;
	}
	if (game == 0 && search->code_unknown) {
		identity->verdict = VERDICT_UNKNOWN_GAME;
		return 0;
	}
	if (game == 0 && identity->arbiter) {
		identity->verdict = VERDICT_UNKNOWN_GAME;
		return 0;
	}
	int r = game ? 1 : look_for_only_game(search, &game);
	if (r == -EMLINK)
		identity->verdict = VERDICT_AMBIGUOUS_GAME;
	else if (r == 0)
		identity->verdict = VERDICT_UNKNOWN_GAME;
	else if (r < 0)
		return r;
	identity->game = game;
	return 0;
}

const char *trust_name(enum trust trust)
{
	static const char *const names[] = {
		[TRUST_UNKNOWN] = "unknown",
		[TRUST_REGISTERED] = "registered",
		[TRUST_AUTHENTICATED] = "authenticated",
		[TRUST_TOKEN] = "token",
	};
	return names[trust];
}

int identify(struct club *club, struct arena *arena, const struct letter *letter,
	struct identity *ret_identity)
{
	struct identity *identity = ret_identity;
	struct search search = {
		.club = club,
		.arena = arena,
		.letter = letter,
		.identity = identity,
	};

	*identity = (struct identity){.trust = TRUST_UNKNOWN};
	if (letter->from != FROM_USABLE) {
		identity->verdict = VERDICT_UNKNOWN_SENDER;
		return 0;
	}
	identity->address = letter->from_address;
	int r = find_owner(&search);
	if (r >= 0)
		r = look_for_tokens(&search);
	if (r >= 0)
		r = look_for_answered(&search);
	if (r >= 0)
		r = look_at_subject(&search);
	if (r >= 0 && identity->trust != TRUST_TOKEN)
		r = look_for_arbiter(&search);
	if (r < 0)
		return r;
	if (identity->trust != TRUST_TOKEN)
		judge_address(&search);
	identity->registered = identity->arbiter
				       ? address_same(identity->arbiter, identity->address)
				       : search.owner && identity->player &&
						 strcmp(search.owner, identity->player) == 0;
	if (identity->verdict == VERDICT_UNKNOWN_SENDER)
		hint_game(&search);
	return identity->verdict != VERDICT_NONE ? 0 : choose_game(&search);
}
