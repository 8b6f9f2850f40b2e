# What `cmake --install` gives: the command, and one shared library of all parts behind find_package(ariadne).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The parts stay static libraries in the build tree, where each test links no more than it needs.
set(_objects)
foreach(part storage source index text scan engine build query)
  get_target_property(_type ariadne_${part} TYPE)
  if(_type STREQUAL "STATIC_LIBRARY")
    list(APPEND _objects "$<TARGET_OBJECTS:ariadne_${part}>")
  endif()
endforeach()
add_library(ariadne_shared SHARED ${_objects})
set_target_properties(ariadne_shared PROPERTIES
  OUTPUT_NAME ariadne
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  INSTALL_RPATH "$ORIGIN/ariadne")
target_link_libraries(ariadne_shared PRIVATE ariadne_query)
target_link_options(ariadne_shared PRIVATE -Wl,--no-undefined)

# Libraries that no system package brings lie in a folder of their own: a system may have another libduckdb. Nothing
# is found in the folders of who built it, so that every user can run it.
set(_private "${CMAKE_INSTALL_LIBDIR}/ariadne")
install(TARGETS ariadne_shared LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
set(_arrow)
foreach(_name arrow arrow_compute parquet)
  list(APPEND _arrow "${PYARROW_DIR}/lib${_name}.so.${ArrowWheel_SO_VERSION}")
endforeach()
install(FILES ${_arrow} "${DuckDB_LIBRARY}" "$<TARGET_PROPERTY:ariadne_delta,IMPORTED_LOCATION>"
        DESTINATION "${_private}")
# Their licences, from the Python packages that stand beside each other.
foreach(_package pyarrow duckdb)
  file(GLOB _licences "${PYARROW_DIR}/../${_package}-*.dist-info/licenses/*")
  install(FILES ${_licences} DESTINATION "${CMAKE_INSTALL_DOCDIR}/${_package}")
endforeach()
install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/ariadne" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" "${CMAKE_SOURCE_DIR}/NOTICE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
if(TARGET ariadne_command)
  set_target_properties(ariadne_command PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${_private}")
  install(TARGETS ariadne_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

set(_config "${CMAKE_INSTALL_LIBDIR}/cmake/ariadne")
configure_package_config_file(cmake/ariadneConfig.cmake.in "${CMAKE_BINARY_DIR}/ariadneConfig.cmake"
  INSTALL_DESTINATION "${_config}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/ariadneConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/ariadneConfig.cmake"
              "${CMAKE_BINARY_DIR}/ariadneConfigVersion.cmake" cmake/FindArrowWheel.cmake
        DESTINATION "${_config}")
