"""What "arancini replay" promises: the bytes of a capture arrive, however they
are cut, however many routers send them."""

import os
import pty
import signal
import subprocess
import time

import pytest

import packets
from decoding import BINARY, DATA, TREE, data_files, unpack
from sink import Sink

FRR = TREE / "tests" / "captures" / "frr.bmp"
GOBGP = TREE / "tests" / "captures" / "gobgp.bmp"
TIMEOUT = 300

# A system call for each byte takes its time.
BYTEWISE_MAX = 1 << 18


@pytest.fixture
def sink():
    one = Sink()
    yield one
    one.close()


def replay(*args, stdin=None):
    return subprocess.run([BINARY, "replay", *map(str, args)], input=stdin,
                          capture_output=True, timeout=TIMEOUT)


def played(sink, *args, sessions=1, **more):
    """What the sink got, by source address."""
    run = replay("--to", sink.to, *args, **more)
    assert run.returncode == 0, run.stderr
    return sink.wait_ended(sessions)


# Usage


@pytest.mark.parametrize("args, word", [
    ([], "which file"),
    ([FRR], "--to"),
    (["--walk", FRR], "--walk"),
    ([FRR, "--to"], "--to"),
    ([FRR, "--to", "nowhere"], "HOST:PORT"),
    ([FRR, "--to", "127.0.0.1:no-port"], "no-port"),
    ([FRR, "--to", "127.0.0.1:1", "--speed", "fast"], "--speed"),
    ([FRR, "--to", "127.0.0.1:1", "--speed", "0"], "--speed"),
    ([FRR, "--to", "127.0.0.1:1", "--chunk", "0"], "--chunk"),
    ([FRR, "--to", "127.0.0.1:1", "--sessions", "0"], "--sessions"),
    ([FRR, "--to", "[::1]:1", "--spread-sources"], "127/8"),
])
def test_wrong_usage_is_named_in_one_line(args, word):
    run = replay(*args)
    assert run.returncode == 2
    assert run.stdout == b""
    assert run.stderr.count(b"\n") == 1
    assert word in run.stderr.decode()


# Bytes


@pytest.mark.parametrize("chunk", ["all", "1", "7", "random"])
@pytest.mark.parametrize("path", data_files("*.bmp", "wrapped/*.bmp",
                                            "load/*.bmp.xz"))
def test_a_stream_arrives_as_it_is(sink, path, chunk):
    data = unpack(path)
    if chunk in "17" and len(data) > BYTEWISE_MAX:
        chunk = "1000"
    args = [] if chunk == "all" else ["--chunk", chunk]
    sessions = played(sink, path, *args)
    assert len(sessions) == 1
    assert sessions[0].data == data


def test_single_messages_arrive_all_at_once(sink):
    paths = sorted(DATA.glob("vectors/*.bmp"))
    if not paths:
        pytest.skip(f"no captures in {DATA} (ARANCINI_DATA)")
    # Some are of another version, or cut: not to be recognised.
    sessions = played(sink, *paths, "--raw", "--spread-sources",
                      sessions=len(paths))
    got = {s.peer[0]: bytes(s.data) for s in sessions}
    assert got == {f"127.1.0.{i + 1}": path.read_bytes()
                   for i, path in enumerate(paths)}


@pytest.mark.parametrize("backend", ["io_uring", "epoll"])
def test_recordings_of_the_tree_arrive(sink, backend, monkeypatch):
    if backend == "epoll":
        monkeypatch.setenv("SP_BACKEND", "epoll")
    sessions = played(sink, FRR, GOBGP, "--spread-sources", sessions=2)
    got = {s.peer[0]: s.data for s in sessions}
    assert got == {"127.1.0.1": FRR.read_bytes(),
                   "127.1.0.2": GOBGP.read_bytes()}


def test_standard_input_is_a_file(sink):
    sessions = played(sink, "-", stdin=FRR.read_bytes())
    assert sessions[0].data == FRR.read_bytes()


