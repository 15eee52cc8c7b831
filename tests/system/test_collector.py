"""The collector as a whole: the real binary, real sockets, its journal."""

import fcntl
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import termios

import pytest

from bmp import Peer, initiation
from collecting import (Collector, closed_by_collector, connect,
                        consumer_table, tail)
from decoding import TREE


@pytest.mark.parametrize("backend", ["", "epoll"])
def test_how_bytes_arrive_changes_nothing(backend, collector, server,
                                          arancini, tmp_path):
    path = TREE / "tests" / "captures" / "frr.bmp"
    seen = []
    for i, chunk in enumerate(["1", "7", "1000000"]):
        c = Collector(server, arancini, tmp_path / str(i), "--workers", "1",
                      env={"SP_BACKEND": backend} if backend else None)
        c.send("replay", path, "--speed", "max", "--chunk", chunk)
        c.until_said("event=session_close")
        c.stop()
        # Between subjects there is no order; events keep their place.
        seen.append(sorted(
            (line["subject"], line.get("sequence", 0),
             str(line.get("prefixAddr")), str(line.get("announced")))
            for line in c.published()
            if line["kind"] in ("update", "peerUp", "peerDown")))
    assert seen[0] and seen[0] == seen[1] == seen[2]


def test_sequences_have_no_gap(collector):
    c = collector("--workers", "2")
    c.send("generate", "--routers", "3", "--peers", "2", "--prefixes", "2000",
           "--spread-sources", "--seed", "5")
    c.until_said("event=session_close", 3)
    c.stop()
    last = {}
    for line in c.published():
        if line["kind"] != "update":
            continue
        table = (line["routerAddr"], line["peerAddr"], line["afi"])
        assert line["sequence"] == last.get(table, 0) + 1
        last[table] = line["sequence"]
    assert sum(last.values()) == 3 * 2 * 2000


def test_a_peer_with_another_as_is_not_overtaken(collector):
    """Its table is withdrawn under the old AS before anything is announced
    under the new one, in the stream as well: the subjects differ."""
    c = collector()
    routes = [f"10.{i // 250}.{i % 250}.0/24" for i in range(2000)]
    was, now = Peer("192.0.2.1", 64500), Peer("192.0.2.1", 64501)
    with connect(c) as sock:
        sock.sendall(initiation() + was.up() + b"".join(
            was.announce(route) for route in routes))
        sock.sendall(now.up(port=180) + b"".join(
            now.announce(route) for route in routes))
        sock.shutdown(socket.SHUT_WR)
        assert closed_by_collector(sock)
    c.stop()
    updates = [line for line in c.published() if line["kind"] == "update"]
    assert [line["sequence"] for line in updates] == list(range(1, 6001))
    assert [(line["peerAsn"], line["announced"]) for line in updates] == (
        [(64500, True)] * 2000 + [(64500, False)] * 2000
        + [(64501, True)] * 2000)


def test_a_router_that_comes_back_repeats_nothing(collector):
    c = collector("--workers", "2")
    for n in (1, 2):
        c.send("generate", "--peers", "2", "--prefixes", "3000", "--seed", "9")
        c.until_said("event=session_close", n)
    c.stop()
    lines = c.published()
    updates = [line for line in lines if line["kind"] == "update"]
    assert len(updates) == 2 * 3000
    assert all(line["announced"] for line in updates)
    assert [line["kind"] for line in lines].count("stale") == 2


def test_lost_sessions_withdraw_after_the_hold(collector):
    c = collector("--stale-hold", "0s")
    c.send("generate", "--peers", "1", "--prefixes", "500", "--seed", "3")
    c.until_said("event=session_close")
    c.stop()
    updates = [line for line in c.published() if line["kind"] == "update"]
    gone = [line for line in updates if not line["announced"]]
    assert len(gone) == 500
    assert all(line["synthetic"] for line in gone)
    assert {line["reason"] for line in gone} == {"sessionLost"}
    assert consumer_table(updates) == {}


