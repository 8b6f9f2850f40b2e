"""The `ariadne` command of the wheel.

A package of its own, since importing `ariadne_lake` loads into Python what the program then loads itself.
"""

import importlib.util
import os
import sys
import types


def _load(file: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("_ariadne_lake_arrow", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Replaces this process by the program, so that signals and pipes reach it."""
    package = importlib.util.find_spec("ariadne_lake")
    if package is None or not package.submodule_search_locations:
        sys.exit("ariadne: the package ariadne_lake is not beside its command: pip install --force-reinstall ariadne-lake")
    folder = package.submodule_search_locations[0]
    try:
        arrow = _load(os.path.join(folder, "_arrow.py")).folder()
    except ImportError as error:
        sys.exit(f"ariadne: {error}")
    # pyarrow may lie in another folder than the wheel.
    searched = [arrow, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    os.environ["LD_LIBRARY_PATH"] = ":".join(searched)
    program = os.path.join(folder, "bin", "ariadne")
    os.execv(program, ["ariadne", *sys.argv[1:]])