def test_a_session_is_played_by_many(sink):
    sessions = played(sink, FRR, "--sessions", 50, "--spread-sources",
                      "--chunk", "random", sessions=50)
    assert len({s.peer[0] for s in sessions}) == 50
    assert all(s.data == FRR.read_bytes() for s in sessions)


def test_without_spreading_all_come_from_one_address(sink):
    sessions = played(sink, FRR, "--sessions", 2, sessions=2)
    assert {s.peer[0] for s in sessions} == {"127.0.0.1"}


def test_a_loop_is_a_new_session_each_time(sink):
    sessions = played(sink, FRR, GOBGP, "--loop", 3, sessions=6)
    assert (sorted(bytes(s.data) for s in sessions) ==
            sorted([FRR.read_bytes(), GOBGP.read_bytes()] * 3))


# Packet captures

ROUTER, OTHER = ("192.0.2.1", 40001), ("2001:db8::2", 40002)
COLLECTOR, COLLECTOR6 = ("192.0.2.9", 11019), ("2001:db8::9", 11019)


def two_routers():
    """Packets of two sessions in turn; one is sent again, two are swapped."""
    out, at = [], 0
    out.append(packets.segment(ROUTER, COLLECTOR, 0, flags=packets.SYN))
    out.append(packets.segment(OTHER, COLLECTOR6, 0, flags=packets.SYN))
    frr, gobgp = FRR.read_bytes(), GOBGP.read_bytes()
    while at < max(len(frr), len(gobgp)):
        for source, target, data in ((ROUTER, COLLECTOR, frr),
                                     (OTHER, COLLECTOR6, gobgp)):
            if at < len(data):
                out.append(packets.segment(source, target, 1 + at,
                                           data[at:at + 1000]))
        at += 1000
    out[3], out[5] = out[5], out[3]
    out.insert(8, out[4])
    return out


@pytest.mark.parametrize("form", [packets.pcap, packets.pcapng])
def test_sessions_of_a_packet_capture_are_routers(sink, tmp_path, form):
    path = tmp_path / "two"
    path.write_bytes(form(two_routers()))
    sessions = played(sink, path, "--spread-sources", sessions=2)
    assert (sorted(bytes(s.data) for s in sessions) ==
            sorted([FRR.read_bytes(), GOBGP.read_bytes()]))


def test_a_packet_capture_keeps_its_times(sink, tmp_path):
    """Its packets are a second apart."""
    path = tmp_path / "two"
    captured = two_routers()
    path.write_bytes(packets.pcap(captured))
    began = time.monotonic()
    played(sink, path, "--speed", "20", sessions=2)
    # The first that carries anything is the third.
    assert time.monotonic() - began >= (len(captured) - 4) / 20


def test_a_capture_with_a_gap_is_played_and_named(sink, tmp_path):
    path = tmp_path / "two"
    path.write_bytes(packets.pcap(two_routers()[:-3:2]))
    run = replay("--to", sink.to, path)
    assert run.returncode == 1
    assert b"missing" in run.stderr


# Files that are not right


@pytest.fixture
def mrt(tmp_path):
    path = tmp_path / "x.mrt"
    # One record of TABLE_DUMP_V2, a peer index table of nobody.
    body = bytes(4) + bytes(2) + bytes(2)
    path.write_bytes(bytes.fromhex("6500000000" "0d0001") +
                     len(body).to_bytes(4, "big") + body)
    return path


def test_an_mrt_file_is_refused_by_name(sink, mrt):
    run = replay("--to", sink.to, mrt)
    assert run.returncode == 1
    assert b"MRT" in run.stderr
    assert sink.sessions == []


@pytest.mark.parametrize("data, word", [
    (b"", "empty"),
    (b"hello, world, this is text", "neither BMP nor pcap"),
])
def test_what_is_no_capture_is_refused(sink, tmp_path, data, word):
    path = tmp_path / "x"
    path.write_bytes(data)
    run = replay("--to", sink.to, path)
    assert run.returncode == 1
    assert word in run.stderr.decode()
    assert run.stderr.count(b"\n") == 1


