"""Ariadne where one machine is not enough: Spark's executors do the work, PySpark 4 calls it.

>>> import ariadne_lake.spark
>>> index = ariadne_lake.Lake("s3://bucket/index")["events"]            # doctest: +SKIP
>>> ariadne_lake.spark.update(spark, index)                             # doctest: +SKIP
>>> ariadne_lake.spark.join(spark, index, keys, on="user")              # doctest: +SKIP
>>> ariadne_lake.spark.register(spark)                                  # doctest: +SKIP
>>> spark.read.format("ariadne").option("root", "s3://bucket/index").load("events")  # doctest: +SKIP

The package must be installed where executors run Python: see docs/spark.md.
"""

from __future__ import annotations

from ._source import AriadneDataSource, register
from ._join import join
from ._locate import locate
from ._update import update

__all__ = ["AriadneDataSource", "join", "locate", "register", "update"]
