#include "daemon/compose/compose.h"

#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/compose/filling.h"

#define DIGEST_CHARACTERS 32
#define ADDRESS_MAX 320
#define GAME_ID_MAX 64

/* What depends on the kind alone. */
static bool is_reply(enum mail_kind kind)
{
	return kind == MAIL_RECEIPT || kind == MAIL_REFUSAL || kind == MAIL_STATUS ||
	       kind == MAIL_HELP;
}

/* Bounces of these must find their game; all others have the null sender. */
static bool is_move_mail(enum mail_kind kind)
{
	return kind == MAIL_MOVE || kind == MAIL_PAIRING || kind == MAIL_REPEAT;
}

/* ---- Message-ID ---- */

static void digest_part(GChecksum *checksum, const char *text)
{
	/* With its NUL, so that parts cannot run into each other. */
	if (text)
		g_checksum_update(checksum, (const guchar *)text, (gssize)strlen(text) + 1);
	else
		g_checksum_update(checksum, (const guchar *)"", 1);
}

/* "KO-50.2/1"; false if the mail is about no game. */
static bool game_id(const struct compose_facts *facts, char out[GAME_ID_MAX])
{
	if (!facts->event || !facts->game)
		return false;
	(void)snprintf(out, GAME_ID_MAX, "%s/%u", facts->event->code, facts->number);
	return true;
}

static const char *club_domain(const struct compose_facts *facts)
{
	const char *at = strrchr(facts->configuration->club.address, '@');

	return at ? at + 1 : "localhost";
}

int compose_message_id(const struct compose_facts *facts, char **ret_id)
{
	char game[GAME_ID_MAX] = "", numbers[64];
	char *id = NULL;

	if (!game_id(facts, game) && facts->event)
		(void)snprintf(game, sizeof(game), "%s", facts->event->code);
	(void)snprintf(numbers, sizeof(numbers), "%zu %d", facts->game ? facts->game->n_moves : 0,
		facts->sequence);
	GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
	if (!checksum)
		return -ENOMEM;
	digest_part(checksum, mail_kind_name(facts->kind));
	digest_part(checksum, game);
	digest_part(checksum, numbers);
	digest_part(checksum, facts->to);
	digest_part(checksum, facts->cause_digest);
	int n = asprintf(&id, "%s.%.*s@%s", mail_kind_name(facts->kind), DIGEST_CHARACTERS,
		g_checksum_get_string(checksum), club_domain(facts));
	g_checksum_free(checksum);
	if (n < 0)
		return -ENOMEM;
	*ret_id = id;
	return 0;
}

/* ---- Addresses ---- */

/* local+TOKEN@domain, or the plain address. -EINVAL if that is too long to be one. */
static int reply_address(const struct compose_facts *facts, char out[ADDRESS_MAX])
{
	const char *address = facts->configuration->club.address;
	const char *at = strrchr(address, '@');
	int n;

	if (facts->token && at)
		n = snprintf(out, ADDRESS_MAX, "%.*s%c%s%s", (int)(at - address), address,
			facts->configuration->club.separator, facts->token, at);
	else
		n = snprintf(out, ADDRESS_MAX, "%s", address);
	return n < 0 || n >= ADDRESS_MAX ? -EINVAL : 0;
}

/* A copy for the arbiter of a message that was not accepted. */
static bool is_of_refused(const struct compose_facts *facts)
{
	return facts->kind == MAIL_COPY && facts->verdict != VERDICT_NONE &&
	       facts->verdict != VERDICT_ACCEPTED &&
	       facts->verdict != VERDICT_ACCEPTED_WITH_WARNING;
}

/* Whose words a mail carries: the opponent's for moves, else the club's own. */
static const char *speaker(const struct compose_facts *facts)
{
	const struct compose_player *player;
	bool relayed = facts->kind == MAIL_MOVE || facts->kind == MAIL_COPY ||
		       facts->kind == MAIL_PUBLIC || facts->kind == MAIL_REPEAT;
	bool notice = facts->decision && facts->decision->matter == MATTER_COPIES;

	if (!relayed || notice || !facts->game || !facts->event || is_of_refused(facts))
		return NULL;
	enum side mover = side_other((enum side)facts->game->now.turn);
	/* A reply that was waiting may be the last move. */
	if (facts->kind == MAIL_MOVE && is_player(facts))
		mover = side_other((enum side)facts->reader);
	else if (facts->kind != MAIL_REPEAT && facts->message)
		mover = facts->message->by;
	if (facts->kind == MAIL_REPEAT && is_player(facts) && (enum side)facts->reader == mover)
		return NULL;
	player = facts->players[mover];
	return player ? player->name : NULL;
}

static int from_name(const struct compose_facts *facts, char **ret_name)
{
	const char *club = facts->configuration->club.name, *name = speaker(facts);
	char *text = NULL;

	int n = name ? asprintf(&text, "%s via %s", name, club) : asprintf(&text, "%s", club);
	if (n < 0)
		return -ENOMEM;
	*ret_name = text;
	return 0;
}

/* ---- Values and text ---- */

const char *compose_language(const struct compose_facts *facts)
{
	const char *language = facts->language;

	if (!language && is_player(facts) && facts->players[facts->reader])
		language = facts->players[facts->reader]->language;
	return language ? language : facts->configuration->club.language;
}

/* "en, fi, it, ru" */
static void fill_languages(struct filling *filling)
{
	const struct templates *templates = filling->facts->templates;
	char list[256] = "";
	const char *code;

	for (size_t i = 0, n = 0; (code = templates_language(templates, i)) && n < sizeof(list);
		i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i > 0 ? ", " : "", code);
	put(filling, "languages", list);
}

