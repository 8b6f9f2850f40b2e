"""What the benchmarks measure and print with: commands in new processes, their time and memory,
and tables."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(
    os.environ.get("ARIADNE_BIN", REPOSITORY / "build" / "release" / "ariadne")
).absolute()
THREADS = os.cpu_count()


def say(text):
    print(text, file=sys.stderr, flush=True)


def timed(call, runs):
    """(best seconds, median seconds, last result)"""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        result = call()
        seconds.append(time.perf_counter() - start)
    return min(seconds), statistics.median(seconds), result


LAUNCHER = subprocess.Popen(
    [sys.executable, "-S", str(pathlib.Path(__file__).with_name("launcher.py"))],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    text=True,
)


def run_child(command):
    """Runs a command; returns (seconds, peak resident bytes, standard output)."""
    LAUNCHER.stdin.write(json.dumps(command) + "\n")
    LAUNCHER.stdin.flush()
    done = json.loads(LAUNCHER.stdout.readline())
    if done["code"] != 0:
        raise SystemExit(f"bench: {' '.join(command)} failed:\n{done['stderr']}")
    return done["seconds"], done["peak_bytes"], done["stdout"]


def cold_duckdb(sql, runs=2):
    """Best seconds of a new process that answers a query with DuckDB."""
    script = (
        "import duckdb, sys; c = duckdb.connect(); c.execute(\"SET TimeZone = 'UTC'\"); "
        "c.execute(open(sys.argv[1]).read()).fetchall()"
    )
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(sql)
        file.flush()
        return min(run_child([sys.executable, "-c", script, file.name])[0] for _ in range(runs))


def command(root, *arguments):
    return [str(BINARY), "--root", str(root), "--json", *map(str, arguments)]


def best_child(make_command, runs):
    """Best of `runs` child runs: (seconds, largest peak bytes, last output as JSON)"""
    results = [run_child(make_command()) for _ in range(runs)]
    return (
        min(seconds for seconds, _, _ in results),
        max(peak for _, peak, _ in results),
        json.loads(results[-1][2]),
    )


def folder_bytes(folder):
    return sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())


def print_table(title, header, rows):
    cells = [header, *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    print(f"\n{title}\n")
    for number, row in enumerate(cells):
        print(
            "  "
            + "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths))
            ).rstrip()
        )
        if number == 0:
            print("  " + "  ".join("-" * width for width in widths))
    sys.stdout.flush()


def times(factor):
    return "-" if factor is None else f"{factor:,.1f}x" if factor < 100 else f"{factor:,.0f}x"


def ms(seconds):
    return f"{seconds * 1000:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1000:,.2f} ms"


def bench_binary(name):
    """The program bench/{name}, built where it is missing."""
    binary = BINARY.parent / "bench" / name
    if binary.exists():
        return binary
    say(f"building bench/{name}")
    configure = ["cmake", "-S", REPOSITORY, "-B", BINARY.parent, "-DARIADNE_BUILD_BENCH=ON"]
    for step in (configure, ["cmake", "--build", BINARY.parent, "--target", name]):
        if subprocess.run(step, stdout=sys.stderr, check=False).returncode != 0:
            raise SystemExit(f"bench: could not build {name}; its errors are above")
    return binary
