unit_test(rules_calendar zone rules)
unit_test(rules_parameters rules)
unit_test(rules_clocks clock_json zone config)
unit_test(rules_clock_properties rules)
