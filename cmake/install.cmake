# cmake --install: headers, archives and find_package(roofcast).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/roofcast)
install(TARGETS roofcast_core roofcast_hardware roofcast_models EXPORT roofcastTargets ARCHIVE)
install(EXPORT roofcastTargets NAMESPACE roofcast:: DESTINATION ${package_dir})
install(DIRECTORY core hardware models DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/roofcast
        FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/generated/core/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/roofcast/core)

configure_package_config_file(cmake/roofcastConfig.cmake.in ${PROJECT_BINARY_DIR}/roofcastConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/roofcastConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/roofcastConfig.cmake ${PROJECT_BINARY_DIR}/roofcastConfigVersion.cmake
        DESTINATION ${package_dir})
