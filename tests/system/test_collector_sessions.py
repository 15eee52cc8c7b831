"""Sessions: how they come and go, for IPv4 and IPv6, signed, called and
calling, many at once, and what is refused."""

import contextlib
import os
import socket
import struct
import subprocess

import pytest

from bmp import Peer, initiation, message, termination
from broker import Broker
from collecting import (Collector, closed_by_collector, come_and_go, connect,
                        consumer_table, differences, numbered_tables,
                        router_table)
from decoding import TREE
from live_socket import make_deaf, other_end, peer, sockets, tcp

A = Peer("192.0.2.10", 64510)
B = Peer("2001:db8::11", 64511)
POST = 0x40

TABLE = (A.up() + B.up()
         + A.announce("198.51.100.0/24", "203.0.113.0/24")
         + A.announce("2001:db8:1::/48", flags=POST)
         + B.announce("198.51.100.0/24", flags=POST)
         + B.announce("2001:db8:1::/48", "2001:db8:2::/48"))

HOSTS = ["127.0.0.1", "::1"]


@pytest.fixture(params=HOSTS, ids=["ipv4", "ipv6"])
def host(request):
    return request.param


def start(collector, host, *options):
    listen = f"[{host}]" if ":" in host else host
    return collector(*options, listen=listen)


def session(c, host="127.0.0.1", name=b"router", source=None):
    sock = connect(c, source, host)
    sock.sendall(initiation(name))
    return sock


def updates(c):
    return [line for line in c.published() if line["kind"] == "update"]


def withdraws(c):
    return [line for line in updates(c) if not line.get("announced")]


# Peer Down and session loss

def test_peer_down_withdraws_all_of_it(host, collector):
    c = start(collector, host)
    with session(c, host) as sock:
        sock.sendall(TABLE + A.down() + B.announce("2001:db8:3::/48"))
    c.until_said("event=session_close")
    c.stop()
    gone = withdraws(c)
    assert sorted((line["peerAddr"], line["prefixAddr"], line["reason"])
                  for line in gone) == [
        ("192.0.2.10", "198.51.100.0", "peerDown"),
        ("192.0.2.10", "2001:db8:1::", "peerDown"),
        ("192.0.2.10", "203.0.113.0", "peerDown")]
    assert {line["routerAddr"] for line in gone} == {host}
    assert len(consumer_table(updates(c))) == 4


@pytest.mark.parametrize("end", ["close", "reset", "termination"])
def test_session_loss_holds_then_withdraws(end, host, collector):
    c = start(collector, host, "--stale-hold", "1s")
    sock = session(c, host)
    sock.sendall(TABLE)
    if end == "termination":
        sock.sendall(termination())
        assert closed_by_collector(sock)
    elif end == "reset":
        c.server.wait_until(lambda _: len(updates(c)) == 6, 60)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                        struct.pack("ii", 1, 0))
    sock.close()
    reason = {"close": "closed", "reset": "reset",
              "termination": "terminated"}[end]
    c.until_said(f"event=session_close .*reason={reason}")
    c.server.wait_until(lambda _: len(withdraws(c)) == 6, 60)
    c.stop()
    assert {line["reason"] for line in withdraws(c)} == {"sessionLost"}
    stale = [line for line in c.published() if line["kind"] == "stale"]
    assert len(stale) == 1


def test_back_within_the_hold_says_only_differences(host, collector):
    c = start(collector, host, "--workers", "2")
    with session(c, host) as sock:
        sock.sendall(TABLE)
    c.until_said("event=session_close")
    with session(c, host) as sock:
        sock.sendall(A.up() + A.announce("198.51.100.0/24")
                     + A.announce("203.0.113.0/24", med=2) + A.end_of_rib())
    c.until_said("event=session_close", 2)
    c.stop()
    assert [(line["prefixAddr"], line.get("multiExitDisc"))
            for line in updates(c)[6:]] == [("203.0.113.0", 2)]


def test_an_older_connection_does_not_replace_a_newer_one(collector):
    """Both are of one router; the older one's messages come late. One worker
    accepts them in their order; of two, one could be late."""
    c = collector("--router-id", "sysname", "--workers", "1")
    with connect(c) as older, session(c) as newer:
        newer.sendall(TABLE)
        c.server.wait_until(lambda _: len(updates(c)) == 6, 60)
        older.sendall(initiation(b"router") + A.up()
                      + A.announce("192.0.2.0/24") + A.end_of_rib())
        assert closed_by_collector(older)
        newer.sendall(A.announce("198.51.100.0/24", med=7))
        c.server.wait_until(lambda _: len(updates(c)) == 7, 60)
    c.stop()
    assert [line.get("multiExitDisc") for line in updates(c)[6:]] == [7]
    assert withdraws(c) == []


