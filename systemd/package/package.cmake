# The Debian package: cmake --build BUILD && cpack --config BUILD/CPackConfig.cmake
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME zugpost)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Zugpost maintainers <zugpost@packages.debian.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "relay for correspondence chess by e-mail")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Zugpost relays the moves of correspondence chess. A club gives it one mail
 address; players answer the mail that brought the opponent's move, from any
 mail program and in any notation. It keeps the clocks under the rules of the
 event (IECC, RAZSh, MC-link), passes the moves on, and tells the arbiter when
 a player oversteps.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION mail)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# libetpan logs in through SASL's modules, which it loads; the account comes by sysusers.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "systemd (>= 252), libsasl2-modules, tzdata")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "default-mta | mail-transport-agent, imap-server, prometheus-node-exporter")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/postinst"
  "${CMAKE_CURRENT_LIST_DIR}/prerm" "${CMAKE_CURRENT_LIST_DIR}/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/compress.cmake")
include(CPack)
