"""The process of the collector: as which user it runs, what it gave up, and
that it still does all that it has to do without."""

import ctypes
import json
import os
import pathlib
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import urllib.request

import pytest

from bmp import initiation
from collecting import connect

LANDLOCK_CREATE_RULESET = 444  # the same on all architectures
libc = ctypes.CDLL(None, use_errno=True)


def landlock_abi():
    return libc.syscall(LANDLOCK_CREATE_RULESET, None, 0, 1)


needs_landlock = pytest.mark.skipif(landlock_abi() < 1,
                                    reason="this kernel has no Landlock")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can")


def threads_say(pid, field):
    """What /proc says of a field, of every thread."""
    return {re.search(rf"^{field}:\s*(.*)$", (task / "status").read_text(),
                      re.M)[1]
            for task in pathlib.Path(f"/proc/{pid}/task").iterdir()}


def stays_dumpable(arancini):
    """A build with AddressSanitizer: LeakSanitizer needs it."""
    return b"__asan_init" in arancini.read_bytes()


def status_of(c):
    port = re.search(r"event=http_listening at=\S+:(\d+)", c.server.output)[1]
    with urllib.request.urlopen(
            f"http://127.0.0.1:{port}/api/v1/status", timeout=20) as answer:
        return port, json.load(answer)


def test_every_thread_is_confined(collector, arancini):
    c = collector("--http", "127.0.0.1:0")
    c.send("generate", "--peers", "1", "--prefixes", "100")
    c.until_said("event=session_close")
    assert threads_say(c.server.pid, "NoNewPrivs") == {"1"}
    for held in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        assert threads_say(c.server.pid, held) == {"0" * 16}
    if os.geteuid() == 0:
        assert threads_say(c.server.pid, "CapBnd") == {"0" * 16}
    said, = c.said(r"event=sandbox\w* mode=on .*")
    port, status = status_of(c)
    process = status["process"]
    assert process == {
        "uid": os.geteuid(), "sandbox": "on",
        "landlockAbi": max(landlock_abi(), 0), "noNewPrivs": True,
        "noCapabilities": True, "noCoreDumps": not stays_dumpable(arancini)}
    assert f"landlock={process['landlockAbi']} " in said
    text = subprocess.run([arancini, "status", "--url",
                           f"http://127.0.0.1:{port}"], check=True,
                          capture_output=True, text=True).stdout
    line, = re.findall("^process .*", text, re.M)
    assert "sandbox on" in line
    assert ("no Landlock" in line) == (landlock_abi() < 1)
    c.stop()


def test_off_leaves_the_process_as_it_was(collector):
    c = collector("--sandbox", "off")
    ours = pathlib.Path("/proc/self/status").read_text()
    assert threads_say(c.server.pid, "NoNewPrivs") == {
        re.search(r"NoNewPrivs:\s*(\d)", ours)[1]}
    assert threads_say(c.server.pid, "CapEff") == {
        re.search(r"CapEff:\s*(\w+)", ours)[1]}
    assert c.said("event=sandbox mode=off .*landlock=0")
    c.stop()


@needs_landlock
def test_require_holds_where_the_kernel_can(collector, arancini):
    if stays_dumpable(arancini):
        pytest.skip("a build with AddressSanitizer has core dumps")
    c = collector("--sandbox", "require")
    assert c.said("event=sandbox mode=require")
    c.stop()


def without_landlock():
    """seccomp: landlock_create_ruleset(2) is not there, as in a kernel without
    it or in a container that forbids it."""
    load_number, jump_equal, give_back = 0x20, 0x15, 0x06
    allow, errno_of = 0x7fff0000, 0x00050000

    class Instruction(ctypes.Structure):
        _fields_ = [("code", ctypes.c_uint16), ("jt", ctypes.c_uint8),
                    ("jf", ctypes.c_uint8), ("k", ctypes.c_uint32)]

    class Program(ctypes.Structure):
        _fields_ = [("len", ctypes.c_uint16),
                    ("filter", ctypes.POINTER(Instruction))]

    code = (Instruction * 4)(
        (load_number, 0, 0, 0),
        (jump_equal, 0, 1, LANDLOCK_CREATE_RULESET),
        (give_back, 0, 0, errno_of | 38),  # ENOSYS
        (give_back, 0, 0, allow))
    program = Program(4, code)
    if (libc.prctl(38, 1, 0, 0, 0) < 0
            or libc.prctl(22, 2, ctypes.byref(program), 0, 0) < 0):
        os._exit(99)


@pytest.mark.parametrize("mode", ["on", "require"])
def test_a_kernel_without_landlock(mode, arancini, tmp_path):
    run = subprocess.Popen(
        [arancini, "run", "--listen", "127.0.0.1:0", "--http", "off",
         "--state", tmp_path / "state", "--sandbox", mode],
        stderr=subprocess.PIPE, text=True, preexec_fn=without_landlock)
    try:
        said = []
        for line in run.stderr:
            said.append(line)
            if "event=started" in line:
                run.terminate()
        # By the signal itself if it came before the start was over.
        assert run.wait(timeout=60) in {"on": (0, -signal.SIGTERM),
                                        "require": (1,)}[mode]
    finally:
        run.kill()
        run.wait()
    event = {"on": "level=warning event=sandbox_incomplete mode=on",
             "require": "level=error event=sandbox_unavailable mode=require"}
    line, = [line for line in said if event[mode] in line]
    assert "landlock=0 " in line
    assert 'error="Function not implemented"' in line
    assert "CONFIG_SECURITY_LANDLOCK" in line
    assert any("event=started" in line for line in said) == (mode == "on")


