"""What the system tests stand on: the built binary, the captures, and real
servers on free loopback ports that are stopped by process id."""

import contextlib
import ctypes
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import time

import pytest

from broker import Broker
from collecting import Collector

TREE = pathlib.Path(__file__).resolve().parents[2]
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


@pytest.fixture(scope="session")
def tree():
    return TREE


@pytest.fixture(scope="session")
def arancini():
    """The path of the binary under test."""
    build = pathlib.Path(os.environ.get("ARANCINI_BUILD", TREE / "build"))
    binary = build / "arancini"
    if not binary.exists():
        pytest.fail(f"{binary} does not exist; run make first")
    return binary


@pytest.fixture(scope="session")
def captures():
    """The folder of captured BMP streams. Not in the tree: they are large and
    not all ours to give away, so a newcomer's run skips what needs them."""
    folder = pathlib.Path(os.environ.get("ARANCINI_DATA",
                                         TREE.parent / "shared" / "data"))
    if not (folder / "README.md").exists():
        pytest.skip(f"no captures in {folder}; set ARANCINI_DATA")
    return folder


@pytest.fixture(scope="session")
def free_port():
    """A function that gives a loopback port nobody listens on, another one at
    each call. Only a hint: a server that can bind port 0 should do that. None
    that the kernel gives to outgoing connections, nor one that a process of
    tests beside this one may pick: it would be in the way of a server that stops
    and starts again."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        outgoing = int(file.read().split()[0])
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    ports = list(range(10000 + worker, max(outgoing, 20000), workers))
    random.shuffle(ports)

    def pick():
        while True:
            port = ports.pop()
            with contextlib.suppress(OSError), socket.socket() as s:
                s.bind(("127.0.0.1", port))
                return port
    return pick


def connects(port, host="127.0.0.1"):
    try:
        socket.create_connection((host, port), timeout=1).close()
        return True
    except OSError:
        return False


class Server:
    """A process in a group of its own, its output in a file (a pipe that
    nobody reads would fill and stop it)."""

    def __init__(self, argv, log, cwd, env):
        self.argv = [str(a) for a in argv]
        self.log = log
        self.stopped = False
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, cwd=cwd,
                env={**os.environ, **(env or {})},
                start_new_session=True,
                # It must not outlive a test run that is killed.
                preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG,
                                              signal.SIGKILL))
        self.pid = self.process.pid

    @property
    def output(self):
        return self.log.read_text(errors="replace")

    def say(self, what):
        return (f"{' '.join(self.argv)}: {what}; it said:\n"
                + "\n".join(self.output.splitlines()[-40:]))

    def is_ready(self, ready):
        if ready is None:
            return True
        if isinstance(ready, int):
            return connects(ready)
        if isinstance(ready, (str, re.Pattern)):
            return re.search(ready, self.output) is not None
        return bool(ready(self))

    def wait_until(self, ready, timeout):
        deadline = time.monotonic() + timeout
        while not self.is_ready(ready):
            if self.process.poll() is not None:
                self.stopped = True
                pytest.fail(self.say("ended with status "
                                     f"{self.process.returncode} before it "
                                     "was ready"))
            if time.monotonic() > deadline:
                pytest.fail(self.say(f"not ready after {timeout} s"))
            time.sleep(0.02)

    def wait(self, timeout=20):
        """Its exit status, for a server that is meant to end by itself."""
        try:
            status = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            pytest.fail(self.say(f"still running after {timeout} s"))
        self.stopped = True
        return status

    def stop(self, timeout=20, with_signal=signal.SIGTERM):
        """Ask it to end and return its exit status. A server that does not
        listen to SIGTERM is a failure, not something to hide by SIGKILL."""
        self.stopped = True
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        return self.wait(timeout)

    def kill(self):
        """End the whole group, whatever is left of it."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def run_servers(folder):
    """What the fixtures below do; they differ in how long servers live."""
    started = []

    def start(argv, ready=None, timeout=20, cwd=None, env=None):
        log = folder / f"server-{len(started)}.log"
        one = Server(argv, log, cwd or folder, env)
        started.append(one)
        one.wait_until(ready, timeout)
        return one

    yield start
    problems = []
    # The youngest first: it may depend on an older one.
    for one in reversed(started):
        try:
            if not one.stopped and one.process.poll() is not None:
                problems.append(one.say("died during the test with status "
                                        f"{one.process.returncode}"))
            elif not one.stopped:
                one.stop()
        except pytest.fail.Exception as failure:
            problems.append(str(failure))
        finally:
            one.kill()
    if problems:
        pytest.fail("\n".join(problems))


@pytest.fixture
def server(tmp_path):
    """start(argv, ready=None, timeout=20, cwd=None, env=None) -> Server

    ready: a port that must accept, a regular expression that must appear in
    the output, or a function of the Server. Everything started is stopped
    when the test ends; one that died before that fails the test.
    """
    yield from run_servers(tmp_path)


@pytest.fixture(scope="module")
def module_server(tmp_path_factory):
    """The same for servers that take long to fill: they live as long as the
    tests of a file."""
    yield from run_servers(tmp_path_factory.mktemp("servers"))


@pytest.fixture
def collector(server, arancini, tmp_path):
    """start(*options, env=None, wrap=()) -> Collector, all of one state."""
    def start(*options, **how):
        return Collector(server, arancini, tmp_path / "state", *options, **how)
    return start


@pytest.fixture
def broker(server, tmp_path, free_port):
    """A nats-server with JetStream, not started yet: see broker.py."""
    return Broker(server, tmp_path, free_port())


@pytest.fixture
def watched(server, arancini, tmp_path):
    """start(*options, env=None) -> WatchedCollector, with two workers."""
    # Not for all tests: it reads docs/openapi.yaml.
    from watching import WatchedCollector

    def start(*options, env=None):
        return WatchedCollector(server, arancini, tmp_path / "state",
                                "--workers", "2", *options, env=env)
    return start


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 4 MB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    folder = tmp_path / "small"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none",
                           folder], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"cannot mount: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)
