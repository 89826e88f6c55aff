unit_test(store store core rules)
unit_test(rules_decide rules core)
