"""A broker that does not keep up: the collector stops reading its routers, takes
no more memory than before, and when the broker is well again everything is in
the stream, once and in order."""

import pathlib
import time

import pytest

from broker import Broker
from collecting import check_one_router, tail, true_table
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
def collector(server, arancini, tmp_path, broker):
    c = WatchedCollector(server, arancini, tmp_path / "state", "--nats",
                         broker.url, *SMALL)
    c.until_said("event=publisher state=ready")
    return c


def memory(c):
    """Resident, in bytes."""
    status = pathlib.Path(f"/proc/{c.server.pid}/status").read_text()
    line = [line for line in status.splitlines() if "VmRSS" in line][0]
    return int(line.split()[1]) * 1024


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


def test_a_broker_that_stands_still_now_and_then(collector, broker, arancini,
                                                 tmp_path):
    c = collector
    broker.pause()
    load = c.start_sending("generate", *CHURN)
    try:
        read = until_it_stands(c)
        assert load.poll() is None, "all of it was taken in"
        most = memory(c)
        deadline = time.monotonic() + 120
        while load.poll() is None:
            assert time.monotonic() < deadline, c.server.say("it stands")
            for step in (broker.go_on, broker.pause):
                step()
                time.sleep(0.3)
            most = max(most, memory(c))
        broker.go_on()
        assert load.wait(120) == 0
    finally:
        broker.go_on()
        load.kill()
        load.wait()
    c.until_said("event=session_close", timeout=120)
    assert received(c) > read
    assert most < 256 << 20
    # What is in the spool is safe, so an end would not wait for it.
    c.http.until(lambda s: not any(s["output"][what] for what in (
        "spooling", "spoolBytes", "waiting", "inFlight")), 120)
    c.stop()
    check_one_router(tail(arancini, "--nats", broker.url, idle=10),
                     true_table(arancini, tmp_path, *CHURN))
