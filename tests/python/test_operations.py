"""Every operation from Python does what it says on real files, and its report counts it right."""

import datetime
import pathlib

import ariadne_lake
import pyarrow as pa
import pyarrow.parquet as pq
import pytest


def _name(uri):
    return uri.rsplit("/", 1)[1]


def test_all_six_kinds_are_declared_built_and_asked(tmp_path, lake):
    moment = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
    folder = tmp_path / "lake"
    folder.mkdir()
    for i in range(3):
        rows = {
            "key": [1, 10 + i], "id": [f"id {i}", f"x{i}"], "n": [i, i + 0.5], "text": [f"Ab{i}", "z"],
            "at": pa.array([moment + datetime.timedelta(i)] * 2, pa.timestamp("us", "UTC")),
            "items": [[{"sku": f"s{i}"}], []], "tags": [[f"t{i}"], None],
        }  # fmt: skip
        pq.write_table(pa.table(rows), folder / f"{i}.parquet")
    index = lake.create("all", schema_from=folder, computed={"upper": "upper(text)"}, exploded={"sku": "items.sku"})
    index.add_bloom("id", 0.001).add_range("n").add_temporal("key", "at").add_exploded("tags", "", "tag").add_regular("text")
    index.add_files(folder)
    assert index.update(progress=False).files_indexed == 3
    declared = {each.column: each for each in index.columns}
    assert {name: each.kind for name, each in declared.items()} == {
        "id": "bloom", "n": "range", "key": "temporal", "tag": "exploded", "sku": "exploded", "text": "regular", "upper": "computed",
    }  # fmt: skip
    assert declared["id"].fpr == 0.001 and declared["text"].fpr is None and declared["key"].timestamp_column == "at"
    for where, files in [
        ({"id": "id 1"}, ["1.parquet"]), ({"n": 2.5}, ["2.parquet"]), ({"key": 1}, ["2.parquet"]), ({"tag": "t0"}, ["0.parquet"]),
        ({"sku": ["s0", "s2"]}, ["0.parquet", "2.parquet"]), ({"text": "z", "upper": "AB1"}, ["1.parquet"]), ({"upper": "Ab1"}, []),
    ]:  # fmt: skip
        assert [_name(file) for file in index.locate(where)] == files, where
    statistics = {each.column: each for each in index.stats()}
    assert statistics["text"].values.max == 2 and statistics["id"].fill.filters == 3 and statistics["n"].widths.ranges == 3
    assert statistics["text"].fill is None and statistics["n"].values is None


def test_sync_follows_files_that_come_change_and_go(events, files, lake):
    (files / "f 0%.parquet").unlink()
    pq.write_table(pa.table({"id": [5000], "name": ["changed and much longer"]}), files / "f 1%.parquet")
    pq.write_table(pa.table({"id": [6000], "name": ["new"]}), files / "späť.parquet")
    dry = events.sync(files, dry_run=True, progress=False)
    done = events.sync(files, progress=False)
    for report in (dry, done):
        assert [len(report.added), len(report.vanished), len(report.changed), report.unchanged] == [1, 1, 1, 8]
        assert report.looked_at.tzinfo is datetime.timezone.utc
    assert (dry.update.files_indexed, done.update.files_indexed) == (0, 2)
    assert events.locate({"id": 5}).files == [] and len(events.locate({"id": [5000, 6000]})) == 2
    tracked = events.files
    assert len(tracked) == 10 and all(each.indexed for each in tracked) and any("sp" in each.uri for each in tracked)
    assert abs(tracked[0].added_at - datetime.datetime.now(datetime.timezone.utc)) < datetime.timedelta(hours=1)


def test_files_are_deleted_under_any_spelling_and_unknown_ones_are_told(events, files):
    report = events.delete([files / "f 0%.parquet", str(files / "f 1%.parquet"), events.locate({"id": 25}).files[0], "nobody"])
    assert report.deleted == 3 and report.unknown == ["nobody"]
    assert len(events.files) == 7 and events.locate({"id": 5}).files == []


def test_compact_and_vacuum_change_no_answer(events, files, lake):
    for i in range(3):
        pq.write_table(pa.table({"id": [1000 + i], "name": ["n"]}), files / f"late {i}.parquet")
        assert events.add_files(files).added == 1
        events.update(progress=False)
    before = [events.locate({"id": i}).files for i in (0, 55, 1002)]
    packed = events.compact(progress=False)
    assert packed.files_before > packed.files_after
    would = events.vacuum(0, force=True, dry_run=True, progress=False)
    done = events.vacuum(0, force=True, progress=False)
    assert would.files == done.files and done.files and done.bytes > 0
    assert not any(pathlib.Path(file.removeprefix("file://")).exists() for file in done.files)
    assert [events.locate({"id": i}).files for i in (0, 55, 1002)] == before


