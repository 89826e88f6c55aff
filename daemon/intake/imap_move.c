#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/intake/imap_internal.h"

static bool folder_is_missing(const struct imap_client *client)
{
	return client->imap && client->imap->imap_response_info &&
	       client->imap->imap_response_info->rsp_trycreate;
}

static int move_or_copy(struct imap_client *client, struct mailimap_set *set, const char *folder)
{
	imap_begin(client, IMAP_ANSWER_MAX);
	return imap_result(client,
		client->has_move ? mailimap_uid_move(client->imap, set, folder)
				 : mailimap_uid_copy(client->imap, set, folder),
		client->has_move ? "MOVE" : "COPY");
}

static int create(struct imap_client *client, const char *folder)
{
	imap_begin(client, IMAP_ANSWER_MAX);
	return imap_result(client, mailimap_create(client->imap, folder), "CREATE");
}

/* Without MOVE: the copies are there, now the originals go. */
static int remove_copied(struct imap_client *client, struct mailimap_set *set)
{
	struct mailimap_flag_list *flags = mailimap_flag_list_new_empty();
	struct mailimap_flag *deleted = mailimap_flag_new_deleted();
	struct mailimap_store_att_flags *store = NULL;
	int r = -ENOMEM;

	if (flags && deleted && mailimap_flag_list_add(flags, deleted) == MAILIMAP_NO_ERROR) {
		deleted = NULL;
		store = mailimap_store_att_flags_new_add_flags_silent(flags);
	}
	if (store) {
		flags = NULL;
		imap_begin(client, IMAP_ANSWER_MAX);
		r = imap_result(client, mailimap_uid_store(client->imap, set, store), "STORE");
		mailimap_store_att_flags_free(store);
	}
	if (deleted)
		mailimap_flag_free(deleted);
	if (flags)
		mailimap_flag_list_free(flags);
	if (r == -ENOMEM) {
		imap_drop(client);
		return imap_fail(client, r, "out of memory");
	}
	if (r < 0)
		return r;
	imap_begin(client, IMAP_ANSWER_MAX);
	return imap_result(client,
		client->has_uidplus ? mailimap_uid_expunge(client->imap, set)
				    : mailimap_expunge(client->imap),
		"EXPUNGE");
}

int imap_client_move(struct imap_client *client, const uint32_t *uids, size_t n, const char *folder)
{
	struct mailimap_set *set = imap_set_of(uids, n);
	int r;

	if (!set) {
		imap_drop(client);
		return imap_fail(client, -ENOMEM, "out of memory");
	}
	r = move_or_copy(client, set, folder);
	if (r == -EREMOTEIO && folder_is_missing(client)) {
		r = create(client, folder);
		if (r == 0)
			r = move_or_copy(client, set, folder);
	}
	if (r == 0 && !client->has_move)
		r = remove_copied(client, set);
	mailimap_set_free(set);
	return r;
}
