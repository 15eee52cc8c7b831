"""Routers that are known by a name (--router-id): what was read to find it is
not lost, however it is cut, and holds up nobody."""

import socket
import struct

import pytest

from bmp import Peer, initiation
from collecting import come_and_go, connect

MODES = ["sysname", "bgp-id"]


class Named:
    """A router, its number in its name: the OPENs of bmp.py have the AS number
    for a BGP identifier."""

    def __init__(self, n=0):
        self.address = f"127.0.4.{n + 1}"
        self.peer = Peer("192.0.2.10", 64512 + n)
        self.start = initiation(b"core%d" % n) + self.peer.up()
        self.tokens = {"sysname": f"id_core{n}",
                       "bgp-id": f"id_0_2e0_2e252_2e{n}"}
        self.first = self.peer.announce("10.0.0.0/24")
        self.second = self.peer.announce("10.0.1.0/24")


def updates(c):
    return [line for line in c.published() if line["kind"] == "update"]


@pytest.mark.parametrize("mode", MODES)
def test_a_router_has_its_name_in_subjects(mode, collector):
    c = collector("--router-id", mode, "--workers", "3")
    router = Named(7)
    with connect(c, router.address) as sock:
        sock.sendall(router.start[:9])
        sock.sendall(router.start[9:] + router.first)
    c.until_said("session_close .*reason=closed")
    c.stop()
    assert [(line["prefixAddr"], line["subject"]) for line in updates(c)] == [
        ("10.0.0.0", f"arancini.updates.{router.tokens[mode]}.64519.1_1")]
    assert c.said(r"session_open .*router=([\w.]+)") == [
        {"sysname": "core7", "bgp-id": "0.0.252.7"}[mode]]


@pytest.mark.parametrize("mode", MODES)
def test_messages_that_are_cut_behind_the_name(mode, collector):
    c = collector("--router-id", mode, "--workers", "2")
    first = len(Named().first)
    cuts = [1, 5, 6, 9, first - 1, first, first + 1, 2 * first - 1]
    socks = []
    for n, cut in enumerate(cuts):
        router = Named(n)
        data = router.first + router.second
        sock = connect(c, router.address)
        sock.sendall(router.start + data[:cut])
        socks.append((sock, data[cut:]))
    c.until_said("event=session_open", len(cuts))
    for sock, rest in socks:
        sock.sendall(rest)
        sock.close()
    c.until_said("session_close .*reason=closed", len(cuts))
    c.stop()
    assert sorted((line["routerAddr"], line["prefixAddr"])
                  for line in updates(c)) == [
        (Named(n).address, prefix) for n in range(len(cuts))
        for prefix in ("10.0.0.0", "10.0.1.0")]


def test_a_router_that_never_ends_its_message(collector):
    """Nor does it begin with a whole one behind its name."""
    c = collector("--router-id", "sysname")
    router = Named()
    with connect(c, router.address) as sock:
        sock.sendall(router.start + router.first[:9])
        c.until_said("event=session_open")
    c.until_said("session_close .*reason=truncated")
    c.stop()


def test_a_slow_router_holds_up_nobody(collector):
    """It has told its name and one byte more; others of its worker go on. A
    snapshot would send what they say on its way as well."""
    c = collector("--router-id", "sysname", "--workers", "1",
                  "--snapshot-interval", "1h")
    slow, other = Named(1), Named(2)
    with connect(c, slow.address) as sock, connect(c, other.address) as good:
        sock.sendall(slow.start + slow.first[:1])
        c.until_said("event=session_open .*router=core1")
        good.sendall(other.start)
        c.until_said("event=session_open .*router=core2")
        good.sendall(other.first)
        c.server.wait_until(lambda _: len(updates(c)) == 1, 60)
        sock.sendall(slow.first[1:])
        c.server.wait_until(lambda _: len(updates(c)) == 2, 60)
    c.stop()


# Who goes before it has a name

def reset(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))
    sock.close()


def test_who_goes_without_a_name_is_logged(collector):
    c = collector("--router-id", "sysname", "--workers", "1")
    with connect(c, "127.0.4.1") as last:
        gone = connect(c, "127.0.4.2")
        connect(c, "127.0.4.3").close()
        # Those who came before this one are inside as well.
        c.until_said("connection_closed from=127.0.4.3:.* reason=closed")
        reset(gone)
        c.until_said("connection_closed from=127.0.4.2:.* reason=reset")
        last.sendall(initiation()[:-1])
        c.stop()
    assert c.said("connection_closed from=127.0.4.1:.* reason=shutdown")


def test_who_comes_and_goes_without_a_name_does_not_fill_the_log(collector):
    c = collector("--router-id", "sysname", "--workers", "1")
    count = 0
    while not c.said("event=connection_closed .*suppressed="):
        come_and_go(c)
        count += 1
        assert count < 10000
    lines = len(c.said("event=connection_closed"))
    told = sum(map(int, c.said("suppressed=([0-9]+)")))
    assert 20 < lines < lines + told <= count
    c.stop()
