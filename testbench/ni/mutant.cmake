# SPDX-License-Identifier: Apache-2.0
# Builds the firmware with one line changed: cmake -DFIRMWARE=FOLDER -DBUILD=FOLDER -DFILE=NAME -DOLD=LINE -DNEW=LINE -P mutant.cmake
# A line that is not there exactly once is an error.
file(REMOVE_RECURSE ${BUILD}/source)
file(COPY ${FIRMWARE} DESTINATION ${BUILD}/source)
file(COPY ${FIRMWARE}/../hw/ni/abi DESTINATION ${BUILD}/source/hw/ni)
cmake_path(GET FIRMWARE FILENAME folder)
file(READ ${BUILD}/source/${folder}/${FILE} text)
string(FIND "${text}" "${OLD}" first)
string(FIND "${text}" "${OLD}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "${FILE} has not exactly one \"${OLD}\": choose another line to change")
endif()
string(REPLACE "${OLD}" "${NEW}" text "${text}")
file(WRITE ${BUILD}/source/${folder}/${FILE} "${text}")
file(WRITE ${BUILD}/source/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(mutant LANGUAGES C)\nadd_subdirectory(${folder})\n")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${BUILD}/source -B ${BUILD} -G Ninja -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --parallel 1 COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
