unit_test(core_perft core)
add_test(NAME slow.core_perft COMMAND unit_core_perft all)
set_tests_properties(slow.core_perft PROPERTIES LABELS slow)