def test_an_older_connection_does_not_follow_a_newer_one(collector):
    """The newer session has ended when the older connection speaks."""
    c = collector("--router-id", "sysname")
    with connect(c) as older:
        with session(c) as newer:
            newer.sendall(TABLE)
            c.server.wait_until(lambda _: len(updates(c)) == 6, 60)
        c.until_said("event=session_close")
        older.sendall(initiation(b"router") + A.up()
                      + A.announce("192.0.2.0/24") + A.end_of_rib())
        assert closed_by_collector(older)
    c.stop()
    assert "192.0.2.0" not in [u["prefixAddr"] for u in updates(c)[6:]]


def test_a_router_that_is_gone_without_a_word(collector):
    """Nothing comes from it and nothing is answered. The kernel gives it up,
    and those who share its worker see nothing of it."""
    c = collector("--workers", "1")
    gone, other = session(c, source="127.0.0.5"), session(c)
    gone.sendall(TABLE)
    c.until_said("event=session_open", 2)
    with other_end(c.server.pid, gone) as sock:
        for name, value in (("TCP_USER_TIMEOUT", 100), ("TCP_KEEPINTVL", 1),
                            ("TCP_KEEPIDLE", 1)):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    make_deaf(gone)
    c.until_said("event=session_close from=127.0.0.5:.* reason=reset")
    other.sendall(A.up() + A.announce("10.0.0.0/24"))
    c.server.wait_until(lambda _: len(updates(c)) == 7, 60)
    gone.close()
    other.close()
    c.stop()


# Lines about routers that come and go

def lines_and_left_out(c, address):
    """How many lines there are of its sessions, and how many more they tell
    of."""
    told = c.said(fr"event=session_\w+(?: suppressed=(\d+))? from={address}:")
    return len(told), sum(int(n or 0) for n in told)


def ended(c, address):
    token = "v4_" + address.replace(".", "_")
    return len([line for line in c.published()
                if line["subject"].endswith(f".{token}.sessionClose")])


def test_a_router_that_comes_and_goes_does_not_fill_the_log(collector):
    c = collector("--workers", "1")
    flapping = "127.0.0.5"
    for _ in range(100):
        come_and_go(c, initiation(b"router"), flapping)
    c.server.wait_until(lambda _: ended(c, flapping) == 100, 60)
    lines, _ = lines_and_left_out(c, flapping)
    assert 20 <= lines < 100
    # Another one is not its fault.
    session(c).close()
    c.until_said("event=session_close from=127.0.0.1:")
    # It has been quiet for a moment: the next line tells of all before it.
    with session(c, source=flapping):
        c.server.wait_until(
            lambda _: sum(lines_and_left_out(c, flapping)) == 201, 60)
    c.stop()


def test_who_says_nothing_does_not_fill_the_log(collector):
    """Nothing is remembered of him, so his lines count with those of all that
    were refused."""
    c = collector("--workers", "1")
    count = 0
    while not c.said("event=session_close suppressed="):
        come_and_go(c)
        count += 1
        assert count < 10000
    lines, told = lines_and_left_out(c, "127.0.0.1")
    assert 20 < lines < lines + told <= count
    c.stop()


# Broken messages

HEADER = A.header()
BAD_BGP = b"\xff" * 16

