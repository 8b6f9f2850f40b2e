#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include <arrow/type_fwd.h>
#include <nlohmann/json_fwd.hpp>

#include "ariadne/index.h"

namespace ariadne::cli {

using Json = nlohmann::ordered_json;

/// Prints one object and a line feed. Bytes that are no UTF-8 (file names may hold such) become
/// U+FFFD.
void PrintJson(std::ostream& out, const Json& object);

/// "1 row", "2 rows".
std::string Counted(int64_t count, const std::string& what);
/// "9.2 MB", powers of 1000; below 1000 bytes "120 B", and "0.1 MB" from 50 kB on.
std::string FormatBytes(int64_t bytes);
/// "412 ms", "3.4 s", "2 min 5 s".
std::string FormatDuration(double milliseconds);
/// "2013-01-01T05:00:00.120Z", fraction only where there is one.
std::string FormatInstant(int64_t microseconds);

/// "loaded 4 of 365 files (0.1 MB of 9.2 MB), 98.9% pruned", un-indexed files said where there are
/// any. `verb`: "loaded", "located".
std::string PruningLine(const char* verb, const Located& located);
/// A line a step: "  tailnum (regular): 365 -> 4 files".
std::string PruningSteps(const Located& located);

/// "warning: not indexed: " and why, a line a file; each is named once.
void WarnOfFailed(std::ostream& err, const std::vector<FailedFile>& failed);

/// The metrics of an answer, as `locate --json` gives them; `files` first.
Json LocatedJson(const Located& located);

/// [{"column", "kind", "fpr" for bloom}]
Json IndexesJson(const std::vector<IndexedColumn>& columns);
/// {name: value}
Json ReadOptionsJson(const ReadOptions& options);
/// [{"name", "type", "nullable"}]; types as Spark names them.
Json SchemaJson(const arrow::Schema& schema);

}  // namespace ariadne::cli
