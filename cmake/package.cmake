# What ./dev package makes (cpack) of what `cmake --install` installs, with its licence: a Debian package, and a tar.gz
# that works from whatever folder it is unpacked in. What the former needs is found out by dpkg-shlibdeps.
install(FILES ${CMAKE_SOURCE_DIR}/cmake/copyright ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION share/doc/heddle)
# The notices of what is linked in.
foreach(package IN ITEMS libfmt-dev libabsl-dev libdw-dev zlib1g-dev liblzma-dev libbz2-dev libxxhash-dev libiberty-dev
                         libcli11-dev nlohmann-json3-dev libstdc++-12-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright DESTINATION share/doc/heddle/licenses RENAME ${package})
  endif()
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/docs/GUIDE.md ${CMAKE_SOURCE_DIR}/docs/LIMITATIONS.md DESTINATION share/doc/heddle)
install(FILES ${CMAKE_SOURCE_DIR}/share/heddle/report.schema.json ${CMAKE_SOURCE_DIR}/share/heddle/suite.schema.json
        ${CMAKE_SOURCE_DIR}/share/heddle/farm.schema.json ${CMAKE_SOURCE_DIR}/share/heddle/farm_suite.schema.json
        DESTINATION share/heddle)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples/ci ${CMAKE_SOURCE_DIR}/examples/farm
        DESTINATION share/doc/heddle/examples)

# Manual pages and completions come from the program's own tables.
set(help ${CMAKE_CURRENT_BINARY_DIR}/help)
set(help_files "")
function(add_help_file path)
  add_custom_command(OUTPUT ${help}/${path} COMMAND heddle help ${ARGN} > ${help}/${path} DEPENDS heddle VERBATIM)
  set(help_files ${help_files} ${help}/${path} PARENT_SCOPE)
endfunction()
file(MAKE_DIRECTORY ${help})
add_help_file(heddle.1 --man)
foreach(command run test replay debug show add list forget doctor orders farm-run farm-test farm-attach farm-status
                worker)
  add_help_file(heddle-${command}.1 --man ${command})
endforeach()
add_help_file(heddle --completion bash)
add_help_file(_heddle --completion zsh)
add_help_file(heddle.fish --completion fish)
add_custom_target(help_files ALL DEPENDS ${help_files})
install(DIRECTORY ${help}/ DESTINATION share/man/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${help}/heddle DESTINATION share/bash-completion/completions)
install(FILES ${help}/_heddle DESTINATION share/zsh/vendor-completions)
install(FILES ${help}/heddle.fish DESTINATION share/fish/vendor_completions.d)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Heddle developers <heddle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds and reproduces concurrency bugs in C and C++ programs")
set(CPACK_PACKAGE_FILE_NAME heddle-${PROJECT_VERSION}-linux-x86_64)  # and the folder in the archive
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/prefix.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libnats3.4, nats-server, bubblewrap")  # for farms
include(CPack)
