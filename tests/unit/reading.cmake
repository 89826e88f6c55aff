unit_test(reading_corpus reading PkgConfig::JANSSON)
unit_test(reading_newtext reading)
unit_test(reading_grammar reading)
