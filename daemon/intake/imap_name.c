#include "daemon/intake/imap_name.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Up to 8 characters for one byte: '&', three digits of 6 bits for 16 bits, twice, '-'. */
#define GROWTH 8

/* Bits that wait to be written in a shifted part. */
struct shift {
	char *out;
	uint32_t bits;
	unsigned n;
	bool open;
};

static void shift_digits(struct shift *shift)
{
	static const char alphabet[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";

	while (shift->n >= 6) {
		shift->n -= 6;
		*shift->out++ = alphabet[shift->bits >> shift->n & 63];
	}
}

static void shift_put(struct shift *shift, uint32_t unit)
{
	if (!shift->open)
		*shift->out++ = '&';
	shift->open = true;
	shift->bits = shift->bits << 16 | unit;
	shift->n += 16;
	shift_digits(shift);
}

static void shift_end(struct shift *shift)
{
	if (!shift->open)
		return;
	if (shift->n > 0) {
		shift->bits <<= 6 - shift->n;
		shift->n = 6;
		shift_digits(shift);
	}
	*shift->out++ = '-';
	shift->open = false;
	shift->bits = 0;
}

/* The code point at *text, which moves behind it. */
static uint32_t next_point(const unsigned char **text)
{
	const unsigned char *c = *text;
	unsigned more = *c < 0xc0 ? 0 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : 3;
	uint32_t point = more == 0 ? *c : *c & (0x3fu >> more);

	c++;
	for (; more > 0 && (*c & 0xc0) == 0x80; more--)
		point = point << 6 | (*c++ & 0x3f);
	*text = c;
	return point;
}

int imap_name_encode(const char *utf8, char **ret_name)
{
	const unsigned char *c = (const unsigned char *)utf8;
	char *name = malloc(GROWTH * strlen(utf8) + 1);
	struct shift shift = {.out = name};

	if (!name)
		return -ENOMEM;
	while (*c) {
		uint32_t point = next_point(&c);

		if (point >= ' ' && point < 0x7f) {
			shift_end(&shift);
			*shift.out++ = (char)point;
			if (point == '&')
				*shift.out++ = '-';
		} else if (point < 0x10000) {
			shift_put(&shift, point);
		} else {
			shift_put(&shift, 0xd800 + ((point - 0x10000) >> 10));
			shift_put(&shift, 0xdc00 + ((point - 0x10000) & 0x3ff));
		}
	}
	shift_end(&shift);
	*shift.out = '\0';
	*ret_name = name;
	return 0;
}
