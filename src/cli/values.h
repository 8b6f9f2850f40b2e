#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ariadne/index.h"
#include "ariadne/options.h"

namespace ariadne::cli {

// How people write values on the command line. In every list an item is either taken as it stands,
// or written in double quotes, where "" is one quote: then commas and equal signs belong to it.
// All functions throw InvalidArgument that repeats the text and shows the right form.

/// `A,B,"C,D"` as its items. An empty text is one empty item.
std::vector<std::string> SplitList(std::string_view text);
/// The items of all lists, one after the other: a flag that was repeated.
std::vector<std::string> SplitLists(const std::vector<std::string>& texts);

/// `COL=V[,V]...`, e.g. `city="Paris, TX",Rome`. The values stay text: the column's type decides.
Probe ParseWhere(std::string_view text);
/// One probe a --where; a column asked twice is refused, since both meanings are plausible.
std::vector<Probe> ParseWheres(const std::vector<std::string>& texts);

/// `{"COL": [V, ...], ...}`; one value may stand without brackets. Numbers keep their digits
/// (9007199254740993, 1.10), null is NULL.
std::vector<Probe> ParseWhereJson(const std::string& text);

/// Bytes: `1073741824`, `512MB` (powers of 1000), `1.5GiB` (powers of 1024); at least 1.
int64_t ParseSize(std::string_view text);

/// `FROM=TO`, both an absolute path or a URL; FROM may itself hold equal signs (`/lake/dt=1=/b`).
PathMapping ParsePathMapping(std::string_view text);

/// `KEY=VALUE` of the option `flag`, split at the first equal sign.
std::pair<std::string, std::string> ParseKeyValue(std::string_view flag, std::string_view text);

/// `COL` or `COL:FPR`; a name that ends like a rate is written with its rate (`"a:0.5:0.01"`).
IndexedColumn ParseBloom(std::string_view text);
/// Throws InvalidArgument where ParseBloom took a rate that is none for a part of the name.
void CheckRates(const std::vector<IndexedColumn>& columns, const arrow::Schema& schema);

/// `NAME=EXPR`, split at the first equal sign.
IndexedColumn ParseComputed(std::string_view text);
/// `COL:TIMESTAMP`, split at the last colon.
IndexedColumn ParseTemporal(std::string_view text);
/// `ARRAY[.FIELD]...:NAME`, split at the last colon, the array at the first dot.
IndexedColumn ParseExploded(std::string_view text);
/// Moves the split of those that ParseExploded gave behind the longest name of a column that the
/// path begins with: a column's name may have dots.
void SplitBehindColumns(std::vector<IndexedColumn>* columns, const arrow::Schema& schema);

}  // namespace ariadne::cli