def test_a_file_that_cannot_be_read_is_reported_and_stays_a_candidate(lake, files):
    (files / "f 3%.parquet").write_bytes(b"PAR1 no")
    index = lake.create("events", pa.schema({"id": pa.int64(), "name": pa.string()}), regular="id")
    index.add_files(files)
    report = index.update(progress=False)
    assert report.files_indexed == 9 and [_name(each.uri) for each in report.files_failed] == ["f%203%25.parquet"]
    assert report.files_failed[0].error
    located = index.locate({"id": 1})
    assert [_name(file) for file in located.unindexed_files] == ["f%203%25.parquet"] and len(located) == 2
    assert "1 of them not indexed" in repr(located)
    excluding = ariadne_lake.Lake(lake.root, unindexed="exclude")
    assert len(excluding["events"].locate({"id": 1})) == 1


def test_a_lake_tells_what_it_holds(events, lake, files, tmp_path):
    summary = lake.describe("events")
    assert (summary.name, summary.format, summary.tracked_files, summary.indexed_files) == ("events", "parquet", 10, 10)
    assert summary.schema == events.schema == pa.schema({"id": pa.int64(), "name": pa.string()})
    assert summary.total_indexed_bytes == sum(file.stat().st_size for file in files.iterdir())
    assert lake.describe_all() == [summary]
    assert lake.find(files / "f 3%.parquet") == ["events"] and lake.find(files / "nobody") == []
    assert lake.infer_schema(files) == events.schema
    lake.remove("events")
    assert lake.indexes == [] and len(list(files.iterdir())) == 10


def test_csv_and_json_lakes_are_read_with_sparks_options(tmp_path, lake):
    (tmp_path / "a.csv").write_text("k;v\n1;ä\n2;NULL\n", encoding="utf-8")
    index = lake.create(
        "csv", pa.schema({"k": pa.int32(), "v": pa.string()}), format="csv",
        read_options={"header": True, "sep": ";", "nullValue": "NULL"}, regular=["k", "v"],
    )  # fmt: skip
    index.add_files(tmp_path / "a.csv")
    index.update(progress=False)
    assert index.format == "csv" and {key.lower(): value for key, value in index.read_options.items()}["header"] == "true"
    assert index.join({"k": [1, 2]}, "k").to_arrow().sort_by("k")["v"].to_pylist() == ["ä", None]
    assert len(index.locate({"v": "NULL"})) == 0
    with pytest.raises(ariadne_lake.InvalidArgument, match="nonsense"):
        lake.create("other", index.schema, format="csv", read_options={"nonsense": 1})


def test_a_lake_that_moved_is_read_at_its_new_place(events, files, lake):
    moved = files.rename(files.with_name("moved % é"))
    mapped = ariadne_lake.Lake(lake.root, path_map={str(files): str(moved)})
    assert mapped["events"].join({"id": [5]}, "id").to_arrow()["name"].to_pylist() == ["n5"]


def test_row_group_indexes_are_built_by_queries_where_a_switch_says_so(tmp_path, lake):
    table = pa.table({"id": list(range(0, 20000, 2)), "text": [f"t{i % 977}" for i in range(10000)]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=1000)
    lake.create("t", table, regular="id").add_files(tmp_path / "a.parquet")
    switched = ariadne_lake.Lake(lake.root, row_group_bloom=True, row_group_persistence=True, row_group_store_size=0)
    query = "SELECT count(*) AS n FROM t WHERE text = 't5'"
    answers = []
    for each in (lake, switched, switched):
        rows = each.sql(query)
        answers.append((rows.to_arrow()["n"].to_pylist(), rows.scans[0].row_groups))
    assert answers == [([11], 10)] * 3


def test_rows_of_sql_come_in_order_and_statements_run_in_turn(shared_lake):
    rows = shared_lake.sql("CREATE TEMP TABLE t AS SELECT id FROM events WHERE id < 3; SELECT * FROM t ORDER BY id DESC")
    assert rows.to_arrow()["id"].to_pylist() == [2, 1, 0]
    assert rows.located is None
    with pytest.raises(ariadne_lake.QueryError, match="(?i)t"):
        shared_lake.sql("SELECT * FROM t")
    with pytest.raises(ariadne_lake.QueryError):
        shared_lake.sql("")
