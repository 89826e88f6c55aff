#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/intake/imap_session.h"

/* Messages of one FETCH or MOVE, and bytes of one FETCH. */
#define BATCH_MESSAGES 100
#define BATCH_BYTES (2u << 20)
#define MOVES_A_BATCH 250
/* What the server would not move is handed over, and so moved, again after this time. */
#define REFUSED_AGAIN_MS 3600000

/* ---- The beginning of a scan ---- */

/* Other numbers than before: what was known of the messages is worthless. */
static int check_validity(struct imap_session *state)
{
	uint32_t validity = imap_client_validity(state->client);
	struct imap_box *box = &state->box;
	char text[160];

	if (box->validity == validity)
		return 0;
	if (box->validity != 0) {
		(void)snprintf(text, sizeof(text),
			"the server has numbered the mails anew (UIDVALIDITY %u, before %u)",
			validity, box->validity);
		imap_box_clear(box);
		state->session->sent_messages = state->session->sent_bytes = 0;
		box->validity = validity;
		return session_notice(state->session, state->folder, text);
	}
	box->validity = validity;
	return 0;
}

/* `since = first-connection` begins with the next message. */
static int set_mark(struct imap_session *state, const uint32_t *uids, size_t n)
{
	struct frame_writer *writer = &state->session->writer;
	uint32_t next = imap_client_next(state->client);
	int r;

	if (next == 0)
		next = 1;
	if (n > 0 && next <= uids[n - 1])
		next = uids[n - 1] + 1;
	state->mark = (struct intake_mark){.validity = imap_client_validity(state->client),
		.next = next,
		.instant = state->now};
	frame_begin(writer, INTAKE_MARKED);
	frame_put_u32(writer, state->mark.validity);
	frame_put_u32(writer, state->mark.next);
	r = frame_end(writer);
	return r < 0 ? r : channel_send(&state->session->channel, writer);
}

static void take_facts(void *userdata, const struct imap_facts *facts)
{
	struct imap_session *state = userdata;
	struct imap_entry *entry = imap_box_find(&state->box, facts->uid);

	if (!entry || entry->state != IMAP_NEW)
		return;
	entry->arrival = facts->arrival;
	entry->size = facts->size;
	entry->state = IMAP_WAITING;
}

/* Dates and sizes of the messages that are new. */
static int learn(struct imap_session *state)
{
	struct imap_box *box = &state->box;
	uint32_t *uids = malloc((box->n_entries + 1) * sizeof(*uids));
	size_t n = 0;
	int r;

	if (!uids)
		return -ENOMEM;
	for (size_t i = 0; i < box->n_entries; i++)
		if (box->entries[i].state == IMAP_NEW)
			uids[n++] = box->entries[i].uid;
	r = imap_client_facts(state->client, uids, n, take_facts, state);
	free(uids);
	return r < 0 ? IMAP_LOST : 0;
}

/* The mark holds for the numbers under which it was set; under others the date decides. */
static bool mark_has_uid(const struct imap_session *state)
{
	return !state->since_all && state->mark.validity == state->box.validity;
}

static bool mark_has_date(const struct imap_session *state)
{
	return !state->since_all && state->mark.validity != state->box.validity;
}

int imap_scan_begin(struct imap_session *state)
{
	bool first = !state->since_all && state->mark.validity == 0;
	uint32_t *uids = NULL;
	size_t n = 0;
	int r = check_validity(state);

	if (r < 0)
		return r;
	if (imap_client_list(state->client, !first && mark_has_uid(state) ? state->mark.next : 1,
		    &uids, &n) < 0)
		return IMAP_LOST;
	if (first) {
		r = set_mark(state, uids, n);
		n = 0;
	}
	if (state->refused_at != 0 &&
		imap_session_clock() - state->refused_at >= REFUSED_AGAIN_MS) {
		state->refused_at = 0;
		imap_box_retry(&state->box);
	}
	if (r == 0)
		r = imap_box_set(&state->box, uids, n);
	free(uids);
	if (r == 0)
		r = learn(state);
	if (r == 0)
		r = imap_box_order(
			&state->box, mark_has_date(state) ? state->mark.instant : INT64_MIN);
	state->next = 0;
	state->future = INT64_MAX;
	state->begun = r == 0;
	return r;
}

