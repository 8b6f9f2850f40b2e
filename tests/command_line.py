"""Drives the `ariadne` binary through its documented contract, as a script would."""

import json
import os
import pathlib
import signal
import subprocess

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(
    os.environ.get("ARIADNE_BIN", REPOSITORY / "build" / "release" / "ariadne")
).absolute()

# Exit codes of the contract.
DONE, FAILED, USAGE, NOT_FOUND, LOCKED, SOME_FILES_FAILED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130


class Result:
    """Exit code, text and, where standard output holds one JSON object, that object."""

    def __init__(self, arguments, code, stdout, stderr):
        self.arguments = arguments
        self.code = code
        self.stdout = stdout
        self.stderr = stderr

    @property
    def json(self):
        return json.loads(self.stdout)

    def __repr__(self):
        command = " ".join(map(str, self.arguments))
        return f"`{command}` exited {self.code}\nstdout: {self.stdout}\nstderr: {self.stderr}"


class Ariadne:
    """The command with its global options bound."""

    def __init__(self, root, *, path_map=(), unindexed=None, options=(), env=None):
        self.options = ["--root", str(root)]
        for mapping in path_map:
            self.options += ["--path-map", mapping]
        if unindexed:
            self.options += ["--unindexed", unindexed]
        self.options += list(options)
        self.env = {**os.environ, **(env or {})}
        self.env.pop("ARIADNE_ROOT", None)

    def command(self, *arguments):
        return [str(BINARY), *self.options, *map(str, arguments)]

    def run(self, *arguments, timeout=120, cwd=None):
        """Runs the command and returns what it did, whatever its exit code."""
        command = self.command(*arguments)
        done = subprocess.run(
            command, capture_output=True, timeout=timeout, env=self.env, cwd=cwd, check=False
        )
        result = Result(command, done.returncode, done.stdout.decode(), done.stderr.decode())
        for text in ("terminate called", "Assertion", "AddressSanitizer", "stack backtrace"):
            assert text not in result.stderr, result
        return result

    def ok(self, *arguments, code=DONE, **keywords):
        """Runs the command and fails the test unless it exits with `code`."""
        result = self.run(*arguments, **keywords)
        assert result.code == code, result
        return result

    def json(self, *arguments, code=DONE, **keywords):
        """Runs with `--json` and returns the object."""
        return self.ok("--json", *arguments, code=code, **keywords).json

    def refused(self, *arguments, code):
        """Runs what must fail with `code`, and returns its message."""
        result = self.ok(*arguments, code=code)
        assert result.stderr.strip(), result
        return result.stderr

    def start(self, *arguments, **keywords):
        """A process that takes signals as one of a terminal does, even where the tests run in the
        background or under nohup."""

        def take_signals():
            for each in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
                signal.signal(each, signal.SIG_DFL)

        return subprocess.Popen(
            self.command(*arguments),
            preexec_fn=take_signals,
            env=self.env,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **keywords},
        )
