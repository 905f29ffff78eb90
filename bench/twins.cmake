# Programs of bench/finding.py, with a bug and without. They are built as a user would build them (-O1 -g);
# "// build: heddle-c++" in a source has it instrumented.
#
# add_twins(FAMILY NAME [definition…]): build/bench/SUITE/NAME, and NAME_fixed with -DFIXED, from FAMILY.cpp in the
# folder SUITE, which is the present one. Its headers count, too. bench_SUITE builds all of a suite.
function(add_twins family name)
  get_filename_component(suite ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  if(NOT TARGET bench_${suite})
    add_custom_target(bench_${suite})
  endif()
  set(flags -std=c++20 -O1 -g -Wall -Wextra -pthread)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${family}.cpp)
  file(STRINGS ${source} instrumented REGEX "^// build: heddle-c\\+\\+$" LIMIT_COUNT 1)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  set(compiler ${CMAKE_CXX_COMPILER})
  set(needs ${source} ${headers})
  if(instrumented)
    set(compiler ${CMAKE_COMMAND} -E env HEDDLE_CXX=g++ ${CMAKE_BINARY_DIR}/heddle-c++)
    list(APPEND needs heddle_instrument)
  endif()
  foreach(twin IN ITEMS "" _fixed)
    set(definitions ${ARGN})
    if(twin)
      list(APPEND definitions FIXED)
    endif()
    list(TRANSFORM definitions PREPEND -D)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}${twin})
    add_custom_command(OUTPUT ${output} DEPENDS ${needs} VERBATIM COMMENT "Building bench/${suite}/${name}${twin}"
      COMMAND ${compiler} ${flags} ${definitions} ${source} -o ${output})
    add_custom_target(bench_${suite}_${name}${twin} DEPENDS ${output})
    add_dependencies(bench_${suite} bench_${suite}_${name}${twin})
  endforeach()
endfunction()

# The programs of programs.txt: a line has NAME FAMILY [definition…].
function(add_listed_twins)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/programs.txt)
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/programs.txt lines)
  foreach(line IN LISTS lines)
    separate_arguments(words UNIX_COMMAND "${line}")
    list(POP_FRONT words name family)
    add_twins(${family} ${name} ${words})
  endforeach()
endfunction()
