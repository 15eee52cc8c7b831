"""A listener that fails is opened again, and until then it is not ready."""

import contextlib
import ctypes
import os
import pathlib
import signal
import socket
import struct
import time

import pytest

from collecting import connect
from watching import WatchedCollector

libc = ctypes.CDLL(None, use_errno=True)
SYS_PIDFD_GETFD = 438
LISTEN = "0A"


@pytest.fixture
def collector(server, arancini, tmp_path):
    def start(*options):
        return WatchedCollector(server, arancini, tmp_path / "state",
                                *options)
    return start


def listeners(c):
    """Descriptors of the collector that listen at its port for routers."""
    inodes = set()
    with open(f"/proc/{c.server.pid}/net/tcp", encoding="ascii") as lines:
        for words in map(str.split, list(lines)[1:]):
            if words[3] == LISTEN and words[1].endswith(f":{c.port:04X}"):
                inodes.add(f"socket:[{words[9]}]")
    found = []
    for fd in os.listdir(f"/proc/{c.server.pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            if os.readlink(f"/proc/{c.server.pid}/fd/{fd}") in inodes:
                found.append(int(fd))
    return found


def shut_down(c, fd):
    """Make accept() fail for good: shut the other process's socket down."""
    pidfd = os.pidfd_open(c.server.pid)
    ours = libc.syscall(SYS_PIDFD_GETFD, pidfd, fd, 0)
    os.close(pidfd)
    if ours < 0:
        pytest.skip("descriptors of another process cannot be had here: "
                    f"{os.strerror(ctypes.get_errno())}")
    with socket.socket(fileno=ours) as sock:
        sock.shutdown(socket.SHUT_RDWR)


def bind(port):
    """Take a port as soon as it is free, and do not share it."""
    deadline = time.monotonic() + 20
    while True:
        sock = socket.socket()
        try:
            sock.bind(("127.0.0.1", port))
            return sock
        except OSError:
            sock.close()
            assert time.monotonic() < deadline
            time.sleep(0.005)


def ready(c):
    return c.http.ask("GET", "/readyz").body


def test_a_listener_that_fails_is_opened_again(collector):
    c = collector("--workers", "2")
    assert len(listeners(c)) == 2
    shut_down(c, listeners(c)[0])
    c.until_said("event=listener_failed worker=[01] at=127.0.0.1:")
    c.until_said("event=listening", 2)
    assert len(listeners(c)) == 2
    assert ready(c)["ready"]
    # Spread over both of them, and all let in.
    socks = [connect(c, f"127.2.0.{n}") for n in range(1, 33)]
    c.server.wait_until(
        lambda _: c.http.metrics().sum(
            "arancini_connections_accepted_total") >= len(socks), 20)
    for sock in socks:
        sock.close()


def test_it_is_not_ready_while_it_cannot_listen(collector):
    c = collector("--workers", "1")
    assert ready(c)["ready"]
    shut_down(c, listeners(c)[0])
    with bind(c.port):
        c.until_said("event=listener_failed .*Address already in use")
        said = ready(c)
        assert not said["ready"] and not said["listening"]
        assert said["why"] == "it does not listen everywhere: see the log"
    c.until_said("event=listening", 2)
    assert ready(c)["ready"]
    connect(c).close()


def until_stopped(pid):
    """Each thread stops when it next looks."""
    deadline = time.monotonic() + 30
    threads = pathlib.Path(f"/proc/{pid}/task")
    while any((t / "stat").read_text().rpartition(")")[2].split()[0] != "T"
              for t in threads.iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_client_that_is_gone_before_it_is_accepted(collector):
    """The kernel no longer knows its address: none is made up."""
    c = collector()
    os.kill(c.server.pid, signal.SIGSTOP)
    try:
        until_stopped(c.server.pid)
        with connect(c) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                            struct.pack("ii", 1, 0))
    finally:
        os.kill(c.server.pid, signal.SIGCONT)
    c.until_said(rf"event=connection_closed at=127\.0\.0\.1:{c.port} "
                 "reason=reset error=")
    assert not c.said(r"from=\[::\]:0")
    c.stop()
