#include "daemon/reading/charset.h"

#include <errno.h>
#include <glib.h>
#include <iconv.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <uchardet.h>

#include "core/base.h"

/* Labels as mails write them (white space, quotes and letter case aside), and what they mean
 * in practice: Windows' supersets for the ISO charsets that Windows programs say they use. */
static const struct alias {
	const char *label, *iconv;
} aliases[] = {
	{"utf-8", "UTF-8"},
	{"utf8", "UTF-8"},
	{"unicode-1-1-utf-8", "UTF-8"},
	{"us-ascii", "ASCII"},
	{"ascii", "ASCII"},
	{"ansi_x3.4-1968", "ASCII"},
	{"iso-8859-1", "CP1252"},
	{"iso8859-1", "CP1252"},
	{"iso_8859-1", "CP1252"},
	{"latin1", "CP1252"},
	{"windows-1252", "CP1252"},
	{"cp1252", "CP1252"},
	{"cp-1252", "CP1252"},
	{"iso-8859-2", "ISO-8859-2"},
	{"iso-8859-3", "ISO-8859-3"},
	{"iso-8859-4", "ISO-8859-4"},
	{"iso-8859-5", "ISO-8859-5"},
	{"iso-8859-6", "ISO-8859-6"},
	{"iso-8859-7", "ISO-8859-7"},
	{"iso-8859-8", "ISO-8859-8"},
	{"iso-8859-8-i", "ISO-8859-8"},
	{"iso-8859-8-e", "ISO-8859-8"},
	{"iso-8859-9", "CP1254"},
	{"iso-8859-10", "ISO-8859-10"},
	{"iso-8859-11", "CP874"},
	{"tis-620", "CP874"},
	{"windows-874", "CP874"},
	{"iso-8859-13", "ISO-8859-13"},
	{"iso-8859-14", "ISO-8859-14"},
	{"iso-8859-15", "ISO-8859-15"},
	{"iso8859-15", "ISO-8859-15"},
	{"latin-9", "ISO-8859-15"},
	{"iso-8859-16", "ISO-8859-16"},
	{"windows-1250", "CP1250"},
	{"cp1250", "CP1250"},
	{"windows-1251", "CP1251"},
	{"cp1251", "CP1251"},
	{"cp-1251", "CP1251"},
	{"x-cp1251", "CP1251"},
	{"windows-1253", "CP1253"},
	{"windows-1254", "CP1254"},
	{"windows-1255", "CP1255"},
	{"windows-1256", "CP1256"},
	{"windows-1257", "CP1257"},
	{"windows-1258", "CP1258"},
	{"koi8-r", "KOI8-R"},
	{"koi8r", "KOI8-R"},
	{"koi8-u", "KOI8-U"},
	{"ibm866", "CP866"},
	{"cp866", "CP866"},
	{"cp437", "CP437"},
	{"ibm437", "CP437"},
	{"cp850", "CP850"},
	{"ibm850", "CP850"},
	{"cp852", "CP852"},
	{"macintosh", "MACINTOSH"},
	{"x-mac-roman", "MACINTOSH"},
	{"mac_roman", "MACINTOSH"},
	{"x-mac-cyrillic", "MAC-CYRILLIC"},
	{"gb2312", "GB18030"},
	{"gbk", "GB18030"},
	{"gb18030", "GB18030"},
	{"x-gbk", "GB18030"},
	{"big5", "BIG5-HKSCS"},
	{"big5-hkscs", "BIG5-HKSCS"},
	{"shift_jis", "CP932"},
	{"shift-jis", "CP932"},
	{"sjis", "CP932"},
	{"x-sjis", "CP932"},
	{"windows-31j", "CP932"},
	{"cp932", "CP932"},
	{"euc-jp", "EUC-JP"},
	{"iso-2022-jp", "ISO-2022-JP-2"},
	{"iso-2022-kr", "ISO-2022-KR"},
	{"euc-kr", "CP949"},
	{"ks_c_5601-1987", "CP949"},
	{"ks_c_5601", "CP949"},
	{"uhc", "CP949"},
	{"cp949", "CP949"},
	{"utf-16", "UTF-16"},
	{"utf-16le", "UTF-16LE"},
	{"utf-16be", "UTF-16BE"},
	{"utf-32", "UTF-32"},
	{"utf-7", "UTF-7"},
	{"unicode-1-1-utf-7", "UTF-7"},
};

/* One descriptor per alias, opened once and kept: the module must not be unloaded. */
static iconv_t descriptors[ARRAY_SIZE(aliases)];
static bool opened[ARRAY_SIZE(aliases)];

static const struct alias *find_alias(const char *label)
{
	char plain[64];
	size_t n = 0;
	for (; *label && n < sizeof(plain) - 1; label++)
		if (!strchr(" \t\r\n'\"", *label))
			plain[n++] = *label;
	plain[n] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (strcasecmp(plain, aliases[i].label) == 0)
			return &aliases[i];
	return NULL;
}

