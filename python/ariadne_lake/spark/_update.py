"""Updates whose files are visited by executors."""

from __future__ import annotations

import concurrent.futures
import functools
import uuid
from typing import TYPE_CHECKING, Callable, Iterator

import pyarrow as pa

from .. import _native, reports
from ..index import Index
from ..progress import Display, ProgressOption
from ._remote import Remote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Spark jobs at a time: while the last shares of one end, executors begin the next one's.
_JOBS = 2
#: Between two looks at the lock, seconds.
_TICK = 1.0


def update(
    spark: "SparkSession", index: Index, *, parallelism: int | None = None, progress: ProgressOption = None
) -> reports.UpdateReport:
    """Indexes what is tracked and not indexed, as ``Index.update``: executors visit the files, each a share.

    They write the index's data files; this process holds the lock, and commits what they wrote, a commit for each of
    Spark's jobs. What was committed stays whatever happens then, and the next update, from anywhere, goes on from there;
    an executor that is lost costs the shares that it had.

    ``parallelism``
        Shares of a job; None: ``spark.sparkContext.defaultParallelism``.

    The settings of the lake hold for each task; ``threads`` is 1 and ``memory`` 512 MiB where they are not set. Raises
    as ``Index.update``, and what Spark raises where a task fails for good.
    """
    remote = Remote(index)
    slots = parallelism or spark.sparkContext.defaultParallelism
    options, _ = remote.options()
    with Display(progress, "update", takes_callable=True) as display:
        driver = _native.UpdateDriver(remote.root, remote.name, options, int(slots), display.callback)
        try:
            _build(spark, remote, driver, int(slots))
            return reports.update_report(driver.finish())
        finally:
            driver.close()


def _build(spark: "SparkSession", remote: Remote, driver: _native.UpdateDriver, slots: int) -> None:
    tag = f"ariadne-update-{uuid.uuid4()}"
    pool = concurrent.futures.ThreadPoolExecutor(_JOBS)
    jobs: set[concurrent.futures.Future[list[str]]] = set()
    try:
        while True:
            while len(jobs) < _JOBS and (shares := _take(driver, slots)):
                jobs.add(pool.submit(_run, spark, tag, remote, shares))
            if not jobs:
                return
            ended, jobs = concurrent.futures.wait(jobs, _TICK, concurrent.futures.FIRST_COMPLETED)
            for job in ended:
                driver.commit(job.result())
            driver.keep_lock()
    except BaseException:
        spark.interruptTag(tag)
        raise
    finally:
        # No executor of ours may be writing once the lock is free.
        pool.shutdown(wait=True)


def _take(driver: _native.UpdateDriver, most: int) -> list[str]:
    shares: list[str] = []
    while len(shares) < most and (share := driver.next_share()) is not None:
        shares.append(share)
    return shares


def _run(spark: "SparkSession", tag: str, remote: Remote, shares: list[str]) -> list[str]:
    spark.addTag(tag)
    rows = spark.sparkContext.parallelize([(share,) for share in shares], len(shares))
    built = spark.createDataFrame(rows, "share string").mapInArrow(_task(remote), "result string")
    return [row.result for row in built.collect()]


def _task(remote: Remote) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    return functools.partial(_build_shares, remote)


def _build_shares(remote: Remote, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for share in batch.column(0):
            yield pa.record_batch({"result": [remote.worker().build_share(share.as_py())]})
