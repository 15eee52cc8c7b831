"""arancini tail: from a stream and from a journal, in all encodings, across a
restart of the broker; and a second opinion by Cap'n Proto's own tool."""

import concurrent.futures
import json
import os
import pty
import re
import socket
import struct
import subprocess
import time

import pytest

from bmp import Peer, bgp, initiation
from broker import STREAM, Broker, Driver
from collecting import Collector, connect

OPTIONS = ["--max-bytes", 1 << 30, "--ack-ms", 2000, "--wait-ms", 2000]
ENCODINGS = ["none", "packed", "zstd"]


@pytest.fixture
def broker(server, tmp_path, free_port):
    return Broker(server, tmp_path, free_port()).start()


@pytest.fixture
def drive(tmp_path):
    started = []

    def start(*argv):
        one = Driver(tmp_path / "drivers", list(argv))
        started.append(one)
        return one

    yield start
    for one in started:
        one.kill()


def publish(drive, broker, tmp_path, encoding, count=100):
    driver = drive("--server", broker.url, "--journal", tmp_path / "spool",
                   "--encode", encoding, "--count", count, *OPTIONS)
    driver.wait_published()
    driver.stop()


def tail(arancini, *argv):
    done = subprocess.run([arancini, "tail", *map(str, argv)],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_lines(lines, count):
    updates = [line for line in lines if line["kind"] == "update"]
    assert [u["sequence"] for u in updates] == list(range(1, count + 1))
    first = updates[0]
    assert first["prefixAddr"] == "10.0.0.0" and first["prefixLen"] == 24
    assert first["routerAddr"] == "192.0.2.1" and first["announced"] is True
    assert first["subject"].startswith("arancini.updates.v4_192_0_2_1.")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_stream(arancini, broker, drive, tmp_path, encoding):
    publish(drive, broker, tmp_path, encoding)
    lines = tail(arancini, "--nats", broker.url, "--since", "all",
                 "--count", 1001)
    check_lines(lines, 1000)
    assert lines[0]["kind"] == "epoch" and lines[0]["collector"] == "test"
    with broker.client() as client:
        headers = client.read_stream(STREAM)[1].headers
    assert headers.get("Content-Encoding", "none") == encoding


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_journal(arancini, drive, tmp_path, encoding):
    driver = drive("--journal", tmp_path / "journal", "--segment", 1 << 16,
                   "--encode", encoding, "--count", 100)
    driver.wait_safe(100)
    driver.stop()
    lines = tail(arancini, "--journal", tmp_path / "journal", "--since",
                 "all", "--idle-exit", 1)
    check_lines(lines, 1000)
    assert lines[0]["kind"] == "epoch"
    only = tail(arancini, "--journal", tmp_path / "journal", "--since", "1h",
                "--subject", "arancini.events.>", "--idle-exit", 1)
    assert [line["kind"] for line in only] == ["epoch"]


def test_idle_and_new(arancini, broker, drive, tmp_path):
    publish(drive, broker, tmp_path, "none")
    assert tail(arancini, "--nats", broker.url, "--idle-exit", 1) == []
    assert tail(arancini, "--nats", broker.url, "--since", "2100-01-01T"
                "00:00:00Z", "--idle-exit", 1) == []
    assert len(tail(arancini, "--nats", broker.url, "--since", "1h",
                    "--subject", "arancini.updates.*.64500.1_1", "--count",
                    7)) == 7


def test_ends_while_more_arrives(arancini, broker, drive, tmp_path):
    """One in fifty was killed by SIGSEGV: libnats had a message for a
    subscription that was being destroyed."""
    publish(drive, broker, tmp_path, "none")

    def one(_):
        return len(tail(arancini, "--nats", broker.url, "--since", "all",
                        "--count", 7))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert set(pool.map(one, range(120))) == {7}


def test_survives_a_restart(arancini, broker, drive, tmp_path):
    driver = drive("--server", broker.url, "--journal", tmp_path / "spool",
                   "--encode", "none", "--rate", 200, "--count", 1000,
                   *OPTIONS)
    driver.wait_for(lambda s: s["messages"] > 50)
    with open(tmp_path / "tail.out", "wb") as out:
        process = subprocess.Popen(
            [arancini, "tail", "--nats", broker.url, "--since", "all",
             "--subject", "arancini.updates.>", "--count", "10000"],
            stdout=out)
    try:
        driver.wait_for(lambda s: s["messages"] > 300)
        broker.kill()
        broker.start()
        driver.wait_published()
        driver.stop()
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.wait()
    lines = (tmp_path / "tail.out").read_text().splitlines()
    check_lines([json.loads(line) for line in lines], 10000)


def test_raw_reads_with_capnp(arancini, broker, drive, tmp_path, tree):
    publish(drive, broker, tmp_path, "zstd", count=3)
    raw = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--since", "all", "--raw",
         "--subject", "arancini.updates.>", "--count", "30"],
        capture_output=True, check=True, timeout=60).stdout
    text = subprocess.run(
        ["capnp", "decode", tree / "schema" / "update.capnp", "Update"],
        input=raw, capture_output=True, check=True).stdout.decode()
    assert [int(n) for n in re.findall(r"sequence = (\d+)", text)] == \
        list(range(1, 31))