@pytest.mark.parametrize("bytes_sent, reason", [
    (struct.pack(">BIB", 9, 6, 4), "bad_version"),
    (struct.pack(">BIB", 3, 5, 4), "too_short"),
    (struct.pack(">BIB", 3, 0x7fffffff, 0), "too_long"),
    (b"GET / HTTP/1.1\r\n\r\n", "bad_version"),
])
def test_broken_framing_costs_the_session_only(bytes_sent, reason, collector):
    c = collector("--workers", "2")
    with connect(c, "127.0.0.9") as good:
        good.sendall(initiation())
        c.until_said("event=session_open")
        with connect(c, "127.0.0.8") as bad:
            bad.sendall(initiation() + bytes_sent)
            assert closed_by_collector(bad)
        c.until_said(f"event=session_close .*reason={reason}")
        good.sendall(initiation())
        assert not c.said("session_close from=127.0.0.9")
    c.until_said("session_close from=127.0.0.9.*reason=closed")
    c.stop()


def test_unknown_types_are_skipped(collector):
    c = collector()
    with connect(c) as sock:
        sock.sendall(initiation() + struct.pack(">BIB", 3, 10, 77) + b"abcd"
                     + initiation(b"again"))
        sock.shutdown(socket.SHUT_WR)
        assert closed_by_collector(sock)
    c.until_said("reason=closed")
    c.stop()


def test_half_a_message_at_the_end_is_said(collector):
    c = collector()
    with connect(c) as sock:
        sock.sendall(initiation() + initiation()[:5])
    c.until_said("reason=truncated")
    c.stop()


def test_access_lists_and_limits(collector):
    c = collector("--deny", "127.0.0.66/32", "--max-sessions-per-ip", "1")
    with connect(c, "127.0.0.66") as sock:
        assert closed_by_collector(sock)
    c.until_said("connection_refused from=127.0.0.66:.* reason=denied")
    with connect(c, "127.0.0.5") as first:
        first.sendall(initiation())
        c.until_said("session_open from=127.0.0.5")
        with connect(c, "127.0.0.5") as second:
            assert closed_by_collector(second)
        c.until_said("from=127.0.0.5:.* reason=max_sessions_per_ip")
    c.stop()


def test_a_session_that_differs_does_not_replace_one_that_lives(collector):
    """More of this is in tests/hostile/test_identity.py."""
    c = collector("--workers", "2")
    with connect(c, "127.0.0.7") as first:
        first.sendall(initiation(b"first"))
        c.until_said("session_open")
        with connect(c, "127.0.0.7") as second:
            second.sendall(initiation(b"second"))
            assert closed_by_collector(second)
        c.until_said("event=router_clash .*reason=duplicate_router .*hint=")
        first.sendall(initiation(b"still here"))
        # The same again is let in.
        with connect(c, "127.0.0.7") as third:
            third.sendall(initiation(b"first"))
            assert closed_by_collector(first)
            c.until_said("session_close .*reason=replaced")
            c.until_said("session_open", 2)
    c.until_said("session_close .*reason=closed")
    assert not c.said("sysname=second")
    c.stop()


def test_who_says_nothing_replaces_nobody(collector):
    """A probe of the port, or a connection that was over before it was its
    turn: the session that is there goes on, and nobody is taken for a twin."""
    c = collector("--handshake-timeout", "1s")
    with connect(c, "127.0.0.7") as first:
        first.sendall(initiation(b"first"))
        c.until_said("session_open")
        connect(c, "127.0.0.7").close()
        c.until_said("connection_closed from=127.0.0.7:.* reason=closed")
        with connect(c, "127.0.0.7") as silent:
            assert closed_by_collector(silent)
        c.until_said("from=127.0.0.7:.* reason=handshake")
        assert not c.said("session_close")
        # One who speaks does.
        with connect(c, "127.0.0.7") as second:
            second.sendall(initiation(b"first"))
            assert closed_by_collector(first)
            c.until_said("session_close .*reason=replaced")
    c.until_said("session_close .*reason=closed")
    c.stop()


def test_handshake_and_idle_time_out(collector):
    c = collector("--handshake-timeout", "1s", "--idle-timeout", "2s")
    with connect(c, "127.0.0.3") as silent, connect(c, "127.0.0.4") as idle:
        idle.sendall(initiation())
        assert closed_by_collector(silent)
        assert closed_by_collector(idle)
    c.until_said("from=127.0.0.3.*reason=handshake_timeout")
    c.until_said("from=127.0.0.4.*reason=idle_timeout")
    c.stop()


