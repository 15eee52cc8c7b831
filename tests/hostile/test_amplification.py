"""A router that makes the collector publish a thousand times what it sends.
That is its right: what the routes of an UPDATE share is repeated for each. But
it takes no more of the worker at a time than others, and no more memory, and
another router of the same worker is read and published in time."""

import json
import subprocess
import threading
import time

import pytest
import shapes
from bmp import Peer, initiation
from collecting import connect

MB = 1 << 20
MEMORY = 64 * MB        # that may be taken for one router
TURN_BYTES = 2 * MB     # a turn: 1 MiB, and one update more
TURN_ROUTES = 4096
DELAY = 5 * 0.1         # of another router's updates: 100 ms, and slack
EVIL, OTHER = "127.0.0.3", "127.0.0.2"
EVERY = 0.02


class OtherRouter:
    """Announces a route every now and then, and sees when it is published."""

    def __init__(self, c):
        self.peer = Peer("10.9.9.9", 65001)
        self.sent, self.seen = {}, {}
        self.stopped = threading.Event()
        self.sock = connect(c, OTHER)
        self.sock.sendall(initiation(b"other") + self.peer.up())
        self.tail = subprocess.Popen(
            [c.arancini, "tail", "--journal", c.journal, "--since", "all",
             "--json", "--subject",
             f"arancini.updates.v4_{OTHER.replace('.', '_')}.>"],
            stdout=subprocess.PIPE)
        self.threads = [threading.Thread(target=self.send),
                        threading.Thread(target=self.read)]
        for thread in self.threads:
            thread.start()

    def send(self):
        n = 0
        while not self.stopped.wait(EVERY):
            prefix = f"10.{n >> 8}.{n & 255}.0"
            self.sent[prefix] = time.monotonic()
            self.sock.sendall(self.peer.announce(prefix + "/24"))
            n += 1

    def read(self):
        for line in self.tail.stdout:
            address = json.loads(line)["prefixAddr"]
            self.seen[address.removeprefix("::ffff:")] = time.monotonic()

    def until(self, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < deadline, "too late"
            time.sleep(0.02)

    def stop(self):
        """The delays of all that was sent."""
        self.stopped.set()
        self.threads[0].join()
        try:
            self.until(lambda: len(self.seen) == len(self.sent))
        finally:
            self.tail.kill()
            self.threads[1].join()
            self.tail.wait()
            self.sock.close()
        return sorted(self.seen[p] - self.sent[p] for p in self.sent)


class Watch:
    """Looks at the memory all the time."""

    def __init__(self, c):
        self.c = c
        self.before = self.most = c.memory()
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.stopped.wait(0.01):
            self.most = max(self.most, self.c.memory())

    def stop(self):
        self.stopped.set()
        self.thread.join()
        return self.most - self.before


def published(c):
    return sum(value for labels, value
               in c.http.metrics().samples["arancini_updates_published_total"]
               if labels["action"] != "resync")


def attack(c, data, routes):
    """Send it beside another router; how the collector bears it."""
    other = OtherRouter(c)
    other.until(lambda: len(other.seen) > 10)
    with connect(c, EVIL) as sock:
        sock.sendall(initiation(b"evil"))
        watch = Watch(c)
        sock.sendall(data)
        other.until(lambda: published(c) >= routes, 120)
        c.http.until(lambda s: s["output"]["waiting"] == 0, 120)
        grown = watch.stop()
        delays = other.stop()
    metrics = c.http.metrics()
    assert grown <= MEMORY, f"{grown / MB:.0f} MB"
    assert metrics.sum("arancini_session_turn_output_max_bytes") <= TURN_BYTES
    assert metrics.sum("arancini_session_turn_max_routes") <= TURN_ROUTES
    p99 = delays[len(delays) * 99 // 100]
    assert p99 < DELAY, f"{p99:.3f} s of {len(delays)}"
    # It has its routes, and nothing else.
    left = watch.before + MEMORY // 2
    other.until(lambda: c.memory() < left, 60)
    return metrics


SHAPES = {
    "65582 bytes of sets": lambda p: (shapes.large(p), 8274),
    "4096 bytes of sets": lambda p: (
        b"".join(shapes.ordinary_size(p, 500 * n) for n in range(40)),
        20000),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_attributes_that_are_repeated(collector, shape):
    peer = Peer("10.0.0.1", 64500)
    data, routes = SHAPES[shape](peer)
    metrics = attack(collector, peer.up() + data, routes)
    assert metrics.sum("arancini_session_turns_cut_total") > 0


def test_a_name_that_is_repeated(collector):
    peer, up = shapes.named_up("ä".encode() * 30000)
    few = peer.monitor(shapes.update(b"\x02\x01\0\0\xfb\xf4",
                                     shapes.prefixes(64)))
    metrics = attack(collector, up + shapes.many_routes(peer) + peer.down()
                     + up + few + peer.down(), 2 * 910 + 2 * 64)
    assert metrics.sum("arancini_table_names_cut_total") == 2
    names = {line.get("tableName") for line in collector.published(
        "--subject", f"arancini.updates.v4_{EVIL.replace('.', '_')}.>")}
    assert names == {"ä" * 127}


def test_the_table_of_a_peer_that_comes_back_as_another(collector):
    """Its routes are withdrawn because of 48 bytes: not all of them before
    others have their turn."""
    before, after = Peer("10.0.0.1", 64500), Peer("10.0.0.1", 64501)
    routes = 40000
    other = OtherRouter(collector)
    with connect(collector, EVIL) as sock:
        sock.sendall(initiation(b"evil") + before.up() + b"".join(
            before.monitor(shapes.update(b"\x02\x01\0\0\xfb\xf4",
                                         shapes.prefixes(1000, n)))
            for n in range(0, routes, 1000)))
        other.until(lambda: published(collector) >= routes)
    with connect(collector, EVIL) as sock:
        sock.sendall(initiation(b"evil") + after.announce("192.0.2.0/24"))
        other.until(lambda: published(collector) >= 2 * routes + 1)
    other.stop()
    metrics = collector.http.metrics()
    assert metrics.sum("arancini_session_turn_output_max_bytes") <= TURN_BYTES
    lines = collector.published(
        "--subject", f"arancini.updates.v4_{EVIL.replace('.', '_')}.>")
    assert [line["peerAsn"] for line in lines[-2:]] == [64500, 64501]
    assert lines[-1]["announced"] and len(lines) == 2 * routes + 1
