"""A FIFO, a folder or a device where the collector expects a file of its own: it
starts, or says what is wrong, and waits for nobody."""

import os
import re
import subprocess

import pytest

from collecting import Collector
from journal_file import newest
from router import Router
from test_restore import paths, table, until_filed

TOKEN = "v4_127_0_0_1"


def fifo(path):
    os.mkfifo(path)


def folder(path):
    path.mkdir()


def link_to_fifo(path):
    other = path.with_name("other")
    os.mkfifo(other)
    path.symlink_to(other)


def device(path):
    path.symlink_to("/dev/zero")


KINDS = pytest.mark.parametrize("put", [fifo, folder, link_to_fifo, device])


@pytest.fixture
def collector(server, arancini, tmp_path):
    def start(*options, **more):
        return Collector(server, arancini, tmp_path / "state",
                         "--snapshot-interval", "1s", *options, **more)
    return start


@pytest.fixture
def state(collector, tmp_path):
    """The folder of a collector that had a router."""
    c = collector()
    with Router(c.port) as router:
        router.dump(table(20))
        until_filed(c, tmp_path, TOKEN)
        c.stop()
    return tmp_path / "state"


def replace(path, put):
    if path.exists():
        path.unlink()
    put(path)


def works(c):
    """A table comes in and out again."""
    with Router(c.port) as router:
        router.dump(table(30))
        c.server.wait_until(
            lambda _: paths(c.published()) == table(30), 30)


@pytest.mark.parametrize("put, sandbox", [
    (fifo, "on"), (folder, "on"), (link_to_fifo, "on"), (fifo, "off"),
    (folder, "off"), (link_to_fifo, "off"), (device, "off")])
def test_a_segment_of_the_journal(put, sandbox, state, collector):
    path = newest(state / "journal")
    replace(path, put)
    c = collector("--sandbox", sandbox)
    assert c.said(f"{path.name} is damaged at offset 0")
    works(c)
    c.stop()


@KINDS
@pytest.mark.parametrize("name", ["manifest", f"{TOKEN}.snap"])
def test_a_file_of_the_state(put, name, state, collector):
    replace(state / "snapshots" / name, put)
    c = collector()
    works(c)
    c.stop()


@pytest.mark.parametrize("put", [fifo, link_to_fifo, device])
@pytest.mark.parametrize("name", ["journal/next.tmp", "snapshots/manifest.tmp",
                                  f"snapshots/{TOKEN}.snap.tmp"])
def test_a_file_that_is_made(put, name, state, collector, tmp_path):
    replace(state / name, put)
    c = collector("--sandbox", "off" if put == device else "on")
    works(c)
    until_filed(c, tmp_path, TOKEN)
    c.stop()


def refusal(server, arancini, tmp_path, *options):
    run = server([arancini, "run", "--listen", "127.0.0.1:0", "--state",
                  tmp_path / "state", "--http", "off", *options])
    assert run.wait(timeout=30) == 1
    return run.output


@KINDS
def test_the_file_of_the_epoch(put, state, server, arancini, tmp_path):
    replace(state / "journal" / "epoch", put)
    assert "journal/epoch: not a regular file" in refusal(
        server, arancini, tmp_path)


def test_a_device_outside_the_sandbox(state, server, arancini, tmp_path):
    replace(newest(state / "journal"), device)
    assert "Permission denied" in refusal(server, arancini, tmp_path)


def test_a_folder_in_the_place_of_a_new_segment(state, server, arancini,
                                                tmp_path):
    (state / "journal" / "next.tmp").mkdir()
    assert "Is a directory" in refusal(server, arancini, tmp_path)


@KINDS
def test_the_acked_tail(put, collector, broker):
    broker.start()
    options = ["--nats", broker.url, "--nats-max-bytes", "1G",
               "--acked-tail", "64M"]
    c = collector(*options)
    c.until_said("event=publisher state=ready")
    with Router(c.port) as router:
        router.dump(table(20))
        c.server.wait_until(lambda _: any(c.journal.rglob("*.tail")), 30)
        c.stop()
    path = sorted(c.journal.rglob("*.tail"))[-1]
    replace(path, put)
    c = collector(*options)
    c.until_said("event=publisher state=ready", timeout=30)
    c.stop()


# The configuration

TEXT = "[router 192.0.2.1]\nalias = core1\n"


def check(arancini, *options, wrap=(), **more):
    return subprocess.run(
        [*wrap, arancini, "run", "--check-config", *options], timeout=30,
        capture_output=True, text=True, **more)


def bash(command):
    return ["bash", "-c", f'exec "$@" --config {command}', "bash"]


@pytest.mark.parametrize("command, input", [
    (f"<(printf '{TEXT}')", None),
    (f"<(sleep 1; printf '{TEXT[:20]}'; sleep 1; printf '{TEXT[20:]}')", None),
    ("/dev/stdin", TEXT)])
def test_a_configuration_may_come_from_a_pipe(command, input, arancini):
    run = check(arancini, wrap=bash(command), input=input)
    assert run.returncode == 0, run.stderr
    assert "alias = core1" in run.stdout


@pytest.mark.parametrize("put, why", [
    (fifo, "did not end within 10 seconds"), (folder, "Is a directory"),
    (device, "longer than 8 MiB")])
def test_a_configuration_that_is_not_a_file(put, why, arancini, tmp_path):
    put(tmp_path / "a.conf")
    run = check(arancini, "--config", tmp_path / "a.conf")
    assert run.returncode != 0
    assert re.search(f"a.conf: .*{why}", run.stderr)


def test_a_configuration_whose_pipe_does_not_end(arancini, tmp_path):
    """One byte after the other, for ever."""
    run = check(arancini, wrap=bash("<(while sleep .2 && echo; do :; done)"))
    assert run.returncode != 0
    assert "did not end within 10 seconds" in run.stderr


def test_a_configuration_whose_command_failed(arancini):
    run = check(arancini, wrap=bash("<(false)"))
    assert run.returncode != 0
    assert "a pipe with nothing in it" in run.stderr


def test_an_empty_configuration_is_not_a_mistake(arancini):
    assert check(arancini, "--config", "/dev/null").returncode == 0


def test_a_reload_from_a_pipe_that_has_ended(collector):
    """It fails: nothing is not taken for an empty configuration."""
    c = collector(wrap=bash(f"<(printf '{TEXT}')"))
    c.reload()
    assert c.said("event=reload_failed .*a pipe with nothing in it")
    works(c)
    c.stop()
