"""The collector under a service manager: beats while it works, and signals
while it starts."""

import contextlib
import ctypes
import os
import pathlib
import re
import signal
import socket
import threading
import time

import pytest

from broker import Broker
from collecting import Collector

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p,
                        ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long
PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT = 17, 0x4206, 0x4207
WALL = 0x40000000


def ptrace(request, tid):
    if libc.ptrace(request, tid, None, None) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


@contextlib.contextmanager
def stopped(tid):
    """One thread of a process stands still, the others go on."""
    ptrace(PTRACE_SEIZE, tid)
    try:
        ptrace(PTRACE_INTERRUPT, tid)
        os.waitpid(tid, WALL)
        yield
    finally:
        ptrace(PTRACE_DETACH, tid)


class Manager:
    """The other end of NOTIFY_SOCKET."""

    def __init__(self, folder, watchdog_s):
        path = str(folder / "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.env = {"NOTIFY_SOCKET": path,
                    "WATCHDOG_USEC": str(int(watchdog_s * 1e6))}

    def heard(self, timeout=20):
        """The next message; None if none came."""
        self.socket.settimeout(timeout)
        try:
            return self.socket.recv(1000).decode()
        except TimeoutError:
            return None

    def until(self, what):
        while (message := self.heard()) != what:
            assert message is not None, f"no {what}"

    def forget(self):
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                self.socket.recv(1000)


@pytest.fixture
def manager(tmp_path):
    one = Manager(tmp_path, watchdog_s=2)
    yield one
    one.socket.close()


def shard_threads(pid):
    """{name: thread} of the shards. Other threads, those of the kernel's for
    io_uring among them, come and go."""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            name = (task / "comm").read_text().strip()
            if re.fullmatch(r"(worker|publisher)/\d+", name):
                found[name] = int(task.name)
    return found


def stuck_with(c, manager, tid):
    """Who is said to be stuck while a thread stands still."""
    said = len(c.said("event=shard_stalled"))
    with stopped(tid):
        manager.forget()
        c.until_said("event=shard_stalled", said + 1)
        # Those that were under way; from now on there are none.
        manager.forget()
        assert manager.heard(timeout=2.5) is None
    manager.until("WATCHDOG=1")
    return c.said(r"event=shard_stalled (\w+(?:=\d+)?)")[-1]


def test_beats_come_while_all_shards_move(collector, manager):
    c = collector("--workers", "2", "--discard", env=manager.env)
    manager.until("READY=1")
    for _ in range(3):
        assert manager.heard() == "WATCHDOG=1"
    c.stop()
    manager.until("STOPPING=1")


def test_the_manager_is_told_what_goes_on(collector, manager):
    """STATUS for "systemctl status", RELOADING so that "systemctl reload" waits
    for the end of the reload."""
    del manager.env["WATCHDOG_USEC"]
    c = collector("--discard", env=manager.env)
    assert manager.heard() == "STATUS=Restoring the state"
    assert manager.heard() == "STATUS=Collecting"
    assert manager.heard() == "READY=1"
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    c.server.process.send_signal(signal.SIGHUP)
    first, when = manager.heard().splitlines()
    assert first == "RELOADING=1"
    assert re.fullmatch(r"MONOTONIC_USEC=\d+", when)
    assert before <= int(when.split("=")[1]) <= (
        time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000)
    assert manager.heard() == "READY=1"
    assert c.said("event=reloaded")
    c.stop()
    assert manager.heard() == "STOPPING=1"
    assert manager.heard().startswith("STATUS=Publishing")


def test_beats_stop_with_any_shard_and_come_again(collector, manager):
    c = collector("--workers", "2", "--discard", env=manager.env)
    manager.until("READY=1")
    try:
        who = {name: stuck_with(c, manager, tid)
               for name, tid in shard_threads(c.server.pid).items()}
    except PermissionError as why:
        pytest.skip(f"threads cannot be stopped here: {why}")
    assert who == {"worker/0": "worker=0", "worker/1": "worker=1",
                   "publisher/0": "publisher"}
    c.stop()


def thread_named(pid, pattern):
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if re.match(pattern, (task / "comm").read_text()):
            return int(task.name)
    pytest.fail(f"no thread is named {pattern}")


@pytest.mark.parametrize("name", ["MHD-", "http/0"])
def test_an_http_thread_that_hangs_does_not_keep_it_from_stopping(
        server, arancini, tmp_path, name):
    """Whatever a handler does: updates are safe, and the process ends."""
    c = Collector(server, arancini, tmp_path / "state", "--http",
                  "127.0.0.1:0", "--drain-timeout", "1s")
    port = int(c.said(r"event=http_listening at=127.0.0.1:(\d+)")[0])
    c.send("generate", "--prefixes", "10")
    tid = thread_named(c.server.pid, name)
    try:
        ptrace(PTRACE_SEIZE, tid)
    except PermissionError as why:
        pytest.skip(f"threads cannot be stopped here: {why}")
    ptrace(PTRACE_INTERRUPT, tid)
    os.waitpid(tid, WALL)
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n"
                       b"\r\n")
        # A traced thread is gone when the tracer has waited for it.
        threading.Thread(target=os.waitpid, args=(tid, WALL)).start()
        assert c.server.stop(timeout=60) == 1
    assert c.said("event=http_not_stopped")
    assert c.said("event=stopped$")
    assert len([u for u in c.published() if u["kind"] == "update"]) == 10


@pytest.fixture
def silent_port():
    """A server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def start_without_broker(server, arancini, folder, port):
    """A collector that has a state, and waits for its broker to say how it
    went on."""
    Collector(server, arancini, folder / "state").stop()
    return server(
        [arancini, "run", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
         "--state", folder / "state", "--restore-wait", "1h",
         "--nats", f"nats://127.0.0.1:{port}", "--nats-max-bytes", "1G"],
        ready="event=http_listening", timeout=30)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_nobody_is_there(
        server, arancini, tmp_path, free_port, number):
    one = start_without_broker(server, arancini, tmp_path, free_port())
    assert one.stop(with_signal=number) == -number
    name = signal.Signals(number).name
    assert f"event=stopped_while_starting signal={name}" in one.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_the_broker_says_nothing(
        server, arancini, tmp_path, silent_port, number):
    one = start_without_broker(server, arancini, tmp_path, silent_port)
    assert one.stop(with_signal=number) == -number
    assert len(re.findall("event=stopped", one.output)) == 1


def test_a_signal_ends_it_while_its_state_is_out_of_reach(
        server, arancini, tmp_path, silent_port):
    one = server(
        [arancini, "run", "--listen", "127.0.0.1:0", "--http", "off",
         "--journal", tmp_path / "journal", "--restore-wait", "1h", "--nats",
         f"nats://127.0.0.1:{silent_port}", "--state",
         f"nats://127.0.0.1:{silent_port}"], ready="event=publisher")
    assert one.stop() == -signal.SIGTERM
    assert "event=stopped_while_starting signal=SIGTERM" in one.output


def test_a_reload_while_it_starts_is_made_up_for(
        server, arancini, tmp_path, free_port):
    broker = Broker(server, tmp_path, free_port())
    one = start_without_broker(server, arancini, tmp_path, broker.port)
    one.process.send_signal(signal.SIGHUP)
    broker.start()
    one.wait_until("event=started", 30)
    one.wait_until("event=reloaded", 30)
    assert one.stop() == 0
