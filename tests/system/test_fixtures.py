"""The fixtures keep their promises: what is started answers, what ends is
gone with its children, what goes wrong is said with the server's own words."""

import pathlib
import signal
import sys
import time
import urllib.request

import pytest

CHILD_AND_PARENT = "sleep 600 & echo child $!; wait"


def alive(pid):
    """A zombie that waits for init to reap it is dead enough."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def test_a_server_answers_on_its_port(server, free_port):
    port = free_port()
    server([sys.executable, "-m", "http.server", "--bind", "127.0.0.1",
            str(port)], ready=port)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
        assert answer.status == 200


def test_ready_may_be_a_pattern_or_a_function(server):
    one = server(["sh", "-c", "echo listening on 1; sleep 600"],
                 ready=r"listening on \d")
    assert "listening" in one.output
    server(["sleep", "600"], ready=lambda s: alive(s.pid))


def test_children_end_with_the_group(server):
    one = server(["sh", "-c", CHILD_AND_PARENT], ready=r"child \d+")
    child = int(one.output.split()[1])
    assert alive(child)
    one.kill()
    assert one.process.returncode == -signal.SIGKILL
    one.stopped = True
    # The kernel ends it when it gets to it; who reaps it is not us.
    give_up = time.monotonic() + 20
    while alive(child) and time.monotonic() < give_up:
        time.sleep(0.01)
    assert not alive(child)


def test_a_server_that_dies_early_is_quoted(server):
    with pytest.raises(pytest.fail.Exception, match="(?s)status 3.*no disk"):
        server(["sh", "-c", "echo no disk >&2; exit 3"], ready="listening")


def test_a_server_that_never_listens_is_quoted(server):
    with pytest.raises(pytest.fail.Exception, match="(?s)not ready.*thinking"):
        server(["sh", "-c", "echo thinking; sleep 600"], ready="listening",
               timeout=0.5)


def test_stop_returns_the_status(server):
    one = server(["sh", "-c", "trap 'exit 4' TERM; echo up; "
                  "while :; do sleep 0.05; done"], ready="up")
    assert one.stop() == 4


def test_free_ports_differ(free_port):
    assert len({free_port() for _ in range(20)}) == 20


def test_captures_are_streams_of_bmp(captures):
    streams = sorted(captures.glob("*.bmp"))
    assert streams
    for stream in streams:
        with open(stream, "rb") as f:
            assert f.read(1) in (b"\x03", b"\x04"), stream.name
