"""A broker that does not keep up: the collector stops reading its routers, takes
no more memory than before, and when the broker is well again everything is in
the stream, once and in order."""

import time

import pytest

from bmp import Peer, initiation
from broker import Broker
from collecting import (check_one_router, connect, consumer_table, tail,
                        true_table)
from watching import WatchedCollector

CHURN = ["--peers", "2", "--prefixes", "10000", "--seed", "12", "--churn",
         "max", "--churn-count", "60000"]

# Little of everything that could hold updates: bridge, window, spool.
SMALL = ["--bridge-batches", "64", "--nats-window", "16", "--spool-max", "4M",
         "--journal-segment-bytes", "1M", "--batch-max-bytes", "16k",
         "--nats-max-bytes", "1G", "--workers", "2"]


@pytest.fixture
def broker(server, tmp_path, free_port):
    return Broker(server, tmp_path, free_port()).start()


@pytest.fixture
def start(server, arancini, tmp_path, broker):
    def start(*options):
        c = WatchedCollector(server, arancini, tmp_path / "state", "--nats",
                             broker.url, *SMALL, *options)
        c.until_said("event=publisher state=ready")
        return c
    return start


def pauses(c):
    return c.http.metrics().sum("arancini_session_pauses_total")


def received(c):
    return c.http.metrics().sum("arancini_received_bytes_total")


def until_it_stands(c):
    """It has paused, and reads nothing more."""
    c.server.wait_until(lambda _: pauses(c) > 0, 60)
    deadline = time.monotonic() + 60
    before, since = received(c), time.monotonic()
    while time.monotonic() - since < 1:
        assert time.monotonic() < deadline, "it goes on reading"
        time.sleep(0.05)
        if received(c) != before:
            before, since = received(c), time.monotonic()
    return before


def until_published(c):
    """Nothing is left in the spool: what is there is safe, so an end would not
    wait for it."""
    c.http.until(lambda s: not any(s["output"][what] for what in (
        "spooling", "spoolBytes", "waiting", "inFlight")), 120)


def stream(arancini, broker):
    return tail(arancini, "--nats", broker.url, idle=10)


def test_a_broker_that_stands_still_now_and_then(start, broker, arancini,
                                                 tmp_path):
    c = start()
    broker.pause()
    load = c.start_sending("generate", *CHURN)
    try:
        read = until_it_stands(c)
        assert load.poll() is None, "all of it was taken in"
        most = c.memory()
        deadline = time.monotonic() + 120
        while load.poll() is None:
            assert time.monotonic() < deadline, c.server.say("it stands")
            for step in (broker.go_on, broker.pause):
                step()
                time.sleep(0.3)
            most = max(most, c.memory())
        broker.go_on()
        assert load.wait(120) == 0
    finally:
        broker.go_on()
        load.kill()
        load.wait()
    c.until_said("event=session_close", timeout=120)
    assert received(c) > read
    assert most < 256 << 20
    until_published(c)
    c.stop()
    check_one_router(stream(arancini, broker),
                     true_table(arancini, tmp_path, *CHURN))


# The clocks of a router that is not read

A = Peer("192.0.2.10", 64510)
KEPT = [f"10.1.{n}.0/24" for n in range(200)]
CHANGED = [f"10.2.{n}.0/24" for n in range(200)]


def is_read(c, count, seconds):
    """Whether so many bytes have been read in time."""
    deadline = time.monotonic() + seconds
    while received(c) != count:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def pause_in_a_dump(c, broker, seconds):
    """A router tells its table a second time, piece by piece; in the middle of
    it a piece is not read for so long. How much it sent, its connection."""
    sock = connect(c)
    sent = (initiation() + A.up(port=1) + A.announce(*KEPT) + A.end_of_rib()
            + A.up(port=2))
    sock.sendall(sent)
    assert is_read(c, len(sent), 60)
    broker.pause()
    try:
        for n in range(1, 1000):
            sent += (piece := A.announce(*CHANGED, med=n))
            sock.sendall(piece)
            if not is_read(c, len(sent), seconds):
                break
        assert pauses(c) > 0, "all of it was read"
        sent += (piece := A.announce(*KEPT))
        sock.sendall(piece)
    finally:
        broker.go_on()
    return len(sent), sock


def test_a_pause_is_no_quiet(start, broker, arancini):
    """The sweep's clocks stand still: nothing is withdrawn in mid-dump."""
    c = start("--sweep-quiet", "2s")
    sent, sock = pause_in_a_dump(c, broker, 4)
    c.server.wait_until(lambda _: received(c) == sent, 120)
    until_published(c)
    sock.close()
    c.stop()
    updates = [line for line in stream(arancini, broker)
               if line["kind"] == "update"]
    assert [line for line in updates if not line.get("announced")] == []
    assert len(consumer_table(updates)) == 400


def test_a_router_that_is_not_read_is_not_idle(start, broker):
    c = start("--idle-timeout", "2s")
    sent, sock = pause_in_a_dump(c, broker, 4)
    # In the end it is.
    c.until_said("event=session_close .*reason=idle_timeout")
    assert c.said("event=session_close .*bytes=([0-9]+)") == [str(sent)]
    sock.close()
    c.stop()
