# DuckDB::duckdb: the prebuilt library with the headers of its C++ API, Parquet reader included.
# Input: ARIADNE_DUCKDB, the folder that scripts/setup.sh made.
find_library(DuckDB_LIBRARY duckdb PATHS "${ARIADNE_DUCKDB}/lib" NO_DEFAULT_PATH)
find_path(DuckDB_INCLUDE_DIR duckdb.hpp PATHS "${ARIADNE_DUCKDB}/src/include" NO_DEFAULT_PATH)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DuckDB REQUIRED_VARS DuckDB_LIBRARY DuckDB_INCLUDE_DIR)
if(DuckDB_FOUND AND NOT TARGET DuckDB::duckdb)
  add_library(DuckDB::duckdb SHARED IMPORTED GLOBAL)
  set(_third_party thrift mbedtls/include zstd/include snappy lz4 brotli/include fmt/include utf8proc/include
                   fastpforlib fsst concurrentqueue re2 parquet)
  list(TRANSFORM _third_party PREPEND "${ARIADNE_DUCKDB}/third_party/")
  set_target_properties(DuckDB::duckdb PROPERTIES IMPORTED_LOCATION "${DuckDB_LIBRARY}"
                                                  IMPORTED_SONAME libduckdb.so)
  # SYSTEM: other people's warnings are not ours.
  target_include_directories(DuckDB::duckdb SYSTEM INTERFACE
    "${DuckDB_INCLUDE_DIR}" "${ARIADNE_DUCKDB}/extension/parquet/include" ${_third_party})
  # The library is a release build: without NDEBUG its inline headers would check what it does not keep.
  target_compile_definitions(DuckDB::duckdb INTERFACE NDEBUG)
endif()
