# SPDX-License-Identifier: Apache-2.0
# `cmake --install` and the package behind find_package(polycast). Libraries are listed here once they are meant for others.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# polycast_NAME is exported as polycast::NAME. The warnings are only named (linked PRIVATE), nobody inherits them.
foreach(name IN ITEMS hw systemc tlm ranks scenario trace sim rtl networks warnings)
  if(TARGET polycast_${name})
    set_target_properties(polycast_${name} PROPERTIES EXPORT_NAME ${name})
    add_library(polycast::${name} ALIAS polycast_${name})
    install(TARGETS polycast_${name} EXPORT polycast-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
install(DIRECTORY hw tlm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/polycast FILES_MATCHING PATTERN "*.h"
  PATTERN examples EXCLUDE PATTERN sim EXCLUDE)
if(TARGET polycast-sim)
  # The component is what a wheel has in it: the simulator, and what it reads (firmware/CMakeLists.txt has more of it).
  install(TARGETS polycast-sim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT simulator)
  install(FILES ${PROJECT_BINARY_DIR}/share/polycast/scenario.schema.json tlm/sim/results/results.schema.json tlm/sim/results/run.schema.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/polycast COMPONENT simulator)
  install(DIRECTORY testbench/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/polycast/testbench COMPONENT simulator
    FILES_MATCHING PATTERN "*.yaml")
endif()

set(firmware_dir ${CMAKE_INSTALL_LIBDIR}/polycast)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/polycast)
install(EXPORT polycast-targets NAMESPACE polycast:: DESTINATION ${package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/polycastConfig.cmake.in ${PROJECT_BINARY_DIR}/polycastConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS firmware_dir)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/polycastConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/polycastConfig.cmake ${PROJECT_BINARY_DIR}/polycastConfigVersion.cmake DESTINATION ${package})
