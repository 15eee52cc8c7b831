"""A neighbour that comes with ever new names and goes again: each name is a
router, and leaves a table, a snapshot and a row. Their number is bounded, and
routers that are there or configured come first."""

import time

import pytest
from bmp import Peer, initiation
from collecting import come_and_go, connect
from neighbour import EVIL, OTHER

MAX = 20
CORE = "127.0.0.4"
A = Peer("10.0.0.1", 64500)


@pytest.fixture
def crowded(start, tmp_path):
    conf = tmp_path / "arancini.conf"
    conf.write_text("[router core1]\n[router core2]\n")
    return start("--config", conf, "--router-id", "sysname", "--max-routers",
                 str(MAX), "--stale-hold", "1s", "--snapshot-interval", "1s")


def announced(name):
    return initiation(name.encode()) + A.up() + A.announce("10.0.0.0/24")


def held(c):
    return c.http.metrics().sum("arancini_routers")


def forgotten(c):
    return c.http.metrics().sum("arancini_routers_forgotten_total")


def refused(c):
    return c.http.metrics().sum("arancini_connections_ended_total",
                                reason="max_routers")


def flood(c, count, first=0):
    """So many names come and go, or are refused. The most that were held."""
    most = 0
    for n in range(first, first + count):
        come_and_go(c, announced(f"evil{n}"), EVIL)
        most = max(most, held(c))
    return most


def test_names_that_never_end(crowded, tmp_path):
    c, folder = crowded, tmp_path / "state" / "snapshots"
    with connect(c, OTHER) as honest, connect(c, CORE) as core:
        honest.sendall(announced("honest"))
        c.until_said("session_open .*sysname=honest")
        # Two of the places are kept for those with a section, and two more
        # for known ones.
        assert flood(c, 2 * MAX) <= MAX - 4
        assert refused(c) > 0
        assert c.said("event=connection_refused .*reason=max_routers hint=")
        core.sendall(announced("core1"))
        c.until_said("session_open .*router=core1")
        honest.sendall(A.announce("10.0.1.0/24"))
    # Those that have gone make room, and their snapshots are removed.
    deadline, n = time.monotonic() + 120, 2 * MAX
    while forgotten(c) < MAX // 2:
        assert time.monotonic() < deadline, "no room is made"
        assert flood(c, 5, n) <= MAX - 3
        n += 5
    c.until_said("event=routers_forgotten routers=[0-9]+ held=")
    c.server.wait_until(
        lambda _: len(list(folder.glob("*.snap"))) <= held(c), 60)
    # It had gone, too, and has a section.
    assert "core1" in {router.get("routerId")
                       for router in c.http.list("routers")}
    c.stop()
