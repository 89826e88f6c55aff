unit_test(store store core rules PkgConfig::GLIB PkgConfig::SQLITE)
unit_test(rules_decide rules core)
