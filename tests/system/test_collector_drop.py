"""--overload drop: a broker that stands still does not hold the routers up.
What is dropped is counted and said, what must not be dropped is not, memory
has a bound, and the next dump puts all of it right."""

import json
import struct
import subprocess
import threading

import pytest

from broker import Broker
from collecting import RouterTable, consumer_tables
from decoding import decode
from router import Router, message, peer_down, peer_header, peer_up
from watching import WatchedCollector

TABLE = ["--peers", "2", "--prefixes", "200", "--seed", "12"]
CHURN = [*TABLE, "--churn", "max", "--churn-count", "60000"]
TOKEN = "v4_127_0_0_1"
FLAPS = 5000
STATISTICS = 1000

# Little of everything that could hold updates: bridge, window, spool; but the
# bridge holds a table.
SMALL = ["--overload", "drop", "--workers", "1", "--bridge-batches", "64",
         "--nats-window", "16", "--spool-max", "4M",
         "--journal-segment-bytes", "1M", "--batch-max-bytes", "16k",
         "--nats-max-bytes", "1G"]


@pytest.fixture
def broker(server, tmp_path, free_port):
    return Broker(server, tmp_path, free_port()).start()


@pytest.fixture
def collector(server, arancini, tmp_path, broker):
    c = WatchedCollector(server, arancini, tmp_path / "state", "--nats",
                         broker.url, *SMALL)
    c.until_said("event=publisher state=ready")
    return c


def counted(c, name):
    return c.http.metrics().sum(name)


def dropped(c):
    return counted(c, "arancini_messages_dropped_total")


def until(c, condition, timeout=120):
    c.server.wait_until(lambda _: condition(), timeout)


def statistics():
    return message(1, peer_header() + struct.pack(">IHHI", 1, 0, 4, 1))


def until_published(c):
    c.http.until(lambda s: not any(s["output"][what] for what in (
        "spooling", "spoolBytes", "waiting", "inFlight")), 120)


def stream(arancini, broker):
    run = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--since", "all",
         "--idle-exit", "5", "--json"], capture_output=True, text=True,
        timeout=120, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def count(lines, kind, peer):
    return sum(line["kind"] == kind and line.get("peerAddr") == peer
               for line in lines)


def router_table(arancini, path):
    subprocess.run([arancini, "generate", *TABLE, "-o", path], check=True,
                   capture_output=True, timeout=120)
    router = RouterTable()
    for line in decode(path):
        router.apply(line)
    return router.table()


def fill(c):
    """Send until nothing can hold any more, not even the spool."""
    def run():
        before = c.http.status()["output"]["spoolBytes"], dropped(c)
        c.send("generate", *CHURN)
        after = c.http.status()["output"]["spoolBytes"], dropped(c)
        return before[0] == after[0] > 3 << 20 and after[1] > before[1]

    c.until_said("spooling=true")
    until(c, lambda: run() and run())


def press(c, router):
    """Updates, statistics and flaps while nothing goes out. The thread that
    still sends the flaps."""
    c.send("generate", *CHURN)
    fill(c)
    before = dropped(c)
    router.send(peer_up(), *[statistics()] * STATISTICS)
    until(c, lambda: dropped(c) == before + STATISTICS)
    assert counted(c, "arancini_session_pauses_total") == 0
    held = c.memory()
    router.sock.settimeout(300)
    flaps = threading.Thread(target=router.send, daemon=True,
                             args=[peer_down(), peer_up()] * FLAPS)
    flaps.start()
    until(c, lambda: counted(c, "arancini_session_pauses_total") > 0)
    assert c.memory() < held + (16 << 20)
    return flaps


def test_a_broker_that_stands_still(collector, broker, arancini, tmp_path):
    c = collector
    with Router(c.port, "127.0.0.2") as router:
        broker.pause()
        try:
            flaps = press(c, router)
        finally:
            broker.go_on()
        flaps.join(120)
        assert not flaps.is_alive()
        until(c, lambda: c.http.metrics().sum(
            "arancini_messages_total", type="peer-down") >= FLAPS)
    assert c.memory() < 256 << 20
    until_published(c)
    lines = stream(arancini, broker)
    peers = {line["peerAddr"] for line in lines if line["kind"] == "unknown"}
    assert len(peers) == 2
    assert count(lines, "peerUp", "10.9.0.1") == FLAPS + 1
    assert count(lines, "peerDown", "10.9.0.1") == FLAPS
    assert count(lines, "statistics", "10.9.0.1") == 0
    wanted = router_table(arancini, tmp_path / "table.bmp")
    assert consumer_tables(lines)[TOKEN] != wanted
    before, sessions = dropped(c), len(c.said("event=session_close"))
    c.send("generate", *TABLE)
    c.until_said("event=session_close", count=sessions + 1)
    until_published(c)
    assert dropped(c) == before, "the broker does not keep up"
    c.stop()
    has = consumer_tables(stream(arancini, broker))[TOKEN]
    assert has == wanted, (f"missing {len(wanted.keys() - has.keys())}, "
                           f"ghosts {len(has.keys() - wanted.keys())}")
