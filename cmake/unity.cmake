# heddle_unity(TARGET SOURCE …): with HEDDLE_UNITY the target's sources are compiled a few at a time. Most of the
# compiler's time goes into headers, which it then reads once. CI and ./dev demo build like this. A developer does not,
# because after a change of one source its whole group would be compiled again. Sources that define the same name are
# never in one group (tools/together.py).
option(HEDDLE_UNITY "Compile several sources as one: for a build folder that is built once" OFF)
set(HEDDLE_NO_UNITY "" CACHE STRING "Targets whose sources are compiled one by one all the same")
set(HEDDLE_TOGETHER 10)

function(heddle_unity target)
  if(NOT HEDDLE_UNITY OR target IN_LIST HEDDLE_NO_UNITY)
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  list(TRANSFORM ARGN REPLACE "^${CMAKE_SOURCE_DIR}/" "" OUTPUT_VARIABLE sources)
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tools/together.py ${HEDDLE_TOGETHER} ${sources}
                  OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" groups "${groups}")
  set(number 0)
  foreach(group IN LISTS groups)
    math(EXPR number "${number} + 1")
    string(REPLACE "," ";" group "${group}")
    list(TRANSFORM group PREPEND "${CMAKE_SOURCE_DIR}/")
    set_source_files_properties(${group} PROPERTIES UNITY_GROUP ${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # What one source of a group calls by a name of its own may hide what another does.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow;-Wno-subobject-linkage>)
endfunction()
