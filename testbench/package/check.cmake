# SPDX-License-Identifier: Apache-2.0
# Script: installs BUILD below WORK, then configures, builds and runs the project SOURCE against that alone.
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_CXX_FLAGS=${FLAGS} -DEXAMPLES=${EXAMPLES})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/outside)
file(GLOB sources ${EXAMPLES}/*.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  if(name STREQUAL own_cpu AND NOT CROSS)
    continue()  # its program is RISC-V
  endif()
  run(${WORK}/build/${name})
endforeach()
