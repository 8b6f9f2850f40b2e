"""Small lakes with an index of every kind, for the tests of SQL. What is in them is plain to see."""

import datetime

import pyarrow as pa
import pyarrow.parquet as pq

import command_line

UTC = datetime.timezone.utc
DAYS = 8
ROWS = 100


def orders(folder):
    """Eight days of orders, a file a day; `id` counts on, `customer` recurs, days do not overlap."""
    folder.mkdir(parents=True)
    for day in range(DAYS):
        ids = range(day * ROWS, (day + 1) * ROWS)
        table = pa.table(
            {
                "id": pa.array(ids, pa.int64()),
                "customer": pa.array(
                    [None if i % 10 == 9 else f"c{day}-{i % 5}" for i in ids], pa.string()
                ),
                "ref": pa.array([f"EU{day:02}-{i}" for i in ids], pa.string()),
                "amount": pa.array([i % 7 + day * 10 for i in ids], pa.decimal128(10, 2)),
                "ts": pa.array(
                    [
                        datetime.datetime(2024, 1, 1 + day, i % 24, tzinfo=UTC)
                        for i in ids
                    ],
                    pa.timestamp("us", "UTC"),
                ),
                "note": pa.array([f"note {i}" for i in ids], pa.string()),
                "tags": pa.array(
                    [
                        None
                        if i % 4 == 0
                        else [{"k": f"t{day}", "n": 1}, {"k": "all", "n": i}][: i % 4 - 1]
                        for i in ids
                    ],
                    pa.list_(pa.struct([("k", pa.string()), ("n", pa.int64())])),
                ),
            }
        )
        # A blank and a percent sign in every name; several row groups a file.
        pq.write_table(table, folder / f"day {day} 100%.parquet", row_group_size=25)
    return folder


def users(folder):
    """Versions of users: file v holds the users from v on in version v, so that the newest of user u
    is in file u; user 0 has its newest version in no later file."""
    folder.mkdir(parents=True)
    for version in range(4):
        ids = [f"u{u}" for u in range(version, 6)] + [None]
        table = pa.table(
            {
                "user_id": pa.array(ids, pa.string()),
                "name": pa.array([f"{i} in version {version}" for i in ids], pa.string()),
                "seen": pa.array(
                    [datetime.datetime(2024, 1, 1 + version, tzinfo=UTC)] * len(ids),
                    pa.timestamp("us", "UTC"),
                ),
                "active": pa.array([version % 2 == 0] * len(ids), pa.bool_()),
            }
        )
        pq.write_table(table, folder / f"users {version}.parquet")
    return folder


def make(folder):
    """The lake's root with indexes over both, and the command bound to it."""
    ariadne = command_line.Ariadne(folder / "root")
    day_files = orders(folder / "orders of a week")
    ariadne.ok(
        "create", "orders", "--schema-from", day_files,
        "--regular", "customer", "--bloom", "ref", "--range", "id", "--range", "ts",
        "--computed", "prefix=substring(ref, 1, 4)",
        "--computed", "day=to_date(ts)",
        "--exploded", "tags.k:tag",
    )  # fmt: skip
    ariadne.ok("add", "orders", day_files)
    ariadne.ok("update", "orders")
    versions = users(folder / "users")
    ariadne.ok(
        "create", "users", "--schema-from", versions, "--temporal", "user_id:seen",
        "--regular", "name",
    )  # fmt: skip
    ariadne.ok("add", "users", versions)
    ariadne.ok("update", "users")
    behind = orders(folder / "orders that are behind")
    files = sorted(behind.iterdir())
    ariadne.ok("create", "behind", "--schema-from", behind, "--regular", "customer")
    ariadne.ok("add", "behind", *files[:6])
    ariadne.ok("update", "behind")
    ariadne.ok("add", "behind", *files[6:])
    return ariadne
