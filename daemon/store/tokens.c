#include "daemon/store/tokens.h"

#include <errno.h>
#include <string.h>

#include "daemon/store/internal.h"
#include "daemon/store/sql.h"

/* 100 bits of the HMAC in the base32 letters of RFC 4648, lower case. */
static void encode(const unsigned char *bytes, char out[TOKEN_LENGTH + 1])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned pending = 0;
	int bits = 0;

	for (size_t i = 0, at = 0; i < TOKEN_LENGTH; i++) {
		if (bits < 5) {
			pending = pending << 8 | bytes[at++];
			bits += 8;
		}
		bits -= 5;
		out[i] = letters[(pending >> bits) & 31];
	}
	out[TOKEN_LENGTH] = '\0';
}

static void make(const struct store *store, const char *purpose, int64_t game, const char *player,
	int64_t generation, int64_t inbox, char out[TOKEN_LENGTH + 1])
{
	unsigned char digest[32];
	gsize size = sizeof(digest);
	char numbers[80];
	GHmac *hmac = g_hmac_new(G_CHECKSUM_SHA256, store->secret, sizeof(store->secret));

	sqlite3_snprintf(sizeof(numbers), numbers, "%lld/%lld/%lld", (long long)game,
		(long long)generation, (long long)inbox);
	/* With the NULs: no two sets of fields share a preimage. */
	g_hmac_update(hmac, (const guchar *)purpose, (gssize)strlen(purpose) + 1);
	g_hmac_update(hmac, (const guchar *)numbers, (gssize)strlen(numbers) + 1);
	g_hmac_update(hmac, (const guchar *)player, (gssize)strlen(player) + 1);
	g_hmac_get_digest(hmac, digest, &size);
	g_hmac_unref(hmac);
	encode(digest, out);
}

static int remember(struct store *store, const char *purpose, int64_t game, const char *player,
	int64_t generation, int64_t inbox, char out[TOKEN_LENGTH + 1])
{
	make(store, purpose, game, player, generation, inbox, out);
	return sql_run(store,
		"INSERT INTO token (token, purpose, game, player, generation, inbox)"
		" VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (token) DO NOTHING",
		"ttitiI", out, purpose, game, player, generation, inbox ? inbox : INSTANT_NONE);
}

int tokens_reply(struct store *store, int64_t game, const char *player, int64_t generation,
	char out[TOKEN_LENGTH + 1])
{
	return remember(store, "reply", game, player, generation, 0, out);
}

int tokens_confirm(struct store *store, int64_t game, const char *player, int64_t inbox,
	char out[TOKEN_LENGTH + 1])
{
	return remember(store, "confirm", game, player, 0, inbox, out);
}

int tokens_address(struct store *store, int64_t game, const char *player, int64_t inbox, bool new,
	char out[TOKEN_LENGTH + 1])
{
	return remember(store, new ? "address-new" : "address-old", game, player, 0, inbox, out);
}

/* Takes as long for a near miss as for a hit. */
static bool equal(const char a[TOKEN_LENGTH + 1], const char *b)
{
	unsigned difference = 0;

	for (size_t i = 0; i < TOKEN_LENGTH; i++)
		difference |= (unsigned)(a[i] ^ b[i]);
	return difference == 0;
}

int tokens_find(
	struct store *store, struct arena *arena, const char *token, struct token_row *ret_row)
{
	sqlite3_stmt *query CLEANUP_QUERY = NULL;
	char fresh[TOKEN_LENGTH + 1];

	if (strlen(token) != TOKEN_LENGTH)
		return 0;
	int r = sql_query(store, &query,
		"SELECT token.purpose, token.game, token.player, token.generation, token.inbox,"
		" token.used, coalesce(player.generation, 0)"
		" FROM token LEFT JOIN player ON player.id = token.player"
		" WHERE token = ?",
		"t", token);
	if (r < 0)
		return r;
	r = sql_step(store, query);
	if (r <= 0)
		return r;
	const char *purpose = sql_text(query, 0, arena);
	bool reply = strcmp(purpose, "reply") == 0;
	*ret_row = (struct token_row){
		.purpose = purpose,
		.game = sql_int(query, 1),
		.player = sql_text(query, 2, arena),
		.inbox = sql_int(query, 4),
		.current = reply ? sql_int(query, 3) == sql_int(query, 6) : sql_int(query, 5) == 0,
	};
	make(store, ret_row->purpose, ret_row->game, ret_row->player, sql_int(query, 3),
		ret_row->inbox, fresh);
	return equal(fresh, token) ? 1 : 0;
}

int tokens_use(struct store *store, const char *token)
{
	return sql_run(store, "UPDATE token SET used = 1 WHERE token = ?", "t", token);
}
