"""What "arancini generate" promises on the command line."""

import json
import os
import pty
import signal
import subprocess

import pytest

from decoding import BINARY, decode, run_decode
from sink import Sink

TIMEOUT = 120


@pytest.fixture
def sink():
    one = Sink()
    yield one
    one.close()


def generate(*args, timeout=TIMEOUT):
    return subprocess.run([BINARY, "generate", *map(str, args)],
                          capture_output=True, timeout=timeout)


def made(path, *args):
    run = generate("-o", path, "--json", *args)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def summary(path):
    run = run_decode("--summary", path)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


# Usage


@pytest.mark.parametrize("args, word", [
    ([], "--to"),
    (["-o", "x", "--to", "127.0.0.1:1"], "--to"),
    (["--walk"], "--walk"),
    (["--seed"], "--seed"),
    (["--to", "127.0.0.1"], "HOST:PORT"),
    (["--to", "[::1]:x"], "HOST:PORT"),
    (["-o", "x", "--routers", "2"], "one router"),
    (["-o", "x", "--prefixes", "-1"], "--prefixes"),
    (["-o", "x", "--prefixes", "50M"], "prefixes"),
    (["-o", "x", "--v6-share", "1.1"], "--v6-share"),
    (["-o", "x", "--nlri-per-update", "501"], "--nlri-per-update"),
    (["-o", "x", "--nlri-per-update", "0"], "500"),
    (["-o", "x", "--churn", "0"], "--churn"),
    (["-o", "x", "--churn", "max"], "--churn-count"),
    (["-o", "x", "--churn-count", "5"], "--churn"),
    (["-o", "x", "--churn", "5", "--churn-count", "5", "--churn-mix", "1:2"],
     "--churn-mix"),
    (["-o", "x", "--hold"], "--hold"),
    (["--to", "[::1]:1", "--spread-sources"], "127/8"),
    (["-o", "x", "more"], "more"),
])
def test_wrong_usage_is_named_in_one_line(args, word):
    run = generate(*args)
    assert run.returncode == 2
    assert run.stdout == b""
    assert run.stderr.count(b"\n") == 1
    assert word in run.stderr.decode()


# Files


def test_a_file_has_what_was_asked_for(tmp_path):
    path = tmp_path / "load.bmp"
    told = made(path, "--peers", 4, "--prefixes", 5000, "--v6-share", "0.2")
    got = summary(path)
    assert got["errors"] == 0
    assert got["peerCount"] == 4
    assert got["announced"] == {"1/1": 16000, "2/1": 4000}
    assert got["endOfRib"] == {"1/1": 4, "2/1": 4}
    assert got["messages"]["peerUp"] == 4
    assert got["messages"]["initiation"] == 1
    assert got["messages"]["termination"] == 1
    assert sum(got["messages"].values()) == told["messages"]
    assert told["announced"] == 20000
    assert told["bytes"] == path.stat().st_size
    # Each fourth peer is an IPv6 session.
    assert sum(":" in p["peerAddr"] for p in got["peers"]) == 1


def test_churn_is_what_was_asked_for(tmp_path):
    path = tmp_path / "load.bmp"
    told = made(path, "--prefixes", 1000, "--nlri-per-update", 1, "--churn",
                "1k", "--duration", "2.5", "--churn-mix", "5:3:2", "--flaps",
                2)
    got = summary(path)
    assert got["errors"] == 0
    assert (told["changes"] + told["duplicates"] + told["withdraws"] +
            told["returns"]) == 2500
    assert got["messages"]["peerDown"] == told["flaps"] == 2
    assert sum(got["withdrawn"].values()) == told["withdraws"]
    # The table, three times, and what was announced again.
    assert sum(got["announced"].values()) == (3000 + 2500 -
                                              told["withdraws"])


def test_times_go_on_with_the_rate(tmp_path):
    path = tmp_path / "load.bmp"
    made(path, "--prefixes", 100, "--nlri-per-update", 1, "--churn", 100,
         "--duration", 3)
    times = [line["timeBmpHeaderNs"] for line in decode(path)
             if line["kind"] == "update"]
    assert times == sorted(times)
    assert 2.9e9 < times[-1] - times[0] < 3e9


def test_the_same_options_make_the_same_bytes(tmp_path):
    args = ["--peers", "2", "--churn", "10k", "--churn-count", "5k"]
    made(tmp_path / "a", *args)
    made(tmp_path / "b", *args)
    made(tmp_path / "c", *args, "--seed", 2)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b
    assert a != c


def test_standard_output_is_a_file(tmp_path):
    made(tmp_path / "a", "--prefixes", 100)
    run = generate("-o", "-", "--prefixes", 100)
    assert run.returncode == 0
    assert run.stdout == (tmp_path / "a").read_bytes()


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    run = generate("-o", tmp_path / "no" / "where")
    assert run.returncode == 1
    assert b"No such file" in run.stderr
    if os.path.exists("/dev/full"):
        run = generate("-o", "/dev/full")
        assert run.returncode == 1
        assert b"No space left" in run.stderr