def test_the_state_is_for_its_user_alone(collector, tmp_path):
    c = collector("--state", tmp_path / "deep" / "state")
    assert (tmp_path / "deep" / "state").stat().st_mode & 0o777 == 0o700
    assert not c.said("event=state_readable_by_all")
    c.stop()


def test_the_mode_of_a_folder_that_was_there_is_kept(collector, tmp_path):
    state = tmp_path / "old"
    state.mkdir()
    state.chmod(0o755)
    c = collector("--state", state)
    assert state.stat().st_mode & 0o777 == 0o755
    assert c.said(f"level=warning event=state_readable_by_all at={state}")
    c.stop()


def test_a_reload_reads_what_an_editor_wrote(collector, tmp_path):
    """A file of the same name, renamed over the old one; and a key file that
    was not there at the start, beside it."""
    conf = tmp_path / "etc" / "arancini.conf"
    conf.parent.mkdir()
    conf.write_text("[limits]\nmax-sessions = 100\n")
    c = collector("--config", conf)
    fresh = conf.with_suffix(".new")
    (conf.parent / "key").write_text("s3cret\n")
    (conf.parent / "key").chmod(0o600)
    fresh.write_text("[limits]\nmax-sessions = 200\n[router 192.0.2.1]\n"
                     f"md5-key-file = {conf.parent}/key\n")
    fresh.rename(conf)
    c.reload()
    assert c.said("event=option_changed option=--max-sessions")
    assert not c.said("event=reload_failed")
    c.stop()


@needs_landlock
def test_a_reload_reads_nothing_from_elsewhere(collector, tmp_path):
    conf = tmp_path / "etc" / "arancini.conf"
    conf.parent.mkdir()
    conf.write_text("")
    c = collector("--config", conf)
    key = tmp_path / "key"
    key.write_text("s3cret\n")
    conf.write_text(f"[router 192.0.2.1]\nmd5-key-file = {key}\n")
    c.reload()
    assert c.said("event=reload_failed .*Permission denied")
    c.stop()


# A user of its own


def folder_for(path, user):
    path.mkdir()
    shutil.chown(path, user)
    for above in path.parents:
        if above.owner() == "root" and above.stat().st_mode & 0o001 == 0:
            above.chmod(above.stat().st_mode | 0o001)
    return path


@needs_root
def test_it_becomes_a_user_behind_a_privileged_port(collector, tmp_path):
    """It listens at ports that only root may bind, with all workers, and runs
    as somebody else; so it does when it starts again with that state."""
    nobody = pwd.getpwnam("nobody")
    state = folder_for(tmp_path / "own", "nobody") / "state"
    port = privileged_port(range(600, 740))
    for _ in range(2):
        c = collector("--user", "nobody", "--state", state, "--workers", "2",
                      "--listen", f"127.0.0.1:{port}",
                      "--http", f"127.0.0.2:{port}")
        assert threads_say(c.server.pid, "Uid") == {
            "\t".join([str(nobody.pw_uid)] * 4)}
        assert threads_say(c.server.pid, "Gid") == {
            "\t".join([str(nobody.pw_gid)] * 4)}
        for held in ("CapEff", "CapBnd"):
            assert threads_say(c.server.pid, held) == {"0" * 16}
        c.port = port
        # One after the other: an older connection that is read after a newer
        # one is refused.
        for n in range(8):
            with connect(c) as sock:
                sock.sendall(initiation())
                c.until_said("event=session_open", n + 1)
        with urllib.request.urlopen(f"http://127.0.0.2:{port}/healthz",
                                    timeout=20) as answer:
            assert answer.status == 200
        c.stop()
    assert state.stat().st_uid == nobody.pw_uid
    assert all(path.stat().st_uid == nobody.pw_uid
               for path in state.rglob("*"))


def privileged_port(among):
    """Each test has ports of its own, as they may run at the same time; and so
    may another run of them."""
    return next(port for port in random.sample(among, len(among))
                if port_is_free(port))


def port_is_free(port):
    with socket.socket() as one, socket.socket() as two:
        try:
            one.bind(("127.0.0.1", port))
            two.bind(("127.0.0.2", port))
            return True
        except OSError:
            return False


@needs_root
def test_a_privileged_wildcard_and_one_of_its_addresses(collector, tmp_path):
    """Both are ours: no conflict, as at other ports."""
    state = folder_for(tmp_path / "own", "nobody") / "state"
    port = privileged_port(range(740, 880))
    c = collector("--user", "nobody", "--state", state, "--workers", "2",
                  "--listen", f"127.0.0.1:{port},0.0.0.0:{port}")
    for address in ("127.0.0.1", "127.0.0.2"):
        socket.create_connection((address, port)).close()
    c.stop()


@needs_root
def test_a_privileged_port_that_is_taken_is_named(collector, server, arancini,
                                                  tmp_path):
    with socket.socket() as taken:
        port = privileged_port(range(880, 1024))
        taken.bind(("127.0.0.1", port))
        taken.listen()
        run = server([arancini, "run", "--listen", f"127.0.0.1:{port}",
                      "--http", "off", "--state", tmp_path / "state"])
        assert run.wait(timeout=60) == 1
    assert f"event=cannot_listen at=127.0.0.1:{port} " in run.output
    assert "Address already in use" in run.output
    assert f" pid={os.getpid()} " in run.output


def test_a_user_that_is_not_there(server, arancini, tmp_path):
    run = server([arancini, "run", "--listen", "127.0.0.1:0", "--http", "off",
                  "--state", tmp_path / "state", "--user", "no-such-user"])
    assert run.wait(timeout=60) == 1
    assert ("level=error event=cannot_become_user at=no-such-user"
            in run.output)
    assert "there is no such user" in run.output
    assert not (tmp_path / "state").exists()
