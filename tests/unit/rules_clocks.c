/*
 * The worked examples of the three systems: each request is computed by the calculator,
 * its answer must be the example's full output, if it gives one, and hold what it expects.
 */
#include "tests/unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "daemon/ctl/clock_command.h"
#include "daemon/ctl/clock_json.h"

#define EXAMPLES (54 + 60)

/* The value at a path such as "events[1].moves"; borrowed. */
static json_t *path_get(json_t *value, const char *path)
{
	char name[64];

	while (*path != '\0' && value != NULL) {
		size_t length = strcspn(path, ".[");
		if (*path == '[') {
			value = json_array_get(value, strtoul(path + 1, NULL, 10));
			path = strchr(path, ']') + 1;
		} else {
			snprintf(name, sizeof(name), "%.*s", (int)length, path);
			value = json_object_get(value, name);
			path += length;
		}
		if (*path == '.')
			path++;
	}
	return value;
}

static bool same(const json_t *a, const json_t *b)
{
	if (json_is_real(a) && json_is_real(b)) {
		double difference = json_real_value(a) - json_real_value(b);
		return difference < 1e-9 && difference > -1e-9;
	}
	return json_equal(a, b) != 0;
}

/* Where two values differ first, for the message. */
static bool differ(const json_t *actual, const json_t *wanted, char *path, size_t size)
{
	const char *key;
	json_t *value;
	size_t i, used = strlen(path);

	if (json_is_object(actual) && json_is_object(wanted)) {
		json_object_foreach ((json_t *)wanted, key, value) {
			snprintf(path + used, size - used, ".%s", key);
			if (differ(json_object_get(actual, key), value, path, size))
				return true;
		}
		json_object_foreach ((json_t *)actual, key, value) {
			snprintf(path + used, size - used, ".%s", key);
			if (json_object_get(wanted, key) == NULL)
				return true;
		}
		path[used] = '\0';
		return false;
	}
	if (json_is_array(actual) && json_is_array(wanted) &&
		json_array_size(actual) == json_array_size(wanted)) {
		json_array_foreach ((json_t *)wanted, i, value) {
			snprintf(path + used, size - used, "[%zu]", i);
			if (differ(json_array_get(actual, i), value, path, size))
				return true;
		}
		path[used] = '\0';
		return false;
	}
	return !same(actual, wanted);
}

/* What the command prints for a request. */
static json_t *compute(json_t *request)
{
	char *text = json_dumps(request, 0), *out = NULL, *err = NULL;
	size_t out_size, err_size;
	FILE *in = fmemopen(text, strlen(text), "r");
	FILE *out_file = open_memstream(&out, &out_size);
	FILE *err_file = open_memstream(&err, &err_size);

	int status = clock_compute(in, out_file, err_file);
	fclose(in);
	fclose(out_file);
	fclose(err_file);
	json_t *answer = json_loadb(out, out_size, 0, NULL);
	if (status != 0)
		print_message("%s", err);
	expect_int(status, 0);
	assert_non_null(answer);
	free(text);
	free(out);
	free(err);
	return answer;
}

static void check_example(json_t *example)
{
	const char *id = json_string_value(json_object_get(example, "id"));
	char path[256] = "";
	const char *expected;
	size_t i;
	json_t *wanted;
	json_t *answer = compute(json_object_get(example, "input"));

	json_object_foreach (json_object_get(example, "expect"), expected, wanted) {
		if (!same(path_get(answer, expected), wanted))
			fail_msg("%s: %s is not as expected", id, expected);
	}
	json_t *full = json_object_get(example, "full_output");
	if (full != NULL && differ(answer, full, path, sizeof(path)))
		fail_msg("%s: %s differs", id, path);
	json_array_foreach (json_object_get(example, "absent"), i, wanted) {
		if (path_get(answer, json_string_value(wanted)) != NULL)
			fail_msg("%s: %s is there", id, json_string_value(wanted));
	}
	json_decref(answer);
}

static void test_worked_examples(void **state)
{
	(void)state;
	DIR *folder = opendir(TEST_DATA "/clocks");
	int n = 0;

	assert_non_null(folder);
	for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
		char path[512];
		if (strstr(entry->d_name, ".json") == NULL)
			continue;
		snprintf(path, sizeof(path), "%s/clocks/%s", TEST_DATA, entry->d_name);
		json_t *file = json_load_file(path, 0, NULL), *example;
		size_t i;
		assert_non_null(file);
		if (json_is_object(file)) {
			check_example(file);
			n++;
		}
		json_array_foreach (file, i, example) {
			check_example(example);
			n++;
		}
		json_decref(file);
	}
	closedir(folder);
	expect_int(n, EXAMPLES);
}

/* Requests that cannot be computed: exit 1 and one line that names the path. */
struct mutation {
	json_t *request, *parent;
	const char *key; /* NULL: INDEX counts */
	size_t index;
	char path[128];
	int n;
};

