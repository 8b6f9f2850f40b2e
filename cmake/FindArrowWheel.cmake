# Arrow::arrow, Arrow::compute, Arrow::acero, Arrow::dataset and Arrow::parquet from the Arrow C++ that the PyPI wheel
# of pyarrow carries. Input: PYARROW_DIR, or ARIADNE_PYTHON, an interpreter that has pyarrow.
if(NOT PYARROW_DIR)
  # -I and another directory, since pyarrow/types.py would shadow the standard library's.
  execute_process(
    COMMAND ${ARIADNE_PYTHON} -I -c
            "import importlib.util as u; print(u.find_spec('pyarrow').submodule_search_locations[0])"
    OUTPUT_VARIABLE PYARROW_DIR OUTPUT_STRIP_TRAILING_WHITESPACE WORKING_DIRECTORY /)
endif()
if(EXISTS "${PYARROW_DIR}/include/arrow/util/config.h")
  file(STRINGS "${PYARROW_DIR}/include/arrow/util/config.h" _config
       REGEX "define ARROW_(SO_VERSION|VERSION_STRING) ")
  string(REGEX MATCH "ARROW_SO_VERSION \"([0-9]+)\"" _ "${_config}")
  set(ArrowWheel_SO_VERSION ${CMAKE_MATCH_1})
  string(REGEX MATCH "ARROW_VERSION_STRING \"([0-9.]+)\"" _ "${_config}")
  set(ArrowWheel_VERSION ${CMAKE_MATCH_1})
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ArrowWheel REQUIRED_VARS PYARROW_DIR ArrowWheel_SO_VERSION
                                  VERSION_VAR ArrowWheel_VERSION)
if(ArrowWheel_FOUND AND NOT TARGET Arrow::arrow)
  function(_arrow_wheel_library name file)
    add_library(${name} SHARED IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES
      IMPORTED_LOCATION "${PYARROW_DIR}/lib${file}.so.${ArrowWheel_SO_VERSION}"
      IMPORTED_SONAME "lib${file}.so.${ArrowWheel_SO_VERSION}"
      INTERFACE_INCLUDE_DIRECTORIES "${PYARROW_DIR}/include"
      INTERFACE_COMPILE_FEATURES cxx_std_20
      INTERFACE_LINK_LIBRARIES "${ARGN}")
  endfunction()
  _arrow_wheel_library(Arrow::arrow arrow)
  _arrow_wheel_library(Arrow::compute arrow_compute Arrow::arrow)
  _arrow_wheel_library(Arrow::parquet parquet Arrow::arrow)
endif()
