/* Delivery reports, receipts and bounces in prose, for parse.h. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "daemon/reading/parse.h"

#define DIAGNOSTIC_MAX 400

static const struct mime_part *find_part(const struct mime_tree *tree, const char *type)
{
	for (size_t i = 0; i < tree->n; i++)
		if (!tree->parts[i].in_message && strcmp(tree->parts[i].type, type) == 0)
			return &tree->parts[i];
	return NULL;
}

static const char *lower(struct letter *letter, const char *text, size_t size)
{
	char *copy = (char *)letter_line(letter, text, size, NULL);
	for (char *c = copy; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copy;
}

/* "rfc822; john@x" or, from broken servers, the address alone. */
static const char *recipient_address(struct letter *letter, const char *value, size_t size)
{
	const char *semicolon = memchr(value, ';', size);
	if (semicolon) {
		size -= (size_t)(semicolon + 1 - value);
		value = semicolon + 1;
	}
	while (size > 0 && strchr(" \t<\"", value[0])) {
		value++;
		size--;
	}
	size_t n = 0;
	while (n < size && !strchr(" \t\r\n>\"", value[n]))
		n++;
	return letter_line(letter, value, n, NULL);
}

static int add_group(struct letter *letter, const struct header *group)
{
	const struct header_field *final = header_find(group, "Final-Recipient", 0);
	const struct header_field *original = header_find(group, "Original-Recipient", 0);
	const struct header_field *action = header_find(group, "Action", 0);
	const struct header_field *status = header_find(group, "Status", 0);
	if ((!final && !original) || letter->n_report_recipients == LETTER_LIST_MAX)
		return 0;
	/* The original recipient is the address that we sent to. */
	const struct header_field *who = original ? original : final;
	struct letter_recipient *to = &letter->report_recipients[letter->n_report_recipients];
	*to = (struct letter_recipient){
		.recipient = recipient_address(letter, who->value, who->value_size)};
	if (action)
		to->action = lower(letter, action->value, action->value_size);
	if (status) {
		size_t n = 0;
		while (n < status->value_size &&
			(isdigit((unsigned char)status->value[n]) || status->value[n] == '.'))
			n++;
		if (n >= 5)
			to->status = letter_line(letter, status->value, n, NULL);
	}
	if (!to->recipient || (action && !to->action))
		return -ENOMEM;
	const struct header_field *diagnostic = header_find(group, "Diagnostic-Code", 0);
	if (diagnostic) {
		/* "smtp; 550 ..." */
		const char *said = memchr(diagnostic->value, ';', diagnostic->value_size);
		said = said ? said + 1 : diagnostic->value;
		size_t n = diagnostic->value_size - (size_t)(said - diagnostic->value);
		while (n > 0 && (*said == ' ' || *said == '\t')) {
			said++;
			n--;
		}
		to->diagnostic =
			letter_line(letter, said, n < DIAGNOSTIC_MAX ? n : DIAGNOSTIC_MAX, NULL);
	}
	letter->n_report_recipients++;
	return 0;
}

/* Groups of fields, separated by blank lines. */
static int read_status(struct letter *letter, const struct mime_part *part)
{
	struct buffer text = BUFFER_INIT((size_t)64 << 10);
	mime_decode(part, &text);
	int r = text.failed ? -ENOMEM : 0;
	for (size_t at = 0; r == 0 && at < text.size;) {
		struct header group;
		r = header_read(text.bytes + at, text.size - at, &group);
		if (r < 0)
			break;
		at += group.body > 0 ? group.body : 1;
		if (group.n == 0 && group.body == 0)
			at = text.size;
		r = add_group(letter, &group);
		header_release(&group);
	}
	buffer_release(&text);
	return r;
}

