"""Two connections claim to be one router. Which one is served follows from
evidence: is the older one alive, and do the two agree?"""

import socket
import struct

from bmp import Peer, initiation
from collecting import closed_by_collector, connect
from live_socket import make_deaf

A, B = Peer("10.0.0.1", 64500), Peer("10.0.0.2", 64501)
TABLE = A.up() + A.announce("10.1.0.0/24", "10.2.0.0/24")


def router(c, address, data):
    sock = connect(c, address)
    sock.sendall(data)
    return sock


def clashes(c):
    return c.http.metrics().sum("arancini_router_clashes_total")


def routes(c, count):
    c.http.until(lambda s: s["totals"]["routes"] == count)


def still_served(c, sock, count):
    """The router that has a table already is read on, and kept it."""
    assert not c.said("session_close")
    sock.sendall(A.announce("10.3.0.0/24"))
    routes(c, count)


def refused(c, address, *others):
    """All of them, at the same time."""
    socks = [router(c, address, data) for data in others]
    for sock in socks:
        assert closed_by_collector(sock)
        sock.close()


def test_another_router_from_the_same_address(start):
    """(a): it evicted the router that was there, and its table with it."""
    c = start()
    with router(c, "127.0.0.7", initiation(b"real") + TABLE) as real:
        routes(c, 2)
        refused(c, "127.0.0.7", *[initiation(b"other%d" % n) + B.up()
                                  + B.announce("10.9.0.0/24")
                                  for n in range(5)])
        # Not even with the name: it has another BGP identifier.
        refused(c, "127.0.0.7", initiation(b"real") + B.up())
        still_served(c, real, 3)
        assert clashes(c) == 6
        # One line, one event, one row to look at.
        lines = c.said("event=router_clash from=127.0.0.7:.* owner="
                       "127.0.0.7:.* reason=duplicate_router "
                       'why="it has another sysName" hint=')
        assert len(lines) == 1
        assert not c.said("connection_refused")
        assert c.http.status()["totals"]["routersClashing"] == 1
        events = [line for line in c.published() if line["kind"] == "clash"]
        assert len(events) == 1
        assert "is refused: it has another sysName" in events[0]["text"]
        assert events[0]["reason"] == "duplicate_router"
    c.stop()


def test_somebody_else_who_claims_a_name(start):
    """(b): the honest session was closed, and refused for a minute."""
    c = start("--router-id", "sysname")
    with router(c, "127.0.0.7", initiation(b"core1") + TABLE) as real:
        routes(c, 2)
        refused(c, "127.0.0.8", initiation(b"core1") + A.up())
        # From the same address, but it does not know the peers.
        refused(c, "127.0.0.7", initiation(b"core1"))
        still_served(c, real, 3)
        assert clashes(c) == 2
    c.until_said("session_close .*reason=closed")
    # It comes back at once.
    with router(c, "127.0.0.7", initiation(b"core1") + TABLE):
        c.until_said("session_open", 2)
    c.stop()


def test_half_open_connections_do_not_keep_the_router_out(start):
    """(c): after two of them the real router was refused, for a minute."""
    c = start()
    gone = []
    for n in range(2):
        gone.append(router(c, "127.0.0.7", initiation(b"real") + TABLE))
        c.until_said("session_open", n + 1)
        routes(c, 2)
        make_deaf(gone[-1])
    with router(c, "127.0.0.7", initiation(b"real") + TABLE
                + A.announce("10.3.0.0/24")):
        c.until_said("session_open", 3, timeout=30)
        routes(c, 3)
        assert len(c.said("session_close .*reason=replaced")) == 2
        assert clashes(c) == 0
    for sock in gone:
        # It would wait for an answer to its FIN.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                        struct.pack("ii", 1, 0))
        sock.close()
    c.stop()


def test_the_same_router_again(start):
    """It left its old connection open: the new one agrees in all, and wins.
    A third one is too much: two of them are alive."""
    c = start()
    with router(c, "127.0.0.7", initiation(b"real") + TABLE) as first:
        routes(c, 2)
        with router(c, "127.0.0.7", initiation(b"real") + TABLE
                    + A.announce("10.3.0.0/24")) as second:
            assert closed_by_collector(first)
            routes(c, 3)
            assert clashes(c) == 0
            refused(c, "127.0.0.7", initiation(b"real") + TABLE)
            assert clashes(c) == 1
            second.sendall(A.announce("10.4.0.0/24"))
            routes(c, 4)
    c.stop()


def test_a_name_that_is_bound_to_networks(start, tmp_path):
    conf = tmp_path / "arancini.conf"
    conf.write_text("[router core1]\nnetworks = 127.0.1.0/24\n")
    c = start("--router-id", "sysname", "--config", conf)
    refused(c, "127.0.0.7", initiation(b"core1") + TABLE)
    c.until_said("event=router_clash from=127.0.0.7:.* router=core1 "
                 "reason=wrong_network")
    assert clashes(c) == 1
    with router(c, "127.0.1.7", initiation(b"core1") + TABLE), \
            router(c, "127.0.0.7", initiation(b"core2") + TABLE):
        routes(c, 4)
        # A reload that binds it elsewhere ends its session.
        conf.write_text("[router core1]\nnetworks = 127.0.2.0/24\n")
        c.reload()
        c.until_said("session_close from=127.0.1.7:.* reason=wrong_network")
    c.stop()
