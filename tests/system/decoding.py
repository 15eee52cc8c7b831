"""Running "arancini decode" in tests, and finding captures for it.

ARANCINI_BUILD is the build folder, ARANCINI_DATA the folder of captures that
are not part of the tree. Without the captures, what needs them is skipped.
"""

import bz2
import gzip
import json
import lzma
import os
import pathlib
import subprocess

import pytest

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ARANCINI_BUILD", TREE / "build"))
DATA = pathlib.Path(os.environ.get("ARANCINI_DATA",
                                   TREE.parent / "shared" / "data"))
BINARY = BUILD / "arancini"


def run_decode(*args, stdin=None):
    """Run 'arancini decode' and return the finished process, bytes and all."""
    return subprocess.run([BINARY, "decode", *map(str, args)], input=stdin,
                          capture_output=True, timeout=300)


def lines(run):
    """The objects that a finished one printed."""
    return [json.loads(line) for line in run.stdout.splitlines()]


def decode(*args):
    """The objects that 'arancini decode' prints, one by one."""
    with subprocess.Popen([BINARY, "decode", *map(str, args)],
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        for line in process.stdout:
            yield json.loads(line)


def unpack(path):
    """The bytes of a file without its compression."""
    opener = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}.get(
        path.suffix, open)
    with opener(path, "rb") as file:
        return file.read()


def data_files(*patterns):
    """Captures as parameters; one that is skipped where there are none."""
    files = sorted(p for pattern in patterns for p in DATA.glob(pattern))
    if not files:
        return [pytest.param(None, id="no captures", marks=pytest.mark.skip(
            reason=f"no captures in {DATA} (ARANCINI_DATA)"))]
    return [pytest.param(p, id=str(p.relative_to(DATA))) for p in files]
