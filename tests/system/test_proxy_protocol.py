"""Behind a load balancer: the header of the PROXY protocol says whose
connection it is."""

import contextlib
import socket
import struct

import pytest

from bmp import Peer, initiation
from collecting import closed_by_collector, connect

BALANCER, ELSEWHERE = "127.0.0.9", "127.0.0.10"
PEER = Peer("192.0.2.10", 64510)
TABLE = initiation(b"router") + PEER.up() + PEER.announce("198.51.100.0/24")
OPTIONS = ["--proxy-protocol", f"{BALANCER}/32"]


def version_1(source, port=1024):
    family = "TCP6" if ":" in source else "TCP4"
    here = "2001:db8::1" if ":" in source else "198.51.100.1"
    return f"PROXY {family} {source} {here} {port} 11019\r\n".encode()


def version_2(source, port=1024, tlvs=b"", command=0x21):
    family = socket.AF_INET6 if ":" in source else socket.AF_INET
    here = "2001:db8::1" if ":" in source else "198.51.100.1"
    body = (socket.inet_pton(family, source) + socket.inet_pton(family, here)
            + struct.pack("!HH", port, 11019) + tlvs)
    kind = 0x21 if ":" in source else 0x11
    return (b"\r\n\r\n\0\r\nQUIT\n" + bytes([command, kind])
            + struct.pack("!H", len(body)) + body)


def forwarded(c, data, source=BALANCER):
    sock = connect(c, source)
    sock.sendall(data)
    return sock


def routers(c):
    return {(line["routerAddr"], line["routerPort"]) for line in c.published()
            if line["kind"] == "update"}


@pytest.mark.parametrize("header", [version_1, version_2])
@pytest.mark.parametrize("source", ["192.0.2.7", "2001:db8::7"])
def test_the_source_of_the_header_is_the_router(header, source, collector):
    c = collector(*OPTIONS)
    with forwarded(c, header(source, 5000) + TABLE):
        c.until_said(r"event=session_open from=\S*:5000 via=127\.0\.0\.9:\d+ ")
    c.until_said("event=session_close")
    c.stop()
    assert routers(c) == {(source, 5000)}


@pytest.mark.parametrize("identity", ["address", "sysname", "bgp-id"])
@pytest.mark.parametrize("header", [
    version_1("192.0.2.7"), version_2("192.0.2.7", tlvs=b"\4\0\3abc")])
def test_byte_by_byte(header, identity, collector):
    """However the bytes come, the header ends where it ends."""
    c = collector(*OPTIONS, "--router-id", identity)
    stream = header + TABLE
    with connect(c, BALANCER) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(stream)):
            sock.sendall(stream[at:at + 1])
    c.until_said("event=session_close")
    c.stop()
    assert routers(c) == {("192.0.2.7", 1024)}


def test_many_routers_behind_one_balancer(collector):
    """Limits and identities are those of the routers."""
    c = collector(*OPTIONS, "--max-sessions-per-ip", "1")
    with contextlib.ExitStack() as stack:
        for n in range(1, 9):
            stack.enter_context(forwarded(
                c, version_2(f"192.0.2.{n}") + TABLE))
        c.until_said("event=session_open", 8)
        sock = stack.enter_context(forwarded(
            c, version_2("192.0.2.3", 2000) + TABLE))
        assert closed_by_collector(sock)
    c.until_said("event=session_close", 8)
    c.stop()
    assert routers(c) == {(f"192.0.2.{n}", 1024) for n in range(1, 9)}
    assert c.said("from=192.0.2.3:2000 reason=max_sessions_per_ip")


def test_who_may_connect_is_judged_by_the_router(collector):
    c = collector(*OPTIONS, "--allow", "192.0.2.0/24", "--deny",
                  "192.0.2.66/32")
    for source in ("198.51.100.7", "192.0.2.66"):
        with forwarded(c, version_1(source) + TABLE) as sock:
            assert closed_by_collector(sock)
        c.until_said(f"from={source}:1024 reason=denied")
    with forwarded(c, version_1("192.0.2.7") + TABLE):
        c.until_said("event=session_open")
    c.stop()
    assert routers(c) == {("192.0.2.7", 1024)}


def test_others_cannot_forge_a_source(collector):
    """A header from elsewhere is not BMP; BMP from elsewhere is."""
    c = collector(*OPTIONS)
    with forwarded(c, version_1("192.0.2.7") + TABLE, ELSEWHERE) as sock:
        assert closed_by_collector(sock)
    c.until_said("event=session_close .*reason=bad_version")
    with forwarded(c, TABLE, ELSEWHERE) as sock:
        c.until_said("event=session_open")
    c.stop()
    assert {address for address, _ in routers(c)} == {ELSEWHERE}


@pytest.mark.parametrize("data", [
    TABLE, b"PROXY TCP4 192.0.2.7\r\n" + TABLE,
    b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\1a", version_2("192.0.2.7", command=0x31),
    b"PROXY " + b"x" * 200])
def test_a_balancer_without_a_header(data, collector):
    c = collector(*OPTIONS)
    with forwarded(c, data) as sock:
        assert closed_by_collector(sock)
    c.until_said("event=connection_refused from=127.0.0.9:[0-9]+ "
                 "reason=bad_proxy_header hint=")
    c.stop()
    assert not routers(c)


def test_a_header_that_does_not_end(collector):
    """It has 10 s, whatever the time-outs of sessions are."""
    c = collector(*OPTIONS, "--handshake-timeout", "never")
    with forwarded(c, b"PROXY TCP4 192.0.2.7 ") as sock:
        assert closed_by_collector(sock, 50)
    c.until_said("reason=bad_proxy_header")
    c.stop()


def test_what_the_balancer_asks_for_itself(collector):
    """A check of its health is a connection of its own."""
    c = collector(*OPTIONS)
    local = b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0"
    with forwarded(c, local) as sock:
        sock.shutdown(socket.SHUT_WR)
        assert closed_by_collector(sock)
    with forwarded(c, b"PROXY UNKNOWN\r\n" + TABLE):
        c.until_said("event=session_open from=127.0.0.9:[0-9]+ sysname=router")
    c.stop()
    assert {address for address, _ in routers(c)} == {BALANCER}


def test_too_many_without_a_header(collector):
    """1,024 connections of a worker may wait for theirs."""
    c = collector(*OPTIONS, "--workers", "1")
    with contextlib.ExitStack() as stack:
        for _ in range(1024):
            stack.enter_context(connect(c, BALANCER))
        sock = stack.enter_context(connect(c, BALANCER))
        assert closed_by_collector(sock)
        c.until_said("from=127.0.0.9:[0-9]+ reason=max_sessions")
        with forwarded(c, TABLE, ELSEWHERE):
            c.until_said("event=session_open")
    c.stop()


def test_a_reload_changes_the_list(collector, tmp_path):
    conf = tmp_path / "conf"
    conf.write_text("")
    c = collector("--config", conf)
    with forwarded(c, TABLE):
        c.until_said("event=session_open")
    conf.write_text(f"[access]\nproxy-protocol = {BALANCER}/32\n")
    c.reload()
    with forwarded(c, version_1("192.0.2.7") + TABLE):
        c.until_said("event=session_open", 2)
    c.stop()
    assert {address for address, _ in routers(c)} == {BALANCER, "192.0.2.7"}
