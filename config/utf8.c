#include "config/utf8.h"

size_t utf8_decode(const char *text, size_t size, uint32_t *ret_code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length;
	uint32_t code;

	if (size == 0)
		return 0;
	if (bytes[0] < 0x80) {
		*ret_code = bytes[0];
		return 1;
	}
	if (bytes[0] >= 0xc2 && bytes[0] < 0xe0) {
		length = 2;
		code = bytes[0] & 0x1fU;
	} else if (bytes[0] >= 0xe0 && bytes[0] < 0xf0) {
		length = 3;
		code = bytes[0] & 0x0fU;
	} else if (bytes[0] >= 0xf0 && bytes[0] < 0xf5) {
		length = 4;
		code = bytes[0] & 0x07U;
	} else {
		return 0;
	}
	if (length > size)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0U) != 0x80)
			return 0;
		code = code << 6 | (bytes[i] & 0x3fU);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	*ret_code = code;
	return length;
}

bool utf8_valid(const char *text, size_t size)
{
	uint32_t code;

	while (size > 0) {
		size_t length = utf8_decode(text, size, &code);
		if (length == 0)
			return false;
		text += length;
		size -= length;
	}
	return true;
}
