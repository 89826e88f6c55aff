unit_test(config_ini config)
unit_test(config_configuration config)
target_compile_definitions(unit_config_configuration PRIVATE
  SAMPLE="${CMAKE_SOURCE_DIR}/config/zugpost.conf.sample")
unit_test(config_template config)
