unit_test(reading_corpus reading PkgConfig::JANSSON)