def test_many_routers_at_once(collector):
    c = collector("--workers", "2")
    c.send("generate", "--routers", "300", "--peers", "1", "--prefixes", "20",
           "--spread-sources", "--seed", "8")
    c.until_said("event=session_close", 300)
    c.stop()
    updates = [line for line in c.published() if line["kind"] == "update"]
    assert len(updates) == 300 * 20
    assert len({line["routerAddr"] for line in updates}) == 300


def test_a_signal_drains_and_a_second_run_goes_on(collector):
    c = collector()
    with connect(c) as sock:
        sock.sendall(initiation())
        c.until_said("session_open")
        c.stop()
        assert c.said("session_close .*reason=shutdown")
    again = collector()
    again.stop()
    epochs = [line["epoch"] for line in again.published()
              if line["kind"] == "epoch"]
    assert len(epochs) == 2 and epochs[0] < epochs[1]


def test_what_has_come_by_the_end_is_read(collector):
    """The collector stands still while routers say all they have to say, and
    the signal to end is there before it has read a byte of that."""
    c = collector("--workers", "2", "--rcvbuf", "16M")
    peer = Peer("192.0.2.10", 64510)
    routers = [connect(c, f"127.0.4.{n}") for n in range(1, 5)]
    for sock in routers:
        sock.sendall(initiation() + peer.up())
    c.until_said("session_open", len(routers))
    c.server.process.send_signal(signal.SIGSTOP)
    prefixes = [f"10.{n >> 8}.{n & 255}.0/24" for n in range(fits(115))]
    said = b"".join(map(peer.announce, prefixes))
    for sock in routers:
        # Half a message, whose end will never come, keeps nobody.
        sock.sendall(said + peer.announce("10.99.0.0/24")[:30])
    c.server.wait_until(lambda _: all(map(all_arrived, routers)), 60)
    c.server.process.send_signal(signal.SIGTERM)
    c.server.process.send_signal(signal.SIGCONT)
    assert c.server.wait(60) == 0
    assert len(c.said("session_close .*reason=shutdown")) == len(routers)
    got = {}
    for line in c.published():
        if line["kind"] == "update":
            got.setdefault(line["routerAddr"], []).append(
                f"{line['prefixAddr']}/{line['prefixLen']}")
    assert {router: len(table) for router, table in got.items()} == {
        f"127.0.4.{n}": len(prefixes) for n in range(1, len(routers) + 1)}
    assert all(table == prefixes for table in got.values())


