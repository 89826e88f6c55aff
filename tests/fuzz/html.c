/*
 * HTML to text, fed in pieces to the parser behind it.
 */
#include <stdlib.h>

#include "daemon/reading/html.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer text = BUFFER_INIT((size_t)1 << 20);
	struct html_facts facts;
	char charset[64];

	(void)html_meta_charset((const char *)data, size, charset);
	if (html_to_text((const char *)data, size, &text, &facts) != 0)
		abort();
	buffer_release(&text);
	return 0;
}