SKIPPED = {
    "unknown type": message(99, b"whatever"),
    "monitoring without a peer": message(0, HEADER[:20]),
    "monitoring without an update": message(0, HEADER),
    "marker": message(0, HEADER + b"\0" * 19 + b"\x02"),
    "update cut": message(0, HEADER + BAD_BGP + b"\x00\x17"),
    "update longer than its frame": message(
        0, HEADER + BAD_BGP + struct.pack(">HB", 500, 2) + b"\0\0\0\0"),
    "update shorter than a header": message(
        0, HEADER + BAD_BGP + struct.pack(">HB", 5, 2) + b"\0\0\0\0"),
    "keepalive for an update": message(
        0, HEADER + BAD_BGP + struct.pack(">HB", 19, 4)),
    "withdrawn beyond the end": A.monitor(
        BAD_BGP + struct.pack(">HBH", 23, 2, 999) + b"\0\0"),
    "attributes beyond the end": A.monitor(
        BAD_BGP + struct.pack(">HBHH", 23, 2, 0, 999)),
    "prefix of 99 bits": A.monitor(
        BAD_BGP + struct.pack(">HBHH", 25, 2, 0, 0) + b"\x63\x01"),
    "peer up cut": message(3, HEADER + b"\0" * 10),
    "peer up with a bad open": message(
        3, HEADER + b"\0" * 20 + BAD_BGP + b"\x00\x13\x01"),
    "peer down without a reason": message(2, HEADER),
    "peer down without its notification": message(
        2, B.header() + b"\x01"),
    "peer down of an unknown reason": message(2, B.header() + b"\xfe"),
    "statistics beyond the end": message(
        1, HEADER + struct.pack(">IHH", 9, 7, 900) + b"\0\0"),
    "initiation beyond the end": message(4, struct.pack(">HH", 2, 900)),
    "mirroring beyond the end": message(6, HEADER + struct.pack(">HH", 0, 900)),
    "nothing in it": message(0),
}

CLOSED = {
    "version 0": (message(4, version=0), "bad_version"),
    "version 4": (message(4, version=4), "bad_version"),
    "version 255": (message(4, version=255), "bad_version"),
    "length 0": (message(4, length=0), "too_short"),
    "length 5": (message(4, length=5), "too_short"),
    "4 GiB": (message(0, length=0xffffffff), "too_long"),
    "one more than allowed": (message(0, length=(1 << 20) + 1), "too_long"),
    "http": (b"GET / HTTP/1.1\r\n\r\n", "bad_version"),
}


def test_what_cannot_be_read_costs_a_message_or_a_session(collector):
    """All of them, one after the other, at one collector; another router and
    the same one afterwards see nothing of it."""
    c = collector("--workers", "2")
    good = session(c, source="127.0.0.9")
    good.sendall(A.up())
    for n, (name, data) in enumerate(SKIPPED.items(), 1):
        with session(c, source=f"127.0.1.{n}") as sock:
            sock.sendall(A.up() + data + A.announce(f"10.1.{n}.0/24")
                         + A.end_of_rib())
        c.until_said(f"session_close from=127.0.1.{n}:.* reason=closed")
        good.sendall(A.announce(f"10.0.{n}.0/24"))
        assert c.server.process.poll() is None, name
    for n, (name, (data, reason)) in enumerate(CLOSED.items(), 1):
        with session(c, source=f"127.0.2.{n}") as sock:
            sock.sendall(A.up() + A.announce(f"10.2.{n}.0/24") + data)
            assert closed_by_collector(sock), name
        c.until_said(f"session_close from=127.0.2.{n}:.* reason={reason}")
    good.close()
    c.until_said("session_close from=127.0.0.9:.* reason=closed")
    c.stop()
    got = {line["prefixAddr"] for line in updates(c)}
    assert got == ({f"10.{net}.{n}.0" for net in (0, 1)
                    for n in range(1, len(SKIPPED) + 1)}
                   | {f"10.2.{n}.0" for n in range(1, len(CLOSED) + 1)})


# Signed segments, RFC 2385

TCP_MD5SIG = 14


def sign(sock, address, key):
    storage = struct.pack("=HH4s", socket.AF_INET, 0,
                          socket.inet_aton(address)).ljust(128, b"\0")
    sock.setsockopt(socket.IPPROTO_TCP, TCP_MD5SIG,
                    storage + struct.pack("=BBHI80s", 0, 0, len(key), 0, key))


@pytest.fixture
def signing():
    with socket.socket() as sock:
        try:
            sign(sock, "127.0.0.1", b"key")
        except OSError as err:
            pytest.skip(f"no TCP MD5 signatures here: {err}")


def with_key(tmp_path, address, key):
    (tmp_path / "key").write_bytes(key)
    conf = tmp_path / "arancini.conf"
    conf.write_text(f"[router {address}]\nmd5-key-file = {tmp_path}/key\n")
    return ["--config", conf]


