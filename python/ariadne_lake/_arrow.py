"""Makes the Arrow libraries of the installed pyarrow those of the native library.

Both must share one copy. Its C++ interface changes with each minor release, so another release is refused in words
before the dynamic loader fails on a missing name.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import os

#: The release of Arrow that the wheel is built for, and its libraries' version; see pyproject.toml.
RELEASE = "26.0"
SO_VERSION = "2600"
#: What the native library needs of it, each after what it needs itself.
LIBRARIES = ("arrow", "arrow_compute", "parquet")


def folder() -> str:
    """The folder of the installed pyarrow. Raises ImportError where there is none or one of another release."""
    remedy = f"pip install 'pyarrow=={RELEASE}.*'"
    spec = importlib.util.find_spec("pyarrow")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"ariadne_lake needs pyarrow {RELEASE} beside it, and there is none: {remedy}")
    found = spec.submodule_search_locations[0]
    if not os.path.exists(os.path.join(found, f"libarrow.so.{SO_VERSION}")):
        try:
            version = importlib.metadata.version("pyarrow")
        except importlib.metadata.PackageNotFoundError:
            version = "of unknown version"
        raise ImportError(
            f"ariadne_lake is built for pyarrow {RELEASE}, whose libraries it links, and found pyarrow {version} in "
            f"{found}: {remedy}, or build ariadne-lake against that one"
        )
    return found


def load() -> None:
    """Loads the libraries, so that the native module finds them wherever pyarrow lies."""
    found = folder()
    import pyarrow  # noqa: F401  pylint: disable=unused-import,import-outside-toplevel

    for name in LIBRARIES:
        ctypes.CDLL(os.path.join(found, f"lib{name}.so.{SO_VERSION}"))
