#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/intake/imap_internal.h"

/* UIDs in one command line, which stays under 8 KiB. */
#define UIDS_A_COMMAND 500
/* Bytes of an answer: of a list of UIDs, and of one message's facts. */
#define LIST_MAX (64u << 20)
#define FACTS_MAX 2048

struct mailimap_set *imap_set_of(const uint32_t *uids, size_t n)
{
	struct mailimap_set *set = mailimap_set_new_empty();

	for (size_t i = 0; set && i < n;) {
		size_t end = i + 1;

		while (end < n && uids[end] == uids[end - 1] + 1)
			end++;
		if (mailimap_set_add_interval(set, uids[i], uids[end - 1]) != MAILIMAP_NO_ERROR) {
			mailimap_set_free(set);
			return NULL;
		}
		i = end;
	}
	return set;
}

static int no_memory(struct imap_client *client)
{
	imap_drop(client);
	return imap_fail(client, -ENOMEM, "out of memory");
}

/* ---- Which messages are there ---- */

static struct mailimap_search_key *key_from(uint32_t first)
{
	struct mailimap_set *set = mailimap_set_new_interval(first, 0);
	struct mailimap_search_key *key = set ? mailimap_search_key_new_uid(set) : NULL;

	if (set && !key)
		mailimap_set_free(set);
	return key;
}

static int compare_uids(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

/* Ascending, each once. `n:*` always means the last message too: what lies before first is
 * left out. */
static int take_uids(clist *found, uint32_t first, uint32_t **ret_uids, size_t *ret_n)
{
	size_t n = 0, kept = 0;
	uint32_t *uids;

	for (clistiter *item = clist_begin(found); item; item = clist_next(item))
		n++;
	uids = malloc((n + 1) * sizeof(*uids));
	if (!uids)
		return -ENOMEM;
	n = 0;
	for (clistiter *item = clist_begin(found); item; item = clist_next(item)) {
		uint32_t uid = *(const uint32_t *)clist_content(item);

		if (uid >= first && uid > 0)
			uids[n++] = uid;
	}
	qsort(uids, n, sizeof(*uids), compare_uids);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || uids[i] != uids[kept - 1])
			uids[kept++] = uids[i];
	*ret_uids = uids;
	*ret_n = kept;
	return 0;
}

int imap_client_list(struct imap_client *client, uint32_t first, uint32_t **ret_uids, size_t *ret_n)
{
	struct mailimap_search_key *key;
	clist *found = NULL;
	int r;

	/* A search alone may answer from what the server saw at the last command. */
	imap_begin(client, IMAP_ANSWER_MAX);
	r = imap_result(client, mailimap_noop(client->imap), "NOOP");
	if (r < 0)
		return r;
	client->news = false;
	key = key_from(first);
	if (!key)
		return no_memory(client);
	imap_begin(client, LIST_MAX);
	r = mailimap_uid_search(client->imap, NULL, key, &found);
	mailimap_search_key_free(key);
	r = imap_result(client, r, "SEARCH");
	if (r < 0)
		return r;
	r = take_uids(found, first, ret_uids, ret_n);
	mailimap_search_result_free(found);
	return r < 0 ? no_memory(client) : 0;
}

/* ---- Facts and bodies ---- */

/* What a FETCH answer holds of one message. */
struct answer {
	uint32_t uid;
	const struct mailimap_date_time *date;
	const struct mailimap_msg_att_body_section *body;
	int64_t size; /* -1: none */
};

static struct answer answer_of(const struct mailimap_msg_att *attributes)
{
	struct answer answer = {.size = -1};

	for (clistiter *item = clist_begin(attributes->att_list); item; item = clist_next(item)) {
		const struct mailimap_msg_att_item *one = clist_content(item);
		const struct mailimap_msg_att_static *fixed = one->att_data.att_static;

		if (one->att_type != MAILIMAP_MSG_ATT_ITEM_STATIC)
			continue;
		if (fixed->att_type == MAILIMAP_MSG_ATT_UID)
			answer.uid = fixed->att_data.att_uid;
		else if (fixed->att_type == MAILIMAP_MSG_ATT_INTERNALDATE)
			answer.date = fixed->att_data.att_internal_date;
		else if (fixed->att_type == MAILIMAP_MSG_ATT_RFC822_SIZE)
			answer.size = fixed->att_data.att_rfc822_size;
		else if (fixed->att_type == MAILIMAP_MSG_ATT_BODY_SECTION)
			answer.body = fixed->att_data.att_body_section;
	}
	return answer;
}

