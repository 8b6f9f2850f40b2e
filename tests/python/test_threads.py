"""One index answers many threads at once, while others write, and leaves the interpreter to other threads meanwhile."""

import concurrent.futures
import random
import threading
import time

import pyarrow as pa
import pyarrow.parquet as pq


def _answer(index, seed):
    """A random question and whether its answer is that of the hundred rows that every state of the index has."""
    chance = random.Random(seed)
    ids = chance.sample(range(100), chance.randrange(1, 6))
    files = {f"f%20{i // 10}%25.parquet" for i in ids}
    if chance.random() < 0.5:
        located = index.locate({"id": ids})
        return files <= {file.rsplit("/", 1)[1] for file in located.files}
    rows = index.join({"id": ids}, "id").to_arrow()
    return sorted(zip(rows["id"].to_pylist(), rows["name"].to_pylist())) == sorted((i, f"n{i % 10}") for i in ids)


def test_many_threads_share_an_index_and_each_gets_its_own_answer(shared_events):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda seed: _answer(shared_events, seed), range(60)))


def test_answers_hold_while_another_thread_adds_and_updates(events, files, lake):
    ended = threading.Event()

    def write():
        try:
            writer = lake["events"]
            for number in range(4):
                path = files / f"more {number}.parquet"
                pq.write_table(pa.table({"id": [1000 + number], "name": ["new"]}), path)
                writer.add_files(path)
                writer.update()
            writer.compact()
        finally:
            ended.set()

    def ask(seed):
        answers = []
        while not ended.is_set() or not answers:
            answers.append(_answer(events, seed * 1000 + len(answers)))
        return all(answers)

    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        writing = pool.submit(write)
        assert all(pool.map(ask, range(4)))
        writing.result()
    assert len(events.locate({"id": [1000, 1001, 1002, 1003]})) == 4


def test_threads_read_one_stream_of_rows_between_them(shared_lake):
    rows = shared_lake.sql("SELECT range AS n FROM range(500000)")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda _: [batch["n"].to_pylist() for batch in rows], range(4)))
    seen = [n for part in parts for batch in part for n in batch]
    assert sorted(seen) == list(range(500000))


def test_other_threads_run_python_while_a_query_runs(shared_lake):
    counted = 0
    ended = threading.Event()

    def count():
        nonlocal counted
        while not ended.is_set():
            counted += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        shared_lake.sql("SELECT sum(hash(a.range + b.range)) FROM range(20000) a, range(2000) b").to_arrow()
    finally:
        ended.set()
        thread.join()
    assert counted > 100