def test_raw_ends_inside_a_batch(arancini, broker, drive, tmp_path, tree):
    publish(drive, broker, tmp_path, "zstd", count=3)
    raw = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--since", "all", "--raw",
         "--subject", "arancini.updates.>", "--count", "25"],
        capture_output=True, check=True, timeout=60).stdout
    text = subprocess.run(
        ["capnp", "decode", tree / "schema" / "update.capnp", "Update"],
        input=raw, capture_output=True, check=True).stdout.decode()
    assert len(re.findall(r"sequence = (\d+)", text)) == 25


def source(kind, broker, tmp_path):
    """[options of the driver, options of tail]"""
    if kind == "stream":
        return ["--server", broker.url, *OPTIONS], ["--nats", broker.url]
    return (["--journal", tmp_path / "journal"],
            ["--journal", tmp_path / "journal"])


@pytest.mark.parametrize("kind", ["stream", "journal"])
def test_new_is_what_comes_from_now_on(arancini, broker, drive, tmp_path,
                                       kind):
    where, options = source(kind, broker, tmp_path)
    driver = drive(*where, "--encode", "none", "--rate", 100)
    driver.wait_for(lambda s: s["safe"] >= 100)
    lines = tail(arancini, *options, "--count", 200, "--since", "new")
    sequences = [line["sequence"] for line in lines]
    assert sequences[0] > 1000
    assert sequences == list(range(sequences[0], sequences[0] + 200))


@pytest.mark.parametrize("kind", ["stream", "journal"])
def test_since_a_time(arancini, broker, drive, tmp_path, kind):
    """Of two runs only the second one, which began after that second."""
    where, options = source(kind, broker, tmp_path)

    def run(count):
        driver = drive(*where, "--encode", "none", "--count", count)
        driver.wait_safe(count)
        driver.stop()

    run(20)
    when = int(time.time()) + 1
    while time.time() < when:
        time.sleep(0.02)
    run(30)
    for since in (str(when), time.strftime("%Y-%m-%dT%H:%M:%SZ",
                                           time.gmtime(when))):
        lines = tail(arancini, *options, "--since", since, "--subject",
                     "arancini.updates.>", "--idle-exit", 2)
        check_lines(lines, 300)


@pytest.mark.parametrize("kind", ["stream", "journal"])
def test_who_reads_slowly_gets_all_of_it(arancini, broker, drive, tmp_path,
                                         kind):
    """A line that waits to be taken is no time in which nothing came."""
    where, options = source(kind, broker, tmp_path)
    driver = drive(*where, "--encode", "none", "--count", 1000)
    driver.wait_safe(1000)
    driver.stop()
    with subprocess.Popen(
            [arancini, "tail", *options, "--since", "all", "--subject",
             "arancini.updates.>", "--idle-exit", "1"],
            stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline()]
        # The pipe is full, and stays so for longer than that.
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.5)
        lines += process.stdout
    assert process.returncode == 0
    check_lines([json.loads(line) for line in lines], 10000)


def on_a_terminal(*argv):
    """What a program writes to a terminal, as one text."""
    ours, its = pty.openpty()
    try:
        process = subprocess.Popen([str(a) for a in argv], stdout=its)
        os.close(its)
        said = b""
        try:
            while chunk := os.read(ours, 65536):
                said += chunk
        except OSError:
            pass  # the other side is gone
        assert process.wait(20) == 0
        return said.decode()
    finally:
        os.close(ours)


