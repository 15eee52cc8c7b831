"""Anybody can connect: who has nothing to say leaves nothing behind."""

from bmp import Peer, initiation
from collecting import closed_by_collector, connect

A = Peer("192.0.2.10", 64510)
GARBAGE = b"GET / HTTP/1.1\r\n\r\n"


def routers(c):
    return c.http.metrics().sum("arancini_routers")


def until_routers(c, count):
    c.server.wait_until(lambda _: routers(c) == count, 60)


def source(n):
    return f"127.1.{n >> 8}.{n & 255}"


def strangers(c, first, count, data):
    """Connections from so many addresses, some at a time."""
    for at in range(first, first + count, 100):
        socks = [connect(c, source(n)) for n in range(at, at + 100)]
        for sock in socks:
            sock.sendall(data)
            sock.close()


def test_who_never_says_anything_is_forgotten(watched):
    c = watched("--stale-hold", "never")
    with connect(c, "127.0.0.9") as sock:
        sock.sendall(initiation() + A.up() + A.announce("10.0.0.0/24"))
        c.until_said("session_open from=127.0.0.9")
        for data in (b"", GARBAGE, initiation()[:5]):
            strangers(c, 1, 1500, data)
        until_routers(c, 1)
        sock.sendall(A.announce("10.0.1.0/24"))
    c.until_said("session_close from=127.0.0.9")
    metrics = c.http.metrics()
    assert metrics.sum("arancini_ownership_violations_total") == 0
    c.stop()
    assert len([line for line in c.published()
                if line["kind"] == "update"]) == 2
    assert "v4_127_1_" not in (c.state / "snapshots" / "manifest").read_text()


def test_who_has_no_routes_is_forgotten_after_the_hold(watched):
    c = watched("--stale-hold", "1s", "--snapshot-interval", "1s")
    strangers(c, 1, 500, initiation() + A.up())
    with connect(c, "127.0.0.9") as sock:
        sock.sendall(initiation() + A.up() + A.announce("10.0.0.0/24"))
    c.until_said("event=session_close", 501)
    # Of a router that had a route the numbers of its updates go on.
    until_routers(c, 1)
    with connect(c, source(7)) as sock:
        sock.sendall(initiation() + A.up() + A.announce("10.0.7.0/24"))
    until_routers(c, 2)
    c.stop()
    assert not c.said("ownership_violated")
    files = {path.name for path in (c.state / "snapshots").glob("*.snap")}
    assert files == {"v4_127_0_0_9.snap", "v4_127_1_0_7.snap"}


def test_an_address_that_is_tried_while_its_router_is_there(watched):
    """Who speaks no BMP does not end the session of the router there."""
    c = watched()
    with connect(c, "127.0.0.9") as sock:
        sock.sendall(initiation() + A.up() + A.announce("10.0.0.0/24"))
        c.until_said("session_open from=127.0.0.9")
        with connect(c, "127.0.0.9") as other:
            other.sendall(GARBAGE)
            assert closed_by_collector(other)
        c.until_said("from=127.0.0.9:.* reason=bad_version")
        until_routers(c, 1)
        sock.sendall(A.announce("10.0.1.0/24"))
        c.http.until(lambda s: s["totals"]["routes"] == 2)
        assert not c.said("router_clash")
    c.stop()
