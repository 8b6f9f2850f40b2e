"""A file with tens of millions of distinct values, indexed within the memory that is allowed."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line

ALL = "ARIADNE_LONG_TESTS" in os.environ
VALUES = 50_000_000 if ALL else 2_000_000


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """Every even number once, in no order, in a single row group; and a small file beside it."""
    folder = tmp_path_factory.mktemp("large")
    # A prime that does not divide the count walks over all of them.
    ids = np.arange(VALUES, dtype=np.int64) * 1_000_003 % VALUES * 2
    pq.write_table(
        pa.table({"id": ids}),
        folder / "large.parquet",
        row_group_size=VALUES,
        use_dictionary=False,
        compression="none",
    )
    pq.write_table(pa.table({"id": pa.array([1, 2, -5], pa.int64())}), folder / "small.parquet")
    return folder


# A child starts with the memory of the process that forked it, so a small one starts the command.
LAUNCHER = (
    "import resource, subprocess, sys; "
    "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


def peak_of_update(ariadne, index):
    """Updates and returns the most memory that the process had, in bytes."""
    update = ariadne.command("--json", "update", index)
    done = subprocess.run(
        [sys.executable, "-S", "-c", LAUNCHER, *update],
        check=True, stdout=subprocess.PIPE, env=ariadne.env,
    )
    return int(done.stdout) * 1024


@pytest.mark.parametrize("memory", ["256MB", ""] if ALL else ["64MB"])
def test_a_file_with_very_many_values_is_indexed_within_the_memory_allowed(lake, memory, tmp_path):
    ariadne = command_line.Ariadne(
        tmp_path / "root", options=["--memory", memory] if memory else [], env={"HOME": str(tmp_path)}
    )
    ariadne.ok("create", "ix", "--schema-from", lake, "--regular", "id")
    ariadne.ok("add", "ix", lake)
    ariadne.ok("create", "small", "--schema-from", lake, "--regular", "id")
    ariadne.ok("add", "small", lake / "small.parquet")
    start = peak_of_update(ariadne, "small")
    peak = peak_of_update(ariadne, "ix")
    print(f"{VALUES:,} values, --memory {memory or 'default'}: peak {peak >> 20} MB, "
          f"{(peak - start) >> 20} MB above that of a small file")
    if memory:
        # Beside the budget there are the pages that Parquet reads and writes, and some copies of
        # the filter, 1.2 bytes a value, while it is written.
        assert peak - start < (int(memory[:-2]) << 20) * 3 // 2 + 5 * VALUES
    assert ariadne.json("describe", "ix")["indexed_files"] == 2

    def located(values):
        files = ariadne.json("locate", "ix", "--where", "id=" + ",".join(map(str, values)))["files"]
        return sorted(os.path.basename(file) for file in files)

    for value in (0, 2 * VALUES - 2, VALUES // 2 * 2, 12_346):
        assert located([value]) == ["large.parquet"]
    assert located([2]) == ["large.parquet", "small.parquet"]
    assert located([1]) == ["small.parquet"]
    assert located([3, 5, 2 * VALUES, -2, 12_345]) == []
    assert located([*range(3, 103, 2), 1_000_000]) == ["large.parquet"]
