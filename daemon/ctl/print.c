#include "daemon/ctl/print.h"

#include <errno.h>
#include <time.h>

int print_json(struct ctl *ctl, json_t *value)
{
	if (!value)
		return ctl_refuse(ctl, "out of memory");
	int r = json_dumpf(
		value, ctl->out, JSON_INDENT(1) | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
	json_decref(value);
	if (r < 0)
		return ctl_refuse(ctl, "the answer cannot be written");
	fputc('\n', ctl->out);
	return CTL_DONE;
}

int print_item(struct ctl *ctl, json_t *list, json_t *item)
{
	if (item && ctl->limit.size)
		ctl->limit.listed += json_dumpb(item, NULL, 0, JSON_INDENT(1));
	return json_array_append_new(list, item) < 0 ? -ENOMEM : ctl_go_on(ctl);
}

const char *print_instant(int64_t instant)
{
	static char texts[4][32];
	static unsigned next;
	struct tm tm;
	time_t seconds = (time_t)(instant / 1000);

	if (instant == INSTANT_NONE || !gmtime_r(&seconds, &tm))
		return "-";
	char *text = texts[next++ % ARRAY_SIZE(texts)];
	strftime(text, sizeof(texts[0]), "%Y-%m-%d %H:%M UTC", &tm);
	return text;
}

/* Those of ASCII, and in UTF-8 those of ISO 8859. */
static size_t control_at(const unsigned char *text)
{
	if (text[0] < ' ' || text[0] == 0x7f)
		return 1;
	return text[0] == 0xc2 && text[1] >= 0x80 && text[1] < 0xa0 ? 2 : 0;
}

void print_line(FILE *out, const char *when, const char *text)
{
	fprintf(out, "%s  ", when);
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		size_t size = control_at(at);
		fputc(size ? ' ' : *at, out);
		at += size ? size : 1;
	}
	fputc('\n', out);
}

json_t *print_string(const char *text)
{
	return text ? json_string(text) : json_null();
}
