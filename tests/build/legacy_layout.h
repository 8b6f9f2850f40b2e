#pragma once

#include "test_lake.h"

namespace ariadne::testing {

/// Gives an index the shape that a storage version had (docs/operations.md): below 4 large indexes
/// keep their values under another name and have no filters, below 3 exploded fields are called by
/// their array, below 2 there is no `file_size`.
void MakeLegacy(TestLake* lake, int storage_version);

}  // namespace ariadne::testing