int imap_scan_look(struct imap_session *state, bool *ret_changed)
{
	const struct imap_box *box = &state->box;
	uint32_t first = box->n_entries > 0 ? box->entries[box->n_entries - 1].uid + 1 : 1;
	uint32_t *uids;
	size_t n;

	if (mark_has_uid(state) && first < state->mark.next)
		first = state->mark.next;
	if (imap_client_list(state->client, first, &uids, &n) < 0)
		return IMAP_LOST;
	*ret_changed = n > 0;
	free(uids);
	return 0;
}

/* ---- Handing over ---- */

/* Those of a batch, in the order in which they are to be handed over. */
struct batch {
	struct imap_session *state;
	struct imap_entry *entries[BATCH_MESSAGES];
	size_t n, budget;
	int error; /* of the channel to main */
};

static size_t size_cut(const struct imap_session *state, const struct imap_entry *entry)
{
	size_t cap = state->session->message_size;

	return entry->size < (int64_t)cap ? (size_t)entry->size : cap;
}

/* Fills the batch with what the window has room for. */
static void batch_fill(struct imap_session *state, struct batch *batch)
{
	const struct session *session = state->session;
	size_t messages = session->sent_messages, bytes = session->sent_bytes;

	*batch = (struct batch){.state = state};
	while (state->next < state->box.n_order && batch->n < BATCH_MESSAGES &&
		batch->budget < BATCH_BYTES) {
		struct imap_entry *entry = &state->box.entries[state->box.order[state->next]];
		size_t size = size_cut(state, entry);

		if (entry->arrival > state->now) {
			state->future = entry->arrival;
			break;
		}
		if (messages > 0 && (messages >= session->window_messages ||
					    bytes + size > session->window_bytes))
			break;
		messages++;
		bytes += size;
		/* Some servers give sizes that are somewhat off. */
		batch->budget += 2 * size + 4096;
		batch->entries[batch->n++] = entry;
		state->next++;
	}
}

static int send_entry(
	struct imap_session *state, struct imap_entry *entry, const struct imap_body *body)
{
	char place[IMAP_PLACE_SIZE];
	int64_t full = (int64_t)body->size;

	if (body->size == state->session->message_size && entry->size > full)
		full = entry->size;
	imap_place(state->box.validity, entry->uid, place);
	entry->state = IMAP_SENT;
	entry->sent_size = body->size;
	state->session->sent_messages++;
	state->session->sent_bytes += body->size;
	return session_message(state->session, place, entry->arrival, full, body->raw, body->size);
}

static int compare_body(const void *key, const void *item)
{
	uint32_t uid = *(const uint32_t *)key;
	const struct imap_body *body = item;

	return (uid > body->uid) - (uid < body->uid);
}

static void take_bodies(void *userdata, const struct imap_body *bodies, size_t n)
{
	struct batch *batch = userdata;

	for (size_t i = 0; i < batch->n && batch->error == 0; i++) {
		struct imap_entry *entry = batch->entries[i];
		const struct imap_body *body =
			bsearch(&entry->uid, bodies, n, sizeof(*bodies), compare_body);

		if (body)
			batch->error = send_entry(batch->state, entry, body);
	}
}

