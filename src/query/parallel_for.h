#pragma once

#include <cstddef>
#include <functional>

namespace ariadne::query {

/// Calls `work(i)` for every i below `count`, on `threads` threads at most (the caller's is one of
/// them), each index once and in ascending order of start. The first exception stops what has not
/// begun and is thrown again here.
void ParallelFor(size_t count, int threads, const std::function<void(size_t)>& work);

/// `threads`, or one a core where it is 0.
int ThreadCount(int threads);

}  // namespace ariadne::query
