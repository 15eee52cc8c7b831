"""A real nats-server that can be killed and come back, the driver that feeds
the publisher, a proxy that loses what it is told to, and what must hold in the
end."""

import collections
import functools
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest

from nats_client import Client

STREAM = "ARANCINI"
UPDATES = "arancini.updates."
EPOCHS = "arancini.events.collector.epoch"
# Of a driver, whatever happens to its broker: 64 batches of 64 KiB in the
# bridge, as many under way and in libnats, and the code.
MEMORY_KB = 140 * 1024


def nats_server():
    path = (os.environ.get("NATS_SERVER") or shutil.which("nats-server")
            or shutil.which("nats-server", path="/usr/sbin"))
    if path is None:
        pytest.skip("nats-server is not installed")
    return path


class Broker:
    """One server with a store of its own on a fixed port; without JetStream if
    domain is None."""

    def __init__(self, start, folder, port, extra="", name="n1", domain=""):
        self.start_server = start
        self.folder = folder
        self.port = port
        self.extra = extra
        self.name = name
        self.domain = domain
        self.process = None

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"

    def start(self, extra=None):
        if extra is not None:
            self.extra = extra
        config = self.folder / f"{self.name}.conf"
        domain = f"  domain: {self.domain}\n" if self.domain else ""
        jetstream = "" if self.domain is None else (
            f'jetstream {{\n  store_dir: "{self.folder / self.name}"\n{domain}'
            "  max_mem: 64MB\n  max_file: 2GB\n}\n")
        config.write_text(
            f'server_name: {self.name}\nhost: "127.0.0.1"\n'
            f"port: {self.port}\n{jetstream}{self.extra}")
        self.process = self.start_server([nats_server(), "-c", config],
                                         ready="Server is ready",
                                         timeout=60)
        return self

    def kill(self):
        self.process.stop(with_signal=signal.SIGKILL)

    def terminate(self):
        self.process.stop(with_signal=signal.SIGTERM)

    def pause(self):
        self.process.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.process.send_signal(signal.SIGCONT)

    def client(self, **how):
        return Client(self.port, **how)


def make_cluster(start, folder, free_port):
    """Three servers that know each other, not started."""
    ports = [free_port() for _ in range(3)]
    routes = [free_port() for _ in range(3)]
    others = ", ".join(f'"nats://127.0.0.1:{port}"' for port in routes)
    return [Broker(start, folder, ports[i], name=f"n{i + 1}",
                   extra=(f'cluster {{ name: c, listen: '
                          f'"127.0.0.1:{routes[i]}", routes: [ {others} ] '
                          f'}}\n'))
            for i in range(3)]


class Driver:
    """tests/system/publish_driver.c, running."""

    def __init__(self, folder, argv):
        self.build = pathlib.Path(os.environ.get(
            "ARANCINI_BUILD",
            pathlib.Path(__file__).resolve().parents[2] / "build"))
        argv = [str(a) for a in argv]
        self.count = int(argv[argv.index("--count") + 1]) \
            if "--count" in argv else 0
        folder.mkdir(exist_ok=True)
        number = len(list(folder.glob("driver-*.out")))
        self.out = folder / f"driver-{number}.out"
        self.err = folder / f"driver-{number}.err"
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen(
                [self.build / "tests" / "publish_driver"] + argv,
                stdin=subprocess.PIPE, stdout=out, stderr=err)

    @property
    def lines(self):
        text = self.out.read_text()
        return [json.loads(line) for line in text.splitlines(keepends=True)
                if line.endswith("}\n")]

    @property
    def status(self):
        lines = [line for line in self.lines
                 if "state" in line or "stopped" in line]
        return lines[-1] if lines else collections.defaultdict(int)

    def describe(self):
        return (f"last status {self.status}; it said:\n"
                + "\n".join(self.err.read_text().splitlines()[-25:]))

    def wait_for(self, condition, timeout=60):
        deadline = time.monotonic() + timeout
        while True:
            status = self.status
            if condition(status):
                return status
            if self.process.poll() is not None:
                pytest.fail(f"the driver ended with {self.process.returncode}"
                            f"; {self.describe()}")
            if time.monotonic() > deadline:
                pytest.fail(f"not within {timeout} s; {self.describe()}")
            time.sleep(0.02)

    def wait_safe(self, count, timeout=60):
        return self.wait_for(lambda s: s["safe"] >= count, timeout)

    def wait_published(self, timeout=90):
        """All it has is in the stream and nothing is left in the spool, and
        it never took more memory than its rings and batches are."""
        status = self.wait_for(
            lambda s: s["state"] == "ready" and not s["spooling"]
            and s["spool_left"] == 0 and s["safe"] == s["pushed"]
            and s["pushed"] >= max(self.count, 1),
            timeout)
        # Sanitizers have memory of their own.
        if "san" not in self.build.name:
            assert status["max_rss_kb"] < MEMORY_KB, self.describe()
        return status

    def release(self):
        """Push on, behind --hold-at."""
        self.process.send_signal(signal.SIGUSR1)

    def stop(self, expected=0, timeout=60):
        self.process.stdin.close()
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            pytest.fail(f"did not stop within {timeout} s; {self.describe()}")
        assert code == expected, self.describe()
        return self.status

    def kill(self):
        self.process.kill()
        self.process.wait()