def test_a_file_that_is_not_there_is_named(sink, tmp_path):
    run = replay("--to", sink.to, tmp_path / "nothing", FRR)
    assert run.returncode == 1
    assert b"No such file" in run.stderr
    # The other one is played all the same.
    assert sink.wait_ended(1)[0].data == FRR.read_bytes()


# Time


def test_real_time_is_kept(sink, tmp_path):
    """Ten messages, a fifth of a second apart, at real speed and twice it."""
    path = tmp_path / "slow.bmp"
    run = subprocess.run([BINARY, "generate", "-o", path, "--prefixes", "1",
                          "--nlri-per-update", "1", "--churn", "5",
                          "--churn-count", "10"], capture_output=True)
    assert run.returncode == 0
    for speed, least in (("real", 1.8), ("2", 0.9), ("max", 0)):
        began = time.monotonic()
        sessions = played(sink, path, "--speed", speed)
        assert time.monotonic() - began >= least
        assert sessions[-1].data == path.read_bytes()


def test_no_pause_is_longer_than_allowed(sink, tmp_path):
    path = tmp_path / "slow.bmp"
    run = subprocess.run([BINARY, "generate", "-o", path, "--prefixes", "1",
                          "--nlri-per-update", "1", "--churn", "1",
                          "--churn-count", "500"], capture_output=True)
    assert run.returncode == 0
    # 500 s as recorded.
    sessions = played(sink, path, "--speed", "real", "--max-pause", "0.001")
    assert sessions[0].data == path.read_bytes()


# Collectors that are not right


def test_a_name_that_nobody_has_is_a_failure():
    run = replay(FRR, "--to", "no-such-host.invalid:4000")
    assert run.returncode == 1
    assert b"cannot find 'no-such-host.invalid'" in run.stderr
    assert run.stderr.count(b"\n") == 1


def test_no_collector_is_one_line(free_port):
    run = replay("--to", f"127.0.0.1:{free_port()}", FRR)
    assert run.returncode == 1
    assert b"Connection refused" in run.stderr.splitlines()[0]


@pytest.mark.parametrize("chunk", [[], ["--chunk", "1"]])
def test_a_collector_that_closes_early_is_named(chunk):
    sink = Sink(limit=100)
    run = replay("--to", sink.to, FRR, *chunk)
    sink.close()
    assert run.returncode == 1
    assert b"closed the session early" in run.stderr.splitlines()[0]


def test_one_broken_session_does_not_end_the_others(sink):
    broken = Sink(limit=100)
    run = replay("--to", broken.to, FRR, "--sessions", 5)
    broken.close()
    assert run.returncode == 1
    assert b"5 of 5 sessions failed" in run.stderr


def test_a_signal_ends_it(sink, tmp_path):
    path = tmp_path / "slow.bmp"
    subprocess.run([BINARY, "generate", "-o", path, "--prefixes", "1",
                    "--churn", "100", "--churn-count", "100000"],
                   capture_output=True, check=True)
    with subprocess.Popen([BINARY, "replay", "--to", sink.to, path, "--speed",
                           "real"], stderr=subprocess.PIPE) as one:
        try:
            sink.wait(lambda all: all and len(all[0].data) > 0)
            one.send_signal(signal.SIGINT)
            assert one.wait(TIMEOUT) == 1
            assert b"interrupted" in one.stderr.read()
        finally:
            one.kill()


def test_progress_is_for_terminals(sink, tmp_path):
    path = tmp_path / "slow.bmp"
    subprocess.run([BINARY, "generate", "-o", path, "--prefixes", "1",
                    "--churn", "100", "--churn-count", "100"],
                   capture_output=True, check=True)
    master, slave = pty.openpty()
    with subprocess.Popen([BINARY, "replay", "--to", sink.to, path, "--speed",
                           "real"], stderr=slave) as one:
        os.close(slave)
        shown = b""
        try:
            while True:
                shown += os.read(master, 4096)
        except OSError:
            pass
        assert one.wait(TIMEOUT) == 0
    os.close(master)
    assert b" %, " in shown