/* What came back: the header of our mail, whole or in pieces. */
static int read_original(struct letter *letter, const char *text, size_t size)
{
	struct header header;
	int r = header_read(text, size, &header);
	if (r < 0)
		return r;
	const struct header_field *id = header_find(&header, "Message-ID", 0);
	const struct header_field *from = header_find(&header, "From", 0);
	const char *found;
	size_t n, at = 0;
	if (id && message_id_next(id->value, id->value_size, &at, &found, &n)) {
		letter->report_message_id = letter_line(letter, found, n, NULL);
		r = letter->report_message_id ? 0 : -ENOMEM;
	}
	struct mailbox_scan scan = {
		.text = from ? from->value : "", .size = from ? from->value_size : 0};
	struct mailbox mailbox;
	if (from && r == 0 && mailbox_next(&scan, &mailbox) == MAILBOX_READ) {
		letter->report_from =
			letter_line(letter, mailbox.address.bytes, mailbox.address.size, NULL);
		mailbox_list_release(&mailbox);
		r = letter->report_from ? 0 : -ENOMEM;
	}
	header_release(&header);
	return r;
}

static bool is_prose_bounce(const struct letter *letter, const struct header *header)
{
	static const char *const phrases[] = {
		"message was created automatically by mail delivery software",
		"this is the qmail-send program",
		"could not be delivered",
		"couldn't be delivered",
		"wasn't able to deliver",
		"undeliverable",
		"delivery has failed",
		"delivery to the following",
		"permanent error",
	};
	const char *from = letter->from_address ? letter->from_address : "";
	bool daemon = strncasecmp(from, "mailer-daemon@", 14) == 0 ||
		      strncasecmp(from, "postmaster@", 11) == 0;
	if (header_find(header, "X-Failed-Recipients", 0))
		return daemon || letter->null_return_path;
	if (!letter->null_return_path && !daemon)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(phrases); i++)
		if (strcasestr(letter->text, phrases[i]))
			return true;
	return false;
}

/* The first address that stands alone on a line, as "<a@b>:" or "  a@b". */
static const char *prose_recipient(struct letter *letter)
{
	for (const char *line = letter->text; *line;) {
		size_t n = strcspn(line, "\n");
		const char *at = line + strspn(line, " \t<");
		size_t size = strcspn(at, " \t\n>:");
		if (size > 3 && size < 320 && memchr(at, '@', size) && memchr(at, '.', size) &&
			(size_t)(at - line) + size + 3 >= n)
			return letter_line(letter, at, size, NULL);
		line += n + (line[n] == '\n');
	}
	return "";
}

static int read_prose(struct letter *letter)
{
	letter->report = REPORT_FREE_TEXT;
	const char *recipient = prose_recipient(letter);
	if (!recipient)
		return -ENOMEM;
	if (*recipient)
		letter->report_recipients[letter->n_report_recipients++] =
			(struct letter_recipient){.recipient = recipient};
	/* The copy of our mail begins at its first field that a header would have. */
	static const char *const starts[] = {
		"\nReturn-Path:", "\nReceived:", "\nFrom:", "\nMessage-ID:"};
	const char *first = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		const char *found = strcasestr(letter->text, starts[i]);
		if (found && (!first || found < first))
			first = found;
	}
	return first ? read_original(letter, first + 1, strlen(first + 1)) : 0;
}

int report_read(struct letter *letter, const struct header *header, const struct mime_tree *tree)
{
	const struct mime_part *status = find_part(tree, "message/delivery-status");
	const struct mime_part *original = find_part(tree, "message/rfc822");
	int r = 0;
	if (!status)
		status = find_part(tree, "message/global-delivery-status");
	if (!original)
		original = find_part(tree, "text/rfc822-headers");
	if (status) {
		letter->report = REPORT_DELIVERY;
		r = read_status(letter, status);
	} else if (find_part(tree, "message/disposition-notification")) {
		letter->report = REPORT_DISPOSITION;
	} else if (find_part(tree, "message/feedback-report")) {
		letter->report = REPORT_ABUSE;
	} else if (is_prose_bounce(letter, header)) {
		return read_prose(letter);
	} else if (letter->null_return_path && strncasecmp(letter->subject, "Read:", 5) == 0) {
		letter->report = REPORT_DISPOSITION;
		return 0;
	} else {
		return 0;
	}
	if (r == 0 && original) {
		struct buffer text = BUFFER_INIT((size_t)64 << 10);
		mime_decode(original, &text);
		r = text.failed ? -ENOMEM : 0;
		if (r == 0 && text.size)
			r = read_original(letter, text.bytes, text.size);
		buffer_release(&text);
	}
	return r;
}
