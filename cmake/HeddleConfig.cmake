# find_package(Heddle): the package of Heddle for the programs that it tests. It works from the build folder
# (-DHeddle_DIR=HEDDLE/build) and from where Heddle is installed.
#
#   heddle_instrument(TARGET…)   compiles the targets with their memory accesses instrumented, and links what is needed.
#                                For all of a program's own executables and libraries; they also run without Heddle.
#   Heddle::heddle               the header heddle/heddle.h; a target to link with, there is no library behind it.
set(_heddle_here ${CMAKE_CURRENT_LIST_DIR})
foreach(_heddle_folder IN ITEMS ${_heddle_here} ${_heddle_here}/../../heddle)
  if(EXISTS ${_heddle_folder}/libheddle_instrument.a)
    get_filename_component(HEDDLE_INSTRUMENT_FOLDER ${_heddle_folder} REALPATH)
    break()
  endif()
endforeach()
if(NOT HEDDLE_INSTRUMENT_FOLDER)
  set(Heddle_FOUND FALSE)
  set(Heddle_NOT_FOUND_MESSAGE
      "no libheddle_instrument.a in ${_heddle_here} or ../../heddle: build Heddle first, or install it whole")
  return()
endif()

if(NOT TARGET Heddle::heddle)
  add_library(Heddle::heddle INTERFACE IMPORTED)
  foreach(_heddle_folder IN ITEMS ${HEDDLE_INSTRUMENT_FOLDER}/include ${HEDDLE_INSTRUMENT_FOLDER}/../../include)
    if(EXISTS ${_heddle_folder}/heddle/heddle.h)
      set_property(TARGET Heddle::heddle PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${_heddle_folder})
      break()
    endif()
  endforeach()
endif()

# What the compilers' drivers get. -fsanitize=thread is for their inner part alone, so that they don't link the
# sanitizer's own library, wherever these options end up (heddle-cc does the same). heddle-gcc-calls.s is for speed.
function(_heddle_compile_options variable compiler)
  if(compiler STREQUAL "GNU")
    set(${variable} "-specs=${HEDDLE_INSTRUMENT_FOLDER}/heddle-gcc-compile.specs"
        "-Wa,${HEDDLE_INSTRUMENT_FOLDER}/heddle-gcc-calls.s" PARENT_SCOPE)
  elseif(compiler MATCHES "Clang$")
    set(${variable} -mcx16 "SHELL:-Xclang -fsanitize=thread" "SHELL:-mllvm -tsan-distinguish-volatile=1"
        "SHELL:-mllvm -tsan-instrument-read-before-write=1"
        "SHELL:-mllvm -capture-tracking-max-uses-to-explore=0" -fno-builtin-memcpy -fno-builtin-memmove
        -fno-builtin-memset PARENT_SCOPE)
  elseif(compiler)
    message(FATAL_ERROR "heddle_instrument: ${compiler} is not a compiler that Heddle knows; use gcc or clang")
  endif()
endfunction()

function(heddle_instrument)
  set(library ${HEDDLE_INSTRUMENT_FOLDER}/libheddle_instrument.a)
  set(link "LINKER:--wrap=memcpy,--wrap=memmove,--wrap=memset,--whole-archive,${library},--no-whole-archive")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR (CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_ID))
    _heddle_compile_options(options GNU)  # with -flto, it is the link that compiles
    list(APPEND link ${options})
  endif()
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "heddle_instrument: no target ${target}; say so after add_executable or add_library")
    endif()
    foreach(language IN ITEMS C CXX)
      _heddle_compile_options(options "${CMAKE_${language}_COMPILER_ID}")
      if(language STREQUAL "CXX")
        list(APPEND options "SHELL:-isystem \"${HEDDLE_INSTRUMENT_FOLDER}/heddle-cxx\"")
      endif()
      foreach(option IN LISTS options)
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:${language}>:${option}>")
      endforeach()
    endforeach()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
      message(FATAL_ERROR "heddle_instrument: ${target} has no files of its own; name the targets that use it")
    elseif(type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "OBJECT_LIBRARY")
      target_link_options(${target} INTERFACE "${link}")  # whatever it becomes part of
    else()
      target_link_options(${target} PRIVATE "${link}")
    endif()
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${library})
  endforeach()
endfunction()