def test_lines_for_people(server, arancini, tmp_path):
    """On a terminal; what a router is called cannot command it."""
    collector = Collector(server, arancini, tmp_path / "state")
    name = "edge\x1b]0;owned\x07\u009b2J".encode()
    tlvs = b"".join(struct.pack(">HH", kind, len(value)) + value
                    for kind, value in ((1, b"a router"), (2, name)))
    with socket.create_connection(("127.0.0.1", collector.port)) as router:
        router.sendall(struct.pack(">BIB", 3, 6 + len(tlvs), 4) + tlvs)
        peer = Peer("192.0.2.10", 64510)
        router.sendall(peer.up() + peer.down(1, bgp(3, b"\x06\x02")))
        router.shutdown(socket.SHUT_WR)
        router.recv(1)
    collector.send("generate", "--peers", "1", "--prefixes", "10", "--seed",
                   "3")
    collector.until_said("event=session_close", 2)
    collector.stop()
    said = on_a_terminal(arancini, "tail", "--journal", collector.journal,
                         "--since", "all", "--idle-exit", "1")
    assert "edge?]0;owned??2J" in said and "\x1b" not in said
    assert ("AS64510 192.0.2.10 * peerDown: local-notification cease "
            "administrative-shutdown\r\n") in said
    assert len(re.findall(r"^\d\d:\d\d:\d\d\.\d{3} 127\.0\.0\.1 AS\d+ \S+ "
                          r"\+ \S+/\d+ via \S+ \[[\d ]+\]\r$", said,
                          re.M)) == 10
    as_json = on_a_terminal(arancini, "tail", "--journal", collector.journal,
                            "--since", "all", "--idle-exit", "1", "--json")
    kinds = [json.loads(line)["kind"] for line in as_json.splitlines()]
    assert kinds.count("update") == 10 and "peerUp" in kinds


def test_what_is_not_ours_is_named_and_passed_over(arancini, broker, drive,
                                                   tmp_path):
    publish(drive, broker, tmp_path, "none", count=3)
    with broker.client() as client:
        for subject in ("arancini.updates.x.1.1_1", "arancini.events.x.peerUp"):
            for data in (b"garbage", struct.pack("<IIQ", 0, 1, 1)):
                client.publish(subject, data)
        client.request("$JS.API.INFO")  # all that was before it is stored
    publish(drive, broker, tmp_path, "none", count=3)
    done = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--since", "all",
         "--idle-exit", "2"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 2 * 31
    complaints = done.stderr.splitlines()
    assert len(complaints) == 4
    assert all("message " in line and ".x." in line for line in complaints)


def test_another_client_and_capnp_read_the_stream(broker, drive, tmp_path,
                                                  tree):
    """Nothing of ours in between: the tests' own client speaks the protocol,
    Cap'n Proto's tool reads the payload as it was stored, packed or not."""
    publish(drive, broker, tmp_path, "packed", count=3)
    with broker.client() as client:
        messages = client.read_stream(STREAM)[1:]
    sequences = []
    for message in messages:
        packed = message.headers.get("Content-Encoding") == "packed"
        text = subprocess.run(
            ["capnp", "decode", *(["--packed"] if packed else []),
             tree / "schema" / "update.capnp", "Update"],
            input=message.data, capture_output=True, check=True)
        sequences += re.findall(r"sequence = (\d+)", text.stdout.decode())
    assert [int(n) for n in sequences] == list(range(1, 31))


@pytest.mark.parametrize("argv", [
    [], ["--nats"], ["--nats", "x", "--journal", "y"],
    ["--journal", "x", "--since", "yesterday"],
    ["--journal", "x", "--count", "-1"], ["--journal", "x", "more"]])
def test_wrong_usage(arancini, argv):
    done = subprocess.run([arancini, "tail", *argv], capture_output=True,
                          text=True, timeout=20)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_nothing_there(arancini, tmp_path, free_port):
    for argv in (["--journal", tmp_path / "no"],
                 ["--nats", f"nats://127.0.0.1:{free_port()}"]):
        done = subprocess.run([arancini, "tail", *map(str, argv)],
                              capture_output=True, text=True, timeout=20)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1


def test_a_record_is_seen_when_it_is_written(server, arancini, tmp_path):
    """Each route is announced when the one before it was printed. With a look
    at the journal every 100 ms each would take that long."""
    c = Collector(server, arancini, tmp_path / "state")
    peer = Peer("10.0.0.1", 64500)
    rounds = 30
    with connect(c, "127.0.0.2") as sock, subprocess.Popen(
            [arancini, "tail", "--journal", c.journal, "--since", "all",
             "--json", "--subject", "arancini.updates.>"],
            stdout=subprocess.PIPE) as reader:
        try:
            sock.sendall(initiation(b"r1") + peer.up())
            delays = []
            for n in range(rounds):
                sent = time.monotonic()
                sock.sendall(peer.announce(f"10.1.{n}.0/24"))
                update = json.loads(reader.stdout.readline())
                assert update["prefixAddr"].endswith(f"10.1.{n}.0")
                delays.append(time.monotonic() - sent)
        finally:
            reader.kill()
    # Those of the first ones include the start of tail.
    assert sorted(delays)[rounds // 2] < 0.05, delays
