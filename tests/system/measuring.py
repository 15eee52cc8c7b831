"""Servers for programs that measure, outside of pytest."""

import contextlib
import pathlib
import tempfile

from conftest import Server


@contextlib.contextmanager
def servers():
    """A folder of its own, and what starts a server in it. Both go with the
    context."""
    started = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def start(argv, ready=None, timeout=20, env=None):
            started.append(Server(argv, folder / f"{len(started)}.log",
                                  folder, env))
            started[-1].wait_until(ready, timeout)
            return started[-1]
        try:
            yield folder, start
        finally:
            for one in started:
                one.kill()