static int compare_uids(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

static void count_facts(void *userdata, const struct imap_facts *facts)
{
	(void)facts;
	++*(size_t *)userdata;
}

/* What was asked for and did not come must be gone: otherwise this scan is not complete. */
static int check_missing(struct imap_session *state, const struct batch *batch)
{
	uint32_t uids[BATCH_MESSAGES];
	size_t n = 0, there = 0;

	for (size_t i = 0; i < batch->n; i++)
		if (batch->entries[i]->state == IMAP_WAITING)
			uids[n++] = batch->entries[i]->uid;
	if (n == 0)
		return 0;
	qsort(uids, n, sizeof(*uids), compare_uids);
	if (imap_client_facts(state->client, uids, n, count_facts, &there) < 0)
		return IMAP_LOST;
	if (there == 0)
		return 0;
	imap_client_reject(state->client, "FETCH: the server keeps back a message that it lists");
	return IMAP_LOST;
}

int imap_scan_batch(struct imap_session *state, bool *ret_end)
{
	struct batch batch;
	uint32_t uids[BATCH_MESSAGES];
	int r;

	batch_fill(state, &batch);
	*ret_end =
		batch.n == 0 && (state->future != INT64_MAX || state->next == state->box.n_order);
	if (batch.n == 0)
		return 0;
	for (size_t i = 0; i < batch.n; i++)
		uids[i] = batch.entries[i]->uid;
	qsort(uids, batch.n, sizeof(*uids), compare_uids);
	r = imap_client_bodies(state->client, uids, batch.n, state->session->message_size,
		batch.budget, take_bodies, &batch);
	if (batch.error < 0)
		return batch.error;
	return r < 0 ? IMAP_LOST : check_missing(state, &batch);
}

/* ---- Moving ---- */

void imap_scan_stored(struct imap_session *state, const char *place)
{
	struct imap_entry *entry;
	uint32_t validity, uid;

	if (imap_place_read(place, &validity, &uid) < 0 || validity != state->box.validity)
		return;
	entry = imap_box_find(&state->box, uid);
	if (!entry)
		return;
	if (entry->state == IMAP_SENT) {
		state->session->sent_messages--;
		state->session->sent_bytes -= entry->sent_size;
	}
	entry->state = IMAP_STORED;
	/* If the window stays full, that is said again: main counts the time from here. */
	state->waiting = false;
}

int imap_scan_handled(struct imap_session *state, const char *place, uint8_t where)
{
	struct imap_move move = {.where = (enum intake_where)where};

	if (where < INTAKE_ARCHIVE || where > INTAKE_KEEP)
		return -EBADMSG;
	imap_scan_stored(state, place);
	if (state->n_moves == state->moves_room) {
		size_t room = state->moves_room ? 2 * state->moves_room : 64;
		struct imap_move *grown = reallocarray(state->moves, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		state->moves = grown;
		state->moves_room = room;
	}
	/* Of another kind of mailbox, which this one was before: it is nowhere here. */
	if (imap_place_read(place, &move.validity, &move.uid) < 0)
		move.validity = move.uid = 0;
	move.place = strdup(place);
	if (!move.place)
		return -ENOMEM;
	state->moves[state->n_moves++] = move;
	return 0;
}

/* Moves those of the first n that go there. *ret_error is what their answers say. */
static int move_to(struct imap_session *state, size_t n, enum intake_where where,
	const char *folder, int *ret_error)
{
	uint32_t uids[MOVES_A_BATCH];
	size_t kept = 0, n_uids = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		if (state->moves[i].where == where && state->moves[i].uid > 0 &&
			state->moves[i].validity == imap_client_validity(state->client))
			uids[n_uids++] = state->moves[i].uid;
	if (n_uids == 0 || !*folder)
		return 0;
	qsort(uids, n_uids, sizeof(*uids), compare_uids);
	for (size_t i = 0; i < n_uids; i++)
		if (i == 0 || uids[i] != uids[kept - 1])
			uids[kept++] = uids[i];
	r = imap_client_move(state->client, uids, kept, folder);
	if (r < 0 && r != -EREMOTEIO)
		return IMAP_LOST;
	*ret_error = r;
	/* Main hears an errno; the reason is worth a line. */
	return r < 0 ? session_notice(state->session, folder, imap_client_text(state->client)) : 0;
}

static void note_refused(struct imap_session *state, uint32_t uid)
{
	struct imap_entry *entry = imap_box_find(&state->box, uid);

	if (entry)
		entry->refused = true;
	if (state->refused_at == 0)
		state->refused_at = imap_session_clock();
}

static int answer_moves(struct imap_session *state, size_t n, int archive_error, int junk_error)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		const struct imap_move *move = &state->moves[i];
		int error = move->where == INTAKE_ARCHIVE ? archive_error
			    : move->where == INTAKE_JUNK  ? junk_error
							  : 0;

		if (move->uid > 0 && move->validity != imap_client_validity(state->client))
			error = -ESTALE;
		if (error == -EREMOTEIO)
			note_refused(state, move->uid);
		r = session_handled(state->session, move->place, error);
	}
	for (size_t i = 0; i < n; i++)
		free(state->moves[i].place);
	state->n_moves -= n;
	memmove(state->moves, state->moves + n, state->n_moves * sizeof(*state->moves));
	return r < 0 ? r : session_send_done(state->session);
}

int imap_scan_move(struct imap_session *state)
{
	size_t n = state->n_moves < MOVES_A_BATCH ? state->n_moves : MOVES_A_BATCH;
	int archive_error = 0, junk_error = 0;
	int r = move_to(state, n, INTAKE_ARCHIVE, state->archive, &archive_error);

	if (r == 0)
		r = move_to(state, n, INTAKE_JUNK, *state->junk ? state->junk : state->archive,
			&junk_error);
	return r == 0 ? answer_moves(state, n, archive_error, junk_error) : r;
}