bool charset_known(const char *label)
{
	return find_alias(label) != NULL;
}

static int open_alias(const struct alias *alias, iconv_t *ret)
{
	size_t i = (size_t)(alias - aliases);
	if (!opened[i]) {
		iconv_t descriptor = iconv_open("UTF-8", alias->iconv);
		if (descriptor == (iconv_t)-1)
			return -errno;
		descriptors[i] = descriptor;
		opened[i] = true;
	}
	iconv(descriptors[i], NULL, NULL, NULL, NULL);
	*ret = descriptors[i];
	return 0;
}

int charset_prepare(void)
{
	int result = 0;
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++) {
		iconv_t descriptor;
		int r = open_alias(&aliases[i], &descriptor);
		if (r < 0)
			result = r;
	}
	/* uchardet and GLib load nothing later; a first use proves it while that is allowed. */
	struct buffer probe = BUFFER_INIT(64);
	charset_decode(NULL, "\xcf\xf0\xe8\xe2\xe5\xf2", 6, &probe);
	buffer_release(&probe);
	return result;
}

/* Converts with one charset; returns how many bytes had no meaning. */
static size_t convert(iconv_t descriptor, const char *bytes, size_t size, struct buffer *out)
{
	size_t bad = 0;
	char *in = (char *)bytes; /* iconv does not write there */
	while (size > 0 && !out->failed && !out->full) {
		char chunk[1024], *to = chunk;
		size_t room = sizeof(chunk);
		size_t r = iconv(descriptor, &in, &size, &to, &room);
		int error = r == (size_t)-1 ? errno : 0;
		buffer_add(out, chunk, (size_t)(to - chunk));
		if (error == EILSEQ || error == EINVAL) {
			buffer_code(out, 0xFFFD);
			bad++;
			in++;
			size--;
		}
	}
	return bad;
}

static bool is_utf8(const char *bytes, size_t size)
{
	/* NUL is valid here; GLib's check stops at it. */
	while (size > 0) {
		const char *end;
		if (g_utf8_validate(bytes, (gssize)size, &end))
			return true;
		if (*end != '\0')
			return false;
		size -= (size_t)(end - bytes) + 1;
		bytes = end + 1;
	}
	return true;
}

static bool is_ascii(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)bytes[i] >= 0x80)
			return false;
	return true;
}

static const struct alias *detect(const char *bytes, size_t size)
{
	const struct alias *alias = NULL;
	uchardet_t detector = uchardet_new();
	if (!detector)
		return NULL;
	if (uchardet_handle_data(detector, bytes, size < 65536 ? size : 65536) == 0) {
		uchardet_data_end(detector);
		alias = find_alias(uchardet_get_charset(detector));
	}
	uchardet_delete(detector);
	return alias;
}

static void guess(const char *bytes, size_t size, struct buffer *out)
{
	if (is_utf8(bytes, size)) {
		buffer_add(out, bytes, size);
		return;
	}
	const struct alias *alias = detect(bytes, size);
	if (!alias || strcmp(alias->iconv, "ASCII") == 0 || strcmp(alias->iconv, "UTF-8") == 0)
		alias = find_alias("windows-1252");
	iconv_t descriptor = NULL;
	if (open_alias(alias, &descriptor) < 0 &&
		open_alias(find_alias("windows-1252"), &descriptor) < 0)
		return;
	convert(descriptor, bytes, size, out);
}

enum charset_guess charset_decode(
	const char *label, const char *bytes, size_t size, struct buffer *out)
{
	const struct alias *alias = label ? find_alias(label) : NULL;
	iconv_t descriptor = NULL;
	if (!alias || (strcmp(alias->iconv, "ASCII") == 0 && !is_ascii(bytes, size)) ||
		open_alias(alias, &descriptor) < 0) {
		guess(bytes, size, out);
		return label && strcasecmp(label, "us-ascii") == 0 && is_ascii(bytes, size)
			       ? CHARSET_DECLARED
			       : CHARSET_GUESSED;
	}
	struct buffer decoded = BUFFER_INIT(out->cap);
	size_t bad = convert(descriptor, bytes, size, &decoded);
	/* A torn character here and there is not a lie, UTF-8 full of them is. */
	if (bad > 2 && strcmp(alias->iconv, "UTF-8") == 0) {
		buffer_release(&decoded);
		guess(bytes, size, out);
		return CHARSET_GUESSED;
	}
	buffer_add(out, decoded.bytes, decoded.size);
	out->failed |= decoded.failed;
	buffer_release(&decoded);
	return bad ? CHARSET_GUESSED : CHARSET_DECLARED;
}
