/*
 * Runs a fuzz target over files, without a fuzzer: its seeds are an ordinary test.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "re");
		uint8_t *data = malloc(1 << 20), *exact;
		size_t size;

		if (!file || !data)
			return 1;
		size = fread(data, 1, 1 << 20, file);
		(void)fclose(file);
		exact = realloc(data, size + !size);
		if (!exact)
			return 1;
		(void)LLVMFuzzerTestOneInput(exact, size);
		free(exact);
	}
	return argc < 2;
}