static void fill_reader(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;

	put(filling, "club", facts->configuration->club.name);
	put_name(filling, "reader", facts->to_name);
	put_flag(filling, "to-arbiter", facts->reader == READER_ARBITER);
	put_flag(filling, "to-player", is_player(facts));
	put_flag(filling, "to-public", facts->reader == READER_PUBLIC);
	put_flag(filling, "to-white", facts->reader == READER_WHITE);
	put_flag(filling, "to-black", facts->reader == READER_BLACK);
	fill_languages(filling);
	put(filling, "arbiter-address",
		facts->event && facts->event->arbiter ? facts->event->arbiter
						      : facts->configuration->club.arbiter);
	put_flag(filling, "copies", facts->copies);
	put_flag(filling, "refused", is_of_refused(facts));
	put_format(filling, "confirm-hours", "%lld",
		(long long)(facts->configuration->trust.confirm_within / 3600000));
}

int compose_values(const struct compose_facts *facts, struct values **ret_values)
{
	struct filling filling = {.facts = facts};

	int r = values_new(&filling.values);
	if (r < 0)
		return r;
	fill_reader(&filling);
	fill_game(&filling);
	fill_message(&filling);
	fill_bounced(&filling);
	fill_decision(&filling);
	fill_clock(&filling);
	fill_service(&filling);
	fill_games(&filling);
	bool time_claim = facts->kind == MAIL_CLAIM && facts->decision &&
			  facts->decision->matter == MATTER_TIME_CLAIM;
	if (facts->kind == MAIL_OVERSTEP || time_claim) {
		fill_overstep(&filling);
		fill_ledger(&filling);
		if (facts->reader == READER_ARBITER && facts->event && facts->game &&
			is_razsh(facts->event->rules))
			fill_schedule(&filling);
	}
	if (filling.r < 0) {
		values_free(filling.values);
		return filling.r;
	}
	*ret_values = filling.values;
	return 0;
}

/* The mail that this one answers. A player's mail may have an id that is none: it is left out
 * then, and so the thread begins anew. */
static const char *answered(const struct compose_facts *facts)
{
	const char *id =
		facts->answered_message_id ? facts->answered_message_id : facts->in_reply_to;

	return id && mail_is_message_id(id, strlen(id)) ? id : NULL;
}

static bool ends_with_id(const char *ids, const char *id)
{
	size_t all = strlen(ids), size = strlen(id);

	return all >= size + 2 && ids[all - 1] == '>' && ids[all - size - 2] == '<' &&
	       memcmp(ids + all - size - 1, id, size) == 0;
}

/* The ids of the thread with brackets, the answered mail last. */
static int thread(const struct compose_facts *facts, char **ret_references)
{
	const char *last = answered(facts), *before = facts->references;
	char *text = NULL;

	if (!before && !last) {
		*ret_references = NULL;
		return 0;
	}
	/* The thread may end with the answered mail. */
	if (before && last && ends_with_id(before, last))
		last = NULL;
	int n = asprintf(&text, "%s%s%s%s%s", before ? before : "", before && last ? " " : "",
		last ? "<" : "", last ? last : "", last ? ">" : "");
	if (n < 0)
		return -ENOMEM;
	*ret_references = text;
	return 0;
}

/* Everything that mail_write wants and that must be freed after it. */
struct draft {
	char *id, *from_name, *subject, *text, *references;
};

static int draft_make(const struct compose_facts *facts, struct draft *draft)
{
	struct values *values = NULL;

	int r = compose_message_id(facts, &draft->id);
	if (r >= 0)
		r = from_name(facts, &draft->from_name);
	if (r >= 0)
		r = thread(facts, &draft->references);
	if (r >= 0)
		r = compose_values(facts, &values);
	if (r >= 0)
		r = templates_render(facts->templates, compose_language(facts),
			mail_kind_name(facts->kind), values, &draft->subject, &draft->text);
	values_free(values);
	return r;
}

static void draft_release(struct draft *draft)
{
	free(draft->id);
	free(draft->from_name);
	free(draft->subject);
	free(draft->text);
	free(draft->references);
}

int compose_mail(const struct compose_facts *facts, struct mail *ret_mail)
{
	struct draft draft = {0};
	char reply_to[ADDRESS_MAX], game[GAME_ID_MAX];

	int r = reply_address(facts, reply_to);
	if (r >= 0)
		r = draft_make(facts, &draft);
	if (r >= 0) {
		struct mail_parts parts = {
			.message_id = draft.id,
			.envelope_from = is_move_mail(facts->kind) ? reply_to : "",
			.from_name = draft.from_name,
			.from_address = facts->configuration->club.address,
			.to_name = facts->to_name,
			.to_address = facts->to,
			.reply_to = reply_to,
			.in_reply_to = answered(facts),
			.references = draft.references,
			.date = facts->now,
			.subject = draft.subject,
			.text = draft.text,
			.auto_submitted = is_reply(facts->kind) ? "auto-replied" : "auto-generated",
			.kind = facts->kind,
			.game = game_id(facts, game) ? game : NULL,
			.ply = facts->game ? (int)facts->game->n_moves : -1,
			.verdict = facts->verdict == VERDICT_NONE ? NULL
								  : verdict_name(facts->verdict),
			.before = facts->before,
		};
		r = mail_write(&parts, ret_mail);
	}
	draft_release(&draft);
	return r;
}
