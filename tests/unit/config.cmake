unit_test(config_ini config)
unit_test(config_configuration config)
target_compile_definitions(unit_config_configuration PRIVATE
  SAMPLE="${CMAKE_SOURCE_DIR}/config/zugpost.conf.sample")
unit_test(config_template config)
unit_test(config_tournament config)
unit_test(compose_mail compose etpan)
target_sources(unit_compose_mail PRIVATE ${CMAKE_CURRENT_LIST_DIR}/compose_facts.c)
unit_test(compose_golden compose)
target_sources(unit_compose_golden PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/compose_facts.c ${CMAKE_CURRENT_LIST_DIR}/compose_compare.c)
target_compile_definitions(unit_compose_golden PRIVATE GOLDEN="${CMAKE_SOURCE_DIR}/tests/golden")
unit_test(compose_systems compose)
target_sources(unit_compose_systems PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/compose_facts.c ${CMAKE_CURRENT_LIST_DIR}/compose_compare.c)
target_compile_definitions(unit_compose_systems PRIVATE GOLDEN="${CMAKE_SOURCE_DIR}/tests/golden")
unit_test(compose_ledger compose)
target_sources(unit_compose_ledger PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/compose_facts.c ${CMAKE_CURRENT_LIST_DIR}/compose_compare.c)
target_compile_definitions(unit_compose_ledger PRIVATE GOLDEN="${CMAKE_SOURCE_DIR}/tests/golden"
  RULES="${CMAKE_SOURCE_DIR}/rules")
unit_test(compose_kinds compose)
target_sources(unit_compose_kinds PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/compose_facts.c ${CMAKE_CURRENT_LIST_DIR}/compose_compare.c)
target_compile_definitions(unit_compose_kinds PRIVATE GOLDEN="${CMAKE_SOURCE_DIR}/tests/golden")
unit_test(config_languages config)