def fits(size):
    """How many messages of that size a socket surely holds unread."""
    largest = pathlib.Path("/proc/sys/net/core/rmem_max").read_text()
    return min(int(largest) // 2 // size, 20000)


def all_arrived(sock):
    """Nothing is left on this side."""
    left = fcntl.ioctl(sock, termios.TIOCOUTQ, b"\0\0\0\0")
    return left == b"\0\0\0\0"


def test_a_router_that_never_stops_talking_does_not_keep_it(collector):
    c = collector("--drain-timeout", "60s")
    load = c.start_sending("generate", "--peers", "2", "--prefixes", "100k",
                           "--churn", "max", "--churn-count", "1000000k")
    try:
        c.until_said("session_open")
        assert c.server.stop(timeout=25) == 0, c.server.output
    finally:
        load.kill()
        load.wait()


def test_a_port_that_is_taken_is_said(arancini, server, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        run = server([arancini, "run", "--listen",
                      f"127.0.0.1:{taken.getsockname()[1]}", "--state",
                      tmp_path, "--http", "off"])
        assert run.wait(timeout=30) == 1
        assert "cannot_listen" in run.output
        assert "Address already in use" in run.output
        assert "another process has it: --listen ADDRESS:PORT" in run.output


def test_an_address_of_another_host_is_said(arancini, server, tmp_path):
    run = server([arancini, "run", "--listen", "192.0.2.1:0", "--state",
                  tmp_path, "--http", "off"])
    assert run.wait(timeout=30) == 1
    assert re.search("event=cannot_listen at=192.0.2.1:0 .*this host has no "
                     "such address: --listen ADDRESS:PORT", run.output)


@pytest.fixture
def without_ipv6(tree):
    """What stands before a command to run it on a host without IPv6."""
    wrap = [sys.executable, tree / "tests" / "system" / "without_ipv6.py"]
    if subprocess.run([*wrap, "/bin/true"], timeout=60).returncode == 77:
        pytest.skip("no network of one's own is to be had here")
    return wrap


def test_a_host_without_ipv6_is_listened_at_by_ipv4(arancini, server, tmp_path,
                                                    without_ipv6):
    run = server([*without_ipv6, arancini, "run", "--workers", "2", "--state",
                  tmp_path, "--http", "off"], ready="event=started",
                 timeout=30)
    assert len(re.findall(r"event=no_ipv6 at=\[::\]:4000 .*hint=",
                          run.output)) == 1
    assert re.findall(r"event=listening at=(\S+)", run.output) == [
        "0.0.0.0:4000"]
    assert run.stop() == 0


def test_ipv6_that_was_asked_for_must_be_there(arancini, server, tmp_path,
                                               without_ipv6):
    run = server([*without_ipv6, arancini, "run", "--listen",
                  "0.0.0.0:4000,[::]:4000", "--state", tmp_path, "--http",
                  "off"])
    assert run.wait(timeout=30) == 1
    assert re.search(r"event=cannot_listen at=\[::\]:4000 .*this host has no "
                     "IPv6", run.output)


def test_killed_is_not_the_end_of_the_journal(collector):
    c = collector()
    c.send("generate", "--peers", "1", "--prefixes", "1000", "--seed", "4")
    c.until_said("event=session_close")
    c.server.process.kill()
    c.server.wait()
    again = collector()
    again.stop()
    assert [line["kind"] for line in again.published()].count("epoch") == 2


def error_of_a_second(c, server, folder, *options):
    """What one says, at a port of its own, that finds its state in use."""
    second = server([c.arancini, "run", "--listen", "127.0.0.1:0", "--state",
                     folder / "state", "--http", "off", *options])
    assert second.wait(timeout=30) == 1
    said, = [line for line in second.output.splitlines()
             if "level=error" in line]
    return said


@pytest.mark.parametrize("output", ["journal", "nats"])
def test_a_second_one_with_the_same_state_refuses(output, collector, server,
                                                  arancini, broker, tmp_path):
    options, read = [], ["--journal", tmp_path / "state" / "journal"]
    if output == "nats":
        broker.start()
        options = ["--nats", broker.url, "--nats-max-bytes", "1G"]
        read = ["--nats", broker.url]
    c = collector(*options)
    c.send("generate", "--peers", "1", "--prefixes", "500", "--seed", "4")
    c.until_said("event=session_close")
    said = error_of_a_second(c, server, tmp_path, *options)
    assert "event=cannot_publish" in said
    assert "journal is in use by another process" in said
    # The first one goes on as if nothing had been.
    c.send("generate", "--peers", "1", "--prefixes", "700", "--seed", "5")
    c.until_said("event=session_close", 2)
    c.stop()
    lines = list(tail(arancini, *read))
    assert [line["kind"] for line in lines].count("epoch") == 1
    assert len(consumer_table(lines)) >= 700


@pytest.mark.parametrize("output", ["journal", "discard"])
def test_a_second_one_with_the_same_snapshots_refuses(output, collector,
                                                      server, tmp_path):
    options = {"journal": ["--journal", tmp_path / "other"],
               "discard": ["--discard"]}[output]
    c = collector()
    said = error_of_a_second(c, server, tmp_path, *options)
    assert "event=state_store_failed" in said
    assert "in use by another process" in said
    c.stop()
    collector().stop()


def test_what_is_discarded_is_taken_in_and_goes_nowhere(collector, tmp_path):
    c = collector("--workers", "1", "--discard")
    c.send("generate", "--prefixes", "2k", "--peers", "2", "--churn", "max",
           "--churn-count", "5k")
    c.until_said("event=session_close")
    c.stop()
    assert not (tmp_path / "state" / "journal").exists()


def test_discard_and_a_server_exclude_each_other(arancini):
    done = subprocess.run(
        [arancini, "run", "--discard", "--nats", "nats://127.0.0.1:4222",
         "--check-config"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "--discard and --nats" in done.stderr