# A collector


@pytest.mark.parametrize("backend", ["io_uring", "epoll"])
def test_a_collector_gets_the_bytes_of_the_file(tmp_path, sink, backend,
                                                monkeypatch):
    if backend == "epoll":
        monkeypatch.setenv("SP_BACKEND", "epoll")
    args = ["--peers", 2, "--prefixes", "20k", "--churn", "max",
            "--churn-count", "20k"]
    made(tmp_path / "a", *args)
    run = generate("--to", sink.to, *args)
    assert run.returncode == 0, run.stderr
    sessions = sink.wait_ended(1)
    assert len(sessions) == 1
    assert sessions[0].data == (tmp_path / "a").read_bytes()


def test_routers_have_addresses_of_their_own(tmp_path, sink):
    run = generate("--to", sink.to, "--spread-sources", "--routers", 20,
                   "--prefixes", 500, "--json")
    assert run.returncode == 0, run.stderr
    sessions = sink.wait_ended(20)
    assert ({s.peer[0] for s in sessions} ==
            {f"127.1.0.{i}" for i in range(1, 21)})
    names = set()
    for i, session in enumerate(sessions):
        path = tmp_path / str(i)
        path.write_bytes(session.data)
        got = list(decode(path))
        assert sum(line["kind"] == "update" for line in got) == 500
        names.add(got[0]["sysName"])
        # Which router it is shows in its address, too.
        assert got[0]["sysName"].split("-")[1] == session.peer[0].split(".")[3]
    assert len(names) == 20
    assert json.loads(run.stdout)["announced"] == 10000


def test_a_rate_is_kept(sink):
    run = generate("--to", sink.to, "--prefixes", 1000, "--churn", "20k",
                   "--duration", 1, "--json")
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    # It cannot be early; how late it is depends on the machine.
    assert told["milliseconds"] >= 990
    assert told["announced"] + told["withdrawn"] >= 21000


def test_max_ends_after_its_duration(sink):
    run = generate("--to", sink.to, "--prefixes", 1000, "--churn", "max",
                   "--duration", "0.2", "--json")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["milliseconds"] >= 200
    sink.wait_ended(1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_sessions_in_order(tmp_path, sink, number):
    with subprocess.Popen([BINARY, "generate", "--to", sink.to, "--churn",
                           "1k", "--hold"], stderr=subprocess.PIPE) as one:
        try:
            sink.wait(lambda all: all and len(all[0].data) > 100000)
            one.send_signal(number)
            assert one.wait(TIMEOUT) == 0, one.stderr.read()
        finally:
            one.kill()
    session = sink.wait_ended(1)[0]
    (tmp_path / "got").write_bytes(session.data)
    assert run_decode(tmp_path / "got").returncode == 0


def test_held_sessions_stay(sink):
    with subprocess.Popen([BINARY, "generate", "--to", sink.to, "--prefixes",
                           "10", "--hold"], stderr=subprocess.PIPE) as one:
        try:
            # The last message of the table is a statistics report.
            sink.wait(lambda all: all and len(all[0].data) > 1000)
            assert one.poll() is None
            assert not sink.sessions[0].ended
            one.send_signal(signal.SIGINT)
            assert one.wait(TIMEOUT) == 0, one.stderr.read()
        finally:
            one.kill()
    sink.wait_ended(1)


def test_a_name_that_nobody_has_is_a_failure():
    run = generate("--to", "no-such-host.invalid:4000")
    assert run.returncode == 1
    assert b"cannot find 'no-such-host.invalid'" in run.stderr
    assert run.stderr.count(b"\n") == 1


def test_no_collector_is_one_line(free_port):
    run = generate("--to", f"127.0.0.1:{free_port()}", "--routers", 3)
    assert run.returncode == 1
    assert run.stderr.splitlines()[0].endswith(b": Connection refused")
    assert b"3 of 3 sessions failed" in run.stderr.splitlines()[1]


def test_a_collector_that_closes_early_is_named():
    sink = Sink(limit=1000)
    run = generate("--to", sink.to, "--prefixes", "100k")
    sink.close()
    assert run.returncode == 1
    assert b"closed the session early" in run.stderr


def test_progress_is_for_terminals(sink):
    master, slave = pty.openpty()
    with subprocess.Popen([BINARY, "generate", "--to", sink.to, "--churn",
                           "100", "--duration", "0.5"], stderr=slave) as one:
        os.close(slave)
        shown = b""
        try:
            while True:
                shown += os.read(master, 4096)
        except OSError:
            pass
        assert one.wait(TIMEOUT) == 0
    os.close(master)
    assert b"churn: " in shown
    assert b"arancini generate: " in shown