/* The zone is +hhmm as a number: half an hour is 30 of 100. */
static bool date_instant(const struct mailimap_date_time *date, int64_t *ret_instant)
{
	struct tm tm = {.tm_year = date->dt_year - 1900,
		.tm_mon = date->dt_month - 1,
		.tm_mday = date->dt_day,
		.tm_hour = date->dt_hour,
		.tm_min = date->dt_min,
		.tm_sec = date->dt_sec};
	int zone = date->dt_zone < 0 ? -date->dt_zone : date->dt_zone;
	int64_t minutes = zone / 100 * 60 + zone % 100;

	if (date->dt_year < 1970 || date->dt_year > 9999 || date->dt_month < 1 ||
		date->dt_month > 12 || date->dt_day < 1 || date->dt_day > 31 || date->dt_hour < 0 ||
		date->dt_hour > 23 || date->dt_min < 0 || date->dt_min > 59 || date->dt_sec < 0 ||
		date->dt_sec > 60 || zone % 100 > 59 || zone > 2359)
		return false;
	*ret_instant =
		((int64_t)timegm(&tm) - (date->dt_zone < 0 ? -minutes : minutes) * 60) * 1000;
	return true;
}

static bool is_wanted(uint32_t uid, const uint32_t *uids, size_t n)
{
	return bsearch(&uid, uids, n, sizeof(uid), compare_uids) != NULL;
}

/* One FETCH. The caller frees the list. */
static int fetch(struct imap_client *client, const uint32_t *uids, size_t n,
	struct mailimap_fetch_type *type, size_t bytes, clist **ret_list)
{
	struct mailimap_set *set = imap_set_of(uids, n);
	int r;

	*ret_list = NULL;
	if (!set)
		return no_memory(client);
	imap_begin(client, bytes);
	r = mailimap_uid_fetch(client->imap, set, type, ret_list);
	mailimap_set_free(set);
	r = imap_result(client, r, "FETCH");
	return r == 0 && !*ret_list ? no_memory(client) : r;
}

/* Of three attributes, each of which is taken over. */
static struct mailimap_fetch_type *type_of(struct mailimap_fetch_att *attributes[3])
{
	struct mailimap_fetch_type *type = mailimap_fetch_type_new_fetch_att_list_empty();
	bool good = type != NULL;

	for (size_t i = 0; i < 3; i++) {
		struct mailimap_fetch_att *attribute = attributes[i];

		if (good && attribute &&
			mailimap_fetch_type_new_fetch_att_list_add(type, attribute) ==
				MAILIMAP_NO_ERROR)
			continue;
		if (attribute)
			mailimap_fetch_att_free(attribute);
		good = false;
	}
	if (!good && type) {
		mailimap_fetch_type_free(type);
		type = NULL;
	}
	return type;
}

static int bad_answer(struct imap_client *client, const char *what)
{
	imap_fail(client, 0, "FETCH: the server gives no usable %s", what);
	imap_drop(client);
	return -EPROTO;
}

static int facts_of(struct imap_client *client, const uint32_t *uids, size_t n,
	const struct mailimap_fetch_type *type,
	void (*take)(void *userdata, const struct imap_facts *facts), void *userdata)
{
	clist *list;
	int r = fetch(client, uids, n, (struct mailimap_fetch_type *)type,
		n * FACTS_MAX + IMAP_ANSWER_MAX, &list);

	if (r < 0)
		return r;
	for (clistiter *item = list ? clist_begin(list) : NULL; item && r == 0;
		item = clist_next(item)) {
		struct answer answer = answer_of(clist_content(item));
		struct imap_facts facts = {.uid = answer.uid, .size = answer.size};

		/* Flags that changed meanwhile come unasked. */
		if ((!answer.date && answer.size < 0) || !is_wanted(answer.uid, uids, n))
			continue;
		if (!answer.date || answer.size < 0 || !date_instant(answer.date, &facts.arrival))
			r = -EPROTO;
		else
			take(userdata, &facts);
	}
	if (list)
		mailimap_fetch_list_free(list);
	return r < 0 ? bad_answer(client, "date and size of a message") : 0;
}

