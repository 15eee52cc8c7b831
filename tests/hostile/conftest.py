"""Fixtures and helpers of the system tests serve here, too."""

import importlib.util
import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "system"), str(TESTS / "hostile")]

# By path: its name is this file's own.
spec = importlib.util.spec_from_file_location(
    "system_conftest", TESTS / "system" / "conftest.py")
system = importlib.util.module_from_spec(spec)
spec.loader.exec_module(system)

tree = system.tree
arancini = system.arancini
free_port = system.free_port
server = system.server


@pytest.fixture
def collector(server, arancini, tmp_path):
    """A collector whose routers all share one worker."""
    from watching import WatchedCollector
    return WatchedCollector(server, arancini, tmp_path / "state",
                            "--workers", "1")


@pytest.fixture
def start(server, arancini, tmp_path):
    """Starts a collector of two workers with these options."""
    from watching import WatchedCollector

    def start(*options):
        return WatchedCollector(server, arancini, tmp_path / "state",
                                "--workers", "2", *options)
    return start