def test_a_router_with_a_key(signing, collector, tmp_path):
    c = collector(*with_key(tmp_path, "127.0.0.5", b"geheim"))
    with socket.socket() as sock:
        sign(sock, "127.0.0.1", b"geheim")
        sock.bind(("127.0.0.5", 0))
        sock.settimeout(20)
        sock.connect(("127.0.0.1", c.port))
        sock.sendall(initiation(b"signed"))
        c.until_said("session_open from=127.0.0.5:.* sysname=signed")
    for key in (None, b"wrong"):
        with socket.socket() as sock:
            if key is not None:
                sign(sock, "127.0.0.1", key)
            sock.bind(("127.0.0.5", 0))
            sock.settimeout(1.5)
            with pytest.raises(OSError):
                sock.connect(("127.0.0.1", c.port))
    session(c, source="127.0.0.6").close()
    c.until_said("session_close from=127.0.0.6")
    c.stop()
    assert len(c.said("session_open from=127.0.0.5")) == 1


# Calling routers

def listener(key=None):
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if key is not None:
        sign(sock, "127.0.0.1", key)
    sock.bind(("127.0.0.1", 0))
    sock.listen()
    sock.settimeout(30)
    return sock


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_router_that_is_called(name, collector):
    with listener() as router:
        port = router.getsockname()[1]
        c = collector("--connect", f"{name}:{port}")
        for n in (1, 2):
            sock, _ = router.accept()
            with sock:
                sock.sendall(initiation(b"called") + A.up()
                             + A.announce(f"10.0.{n}.0/24"))
                c.until_said(f"session_open from=127.0.0.1:{port} "
                             "sysname=called", n)
            c.until_said("session_close .*reason=closed", n)
    # Nobody listens any more: it calls again, ever more rarely.
    c.until_said("connect_failed .*refused.*again_in=", 2)
    waits = [float(w) for w in c.said(r"again_in=([\d.]+)")]
    assert waits == sorted(waits) and len(set(waits)) == len(waits)
    c.stop()
    assert {line["prefixAddr"] for line in updates(c)} == {
        "10.0.1.0", "10.0.2.0"}


def test_a_name_that_nobody_has(collector):
    c = collector("--connect", "no-such-router.invalid:1790")
    c.until_said("connect_failed to=no-such-router.invalid:1790")
    session(c).close()
    c.until_said("event=session_close")
    c.stop()


def test_a_router_that_is_called_with_a_key(signing, collector, tmp_path):
    with listener(b"geheim") as router:
        port = router.getsockname()[1]
        c = collector("--connect", f"127.0.0.1:{port}",
                      *with_key(tmp_path, "127.0.0.1", b"geheim"))
        sock, _ = router.accept()
        with sock:
            sock.sendall(initiation(b"signed"))
            c.until_said("session_open .*sysname=signed")
    c.stop()


# Many

def test_two_thousand_routers_at_once(collector):
    c = collector("--workers", "2")
    drops = listen_drops(c)
    c.send("generate", "--routers", "2000", "--peers", "1", "--prefixes",
           "20", "--spread-sources", "--seed", "8", timeout=300)
    c.until_said("event=session_close", 2000, timeout=120)
    assert listen_drops(c) == drops == 0
    c.stop()
    tables = {}
    for line in updates(c):
        tables.setdefault(line["routerAddr"], set()).add(line["prefixAddr"])
    assert len(tables) == 2000
    assert {len(table) for table in tables.values()} == {20}


def listen_drops(c):
    """Connections that found the queue of its listeners full."""
    run = subprocess.run(["ss", "-Hltnm", f"sport = :{c.port}"],
                         capture_output=True, text=True, check=True)
    memory = [word for word in run.stdout.split() if "skmem" in word]
    assert memory, run.stdout
    return sum(int(m.rsplit(",d", 1)[1].rstrip(")")) for m in memory)


# By hand: ARANCINI_STORM=2000:60, so many routers for so many seconds.
ROUTERS, SECONDS = map(int, os.environ.get("ARANCINI_STORM",
                                           "300:4").split(":"))


def test_a_reconnect_storm(collector):
    """Routers that come and go, some in the middle of a message; then each
    tells its table once to the end, and that is what is left."""
    path = TREE / "tests" / "captures" / "frr.bmp"
    c = collector("--workers", "2", "--max-sessions", "5000",
                  "--max-sessions-per-ip", "5000", "--journal-max-bytes", "0")
    many = ["replay", path, "--sessions", str(ROUTERS), "--spread-sources"]
    files = open_files(c)
    for chunk in ("1000000", "random", "1000000", "random"):
        load = c.start_sending(*many, "--loop", "0", "--chunk", chunk)
        # It plays for ever, unless all of its routers are refused.
        with pytest.raises(subprocess.TimeoutExpired):
            load.wait(SECONDS / 4)
        load.kill()
        load.wait()
    until_all_left(c, files)
    c.send(*many, timeout=300)
    until_all_left(c, files)
    c.stop()
    opened, violated, twins = c.said_lines(
        "event=session_open", "ownership_violated", "reason=duplicate_router")
    assert opened > 2 * ROUTERS
    assert (violated, twins) == (0, 0)
    # Of two thousand in a minute these are millions of lines.
    tables = numbered_tables(c.stream("--subject", "arancini.updates.>",
                                      timeout=3600))
    assert len(tables) == ROUTERS
    expected = router_table(path)
    for router, table in tables.items():
        assert not differences(table, expected), (
            f"{router}: {differences(table, expected)}")


