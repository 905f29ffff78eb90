# heddle_instrumented_copy(target): the target once more, as target_instrumented, with its memory accesses instrumented.
# The libraries of this build that it links with, and those that they link with, are copied, too. The targets
# themselves stay as they are. find_package(Heddle) loads this file.
#
# A copy is what the target is when the function is called. Flags that CMake keeps for folders and not for targets
# (CMAKE_CXX_FLAGS) are those of the folder that calls it.
include_guard()

function(heddle_instrumented_copy target)
  if(ARGC GREATER 1)
    message(FATAL_ERROR "heddle_instrumented_copy(target): unknown argument \"${ARGN}\"")
  elseif(NOT TARGET ${target})
    message(FATAL_ERROR "heddle_instrumented_copy: no target ${target}; say so after add_executable or add_library")
  endif()
  get_target_property(is_imported ${target} IMPORTED)
  get_target_property(type ${target} TYPE)
  if(is_imported OR NOT type MATCHES "^(EXECUTABLE|STATIC_LIBRARY|SHARED_LIBRARY|MODULE_LIBRARY|OBJECT_LIBRARY)$")
    message(FATAL_ERROR "heddle_instrumented_copy: ${target} is not compiled here; name an executable or a library")
  endif()
  _heddle_copy(copy ${target})
endfunction()

