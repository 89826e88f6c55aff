#include "daemon/relay/receipts.h"

#include <string.h>

#include "daemon/compose/mail.h"
#include "daemon/store/inbox.h"
#include "daemon/store/outbox.h"

/* What the mail names in its header, which we have written ourselves; it may be folded. */
static const char *named_by(const struct outbox_row *mail, struct arena *arena)
{
	static const char field[] = "\r\n" MAIL_RECEIPT_BEFORE ":", blanks[] = " \t\r\n";
	const char *raw = mail->raw, *end = memmem(raw, mail->raw_size, "\r\n\r\n", 4);
	const char *at = end ? memmem(raw, (size_t)(end - raw), field, sizeof(field) - 1) : NULL;

	if (!at)
		return "";
	at += sizeof(field) - 1;
	while (at < end && strchr(blanks, *at))
		at++;
	const char *close = at;
	while (close < end && !strchr(blanks, *close))
		close++;
	return arena_copy(arena, at, (size_t)(close - at));
}

int receipts_before(struct store *store, struct arena *arena, int64_t game, const char *player,
	const char **ret_before)
{
	unsigned char digest[DIGEST_SIZE];
	char text[2 * DIGEST_SIZE + 1];
	struct outbox_row last;
	int64_t id;
	int r = outbox_last_receipt(store, game, player, &id);

	if (r > 0)
		r = outbox_load(store, arena, id, &last);
	if (r <= 0) {
		*ret_before = r < 0 ? *ret_before : NULL;
		return r;
	}
	const char *hashed = arena_format(
		arena, "%s\n%s\n%s", last.message_id, named_by(&last, arena), last.text);
	inbox_digest(hashed, strlen(hashed), digest);
	inbox_digest_text(digest, text);
	*ret_before = arena_string(arena, text);
	return 0;
}
