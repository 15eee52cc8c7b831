"""Connections that say nothing, or never end what they say, hold no place for
ever: they make room, and routers that are configured or known come in."""

import time

from bmp import Peer, initiation
from collecting import closed_by_collector, connect

A = Peer("10.0.0.1", 64500)


def closed(c, reason):
    return c.http.metrics().sum("arancini_connections_ended_total",
                                reason=reason)


def silent(c, count, first=1):
    """An empty Initiation each, and not a word more; in this order."""
    socks = []
    for n in range(first, first + count):
        socks.append(connect(c, f"127.7.0.{n}"))
        socks[-1].sendall(initiation(b""))
        c.until_said(fr"event=session_open .*from=127\.7\.0\.{n}:")
    return socks


def test_an_honest_router_finds_a_place(start):
    c = start("--max-sessions", "8")
    crowd = silent(c, 8)
    with connect(c, "127.0.0.2") as sock:
        sock.sendall(initiation(b"honest") + A.up()
                     + A.announce("10.0.0.0/24"))
        c.until_said("session_open from=127.0.0.2:.*sysname=honest")
        # The oldest made room, and nobody else.
        assert closed_by_collector(crowd[0])
        c.http.until(lambda s: s["totals"]["routes"] == 1)
        assert closed(c, "made_room") == 1
        assert c.said("reason=made_room hint=")
        # Others may come as they like: it has named a peer and stays.
        more = silent(c, 10, 20)
        c.server.wait_until(lambda _: closed(c, "made_room") == 11, 60)
        sock.sendall(A.announce("10.0.1.0/24"))
        c.http.until(lambda s: s["totals"]["routes"] == 2)
    for sock in crowd + more:
        sock.close()
    c.stop()


def test_places_for_configured_routers(start, tmp_path):
    conf = tmp_path / "arancini.conf"
    conf.write_text("[router 127.0.0.2]\nalias = core1\n")
    c = start("--max-sessions", "8", "--config", conf)
    socks = []
    for n in range(1, 8):       # none of them can be made to go
        sock = connect(c, f"127.7.0.{n}")
        sock.sendall(initiation(b"full") + A.up())
        socks.append(sock)
    c.until_said("event=session_open", 7)
    with connect(c, "127.7.0.99") as sock:
        assert closed_by_collector(sock)
    c.until_said("from=127.7.0.99:.* reason=max_sessions")
    with connect(c, "127.0.0.2") as sock:
        sock.sendall(initiation(b"honest"))
        c.until_said("session_open from=127.0.0.2:.*router=core1")
        # It named no peer, and is not evicted: it is configured.
        with connect(c, "127.7.0.100") as other:
            assert closed_by_collector(other)
        assert closed(c, "made_room") == 0
    for sock in socks:
        sock.close()
    c.stop()


def test_a_message_that_is_never_ended(start):
    c = start("--frame-timeout", "1s")
    update = A.announce("10.0.0.0/24")
    with connect(c, "127.0.0.2") as quiet, connect(c, "127.0.0.3") as drip:
        quiet.sendall(initiation(b"quiet") + A.up())
        drip.sendall(initiation(b"drip") + A.up())
        c.until_said("event=session_open", 2)
        began = time.monotonic()
        # A byte at a time, and of a message that is not a header even.
        for byte in update[:-1]:
            try:
                drip.sendall(bytes([byte]))
            except OSError:
                break
            if c.said("session_close from=127.0.0.3:"):
                break
            time.sleep(0.2)
        assert closed_by_collector(drip)
        c.until_said("session_close from=127.0.0.3:.* reason=frame_timeout")
        assert time.monotonic() - began >= 1
        assert closed(c, "frame_timeout") == 1
        # Silence between messages is no offence.
        quiet.sendall(update)
        c.http.until(lambda s: s["totals"]["routes"] == 1)
        assert not c.said("session_close from=127.0.0.2:")
    c.stop()
