"""Puts this folder on the import path of the Python tests and checks that there is a binary."""

import importlib.util

import pytest

import command_line

# They run where the wheel is installed: `make wheeltest`, `make sparktest`.
if importlib.util.find_spec("ariadne_lake") is None:
    collect_ignore = ["python", "spark"]


def pytest_configure(config):
    if not command_line.BINARY.is_file():
        raise pytest.UsageError(
            f"{command_line.BINARY} is not built: run `make build`, or set ARIADNE_BIN"
        )
