/*
 * The kinds of mail that Zugpost writes (product, section 5).
 */
#pragma once

enum mail_kind {
	MAIL_MOVE = 0, /* the relayed move, to the opponent */
	MAIL_RECEIPT,
	MAIL_REFUSAL,
	MAIL_CONFIRM,
	MAIL_COPY,   /* to the arbiter */
	MAIL_PUBLIC, /* to MC-link's public area */
	MAIL_REMINDER,
	MAIL_REPEAT,   /* IECC 7.11, RAZSh 5.1 */
	MAIL_OVERSTEP, /* the arbiter's report, and word of it to the players */
	MAIL_CLAIM,
	MAIL_RULING,
	MAIL_RESULT,
	MAIL_BULLETIN,
	MAIL_PAIRING,
	MAIL_STATUS,
	MAIL_HELP,
	MAIL_BOUNCE_NOTICE,
	MAIL_LEAVE,
	MAIL_ANNOUNCEMENT,
	MAIL_ADMIN,
	MAIL_KINDS,
};

/* "move", "bounce-notice"; what the Zugpost-Kind header and the store call it. */
const char *mail_kind_name(enum mail_kind kind);
/* The kind of that name, MAIL_KINDS if there is none. */
enum mail_kind mail_kind_find(const char *name);
