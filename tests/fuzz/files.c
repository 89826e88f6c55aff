/*
 * What people write in files: the first byte says which kind, the rest is the file.
 */
#include <stdlib.h>
#include <string.h>

#include "config/configuration.h"
#include "config/template.h"
#include "config/tournament.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool zone_known(const char *name)
{
	return name[0] == 'E';
}

static bool tournament_known(void *context, const char *code)
{
	(void)context;
	return code[0] == 'K';
}

static bool player_known(void *context, const char *id)
{
	(void)context;
	return id[0] == 'c';
}

static bool game_known(void *context, const char *code, unsigned number)
{
	(void)context;
	(void)code;
	return number == 1;
}

static void configuration(const char *text, size_t size, struct fault_list *faults)
{
	struct configuration *configuration = NULL;

	if (configuration_parse("f", text, size, zone_known, faults, &configuration) == 0)
		configuration_free(configuration);
}

static void tournament(const char *text, size_t size, struct fault_list *faults)
{
	struct tournament_known known = {tournament_known, player_known, game_known, NULL};
	struct tournament_file *file = NULL;

	if (tournament_file_parse("f", text, size, zone_known, faults, &file) < 0 || !file)
		return;
	(void)!tournament_file_check(file, &known, faults);
	tournament_file_free(file);
}

/* Partials named a... are the template itself. */
static const struct template *find(void *context, const char *name)
{
	return name[0] == 'a' ? context : NULL;
}

static void render(struct template *template, const struct values *values)
{
	char *text = NULL, *folded = NULL;
	size_t size;

	if (template_render(template, values, find, template, &text, &size) != 0)
		return;
	if (text_fold(text, &folded) == 0)
		free(folded);
	free(text);
}

static void template(const char *text, size_t size, struct fault_list *faults)
{
	struct template *template = NULL;
	struct values *values = NULL, *item;

	if (template_parse("f", text, size, faults, &template) != 0)
		return;
	if (values_new(&values) == 0 && values_set(values, "a", "x y\nz") == 0 &&
		values_append(values, "b", &item) == 0 && values_append(values, "b", &item) == 0)
		render(template, values);
	values_free(values);
	template_free(template);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fault_list faults = {0};

	if (size == 0)
		return 0;
	/* A copy of its own, so that a byte read too far is seen. */
	char *text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data, size);
	switch (data[0] % 3) {
	case 0:
		configuration(text + 1, size - 1, &faults);
		break;
	case 1:
		tournament(text + 1, size - 1, &faults);
		break;
	default:
		template(text + 1, size - 1, &faults);
		break;
	}
	free(text);
	fault_list_release(&faults);
	return 0;
}
