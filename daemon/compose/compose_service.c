/*
 * What concerns no move: changes of address, announcements, the lotto, orders of the arbiter,
 * the administrator's alerts.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/compose/filling.h"
#include "daemon/compose/mask.h"

#define TEXT_COLUMNS (TEMPLATE_COLUMNS - 2)

/* What an arbiter or a server has said, at most so long as words are. */
static void put_words(struct filling *filling, const char *name, const char *words)
{
	char *said = NULL;

	if (!words || filling->r < 0)
		return;
	filling->r = mask_nothing(words, TEXT_COLUMNS, &said);
	put(filling, name, said);
	free(said);
}

/* An address that is to be confirmed or registered: one line, whatever it holds. */
static void put_address(struct filling *filling, const char *name, const char *address)
{
	char *line = NULL;

	if (!address || filling->r < 0)
		return;
	filling->r = mask_line(address, strlen(address), TEXT_COLUMNS, &line);
	put(filling, name, line);
	free(line);
}

/* Addresses of players are for opponents under RAZSh's rules alone (RAZSh 1.2, 2.1; IECC 3.5). */
static bool may_see_address(const struct compose_facts *facts)
{
	if (facts->kind != MAIL_ANNOUNCEMENT && facts->kind != MAIL_RULING)
		return true;
	if (is_player(facts))
		return (enum side)facts->reader == facts->address_of ||
		       (facts->event && is_razsh(facts->event->rules));
	return facts->reader == READER_ARBITER;
}

static void fill_addresses(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct compose_player *of = facts->players[facts->address_of];

	put_flag(filling, "address-change", facts->new_address != NULL);
	if (facts->new_address && facts->kind != MAIL_ADMIN)
		put_name(filling, "address-owner", of ? of->name : facts->to_name);
	put_flag(filling, "address-to-new", facts->to_new_address);
	put_flag(filling, "address-done", facts->address_done);
	put(filling, "service-value", facts->service_value);
	if (!may_see_address(facts))
		return;
	put_address(filling, "new-address", facts->new_address);
	put_address(filling, "old-address", facts->old_address);
}

static void fill_lotto(struct filling *filling)
{
	const struct compose_lotto *lotto = filling->facts->lotto;

	if (!lotto)
		return;
	int white = lotto->lotto.white_numbers;
	put_flag(filling, "lotto", true);
	put_flag(filling, "lotto-decides", lotto->after == AFTER_DRAW_LOTTO);
	put_flag(filling, "lotto-shared", lotto->after == AFTER_DRAW_SHARED);
	put_flag(filling, "lotto-reversed", lotto->after == AFTER_DRAW_REVERSED);
	put_flag(filling, "lotto-again", lotto->after == AFTER_DRAW_AGAIN);
	if (lotto->after != AFTER_DRAW_LOTTO)
		return;
	if (white > 0)
		put_format(filling, "lotto-white", "1–%d", white);
	if (white < LOTTO_NUMBERS)
		put_format(filling, "lotto-black", "%d–%d", white + 1, LOTTO_NUMBERS);
	put_format(filling, "lotto-before-white", "%d", lotto->before[SIDE_WHITE]);
	put_format(filling, "lotto-before-black", "%d", lotto->before[SIDE_BLACK]);
	if (lotto->drawn == 0)
		return;
	const struct compose_player *winner = filling->facts->players[lotto->lotto.winner];
	put_format(filling, "lotto-drawn", "%d", lotto->drawn);
	put_name(filling, "lotto-winner", winner ? winner->name : NULL);
	put_format(filling, "lotto-after-white", "%d", lotto->lotto.counters[SIDE_WHITE]);
	put_format(filling, "lotto-after-black", "%d", lotto->lotto.counters[SIDE_BLACK]);
}

