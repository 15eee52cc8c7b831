"""How fast snapshots are written, and in which order at the end."""

import time

import pytest

from collecting import Collector
from router import Router, announce
from test_restore import until_filed


@pytest.fixture
def collector(server, arancini, tmp_path):
    def start(*options):
        return Collector(server, arancini, tmp_path / "state", "--workers",
                         "1", "--snapshot-interval", "1s", *options)
    return start


def token(address):
    return "v4_" + address.replace(".", "_")


def generate(c, routes, routers=1):
    """From 127.1.0.1 and so on, one peer each."""
    c.send("generate", "--routers", routers, "--spread-sources", "--peers", 1,
           "--prefixes", routes)


def test_an_idle_shard_writes_at_full_speed(collector, tmp_path):
    """Two percent of the shard's time would be 15 seconds."""
    c = collector("--discard")
    generate(c, 1_000_000)
    began = time.monotonic()
    until_filed(c, tmp_path, token("127.1.0.1"))
    assert time.monotonic() - began < 10
    c.stop()


def test_the_last_files_are_written_oldest_first(collector, tmp_path):
    """Each has more routes than are written at a time."""
    c = collector()
    generate(c, 120_000)
    until_filed(c, tmp_path, token("127.1.0.1"))
    generate(c, 120_000, routers=2)
    until_filed(c, tmp_path, token("127.1.0.1"), token("127.1.0.2"))
    folder = tmp_path / "state" / "snapshots"
    files = [folder / f"{token(a)}.snap" for a in ("127.1.0.1", "127.1.0.2")]
    before = [file.stat().st_mtime_ns for file in files]
    oldest_first = before[0] < before[1]
    # So few changes are written at the end only.
    for address in ("127.1.0.1", "127.1.0.2"):
        with Router(c.port, source=address) as router:
            router.send(announce("192.0.2.0/24"))
            c.until_said(f"event=session_open from={address}:", 2)
    c.until_said("event=session_close", 5)
    c.stop()
    after = [file.stat().st_mtime_ns for file in files]
    assert min(after) > max(before)
    assert (after[0] < after[1]) == oldest_first
