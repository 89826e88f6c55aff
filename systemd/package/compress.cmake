# Debian wants manuals and the changelog compressed, always to the same bytes.
file(GLOB_RECURSE files "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/man/*.[1-8]"
  "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/doc/zugpost/changelog")
foreach(file ${files})
  execute_process(COMMAND gzip -9n "${file}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