/* In the place of the value another one; the request's fault must name that place. */
static void refuse_value(struct mutation *m, json_t *value, const json_t *was)
{
	char fault[CLOCK_FAULT_SIZE] = "";
	json_t *answer = NULL, *kept = json_deep_copy(was);

	if (m->key)
		json_object_set_new(m->parent, m->key, value);
	else
		json_array_set_new(m->parent, m->index, value);
	int r = clock_json_compute(m->request, &answer, fault);
	size_t length = strlen(m->path);
	if (r != -EINVAL || strncmp(fault, m->path, length) != 0 || fault[length] != ':')
		fail_msg("%s as %s: %d, %s", m->path, json_dumps(m->parent, 0), r, fault);
	m->n++;
	json_decref(answer);
	if (m->key)
		json_object_set_new(m->parent, m->key, kept);
	else
		json_array_set_new(m->parent, m->index, kept);
}

/* Every value of other types. */
static void refuse_types(struct mutation *m, const json_t *was)
{
	char text[32];

	if (!json_is_string(was)) {
		(void)snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
			json_is_boolean(was) ? json_is_true(was) : json_integer_value(was));
		refuse_value(m, json_string(text), was);
	}
	if (!json_is_number(was))
		refuse_value(m, json_integer(1), was);
	if (!json_is_real(was))
		refuse_value(m, json_real(1.5), was);
	if (!json_is_boolean(was))
		refuse_value(m, json_true(), was);
	if (!json_is_array(was))
		refuse_value(m, json_array(), was);
	if (!json_is_object(was))
		refuse_value(m, json_object(), was);
}

static void mutate(struct mutation *m, json_t *value)
{
	struct mutation inner = *m;
	size_t length = strlen(m->path);
	const char *key;
	json_t *member;

	inner.parent = value;
	inner.key = NULL;
	if (json_is_object(value)) {
		/* Values are put back as copies, so the members are asked for anew. */
		json_t *keys = json_deep_copy(value);
		json_object_foreach (keys, key, member) {
			inner.key = key;
			(void)snprintf(inner.path + length, sizeof(inner.path) - length, "%s%s",
				length ? "." : "", key);
			json_t *was = json_incref(json_object_get(value, key));
			refuse_types(&inner, was);
			json_decref(was);
			mutate(&inner, json_object_get(value, key));
		}
		json_decref(keys);
	}
	for (size_t i = 0; i < json_array_size(value); i++) {
		inner.index = i;
		(void)snprintf(inner.path + length, sizeof(inner.path) - length, "[%zu]", i);
		json_t *was = json_incref(json_array_get(value, i));
		refuse_types(&inner, was);
		json_decref(was);
		mutate(&inner, json_array_get(value, i));
	}
	m->n = inner.n;
}

/* Every value of every example must be of its type. */
static void test_types(void **state)
{
	json_error_t error;
	json_t *cases = json_load_file(TEST_DATA "/clocks/cases.json", 0, &error), *example;
	struct mutation m = {.n = 0};
	size_t i;

	(void)state;
	assert_non_null(cases);
	json_array_foreach (cases, i, example) {
		m.request = json_object_get(example, "input");
		mutate(&m, m.request);
	}
	json_decref(cases);
	if (m.n < 2000)
		fail_msg("only %d values", m.n);
}

