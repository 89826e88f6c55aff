#include "config/fault.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void fault_add(struct fault_list *list, const char *file, unsigned line, const char *format, ...)
{
	struct fault fault = {.line = line};
	va_list arguments;

	struct fault *grown = NULL;
	if (list->n < FAULTS_MAX)
		grown = realloc(list->faults, (list->n + 1) * sizeof(*grown));
	if (!grown) {
		list->left_out++;
		return;
	}
	list->faults = grown;
	fault.file = strdup(file);
	va_start(arguments, format);
	if (vasprintf(&fault.message, format, arguments) < 0)
		fault.message = NULL;
	va_end(arguments);
	if (!fault.file || !fault.message) {
		free(fault.file);
		free(fault.message);
		list->left_out++;
		return;
	}
	list->faults[list->n++] = fault;
}

size_t fault_list_total(const struct fault_list *list)
{
	return list->n + list->left_out;
}

void fault_list_print(const struct fault_list *list, FILE *stream)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct fault *fault = &list->faults[i];
		(void)fprintf(stream, "%s:%u: %s\n", fault->file, fault->line, fault->message);
	}
	if (list->left_out > 0)
		(void)fprintf(stream, "... and %zu more\n", list->left_out);
}

void fault_list_release(struct fault_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->faults[i].file);
		free(list->faults[i].message);
	}
	free(list->faults);
	*list = (struct fault_list){0};
}
