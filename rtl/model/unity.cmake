# SPDX-License-Identifier: Apache-2.0
# Writes FOLDER/fast.cpp and FOLDER/slow.cpp, which include what Verilator made in FOLDER: what runs in every cycle, and what runs
# once (set-up, declarations for traces).
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/V*.cpp)
list(SORT files)
foreach(part fast slow)
  set(included ${files})
  if(part STREQUAL "slow")
    list(FILTER included INCLUDE REGEX "Slow")
  else()
    list(FILTER included EXCLUDE REGEX "Slow")
  endif()
  list(TRANSFORM included REPLACE "(.+)" "#include \"\\1\"")
  list(JOIN included "\n" text)
  file(WRITE ${FOLDER}/${part}.cpp "// Made by unity.cmake.\n${text}\n")
endforeach()
