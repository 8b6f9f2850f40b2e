"""The commands of the README and of every help run as they stand, and the table of settings is whole."""

import datetime
import os
import re
import shlex
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import command_line

README = (command_line.REPOSITORY / "README.md").read_text()
OPERATIONS = (command_line.REPOSITORY / "docs" / "operations.md").read_text()
PLANES = "tailnum,owner\nN121DE,Ada\nN152DL,Bob\n"


def write_flights(folder):
    """Flights as scripts/demo_data.py writes them, fewer of them."""
    folder.mkdir(parents=True)
    for month, day in [(1, 5), (7, 4), (7, 5), (10, 1), (12, 31)]:
        hour = datetime.datetime(2013, month, day, 19, tzinfo=datetime.timezone.utc)
        date = f"{month:02}{day:02}"
        planes = ["N37252", "N121DE" if date == "0704" else "N1", "D942DN" if date == "0705" else "N2"]
        columns = {
            "flight_id": [f"UA{i}-2013{date}-EWR" for i in range(3)],
            "tailnum": planes,
            "carrier": ["UA", "DL", "MQ"],
            "flight": pa.array([1545, 1714, 7], pa.int64()),
            "origin": ["EWR", "LGA", "JFK"],
            "dest": ["IAH", "ORD", "ATL"],
            "dep_delay": pa.array([2, None, 900], pa.int64()),
            "time_hour": pa.array([hour] * 3, pa.timestamp("us", "UTC")),
        }
        pq.write_table(pa.table(columns), folder / f"2013-{month:02}-{day:02}.parquet")


@pytest.fixture
def checkout(tmp_path):
    write_flights(tmp_path / "demo" / "lake")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "release").symlink_to(command_line.BINARY.parent)
    return tmp_path


def run(script, folder):
    environment = {**os.environ, "HOME": str(folder)}
    environment.pop("ARIADNE_ROOT", None)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (script, done.stdout, done.stderr)
    return done.stdout


def ten_lines():
    block = README.split("## Ten lines of command line")[1].split("```")[1].strip()
    assert len([line for line in block.splitlines() if line.startswith("ariadne ")]) == 9
    return block


@pytest.mark.parametrize("demo_before", [False, True])
def test_the_ten_lines_of_the_readme_run_in_their_order(checkout, demo_before):
    if demo_before:
        run("build/release/ariadne demo demo/lake", checkout)
    shown = run(ten_lines(), checkout)
    assert "2013-07-05.parquet" in shown and "Ada" in shown
    assert pq.read_table(checkout / "found.parquet").column("tailnum").to_pylist() == ["N121DE"]


def commands():
    shown = subprocess.run([command_line.BINARY, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  (\w+)\s", shown.split("Commands:\n")[1].split("\n\n")[0], re.M)


def examples(command):
    help_ = subprocess.run([command_line.BINARY, command, "--help"], capture_output=True, text=True, check=True).stdout
    return help_.split("Examples:")[1].replace("\\\n", " ").strip().splitlines()


def test_every_command_has_examples():
    assert len(commands()) == 21
    assert all(examples(command) for command in commands())


@pytest.mark.parametrize("command", commands())
def test_the_examples_of_a_help_about_flights_run_on_the_demo(checkout, command):
    run("build/release/ariadne demo demo/lake", checkout)
    (checkout / "planes.csv").write_text(PLANES)
    environment = 'export PATH="$PWD/build/release:$PATH" ARIADNE_ROOT=demo/index\n'
    for line in examples(command):
        words = shlex.split(line)
        if words[0] == "ariadne" and ("flights" in line or "demo/lake" in line):
            run(environment + line, checkout)


def settings_of_the_docs():
    rows = re.findall(r"^\| `ariadne\.(\w+)` \| (.+) \| (.+) \| (.+) \|$", OPERATIONS, re.M)
    return {
        name: (re.findall(r"`(\w+)`", variables), flag.strip("`"), default)
        for name, variables, flag, default in rows
    }


def test_the_table_of_settings_has_them_all_with_variable_flag_and_default(tmp_path):
    bare = command_line.Ariadne(tmp_path, env={"HOME": str(tmp_path)})
    bare.options = []
    shown = {each["name"].removeprefix("ariadne."): each["value"] for each in bare.json("config", cwd=tmp_path)["settings"]}
    documented = settings_of_the_docs()
    assert set(documented) == {name for name in shown if not name.startswith("rowGroup")}
    help_ = bare.ok("--help").stdout
    for name, (variables, flag, default) in documented.items():
        words = re.sub(r"(?=[A-Z])", "_", name).upper()
        assert variables[-1] == f"ARIADNE_{words}"
        assert re.search(rf"^\s+{flag}\b", help_, re.M), flag
        if shown[name] not in ("", "0"):
            assert default.startswith(shown[name]), name
