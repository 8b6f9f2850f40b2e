#include "scan/gone_file.h"

#include "duckdb/common/exception.hpp"

namespace ariadne::scan {

void ThrowGone(const std::string& path) {
  duckdb::unordered_map<std::string, std::string> info;
  info[kGoneFile] = path;
  throw duckdb::IOException(
      info, "\"" + path +
                "\" does not exist: it was removed since it was added. 'sync' takes files "
                "that are gone out of the index, 'delete' one of them");
}

}  // namespace ariadne::scan
