/* Parameters of the rules from the text of tournament files. */
#include "tests/unit/test.h"

#include <string.h>

#include "rules/parameters.h"

static void test_values(void **state)
{
	(void)state;
	static const struct {
		enum rule_system system;
		const char *name;
		const char *value;
		int result;
	} cases[] = {
		{RULES_IECC, "window-days", "30", 0},
		{RULES_IECC, "window-days", "0", PARAMETERS_VALUE},
		{RULES_IECC, "window-days", "-1", PARAMETERS_VALUE},
		{RULES_IECC, "window-days", "30 ", PARAMETERS_VALUE},
		{RULES_IECC, "window-days", "", PARAMETERS_VALUE},
		{RULES_IECC, "window-days", "99999999999999999999", PARAMETERS_VALUE},
		{RULES_IECC, "window_days", "30", PARAMETERS_UNKNOWN},
		{RULES_IECC, "control-days", "60", PARAMETERS_UNKNOWN},
		{RULES_IECC, "conditional-charge", "last", 0},
		{RULES_IECC, "conditional-charge", "middle", PARAMETERS_VALUE},
		{RULES_IECC, "event", "two_player", 0},
		{RULES_IECC, "leave-scope", "player", 0},
		{RULES_RAZSH, "control-days", "60", 0},
		{RULES_RAZSH, "penalty-again", "10", PARAMETERS_UNKNOWN},
		{RULES_RAZSH_POST, "penalty-again", "10", 0},
		{RULES_RAZSH_POST, "penalty-days", "0", 0},
		{RULES_MCLINK, "moves-per-manche", "10", 0},
		{RULES_MCLINK, "month", "13", PARAMETERS_VALUE},
		{RULES_MCLINK, "increments", "2:48, 3:96", 0},
		{RULES_MCLINK, "increments", "", 0},
		{RULES_MCLINK, "increments", "3:96,2:48", 0},
		{RULES_MCLINK, "increments", "2:48, 2:96", PARAMETERS_VALUE},
		{RULES_MCLINK, "increments", "2:48,", PARAMETERS_VALUE},
		{RULES_MCLINK, "increments", "2=48", PARAMETERS_VALUE},
		{RULES_MCLINK, "increments", "0:48", PARAMETERS_VALUE},
		{RULES_MCLINK, "tz", "Europe/Rome", PARAMETERS_UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct clock_parameters parameters;
		const char *fault = NULL;
		parameters_default(cases[i].system, &parameters);
		int result = parameters_set(&parameters, cases[i].name, cases[i].value, &fault);
		if (result != cases[i].result || (result != 0) != (fault != NULL))
			fail_msg("%s = %s: %d", cases[i].name, cases[i].value, result);
	}
}

static void test_increments(void **state)
{
	(void)state;
	struct clock_parameters parameters;
	const char *fault;

	parameters_default(RULES_MCLINK, &parameters);
	expect_int(parameters_set(&parameters, "increments", " 5:200 ,2:48 , 3:96", &fault), 0);
	expect_int(parameters.n_increments, 3);
	expect_int(parameters.increments[0].games, 2);
	expect_int(parameters.increments[0].hours, 48);
	expect_int(parameters.increments[2].games, 5);
	expect_int(parameters.increments[2].hours, 200);
	expect_int(parameters_check(&parameters, &fault), PARAMETERS_VALUE);
	expect_int(parameters_set(&parameters, "moves-per-manche", "10", &fault), 0);
	expect_int(parameters_check(&parameters, &fault), PARAMETERS_VALUE);
	expect_int(parameters_set(&parameters, "standard-hours", "480", &fault), 0);
	expect_int(parameters_check(&parameters, &fault), 0);
	expect_int(parameters.standard_hours, 480);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_increments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
