"""kill -9 at any moment, under load, with the broker failing as well: a
consumer that reads the stream from its beginning always ends with exactly the
tables that the routers hold.

ARANCINI_CRASH_ROUNDS says how often (default 5), ARANCINI_CRASH_SEED repeats
what a run with that seed did, as far as time lets it.
"""

import json
import os
import random
import signal
import socket
import struct
import subprocess
import threading
import time

import pytest

from broker import Broker
from collecting import Collector, Tables, router_table

ROUNDS = int(os.environ.get("ARANCINI_CRASH_ROUNDS", "5"))
SEED = int(os.environ.get("ARANCINI_CRASH_SEED",
                          str(random.SystemRandom().randrange(1 << 32))))
VARIANTS = 4
TERMINATION = 5


class Session:
    """What a router sends in one go, and the table it holds then."""

    def __init__(self, arancini, folder, seed):
        path = folder / f"session-{seed}.bmp"
        subprocess.run(
            [arancini, "generate", "--peers", "2", "--prefixes", "600",
             "--churn", "max", "--churn-count", "1500", "--flaps", "1",
             "--seed", str(seed), "-o", path],
            check=True, capture_output=True, timeout=60)
        self.table = router_table(path)
        self.bytes = self.without_the_end(path.read_bytes())

    @staticmethod
    def without_the_end(content):
        """The router stays: no Termination."""
        at = 0
        while at < len(content):
            _, length, kind = struct.unpack_from(">BIB", content, at)
            if kind == TERMINATION:
                return content[:at]
            at += length
        return content


class Router(threading.Thread):
    """Sends a session to wherever the collector is, again and again as long
    as it is cut off; holds the connection when all is sent."""

    def __init__(self, source):
        super().__init__(daemon=True)
        self.source = source
        self.token = "v4_" + source.replace(".", "_")
        self.changed = threading.Condition()
        self.port = None
        self.session = None
        self.pace = 0.0
        self.done = False
        self.ended = False
        self.start()

    def go(self, port, session, pace):
        with self.changed:
            self.port, self.session, self.pace = port, session, pace
            self.done = False
            self.changed.notify_all()

    def end(self):
        with self.changed:
            self.ended = True
            self.changed.notify_all()
        self.join(30)

    def order(self):
        return self.port, self.session, self.pace

    def run(self):
        while not self.ended:
            with self.changed:
                order = self.order()
                if order[0] is None:
                    self.changed.wait(0.1)
                    continue
            try:
                self.talk(order)
            except OSError:
                # The collector is gone; there will be another one.
                with self.changed:
                    if self.order() == order:
                        self.changed.wait(0.05)

    def talk(self, order):
        port, session, pace = order
        with socket.create_connection(
                ("127.0.0.1", port), timeout=20,
                source_address=(self.source, 0)) as sock:
            for at in range(0, len(session.bytes), 16384):
                sock.sendall(session.bytes[at:at + 16384])
                with self.changed:
                    if self.order() != order or self.ended:
                        return
                    if pace > 0:
                        self.changed.wait(pace)
            with self.changed:
                self.done = True
            sock.settimeout(0.05)
            while self.order() == order and not self.ended:
                try:
                    if sock.recv(1) == b"":
                        raise ConnectionResetError
                except TimeoutError:
                    pass


class Follower(threading.Thread):
    """A consumer that was there from the beginning."""

    def __init__(self, arancini, *source):
        super().__init__(daemon=True)
        self.tables = Tables()
        self.lock = threading.Lock()
        self.reading = threading.Event()
        self.process = subprocess.Popen(
            [arancini, "tail", *source, "--since", "all", "--json"],
            stdout=subprocess.PIPE, text=True)
        self.start()

    def run(self):
        for line in self.process.stdout:
            self.reading.set()
            with self.lock:
                self.tables.apply(json.loads(line))

    def routers(self):
        assert self.process.poll() is None, "tail ended"
        with self.lock:
            return {router: dict(table) for router, table
                    in self.tables.routers().items()}

    def end(self):
        self.process.kill()
        self.process.wait()
        self.join(30)


class Nats:
    """The stream of a broker that fails now and then."""

    def __init__(self, arancini, server, folder, port):
        self.arancini = arancini
        self.broker = Broker(server, folder, port)
        self.broker.start()

    def options(self):
        return ["--nats", self.broker.url, "--nats-max-bytes", "1G",
                "--restore-wait", "2s"]

    def source(self):
        return ["--nats", self.broker.url]

    def trouble(self, rng, until):
        """Some, over before @until or not: the next start may meet it."""
        kind = rng.choice(["none", "kill", "kill", "pause", "pause"])
        if kind == "kill":
            self.broker.kill()
        elif kind == "pause":
            self.broker.pause()
        wait(rng.uniform(0, max(until - time.monotonic(), 0)))
        if rng.random() < 0.7:
            self.mend()
        return kind

    def mend(self):
        if self.broker.process.stopped:
            self.broker.start()
        else:
            self.broker.go_on()