def until_all_left(c, files):
    """No session is left, not even one that was not accepted yet, and they
    gave back what they had opened."""
    c.server.wait_until(
        lambda _: open_files(c) <= files and not connections(c), 120)


def connections(c):
    """To it, from their three-way handshake until it has closed them."""
    run = subprocess.run(
        ["ss", "-Htn", "state", "established", "state", "close-wait",
         f"sport = :{c.port}"], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def open_files(c):
    return len(os.listdir(f"/proc/{c.server.pid}/fd"))


def open_sockets(c):
    folder = f"/proc/{c.server.pid}/fd"
    count = 0
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            count += os.readlink(f"{folder}/{name}").startswith("socket:")
    return count


# What a process has too few of

def test_no_descriptors_left(collector):
    """Those who are in are served; those who wait come in when others go."""
    c = collector("--workers", "2", wrap=["prlimit", "--nofile=80:80"])
    others = open_sockets(c)
    inside, outside = [], []
    for n in range(1, 100):
        sock = connect(c, f"127.0.3.{n}")
        sock.sendall(initiation(b"%d" % n) + A.up())
        outside.append((n, sock))
    # A connection can be accepted before it is a session.
    c.server.wait_until(
        lambda _: open_files(c) >= 79 and
        len(c.said("event=session_open")) >= open_sockets(c) - others, 60)
    opened = {int(n) for n in c.said("sysname=([0-9]+)")}
    assert 20 <= len(opened) < 80
    for n, sock in outside:
        if n in opened:
            inside.append((n, sock))
    for n, sock in inside:
        sock.sendall(A.announce(f"10.0.{n}.0/24"))
    c.server.wait_until(lambda _: len(updates(c)) == len(inside), 60)
    for _, sock in inside:
        sock.close()
    c.until_said("event=session_close", len(inside))
    c.until_said("event=session_open", len(outside))
    for n, sock in outside:
        sock.close()
    c.stop()


# Sockets as they are

def test_options_of_live_sockets(server, arancini, tmp_path, free_port):
    broker = Broker(server, tmp_path, free_port()).start()
    c = Collector(server, arancini, tmp_path / "state", "--workers", "2",
                  "--backlog", "321", "--rcvbuf", "262144", "--nats",
                  broker.url, "--nats-max-bytes", "1G")
    c.until_said("publisher state=ready")
    router = session(c, source="127.0.0.5")
    c.until_said("event=session_open")
    found = sockets(c.server.pid)
    try:
        listeners = [s for s in found if peer(s) is None
                     and s.getsockname()[1] == c.port]
        assert len(listeners) == 2
        for s in listeners:
            assert s.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT) == 1
        (inbound,) = [s for s in found
                      if peer(s) == router.getsockname()]
        check_inbound(inbound)
        outbound = [s for s in found if (peer(s) or [0, 0])[1] == broker.port]
        assert outbound
        for s in outbound:
            assert tcp(s, "TCP_NODELAY") == 1
    finally:
        for s in found:
            s.close()
    run = subprocess.run(["ss", "-Hltn", f"sport = :{c.port}"],
                         capture_output=True, text=True, check=True)
    backlogs = [int(line.split()[2]) for line in run.stdout.splitlines()]
    assert backlogs == [321, 321]
    router.close()
    c.stop()


def check_inbound(sock):
    """Half-open peers go away: probes after 60 s, given up after two
    minutes."""
    assert tcp(sock, "TCP_NODELAY") == 1
    assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    assert tcp(sock, "TCP_KEEPIDLE") == 60
    assert tcp(sock, "TCP_KEEPINTVL") == 15
    assert tcp(sock, "TCP_KEEPCNT") == 4
    assert tcp(sock, "TCP_USER_TIMEOUT") == 120000
    # The kernel doubles what was asked for.
    assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) == 2 * 262144
