"""Runs commands for run.py and reports their peak memory.

A process started by a large one counts the large one's memory as its own peak (Linux keeps the
high-water mark over exec), so commands are started by this small one.

Reads a JSON list a line, a command; answers with a JSON object a line.
"""

import json
import os
import subprocess
import sys
import tempfile
import time


def run(command):
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        return {
            "seconds": seconds,
            "peak_bytes": usage.ru_maxrss * 1024,
            "code": process.returncode,
            "stdout": output.read().decode(),
            "stderr": errors.read().decode(),
        }


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
