"""Another router at the worker of a hostile one, the collector's memory while
both send, and what must hold of them."""

import atexit
import json
import os
import subprocess
import threading
import time
import warnings

from bmp import Peer, initiation
from collecting import connect

MB = 1 << 20
MEMORY = 64 * MB        # that may be taken for one router
TURN_BYTES = 2 * MB     # a turn: 1 MiB, and one update more
TURN_ROUTES = 4096
DELAY = 5 * 0.1         # of another router's updates: 100 ms, and slack
EVIL, OTHER = "127.0.0.3", "127.0.0.2"
EVERY = 0.02


def is_sanitized(c):
    """AddressSanitizer has memory of its own, and takes its time."""
    return b"__asan_init" in c.arancini.read_bytes()


def token(address):
    return f"v4_{address.replace('.', '_')}"


class OtherRouter:
    """Announces a route every now and then, and sees when it is published."""

    def __init__(self, c, log=None, address=OTHER, every=EVERY):
        self.peer = Peer("10.9.9.9", 65001)
        self.every = every
        self.sent, self.seen = {}, {}
        self.since = self.least = 0
        self.stopped = threading.Event()
        self.sock = connect(c, address)
        self.sock.sendall(initiation(b"other") + self.peer.up())
        self.tail = subprocess.Popen(
            [c.arancini, "tail", *(log or ["--journal", c.journal]),
             "--since", "all", "--json", "--subject",
             f"arancini.updates.{token(address)}.>"],
            stdout=subprocess.PIPE)
        # A test that fails does not come to stop().
        atexit.register(self.tail.kill)
        self.threads = [threading.Thread(target=self.send, daemon=True),
                        threading.Thread(target=self.read, daemon=True)]
        for thread in self.threads:
            thread.start()

    def send(self):
        n = 0
        while not self.stopped.wait(self.every):
            # A few prefixes, each time with other attributes.
            prefix, med = f"10.7.{n & 255}.0", 1 + (n >> 8)
            self.sent[prefix, med] = time.monotonic()
            try:
                self.sock.sendall(self.peer.announce(prefix + "/24", med=med))
            except OSError:     # the test is over
                return
            n += 1

    def read(self):
        for line in self.tail.stdout:
            update = json.loads(line)
            address = update["prefixAddr"].removeprefix("::ffff:")
            self.seen[address, update.get("multiExitDisc")] = time.monotonic()

    def until(self, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < deadline, "too late"
            time.sleep(0.02)

    def begin(self):
        """The delays are of what is sent from now on, ten at least."""
        self.since = time.monotonic()
        self.least = len(self.sent) + 10

    def stop(self):
        """The delays, in order of length."""
        self.until(lambda: len(self.sent) > self.least)
        self.stopped.set()
        self.threads[0].join()
        try:
            self.until(lambda: len(self.seen) == len(self.sent))
        finally:
            self.tail.kill()
            self.threads[1].join()
            self.tail.wait()
            self.sock.close()
        return sorted(self.seen[p] - sent for p, sent in self.sent.items()
                      if sent >= self.since)


class Watch:
    """Looks at the memory all the time."""

    def __init__(self, c):
        self.c = c
        self.before = self.most = c.memory()
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
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


def check_turns(c):
    """No turn was longer than it may be."""
    metrics = c.http.metrics()
    assert metrics.sum("arancini_session_turn_output_max_bytes") <= TURN_BYTES
    assert metrics.sum("arancini_session_turn_max_routes") <= TURN_ROUTES
    return metrics


def check_memory(c, grown, allowed=MEMORY):
    if is_sanitized(c):
        warnings.warn(f"AddressSanitizer: {grown / MB:.0f} MB of resident "
                      f"memory are not judged")
    else:
        assert grown <= allowed, f"{grown / MB:.0f} MB"


def check_delays(c, delays, limit=DELAY):
    """On a machine that has other things to do everything takes longer;
    tests/hostile/delay.py measures it on a quiet one."""
    p99 = delays[len(delays) * 99 // 100]
    limit *= max(1, os.getloadavg()[0] / os.cpu_count())
    if is_sanitized(c):
        limit *= 5
    assert p99 < limit, f"{p99:.3f} s of {len(delays)}, {limit:.3f} s allowed"


def check_memory_comes_back(c, before, seconds=60):
    """It has its routes, and nothing else."""
    deadline = time.monotonic() + seconds
    while not is_sanitized(c) and c.memory() >= before + MEMORY // 2:
        assert time.monotonic() < deadline, \
            f"{(c.memory() - before) / MB:.0f} MB stay"
        time.sleep(0.05)


def attack(c, data, routes, log=None):
    """Send it beside another router; how the collector bears it."""
    other = OtherRouter(c, log)
    other.until(lambda: len(other.seen) > 10)
    with connect(c, EVIL) as sock:
        sock.sendall(initiation(b"evil"))
        watch = Watch(c)
        other.begin()
        sock.sendall(data)
        other.until(lambda: published(c) >= routes, 120)
        c.http.until(lambda s: s["output"]["waiting"] == 0, 120)
        grown = watch.stop()
        delays = other.stop()
    check_memory(c, grown)
    check_delays(c, delays)
    metrics = check_turns(c)
    check_memory_comes_back(c, watch.before)
    return metrics
