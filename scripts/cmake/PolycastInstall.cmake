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
  install(TARGETS polycast-sim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_BINARY_DIR}/share/polycast/scenario.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/polycast)
endif()
# The models for testbenches in any simulator (tlm/dpi/README.md); `cmake --install build/release --component dpi` installs nothing else.
if(TARGET polycast_dpi)
  install(TARGETS polycast_dpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dpi)
  install(FILES tlm/dpi/polycast_dpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dpi)
  install(DIRECTORY tlm/dpi/sv/ DESTINATION ${CMAKE_INSTALL_DATADIR}/polycast/dpi COMPONENT dpi)
endif()

set(firmware_dir ${CMAKE_INSTALL_LIBDIR}/polycast)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/polycast)
install(EXPORT polycast-targets NAMESPACE polycast:: DESTINATION ${package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/polycastConfig.cmake.in ${PROJECT_BINARY_DIR}/polycastConfig.cmake
  INSTALL_DESTINATION ${package} PATH_VARS firmware_dir)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/polycastConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/polycastConfig.cmake ${PROJECT_BINARY_DIR}/polycastConfigVersion.cmake DESTINATION ${package})