class Journal:
    def __init__(self, folder):
        self.folder = folder

    def options(self):
        return []

    def source(self):
        return ["--journal", self.folder / "state" / "journal"]

    def trouble(self, rng, until):
        return "none"

    def mend(self):
        pass


def wait(seconds):
    threading.Event().wait(seconds)


def differences(tables, wanted):
    found = []
    for router, table in wanted.items():
        has = tables.pop(router, {})
        missing = [k for k in table if k not in has]
        ghosts = [k for k in has if k not in table]
        other = [k for k in table if k in has and has[k] != table[k]]
        if missing or ghosts or other:
            found.append(f"{router}: missing {len(missing)} {missing[:1]}, "
                         f"ghosts {len(ghosts)} {ghosts[:1]}, "
                         f"other {len(other)} {other[:1]}")
    return found + [f"{router}: unknown" for router in tables]


def until_right(collector, follower, routers, wanted):
    """All was sent, and the consumer has it, and nothing else."""
    deadline = time.monotonic() + 180
    while True:
        found = ["not all is sent"]
        if all(router.done for router in routers):
            found = differences(follower.routers(), wanted)
        if not found:
            return
        if collector.server.process.poll() is not None:
            pytest.fail(collector.server.say("it ended"))
        if time.monotonic() > deadline:
            pytest.fail(collector.server.say("\n".join(found)))
        wait(0.05)


def read_all(arancini, source):
    """What a consumer has that begins now. No message id comes twice."""
    tables, ids = Tables(), {}
    with subprocess.Popen(
            [arancini, "tail", *source, "--since", "all", "--idle-exit", "3",
             "--json"], stdout=subprocess.PIPE, text=True) as tail:
        for text in tail.stdout:
            line = json.loads(text)
            tables.apply(line)
            if "messageId" in line:
                ids[line["position"]] = line["messageId"]
    assert tail.returncode == 0
    assert len(set(ids.values())) == len(ids), "an id was stored twice"
    return tables.routers()


@pytest.fixture(scope="module")
def sessions(arancini, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sessions")
    rng = random.Random(SEED)
    return [Session(arancini, folder, rng.randrange(1 << 31))
            for _ in range(VARIANTS)]


@pytest.fixture
def routers():
    all_of_them = [Router(f"127.0.1.{n}") for n in (1, 2, 3)]
    yield all_of_them
    for router in all_of_them:
        router.end()


@pytest.fixture(params=["nats", "journal"])
def output(request, arancini, server, tmp_path, free_port):
    if request.param == "journal":
        return Journal(tmp_path)
    return Nats(arancini, server, tmp_path, free_port())


def send_all(rng, routers, sessions, port, pace):
    wanted = {}
    for router in routers:
        session = rng.choice(sessions)
        router.go(port, session, pace)
        wanted[router.token] = session.table
    return wanted


def test_killed_at_any_moment(output, sessions, routers, server, arancini,
                              tmp_path):
    print(f"seed {SEED}, {ROUNDS} rounds")
    rng = random.Random(SEED)

    def start():
        return Collector(server, arancini, tmp_path / "state",
                         "--snapshot-interval", "1s", "--workers",
                         rng.randrange(1, 5), "--batch-compress",
                         rng.choice(["none", "zstd"]), *output.options())

    follower = None
    for number in range(ROUNDS):
        collector = start()
        if follower is None:
            collector.until_said("event=publisher state=(ready|journal)")
            follower = Follower(arancini, *output.source())
        send_all(rng, routers, sessions, collector.port,
                 rng.choice([0, 0.002, 0.02]))
        # Without a server to begin with, tail says so and ends.
        assert follower.reading.wait(60)
        end = time.monotonic() + rng.uniform(0.05, 4)
        trouble = output.trouble(rng, end)
        wait(max(end - time.monotonic(), 0))
        collector.kill()
        if rng.random() < 0.3:
            continue  # the next one is killed as well, before anything is well
        collector = start()
        output.mend()
        wanted = send_all(rng, routers, sessions, collector.port, 0)
        until_right(collector, follower, routers, wanted)
        print(f"round {number}: {trouble}")
        if rng.random() < 0.5:
            collector.server.stop(timeout=60, with_signal=rng.choice(
                [signal.SIGTERM, signal.SIGKILL]))
        else:
            collector.kill()
    output.mend()
    collector = start()
    wanted = send_all(rng, routers, sessions, collector.port, 0)
    until_right(collector, follower, routers, wanted)
    collector.stop()
    follower.end()
    assert not differences(read_all(arancini, output.source()), wanted)
