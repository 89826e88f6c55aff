#include "rules/mail_kind.h"

#include <string.h>

static const char *const names[MAIL_KINDS] = {
	[MAIL_MOVE] = "move",
	[MAIL_RECEIPT] = "receipt",
	[MAIL_REFUSAL] = "refusal",
	[MAIL_CONFIRM] = "confirm",
	[MAIL_COPY] = "copy",
	[MAIL_PUBLIC] = "public",
	[MAIL_REMINDER] = "reminder",
	[MAIL_REPEAT] = "repeat",
	[MAIL_OVERSTEP] = "overstep",
	[MAIL_CLAIM] = "claim",
	[MAIL_RULING] = "ruling",
	[MAIL_RESULT] = "result",
	[MAIL_BULLETIN] = "bulletin",
	[MAIL_PAIRING] = "pairing",
	[MAIL_STATUS] = "status",
	[MAIL_HELP] = "help",
	[MAIL_BOUNCE_NOTICE] = "bounce-notice",
	[MAIL_LEAVE] = "leave",
	[MAIL_ANNOUNCEMENT] = "announcement",
	[MAIL_ADMIN] = "admin",
};

const char *mail_kind_name(enum mail_kind kind)
{
	return names[kind];
}

enum mail_kind mail_kind_find(const char *name)
{
	for (unsigned i = 0; i < MAIL_KINDS; i++)
		if (strcmp(names[i], name) == 0)
			return (enum mail_kind)i;
	return MAIL_KINDS;
}