static void test_faulty_requests(void **state)
{
	(void)state;
	static const struct {
		const char *request;
		const char *line;
	} cases[] = {
#define IECC "{'system':'iecc','players':{'white':{'tz':'UTC'},'black':{'tz':'UTC'}},"
#define START "{'type':'start','at':'2026-01-01T00:00:00Z'}"
		{"[]", "system: "},
		{"{'system':'icc'}", "system: "},
		{"{'system':'iecc','events':[],'at':'2026-01-01T00:00:00Z'}", "players: "},
		{"{'system':'iecc','players':{'white':{'tz':'GST+4'},'black':{'tz':'UTC'}},"
		 "'events':[],'at':'2026-01-01T00:00:00Z'}",
			"players.white.tz: "},
		{"{'system':'iecc','players':{'white':{'tz':'UTC'},'black':{'tz':'03'}},"
		 "'events':[],'at':'2026-01-01T00:00:00Z'}",
			"players.black.tz: "},
		{IECC "'extra':1,'events':[],'at':'2026-01-01T00:00:00Z'}", "extra: "},
		{IECC "'events':[]}", "at: "},
		{IECC "'events':[{}],'at':'2026-01-01T00:00:00Z'}", "events[0].type: "},
		{IECC "'events':[{'type':'claim'}],'at':'2026-01-01T00:00:00Z'}",
			"events[0].type: "},
		{IECC "'config':{'window-days':3},'events':[],'at':'2026-01-01T00:00:00Z'}",
			"config.window-days: "},
		{IECC "'config':{'control_days':3},'events':[],"
		      "'at':'2026-01-01T00:00:00Z'}",
			"config.control_days: "},
		{IECC "'config':{'window_days':'x'},'events':[],"
		      "'at':'2026-01-01T00:00:00Z'}",
			"config.window_days: "},
		{IECC "'events':[" START ",{'type':'move','by':'black',"
		      "'sent':'2026-01-01T01:00:00Z'}],'at':'2026-01-02T00:00:00Z'}",
			"events[1]: "},
		{IECC "'events':[" START ",{'type':'move','by':'white','offers':1,"
		      "'sent':'2026-01-01T01:00:00Z'}],'at':'2026-01-02T00:00:00Z'}",
			"events[1].offers: "},
		{IECC "'events':[" START ",{'type':'move','by':'white',"
		      "'sent':'2025-12-31T01:00:00Z'}],'at':'2026-01-02T00:00:00Z'}",
			"events[1]: "},
		{IECC "'events':[" START ",{'type':'move','by':'white',"
		      "'sent':'2026-01-01T01:00:00Z',"
		      "'delivered':'2026-01-01T00:59:59Z'}],'at':'2026-01-02T00:00:00Z'}",
			"events[1]: "},
		{IECC "'events':[" START "],'at':'2025-12-31T00:00:00Z'}", "at: "},
		{IECC "'events':[" START ",{'type':'arbiter','action':'result',"
		      "'result':'1-0','at':'2026-01-02T00:00:00Z'},{'type':'leave',"
		      "'by':'white','announced':'2026-01-03T00:00:00Z',"
		      "'from':'2026-01-05','to':'2026-01-06'}],"
		      "'at':'2026-01-04T00:00:00Z'}",
			"events[2]: "},
		{"{'system':'razsh','players':{'white':{'tz':'UTC'},'black':{'tz':'UTC'}},"
		 "'events':[{'type':'start','date':'2026-01-01'},{'type':'ruling',"
		 "'upheld':true,'at':'2026-01-04T00:00:00Z'}],"
		 "'at':'2026-01-04T00:00:00Z'}",
			"events[1]: "},
		{"{'system':'mclink','config':{'start':'2026-01-01T00:00:00Z',"
		 "'standard_hours':240},'events':[],'at':'2026-01-04T00:00:00Z'}",
			"config.moves_per_manche: is missing"},
		{"{'system':'mclink','config':{'start':'2026-01-01T00:00:00Z',"
		 "'moves_per_manche':10},'events':[],'at':'2026-01-04T00:00:00Z'}",
			"config.standard_hours: is missing"},
		{"{'system':'mclink','config':{'start':'2026-01-01T00:00:00Z',"
		 "'increments':'2:48'},'events':[],'at':'2026-01-04T00:00:00Z'}",
			"config.increments: "},
		{"{'system':'mclink','config':{'start':'2026-01-01T00:00:00Z',"
		 "'increments':{'2':'48'}},'events':[],'at':'2026-01-04T00:00:00Z'}",
			"config.increments.2: "},
		{"{'system':'mclink','config':{'start':'2026-01-01T00:00:00Z',"
		 "'increments':{'two':48}},'events':[],'at':'2026-01-04T00:00:00Z'}",
			"config.increments: must be an object such as {\"2\": 48, \"3\": 96}"},
		{IECC "'config':{'window_days':'30'},'events':[],'at':'2026-01-04T00:00:00Z'}",
			"config.window_days: must be a whole number above 0"},
		{IECC "'config':{'window_days':30.0},'events':[],'at':'2026-01-04T00:00:00Z'}",
			"config.window_days: must be a whole number above 0"},
		{IECC "'config':{'event':1},'events':[],'at':'2026-01-04T00:00:00Z'}",
			"config.event: must be multi or two_player"},
		{"{'system':'mclink','lotto':{'white_counter':0,'black_counter':0,"
		 "'drawn':91}}",
			"lotto.drawn: "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[1024];
		char *out = NULL, *err = NULL;
		size_t out_size, err_size, length = strlen(cases[i].request);
		for (size_t j = 0; j <= length; j++)
			text[j] = (char)(cases[i].request[j] == '\'' ? '"' : cases[i].request[j]);
		FILE *in = fmemopen(text, length, "r");
		FILE *out_file = open_memstream(&out, &out_size);
		FILE *err_file = open_memstream(&err, &err_size);
		int status = clock_compute(in, out_file, err_file);
		fclose(in);
		fclose(out_file);
		fclose(err_file);
		if (status != 1 || out_size != 0 || strchr(err, '\n') != err + err_size - 1 ||
			strncmp(err, cases[i].line, strlen(cases[i].line)) != 0)
			fail_msg("case %zu: status %d, %s", i, status, err);
		free(out);
		free(err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worked_examples),
		cmocka_unit_test(test_faulty_requests),
		cmocka_unit_test(test_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
