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

# Link this PRIVATE: it carries the warnings, which users of the installed package must not inherit.
add_library(polycast_warnings INTERFACE)
target_compile_options(polycast_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
# g++ 12 sees overlapping copies in every `"text" + std::string` (GCC bug 105651).
target_compile_options(polycast_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

# SystemC 2.3.4 of Debian is built with the C++17 ABI: its headers must be told so where the compiler speaks C++20.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc>=2.3.4 tlm)
add_library(polycast_systemc INTERFACE)
target_link_libraries(polycast_systemc INTERFACE PkgConfig::SYSTEMC)
target_compile_definitions(polycast_systemc INTERFACE SC_CPLUSPLUS=201703L)