static void fill_order(struct filling *filling)
{
	static const char *const names[] = {
		[ORDER_MOVE] = "order-move",
		[ORDER_ACCEPT_ADDRESS] = "order-accept-address",
		[ORDER_MOBILE_ON] = "order-mobile-on",
		[ORDER_MOBILE_OFF] = "order-mobile-off",
		[ORDER_CORRECTED] = "order-corrected",
	};
	const struct compose_facts *facts = filling->facts;
	const struct compose_player *player = facts->players[facts->order_side];

	put_name(filling, "author", facts->author);
	put_words(filling, "reason", facts->reason);
	if (facts->order == ORDER_NONE)
		return;
	put_flag(filling, names[facts->order], true);
	put_name(filling, "order-side", player ? player->name : NULL);
}

static void fill_consent(struct filling *filling)
{
	static const char *const names[] = {
		[CONSENT_AGREED] = "consent-agreed",
		[CONSENT_REFUSED] = "consent-refused",
		[CONSENT_APPROVED] = "consent-approved",
		[CONSENT_DENIED] = "consent-denied",
	};

	if (filling->facts->consent != CONSENT_NONE)
		put_flag(filling, names[filling->facts->consent], true);
}

static void fill_address_list(
	struct filling *filling, const char *list, const char *const *addresses, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct filling item = put_item(filling, list);
		put_address(&item, "change-address", addresses[i]);
		filling->r = item.r;
	}
}

/* Of somebody else it is never told. */
static void fill_entered(struct filling *filling)
{
	const struct compose_facts *facts = filling->facts;
	const struct compose_change *change = facts->change;

	put_flag(filling, "entered", facts->entered != ENTERED_NONE);
	put_flag(filling, "entered-leave", facts->entered == ENTERED_LEAVE);
	put_flag(filling, "entered-withdrawal", facts->entered == ENTERED_WITHDRAWAL);
	put_flag(filling, "entered-change", facts->entered == ENTERED_CHANGE);
	if (!change)
		return;
	put_flag(filling, "change-addresses", change->n_addresses > 0);
	put_flag(filling, "change-gone", change->n_gone > 0);
	fill_address_list(filling, "addresses", change->addresses, change->n_addresses);
	fill_address_list(filling, "addresses-gone", change->gone, change->n_gone);
	put(filling, "change-timezone", change->timezone);
	put(filling, "change-language", change->language);
	put(filling, "change-notation", change->notation);
}

static void fill_alert(struct filling *filling)
{
	static const char *const names[] = {
		[ALERT_UNPARSABLE] = "alert-unparsable",
		[ALERT_MAILBOX] = "alert-mailbox",
		[ALERT_MAILBOX_BACK] = "alert-mailbox-back",
		[ALERT_DELIVERY] = "alert-delivery",
		[ALERT_DELIVERY_BACK] = "alert-delivery-back",
		[ALERT_GAVE_UP] = "alert-gave-up",
		[ALERT_ANSWERS] = "alert-answers",
		[ALERT_ADDRESS] = "alert-address",
		[ALERT_WORKER] = "alert-worker",
		[ALERT_STORE] = "alert-store",
		[ALERT_CLOCK] = "alert-clock",
		[ALERT_OTHER] = "alert-other",
	};
	const struct compose_facts *facts = filling->facts;

	if (facts->alert == ALERT_NONE)
		return;
	put_flag(filling, names[facts->alert], true);
	if (facts->alert == ALERT_ADDRESS) {
		put_flag(filling, "address-lost", !facts->new_address);
		put_flag(filling, "address-open", facts->new_address && !facts->address_done);
	}
	put(filling, "alert-about", facts->alert_about);
	put_instant(filling, "alert-since", facts->alert_since);
	put_words(filling, "alert-text", facts->alert_text);
}

void fill_service(struct filling *filling)
{
	fill_addresses(filling);
	fill_lotto(filling);
	fill_order(filling);
	fill_consent(filling);
	fill_entered(filling);
	fill_alert(filling);
	put_words(filling, "announcement", filling->facts->announcement);
}
