"""The real JVM library in a process of its own (tests/interop/jvm)."""

import json
import pathlib
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).parent / "jvm" / "peer.sh"


def missing():
    """What the library cannot be run without, and how to get it; empty: nothing."""
    done = subprocess.run(["bash", SCRIPT, "missing"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


class Peer:
    """One JVM that answers request after request."""

    def __init__(self):
        if subprocess.run(["bash", SCRIPT, "fetch"], check=False).returncode != 0:
            pytest.skip("Spark cannot be fetched: Maven needs the network once, see jvm/peer.sh")
        subprocess.run(["bash", SCRIPT, "compile"], check=True)
        self.process = subprocess.Popen(
            ["bash", SCRIPT, "run"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.answer()

    def answer(self):
        for line in self.process.stdout:
            if line.startswith("> "):
                return json.loads(line[2:])
        raise AssertionError("the JVM ended")

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.answer()
        assert "error" not in answer, (request, answer)
        return answer["result"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=60)