class Proxy:
    """Stands between the driver and the server. It can swallow what the
    server says, hold what the client says, and refuse connections."""

    def __init__(self, port):
        self.to = port
        self.swallow = False
        self.refuse = False
        self.hold = None  # a list: bytes of the client, not passed on
        self.most = None  # of a connection; what is more never arrives
        self.released = False
        self.swallowed = 0
        self.pairs = []
        self.said = []  # by the client, for each connection
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.refuse:
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                client.close()
                continue
            self.pairs.append((client, server))
            said = bytearray()
            self.said.append(said)
            for source, target, way in (
                    (client, server, functools.partial(self.up, said)),
                    (server, client, self.down)):
                threading.Thread(target=self.pump, daemon=True,
                                 args=(source, target, way)).start()

    def pump(self, source, target, way):
        try:
            while True:
                data = source.recv(65536)
                if not data:
                    break
                way(data, target)
        except OSError:
            pass
        # What is held back outlives the client.
        if self.hold is None and not self.released:
            for one in (source, target):
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def up(self, said, data, target):
        if self.most is not None:
            data = data[:self.most - len(said)]
        said += data
        if self.hold is not None:
            self.hold.append((data, target))
        else:
            target.sendall(data)

    def down(self, data, target):
        if self.swallow:
            self.swallowed += len(data)
        else:
            target.sendall(data)

    def release(self):
        self.released = True
        held, self.hold = self.hold, None
        for data, target in held:
            target.sendall(data)
        return sum(len(data) for data, _ in held)

    def cut(self):
        for pair in self.pairs:
            for one in pair:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        self.pairs = []

    def close(self):
        self.listener.close()
        self.cut()


def numbers(messages):
    """The numbers the driver wrote, in stream order."""
    return [int(m.data[:20]) for m in messages
            if m.subject.startswith(UPDATES)]


def stream_sequence(message):
    """Of a message that a consumer delivered: $JS.ACK.<stream>.<consumer>.
    <deliveries>.<stream sequence>..."""
    return int(message.reply.split(".")[5])


def check_chain(messages, insisting=False):
    """Every message names itself and the one before it: by its id, or the
    first one after a look at the stream's end by its sequence. Who had to get
    past a living writer insists: then the first message of an epoch names
    none."""
    ids = [m.headers["Nats-Msg-Id"] for m in messages]
    assert len(set(ids)) == len(ids), "an id was stored twice"
    for before, message in zip(messages, messages[1:]):
        after = message.headers.get("Nats-Expected-Last-Msg-Id")
        after_seq = message.headers.get("Nats-Expected-Last-Sequence")
        if (insisting and message.subject == EPOCHS
                and after is None and after_seq is None):
            continue
        if after is not None:
            assert after == before.headers["Nats-Msg-Id"], \
                f"{message} does not follow {before}"
        else:
            assert after_seq == str(stream_sequence(before)), \
                f"{message} does not follow {before}"


def check_exactly(client, count):
    """Each of 1..count once, in order, and the chain is whole."""
    messages = client.read_stream(STREAM)
    got = numbers(messages)
    assert got == list(range(1, count + 1)), summary(got, count)
    check_chain(messages)
    assert messages[0].subject == EPOCHS
    return messages


def summary(got, count):
    missing = sorted(set(range(1, count + 1)) - set(got))[:10]
    twice = sorted({n for n in got if got.count(n) > 1})[:10] \
        if len(got) < 20000 else "?"
    disorder = [(a, b) for a, b in zip(got, got[1:]) if b != a + 1][:10]
    return (f"{len(got)} of {count}; missing {missing}, twice {twice}, "
            f"breaks {disorder}")
