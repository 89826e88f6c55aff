#include "daemon/ctl/clock_command.h"

#include <errno.h>

#include "daemon/ctl/clock_json.h"

int clock_compute(FILE *in, FILE *out, FILE *err)
{
	char fault[CLOCK_FAULT_SIZE];
	json_error_t error;
	json_t *answer = NULL;
	json_t *request = json_loadf(in, JSON_REJECT_DUPLICATES, &error);

	if (request == NULL) {
		(void)fprintf(err, "line %d: %s\n", error.line, error.text);
		return 1;
	}
	int r = clock_json_compute(request, &answer, fault);
	json_decref(request);
	if (r < 0) {
		(void)fprintf(err, "%s\n", r == -EINVAL ? fault : "out of memory");
		return 1;
	}
	r = json_dumpf(answer, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	json_decref(answer);
	return r < 0 || fputc('\n', out) == EOF ? 1 : 0;
}