# Sets the variable to the name of the copy, which is made when it is first asked for.
function(_heddle_copy variable target)
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased})
  endif()
  set(copy ${target}_instrumented)
  set(${variable} ${copy} PARENT_SCOPE)
  if(TARGET ${copy})
    get_target_property(original ${copy} HEDDLE_COPY_OF)
    if(NOT original STREQUAL target)
      message(FATAL_ERROR "heddle_instrumented_copy: ${target} would be copied as ${copy}, but that is another target")
    endif()
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    add_executable(${copy})
  else()
    string(REPLACE "_LIBRARY" "" type ${type})
    add_library(${copy} ${type} EXCLUDE_FROM_ALL)
  endif()
  set_property(TARGET ${copy} PROPERTY HEDDLE_COPY_OF ${target})
  _heddle_copy_properties(${target} ${copy})
  _heddle_copy_sources(${target} ${copy})
  foreach(property IN ITEMS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
    get_property(items TARGET ${target} PROPERTY ${property})
    set(copies "")
    foreach(item IN LISTS items)
      _heddle_copied_item(item "${item}")
      list(APPEND copies "${item}")
    endforeach()
    set_property(TARGET ${copy} PROPERTY ${property} "${copies}")
  endforeach()
  get_target_property(is_instrumented ${target} HEDDLE_INSTRUMENTED)
  if(NOT type STREQUAL "INTERFACE" AND NOT is_instrumented)
    heddle_instrument(${copy})
  endif()
endfunction()

# Not what names the files that are built: two targets can't have the same.
function(_heddle_copy_properties target copy)
  foreach(property IN ITEMS
      COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FEATURES COMPILE_FLAGS INCLUDE_DIRECTORIES PRECOMPILE_HEADERS
      C_STANDARD C_STANDARD_REQUIRED C_EXTENSIONS CXX_STANDARD CXX_STANDARD_REQUIRED CXX_EXTENSIONS
      C_VISIBILITY_PRESET CXX_VISIBILITY_PRESET VISIBILITY_INLINES_HIDDEN POSITION_INDEPENDENT_CODE DEFINE_SYMBOL
      INTERPROCEDURAL_OPTIMIZATION UNITY_BUILD AUTOMOC AUTOUIC AUTORCC
      LINK_OPTIONS LINK_DIRECTORIES LINK_FLAGS LINK_DEPENDS LINKER_LANGUAGE ENABLE_EXPORTS
      BUILD_RPATH INSTALL_RPATH BUILD_WITH_INSTALL_RPATH SKIP_BUILD_RPATH
      RUNTIME_OUTPUT_DIRECTORY LIBRARY_OUTPUT_DIRECTORY ARCHIVE_OUTPUT_DIRECTORY
      INTERFACE_COMPILE_DEFINITIONS INTERFACE_COMPILE_OPTIONS INTERFACE_COMPILE_FEATURES
      INTERFACE_INCLUDE_DIRECTORIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES INTERFACE_PRECOMPILE_HEADERS
      INTERFACE_LINK_OPTIONS INTERFACE_LINK_DIRECTORIES INTERFACE_SOURCES INTERFACE_POSITION_INDEPENDENT_CODE)
    get_property(is_set TARGET ${target} PROPERTY ${property} SET)
    if(is_set)
      get_property(value TARGET ${target} PROPERTY ${property})
      set_property(TARGET ${copy} PROPERTY ${property} "${value}")
    else()
      set_property(TARGET ${copy} PROPERTY ${property})  # not what the folder of the copy begins with
    endif()
  endforeach()
  get_target_property(dependencies ${target} MANUALLY_ADDED_DEPENDENCIES)
  if(dependencies)
    add_dependencies(${copy} ${dependencies})
  endif()
  get_property(symbol TARGET ${copy} PROPERTY DEFINE_SYMBOL)
  if(NOT symbol)  # CMake's default goes by the name of the target
    string(MAKE_C_IDENTIFIER ${target}_EXPORTS symbol)
    set_property(TARGET ${copy} PROPERTY DEFINE_SYMBOL ${symbol})
  endif()
endfunction()

function(_heddle_copy_sources target copy)
  get_property(sources TARGET ${target} PROPERTY SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(built ${target} BINARY_DIR)
  foreach(source IN LISTS sources)
    if(source MATCHES "^\\$<TARGET_OBJECTS:")
      _heddle_copied_item(source "${source}")
    elseif(NOT source MATCHES "^\\$<")
      if(NOT IS_ABSOLUTE "${source}" AND EXISTS "${folder}/${source}")
        set(source "${folder}/${source}")
      elseif(NOT IS_ABSOLUTE "${source}")
        set(source "${built}/${source}")
      endif()
      # What makes the file is a rule of the target, and must not run twice at a time.
      get_source_file_property(is_generated "${source}" TARGET_DIRECTORY ${target} GENERATED)
      if(is_generated)
        add_dependencies(${copy} ${target})
        set_property(SOURCE "${source}" PROPERTY GENERATED TRUE)  # for this folder, too
      endif()
      if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
        _heddle_copy_source_properties("${source}" ${target})
      endif()
    endif()
    target_sources(${copy} PRIVATE "${source}")
  endforeach()
endfunction()

# They belong to a file and a folder.
function(_heddle_copy_source_properties source target)
  foreach(property IN ITEMS COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FLAGS INCLUDE_DIRECTORIES LANGUAGE
                            HEADER_FILE_ONLY SKIP_PRECOMPILE_HEADERS SKIP_UNITY_BUILD_INCLUSION)
    get_property(is_set SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY ${property} SET)
    if(is_set)
      get_property(value SOURCE "${source}" TARGET_DIRECTORY ${target} PROPERTY ${property})
      set_property(SOURCE "${source}" PROPERTY ${property} "${value}")
    endif()
  endforeach()
endfunction()

# An item of a list of libraries, with the copy in place of a library of this build. It may stand in expressions:
# $<LINK_ONLY:name>, $<LINK_LIBRARY:WHOLE_ARCHIVE,name>, $<$<CONFIG:Debug>:name>.
function(_heddle_copied_item variable item)
  if(item MATCHES "^(\\$<([A-Z_]+:([A-Z_]+,)?|\\$<[^<>]*>:))(.+)>$")
    set(begin "${CMAKE_MATCH_1}")
    _heddle_copied_item(inner "${CMAKE_MATCH_4}")
    set(item "${begin}${inner}>")
  elseif(item MATCHES "\\$<")
    message(WARNING "heddle_instrumented_copy: it can't be told which library \"${item}\" names; it is linked as it is")
  elseif(TARGET "${item}")
    get_target_property(is_imported "${item}" IMPORTED)
    get_target_property(type "${item}" TYPE)
    if(NOT is_imported AND type MATCHES "_LIBRARY$")
      _heddle_copy(item "${item}")
    endif()
  endif()
  set(${variable} "${item}" PARENT_SCOPE)
endfunction()
