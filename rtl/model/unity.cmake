# SPDX-License-Identifier: Apache-2.0
# Writes FOLDER/all.cpp, which includes every C++ file that Verilator made in FOLDER.
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/V*.cpp)
list(SORT files)
list(TRANSFORM files REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE lines)
list(JOIN lines "\n" text)
file(WRITE ${FOLDER}/all.cpp "// Made by unity.cmake.\n${text}\n")
