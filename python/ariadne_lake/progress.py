"""How far a long call is: a bar on a terminal, a bar in a notebook, or whatever a callable makes of it."""

from __future__ import annotations

import dataclasses
import html
import sys
import time
from typing import Any, Callable, Optional, TextIO, Union

from .errors import InvalidArgument

#: A call that is quick shows nothing, seconds.
_PATIENCE = 1.0
#: Between two drawings, seconds.
_REDRAW = 0.1
_BAR_WIDTH = 30


@dataclasses.dataclass(frozen=True)
class Progress:
    """How far an update is."""

    #: Indexed or failed so far.
    files_done: int
    files_total: int
    #: Bytes of the data files.
    bytes_done: int
    bytes_total: int
    #: "plan", "build" or "consolidate"
    phase: str

    @property
    def fraction(self) -> float:
        """From 0 to 1."""
        done, total = (
            (self.bytes_done, self.bytes_total) if self.bytes_total > 0 else (self.files_done, self.files_total)
        )
        return min(max(done / total, 0.0), 1.0) if total > 0 else 0.0

    def __str__(self) -> str:
        text = f"{self.phase} {self.files_done} of {self.files_total} files"
        if self.bytes_total > 0:
            text += f", {_size(self.bytes_done)} of {_size(self.bytes_total)}"
        return text


#: None: a bar where a person looks on; True: a bar; False: none.
BarOption = Union[None, bool]
#: Also: what is called with each Progress.
ProgressOption = Union[BarOption, Callable[[Progress], Any]]


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


class _Terminal:
    """One line of a terminal, drawn again and again."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def draw(self, text: str, fraction: float | None) -> None:
        bar = ""
        if fraction is not None:
            filled = int(fraction * _BAR_WIDTH)
            bar = f"[{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] "
        self._stream.write(f"\r{bar}{text}\x1b[K")
        self._stream.flush()

    def close(self) -> None:
        self._stream.write("\r\x1b[K")
        self._stream.flush()


class _Notebook:
    """An HTML element below the cell."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self._display = display
        self._handle: Any = None

    def draw(self, text: str, fraction: float | None) -> None:
        value = "" if fraction is None else f' value="{fraction:.3f}"'
        bundle = {
            "text/html": f'<progress{value} max="1"></progress> {html.escape(text)}',
            "text/plain": text,
        }
        if self._handle is None:
            self._handle = self._display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)

    def close(self) -> None:
        if self._handle is not None:
            self._handle.update({"text/html": "", "text/plain": ""}, raw=True)


def _place(wanted: bool) -> _Terminal | _Notebook | None:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and getattr(shell, "kernel", None) is not None:
        from IPython.display import display  # type: ignore[import-not-found,unused-ignore]

        return _Notebook(display)
    stream = sys.stderr
    if stream is None or not (wanted or stream.isatty()):
        return None
    return _Terminal(stream)


class Display:
    """What a native call tells how far it is: five values as of Progress, a percentage, or only that time passes."""

    def __init__(self, option: ProgressOption, what: str, *, takes_callable: bool = False) -> None:
        if not (option is None or isinstance(option, bool) or (takes_callable and callable(option))):
            called = ", or what is called with each ariadne_lake.Progress" if takes_callable else ""
            raise InvalidArgument(
                f"progress is {option!r}: give None (a bar where a person looks on), True, False{called}"
            )
        self._call = option if callable(option) else None
        self._place = None if option is False or self._call is not None else _place(option is True)
        self._patience = 0.0 if option is True else _PATIENCE
        self._what = what
        self._begin = time.monotonic()
        self._drawn: float | None = None
        self._last: Progress | None = None
        self._phase = ""

    @property
    def callback(self) -> Optional["Display"]:
        """What to hand to the native call; None where nobody listens."""
        return self if self._call is not None or self._place is not None else None

    def __call__(self, *values: Any) -> None:
        if len(values) > 1:
            self._last = Progress(*values)
            if self._call is not None:
                self._call(self._last)
        if self._place is None:
            return
        now = time.monotonic()
        elapsed = now - self._begin
        phase = self._last.phase if self._last is not None else ""
        recent = self._drawn is not None and now - self._drawn < _REDRAW
        if elapsed < self._patience or (recent and phase == self._phase):
            return
        self._drawn, self._phase = now, phase
        if self._last is None or self._last.files_total == 0:  # Of an update: it waits for a lock, or plans.
            self._place.draw(f"{self._what} {_duration(elapsed)}", values[0] / 100 if len(values) == 1 else None)
            return
        text, fraction = str(self._last), self._last.fraction
        if elapsed > 2 and 0 < fraction < 1:  # Before, the rate says nothing yet.
            text += f", {_duration(elapsed / fraction * (1 - fraction))} left"
        self._place.draw(text, fraction)

    def __enter__(self) -> "Display":
        return self

    def __exit__(self, *_: object) -> None:
        if self._place is not None and self._drawn is not None:
            self._place.close()
