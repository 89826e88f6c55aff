#include "daemon/intake/imap_box.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void imap_box_clear(struct imap_box *box)
{
	free(box->entries);
	free(box->order);
	*box = (struct imap_box){0};
}

int imap_box_set(struct imap_box *box, const uint32_t *uids, size_t n)
{
	size_t i = 0, j = 0, out = 0;
	struct imap_entry *merged = malloc((n + box->n_entries + 1) * sizeof(*merged));

	if (!merged)
		return -ENOMEM;
	while (i < n || j < box->n_entries) {
		const struct imap_entry *known = j < box->n_entries ? &box->entries[j] : NULL;

		if (known && (i == n || known->uid < uids[i])) {
			if (known->state == IMAP_SENT)
				merged[out++] = *known;
			j++;
		} else if (known && known->uid == uids[i]) {
			merged[out++] = *known;
			i++;
			j++;
		} else {
			merged[out++] = (struct imap_entry){.uid = uids[i++]};
		}
	}
	free(box->entries);
	box->entries = merged;
	box->n_entries = out;
	return 0;
}

static int compare_arrivals(const void *a, const void *b, void *entries)
{
	const struct imap_entry *left = (const struct imap_entry *)entries + *(const size_t *)a;
	const struct imap_entry *right = (const struct imap_entry *)entries + *(const size_t *)b;

	if (left->arrival != right->arrival)
		return left->arrival < right->arrival ? -1 : 1;
	return (left->uid > right->uid) - (left->uid < right->uid);
}

int imap_box_order(struct imap_box *box, int64_t since)
{
	size_t *order = malloc((box->n_entries + 1) * sizeof(*order));

	if (!order)
		return -ENOMEM;
	free(box->order);
	box->order = order;
	box->n_order = 0;
	for (size_t i = 0; i < box->n_entries; i++)
		if (box->entries[i].state == IMAP_WAITING && box->entries[i].arrival >= since)
			order[box->n_order++] = i;
	qsort_r(order, box->n_order, sizeof(*order), compare_arrivals, box->entries);
	return 0;
}

void imap_box_retry(struct imap_box *box)
{
	for (size_t i = 0; i < box->n_entries; i++) {
		if (!box->entries[i].refused)
			continue;
		box->entries[i].refused = false;
		box->entries[i].state = IMAP_WAITING;
	}
}

static int compare_uid(const void *key, const void *item)
{
	uint32_t uid = *(const uint32_t *)key;
	const struct imap_entry *entry = item;

	return (uid > entry->uid) - (uid < entry->uid);
}

struct imap_entry *imap_box_find(struct imap_box *box, uint32_t uid)
{
	if (box->n_entries == 0)
		return NULL;
	return bsearch(&uid, box->entries, box->n_entries, sizeof(*box->entries), compare_uid);
}

void imap_place(uint32_t validity, uint32_t uid, char place[static IMAP_PLACE_SIZE])
{
	(void)snprintf(place, IMAP_PLACE_SIZE, "%010u.%010u", validity, uid);
}

int imap_place_read(const char *place, uint32_t *ret_validity, uint32_t *ret_uid)
{
	uint64_t numbers[2] = {0};

	if (strlen(place) != IMAP_PLACE_SIZE - 1 || place[10] != '.')
		return -EINVAL;
	for (size_t i = 0; i < 20; i++) {
		char c = place[i < 10 ? i : i + 1];

		if (c < '0' || c > '9')
			return -EINVAL;
		numbers[i / 10] = numbers[i / 10] * 10 + (uint64_t)(c - '0');
	}
	if (numbers[0] > UINT32_MAX || numbers[1] > UINT32_MAX)
		return -EINVAL;
	*ret_validity = (uint32_t)numbers[0];
	*ret_uid = (uint32_t)numbers[1];
	return 0;
}
