#include "daemon/reading/sort.h"

#include <string.h>
#include <strings.h>

#include "daemon/reading/trust.h"

#define OUR_DIGEST_SIZE 32

static bool has_our_address(const char *list, const char *const *addresses, size_t n)
{
	for (const char *at = list; at && *at;) {
		size_t size = strcspn(at, " ,;<>");
		for (size_t i = 0; size > 0 && i < n; i++)
			if (strlen(addresses[i]) == size &&
				strncasecmp(addresses[i], at, size) == 0)
				return true;
		at += size;
		at += strspn(at, " ,;<>");
	}
	return false;
}

/* Is it an id that we write: KIND.DIGEST@OUR_DOMAIN? The domain alone may be that of the
 * players' mail server too. */
static bool is_our_id(const char *id, const char *our_domain)
{
	const char *at = id ? strrchr(id, '@') : NULL;
	const char *dot = at ? memrchr(id, '.', (size_t)(at - id)) : NULL;
	return dot && dot > id && our_domain && strcasecmp(at + 1, our_domain) == 0 &&
	       at - dot - 1 == OUR_DIGEST_SIZE &&
	       strspn(dot + 1, "0123456789abcdef") == OUR_DIGEST_SIZE;
}

static bool is_auto(const struct letter *letter)
{
	const char *sent = letter->auto_submitted, *precedence = letter->precedence;
	return (sent && strcmp(sent, "no") != 0) || letter->null_return_path || letter->autoreply ||
	       letter->challenge || (precedence && strcmp(precedence, "auto_reply") == 0) ||
	       letter->report == REPORT_DISPOSITION;
}

static bool is_mass(const char *precedence)
{
	return precedence && (strcmp(precedence, "bulk") == 0 || strcmp(precedence, "list") == 0 ||
				     strcmp(precedence, "junk") == 0);
}

static bool is_bulk(const struct letter *letter)
{
	bool mass = is_mass(letter->precedence);
	return (mass && letter->list) || letter->spam || letter->report == REPORT_ABUSE;
}

enum letter_sort sort_letter(const struct letter *letter, const char *our_domain,
	const char *const *our_addresses, size_t n_addresses)
{
	/* A report holds marks of ours because it returns our mail: it comes first. */
	if (letter->report == REPORT_DELIVERY || letter->report == REPORT_FREE_TEXT)
		return SORT_BOUNCE;
	if (letter->zugpost_kind || is_our_id(letter->message_id, our_domain) ||
		has_our_address(letter->x_loop, our_addresses, n_addresses))
		return SORT_LOOP;
	for (size_t i = 0; letter->from_address && i < n_addresses; i++)
		if (address_same(letter->from_address, our_addresses[i]))
			return SORT_LOOP;
	if (is_auto(letter))
		return SORT_AUTO;
	return is_bulk(letter) ? SORT_BULK : SORT_PERSON;
}

/* Robots without any mark in the header, by what they write into the subject. */
static bool subject_is_automatic(const char *subject)
{
	static const char *const starts[] = {"Out of Office", "Automatic reply",
		"Auto:", "AutoReply", "Automatische Antwort", "Risposta automatica", "Abwesenheit",
		"Automaattinen vastaus", "Poissa", "Автоответ", "Автоматический ответ",
		"Respuesta automática", "Réponse automatique", "Fuori sede", "Vacation"};
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (strncasecmp(subject, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

bool sort_may_answer(const struct letter *letter, enum letter_sort sort)
{
	return sort == SORT_PERSON && !letter->list && letter->from == FROM_USABLE &&
	       !subject_is_automatic(letter->subject);
}

bool sort_may_confirm(const struct letter *letter, enum letter_sort sort)
{
	return sort_may_answer(letter, sort) && !is_mass(letter->precedence);
}
