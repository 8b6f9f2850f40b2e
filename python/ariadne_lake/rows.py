"""Rows that a join or a query gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

import pyarrow as pa

from . import _native, reports
from .errors import InvalidArgument
from .progress import BarOption, Display

if TYPE_CHECKING:
    import pandas
    import polars


class Rows:
    """Rows that are computed as they are read, once: memory holds a batch at a time.

    Take them with ``to_arrow()``, ``to_pandas()`` or ``to_polars()``, batch by batch in a loop, or hand the object to
    whatever reads Arrow streams (``pyarrow.table(rows)``, ``polars.DataFrame(rows)``, ``duckdb.from_arrow(rows)``).
    Reading raises what the query does: ``QueryError``, ``FileNotFound``, ``KeyboardInterrupt`` on Ctrl-C, and
    ``InvalidArgument`` for rows that were read before.
    """

    def __init__(
        self,
        stream: _native.RowStream,
        located: reports.Located | None = None,
        session: _native.SqlSession | None = None,
        progress: BarOption = None,
    ) -> None:
        self._stream = stream
        self._located = located
        self._session = session
        self._scans: list[reports.ScanReport] = []
        self._progress = progress
        self._ended = False

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return reports.schema(self._stream.schema())

    @property
    def located(self) -> reports.Located | None:
        """Which files a join reads and why; None for the rows of SQL, see ``scans``."""
        return self._located

    @property
    def scans(self) -> list[reports.ScanReport]:
        """What a query has read so far, a record a table; empty for a join, see ``located``."""
        if self._session is not None:
            self._scans = [reports.ScanReport(**scan) for scan in self._session.scans()]
        return self._scans

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self._batches(None)

    def _batches(self, display: Display | None) -> Iterator[pa.RecordBatch]:
        while (capsules := self._stream.next(display)) is not None:
            yield pa.record_batch(_Batch(capsules))
        self._ended = True

    def _check_left(self) -> None:
        # Loops may share the rows, each with its part; whoever asks for all of them must not take nothing for that.
        if self._ended:
            raise InvalidArgument("these rows were read before: they come once; keep them with to_arrow(), or ask again")

    def to_arrow(self) -> pa.Table:
        """All rows that are left, as a ``pyarrow.Table``."""
        self._check_left()
        with Display(self._progress, "rows") as display:
            return pa.Table.from_batches(self._batches(display.callback), self.schema)

    def to_pandas(self, **options: Any) -> "pandas.DataFrame":
        """All rows that are left; ``options`` as of ``pyarrow.Table.to_pandas``."""
        return self.to_arrow().to_pandas(**options)

    def to_polars(self) -> "polars.DataFrame":
        """All rows that are left."""
        import polars

        frame = polars.from_arrow(self.to_arrow())
        assert isinstance(frame, polars.DataFrame)
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        self._check_left()
        return self._stream.export()

    def close(self) -> None:
        """Stops the query and frees what it holds. Rows that were read stay."""
        self._stream.close()
        _ = self.scans
        self._session = None

    def __enter__(self) -> "Rows":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        columns = ", ".join(f"{field.name}: {field.type}" for field in self.schema)
        return f"<Rows of ({columns})>"


class _Batch:
    def __init__(self, capsules: tuple[object, object]) -> None:
        self._capsules = capsules

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._capsules
