"""The wheel in a fresh environment: what is inside, what it needs, and what it says where that is not there."""

import ast
import importlib.metadata
import inspect
import os
import pathlib
import shutil
import subprocess
import sys

import ariadne_lake
import pyarrow as pa
import pytest
from ariadne_lake import _native

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(ariadne_lake.__file__).resolve().parent
COMMAND = pathlib.Path(sys.executable).parent / "ariadne"
LIBARROW = f"libarrow.so.{ariadne_lake._arrow.SO_VERSION}"


def _run(*words, path=None):
    environment = {**os.environ, **({"PYTHONPATH": str(path)} if path else {})}
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, env=environment, timeout=120, check=False)


def test_the_package_comes_from_the_wheel_and_has_its_version():
    assert pathlib.Path(sys.prefix).resolve() in PACKAGE.parents
    assert importlib.metadata.version("ariadne-lake") == ariadne_lake.__version__
    assert (PACKAGE / "py.typed").is_file()


def test_the_native_library_uses_the_pyarrow_beside_it_and_what_the_wheel_brings():
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    loaded = {line.split()[-1] for line in maps if ".so" in line}
    assert [each for each in loaded if "/libarrow.so" in each] == [os.path.join(pa.get_library_dirs()[0], LIBARROW)]
    for name in ("libduckdb.so", "libariadne_delta.so"):
        assert str(PACKAGE / "lib" / name) in loaded


def test_the_wheel_names_no_folder_of_the_machine_that_built_it():
    for file in (*PACKAGE.glob("_native*.so"), PACKAGE / "bin" / "ariadne"):
        done = _run("readelf", "-d", file)
        (path,) = [line.split("[")[1].rstrip("]") for line in done.stdout.splitlines() if "PATH" in line]
        assert all(folder.startswith("$ORIGIN") for folder in path.split(":")), path


def test_the_command_of_the_wheel_opens_what_python_wrote(shared_events, shared_lake):
    done = _run(COMMAND, "--root", shared_lake.root, "locate", "events", "--where", "id=5")
    assert done.stdout.split() == shared_events.locate({"id": 5}).files
    assert _run(COMMAND, "--version").stdout.strip().endswith(ariadne_lake.__version__)
    refused = _run(COMMAND, "--root", shared_lake.root, "locate", "nope", "--where", "id=5")
    assert refused.returncode == 3 and "nope" in refused.stderr


@pytest.fixture(scope="module")
def moved_pyarrow(tmp_path_factory):
    """A folder that holds pyarrow and nothing else."""
    folder = tmp_path_factory.mktemp("elsewhere")
    source = pathlib.Path(pa.__file__).parent

    def link(begin, end):
        try:
            os.link(begin, end)
        except OSError:
            shutil.copy2(begin, end)

    shutil.copytree(source, folder / "pyarrow", copy_function=link, ignore=shutil.ignore_patterns("tests", "include"))
    return folder


def test_pyarrow_may_lie_in_another_folder(moved_pyarrow, shared_lake):
    ask = (
        "import sys, ariadne_lake; lake = ariadne_lake.Lake(sys.argv[1])\n"
        "print(len(lake['events'].locate({'id': 5})), lake.sql('SELECT 1 AS one').to_arrow().num_rows)\n"
        "print({line.split()[-1] for line in open('/proc/self/maps') if '/libarrow.so' in line})"
    )
    done = _run(sys.executable, "-c", ask, shared_lake.root, path=moved_pyarrow)
    assert done.stdout.splitlines() == ["1 1", str({str(moved_pyarrow / "pyarrow" / LIBARROW)})], done
    assert _run(COMMAND, "--root", shared_lake.root, "list", path=moved_pyarrow).stdout.strip() == "events"


def test_another_release_of_pyarrow_is_refused_in_words(tmp_path):
    (tmp_path / "pyarrow").mkdir()
    (tmp_path / "pyarrow" / "__init__.py").write_text("raise AssertionError('loaded')", encoding="utf-8")
    (tmp_path / "pyarrow" / "libarrow.so.2500").write_bytes(b"")
    (tmp_path / "pyarrow-25.0.0.dist-info").mkdir()
    (tmp_path / "pyarrow-25.0.0.dist-info" / "METADATA").write_text("Name: pyarrow\nVersion: 25.0.0\n", encoding="utf-8")
    imported = _run(sys.executable, "-c", "import ariadne_lake", path=tmp_path)
    assert imported.returncode == 1 and "ImportError" in imported.stderr
    command = _run(COMMAND, "--version", path=tmp_path)
    assert command.returncode == 1 and "Traceback" not in command.stderr
    for said in (imported.stderr, command.stderr):
        assert "pyarrow 25.0.0" in said and "pip install 'pyarrow==26.0.*'" in said


def test_a_missing_pyarrow_is_named(tmp_path):
    (tmp_path / "ariadne_lake").symlink_to(PACKAGE)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import ariadne_lake"
    done = _run(sys.executable, "-S", "-c", code)
    assert "there is none" in done.stderr and "pip install 'pyarrow==26.0.*'" in done.stderr, done


def test_the_stub_of_the_native_half_names_all_that_it_has():
    stub = ast.parse((PACKAGE / "_native.pyi").read_text(encoding="utf-8"))
    declared, made = set(), set()
    for node in stub.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            declared.add(node.name)
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                name = member.name if isinstance(member, ast.FunctionDef) else member.target.id
                declared.add(f"{node.name}.{name}")
    for name, thing in vars(_native).items():
        if name.startswith("_") or not (inspect.isclass(thing) or callable(thing)):
            continue
        made.add(name)
        if inspect.isclass(thing):
            made |= {f"{name}.{member}" for member in vars(thing) if not member.startswith("_") or member == "__init__"}
    # An __init__ that only Python's object has is in no class of its own.
    assert {each for each in declared ^ made if not each.endswith("__init__")} == set()


@pytest.mark.skipif(not os.environ.get("ARIADNE_LONG_TESTS"), reason="takes some ten seconds of a checker: make test-all")
def test_the_types_hold_under_a_strict_checker(tmp_path):
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    user = tmp_path / "user.py"
    user.write_text(
        "import ariadne_lake\n"
        "lake = ariadne_lake.Lake('x', threads=2)\n"
        "files: list[str] = lake['events'].locate({'id': [1]}).files\n"
        "lake['events'].join({'id': [1]}, 'id', columns=5)\n"
        "lake['events'].nonsense()\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", user], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "user.py:4: error" in done.stdout and "user.py:5: error" in done.stdout and "user.py:3" not in done.stdout