int imap_client_facts(struct imap_client *client, const uint32_t *uids, size_t n,
	void (*take)(void *userdata, const struct imap_facts *facts), void *userdata)
{
	struct mailimap_fetch_type *type = type_of((struct mailimap_fetch_att *[]){
		mailimap_fetch_att_new_uid(), mailimap_fetch_att_new_internaldate(),
		mailimap_fetch_att_new_rfc822_size()});
	int r = type ? 0 : no_memory(client);

	for (size_t i = 0; i < n && r == 0; i += UIDS_A_COMMAND)
		r = facts_of(client, uids + i, n - i < UIDS_A_COMMAND ? n - i : UIDS_A_COMMAND,
			type, take, userdata);
	if (type)
		mailimap_fetch_type_free(type);
	return r;
}

static int compare_bodies(const void *a, const void *b)
{
	return compare_uids(
		&((const struct imap_body *)a)->uid, &((const struct imap_body *)b)->uid);
}

/* The bodies of the list, sorted; at most max. -EPROTO */
static int collect_bodies(clist *list, const uint32_t *uids, size_t max, size_t cap,
	struct imap_body *bodies, size_t *ret_n)
{
	size_t n = 0, kept = 0;

	for (clistiter *item = clist_begin(list); item; item = clist_next(item)) {
		struct answer answer = answer_of(clist_content(item));

		if (!answer.body || !is_wanted(answer.uid, uids, max))
			continue;
		/* NIL, though there should be something. */
		if (!answer.body->sec_body_part && answer.size != 0)
			continue;
		if (n == max || answer.body->sec_length > cap || answer.body->sec_origin_octet != 0)
			return -EPROTO;
		bodies[n++] = (struct imap_body){.uid = answer.uid,
			.raw = answer.body->sec_body_part ? answer.body->sec_body_part : "",
			.size = answer.body->sec_body_part ? answer.body->sec_length : 0};
	}
	qsort(bodies, n, sizeof(*bodies), compare_bodies);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || bodies[i].uid != bodies[kept - 1].uid)
			bodies[kept++] = bodies[i];
	*ret_n = kept;
	return 0;
}

static struct mailimap_fetch_type *type_of_bodies(size_t cap)
{
	struct mailimap_section *section = mailimap_section_new(NULL);

	return section ? type_of((struct mailimap_fetch_att *[]){mailimap_fetch_att_new_uid(),
				 mailimap_fetch_att_new_body_peek_section_partial(
					 section, 0, (uint32_t)cap),
				 mailimap_fetch_att_new_rfc822_size()})
		       : NULL;
}

int imap_client_bodies(struct imap_client *client, const uint32_t *uids, size_t n, size_t cap,
	size_t budget,
	void (*take)(void *userdata, const struct imap_body *bodies, size_t n_bodies),
	void *userdata)
{
	struct mailimap_fetch_type *type = type_of_bodies(cap);
	struct imap_body *bodies = calloc(n + 1, sizeof(*bodies));
	clist *list = NULL;
	size_t n_bodies;
	int r = -ENOMEM;

	if (type && bodies)
		r = fetch(client, uids, n, type, budget + n * FACTS_MAX + IMAP_ANSWER_MAX, &list);
	else
		(void)no_memory(client);
	if (type)
		mailimap_fetch_type_free(type);
	if (r == 0 && list) {
		r = collect_bodies(list, uids, n, cap, bodies, &n_bodies);
		if (r == 0)
			take(userdata, bodies, n_bodies);
		else
			r = bad_answer(client, "message");
		mailimap_fetch_list_free(list);
	}
	free(bodies);
	return r;
}
