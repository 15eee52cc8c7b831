"""What "arancini doctor" says of a host, made up and real."""

import ctypes
import json
import resource
import struct
import subprocess

import pytest

from decoding import BINARY, TREE

GOOD = {
    "fs.file-max": "9223372036854775807",
    "net.core.rmem_max": "33554432",
    "net.core.wmem_max": "33554432",
    "net.core.optmem_max": "131072",
    "net.core.netdev_max_backlog": "10000",
    "net.core.somaxconn": "4096",
    "net.ipv4.tcp_rmem": "4096\t131072\t33554432",
    "net.ipv4.tcp_wmem": "4096\t65536\t33554432",
    "net.ipv4.tcp_fin_timeout": "15",
    "net.ipv4.tcp_max_syn_backlog": "4096",
}


def doctor(*args, before=None):
    return subprocess.run([BINARY, "doctor", *map(str, args)], timeout=60,
                          capture_output=True, text=True, preexec_fn=before)


def forbid_io_uring():
    """What a container engine does: io_uring_setup(2), which has the same
    number on every architecture, returns EPERM."""
    libc = ctypes.CDLL(None, use_errno=True)
    # Load the number; equal to 425? errno 1 : allow.
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in (
        (0x20, 0, 0, 0), (0x15, 0, 1, 425), (0x06, 0, 0, 0x00050001),
        (0x06, 0, 0, 0x7fff0000)))
    program = ctypes.create_string_buffer(code, len(code))

    class Filter(ctypes.Structure):
        _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    whole = Filter(4, ctypes.addressof(program))
    assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
    assert libc.prctl(22, 2, ctypes.byref(whole), 0, 0) == 0  # PR_SET_SECCOMP


@pytest.fixture
def host(tmp_path):
    """A function that makes a host with these settings, and examines it:
    checks by name."""
    def make(settings, **more):
        for name, value in settings.items():
            path = tmp_path / "proc" / "sys" / name.replace(".", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(value + "\n")
        run = doctor("--json", "--root", tmp_path, **more)
        told = json.loads(run.stdout)
        assert run.stderr == ""
        for status in ("ok", "warn", "fail"):
            assert told[status] == sum(c["status"] == status
                                       for c in told["checks"])
        assert run.returncode == (1 if told["fail"] else 0)
        return {check["name"]: check for check in told["checks"]}
    return make


def test_a_tuned_host_is_ok(host):
    got = host(GOOD)
    for name in GOOD:
        assert got[name]["status"] == "ok", got[name]
        assert "fix" not in got[name]


@pytest.mark.parametrize("name, value, status, fix", [
    ("fs.file-max", "2097151", "fail", '"2097152"'),
    ("net.core.rmem_max", "212992", "fail", '"33554432"'),
    ("net.core.wmem_max", "212992", "warn", '"33554432"'),
    ("net.core.optmem_max", "20480", "warn", '"131072"'),
    ("net.core.netdev_max_backlog", "1000", "fail", '"10000"'),
    ("net.core.somaxconn", "128", "fail", '"4096"'),
    ("net.ipv4.tcp_rmem", "4096\t131072\t6291456", "fail",
     '"4096 131072 33554432"'),
    ("net.ipv4.tcp_rmem", "4096\t87380", "fail", '"4096 131072 33554432"'),
    ("net.ipv4.tcp_wmem", "4096\t16384\t33554432", "warn",
     '"4096 65536 33554432"'),
    ("net.ipv4.tcp_fin_timeout", "60", "warn", '"15"'),
    ("net.ipv4.tcp_max_syn_backlog", "512", "fail", '"4096"'),
    ("net.core.somaxconn", "many", "fail", '"4096"'),
])
def test_a_setting_that_is_not_right_is_named(host, name, value, status, fix):
    got = host({**GOOD, name: value})
    assert got[name]["status"] == status
    assert got[name]["value"] == value.replace("\t", " ")
    assert got[name]["fix"] == f"sysctl -w {name}={fix}"
    assert all(got[other]["status"] == "ok" for other in GOOD
               if other != name)


def test_a_setting_that_cannot_be_seen_is_a_warning(host):
    hidden = "net.core.rmem_max"
    got = host({k: v for k, v in GOOD.items() if k != hidden})
    assert got[hidden]["status"] == "warn"
    assert "container" in got[hidden]["fix"]


@pytest.mark.parametrize("limit, status", [
    (1024, "fail"), (20479, "fail"), (20480, "warn"), (65535, "warn"),
    (65536, "ok"),
])
def test_the_limit_of_open_files_counts(host, limit, status):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY:
        hard = max(hard, limit)
    try:
        check = host(GOOD, before=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (limit, hard)))["open files"]
    except subprocess.SubprocessError:
        pytest.skip(f"{limit} open files are not allowed here")
    assert check["status"] == status
    assert check["value"].startswith(f"{limit},")
    assert ("LimitNOFILE" in check.get("fix", "")) == (status != "ok")


@pytest.mark.parametrize("disabled, fix", [
    ("0", "seccomp"), (None, "seccomp"), ("2", "kernel.io_uring_disabled=0"),
])
def test_a_ring_that_cannot_be_made_fails(host, disabled, fix):
    settings = dict(GOOD)
    if disabled is not None:
        settings["kernel.io_uring_disabled"] = disabled
    got = host(settings, before=forbid_io_uring)
    check = got["io_uring"]
    assert check["status"] == "fail"
    assert "Operation not permitted" in check["value"]
    assert "epoll" in check["value"]
    assert fix in check["fix"]
    assert not any(name.startswith("io_uring ") for name in got)


def test_this_host_is_examined():
    run = doctor()
    assert run.returncode in (0, 1)
    lines = run.stdout.splitlines()
    assert len(lines) >= len(GOOD) + 2
    assert all(line.split()[0] in ("ok", "warn", "fail") for line in lines)
    assert (run.returncode == 1) == any(line.startswith("fail")
                                        for line in lines)
    for line in lines:
        assert ("->" in line) == (not line.startswith("ok"))


def test_the_profile_is_the_file_that_is_installed():
    run = doctor("--print-sysctl")
    assert run.returncode == 0
    file = TREE / "deploy" / "sysctl.d" / "90-arancini.conf"
    assert run.stdout == file.read_text()


def test_a_host_with_the_profile_is_ok(host):
    profile = dict(line.split(" = ") for line in
                   doctor("--print-sysctl").stdout.splitlines()
                   if line and not line.startswith("#"))
    assert profile.keys() == GOOD.keys()
    got = host(profile)
    assert all(got[name]["status"] == "ok" for name in profile)


@pytest.mark.parametrize("args, word", [
    (["--walk"], "--walk"), (["--root"], "--root"), (["host"], "host"),
])
def test_wrong_usage_is_named_in_one_line(args, word):
    run = doctor(*args)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.count("\n") == 1
    assert word in run.stderr


def broker_checks(broker, *args):
    run = doctor("--json", "--nats", broker.url, *args)
    return {check["name"]: check for check in json.loads(run.stdout)["checks"]}


def test_a_broker_is_asked_what_its_acknowledgements_are_worth(broker):
    broker.start()
    checks = broker_checks(broker)
    assert checks["stream ARANCINI"]["value"] == "not there yet"
    # No answer of a server has it: the operator is told what it means.
    sync = checks["sync_interval of the server"]
    assert sync["status"] == "warn" and "--acked-tail" in sync["wanted"]
    assert sync["fix"].endswith("tests/system/sync_cost.py")
    with broker.client() as client:
        client.api("STREAM.CREATE.OTHER", {"name": "OTHER", "storage": "file",
                                           "subjects": ["other.>"]})
    one = broker_checks(broker, "--nats-stream", "OTHER")["stream OTHER"]
    assert (one["status"], one["value"]) == ("warn", "file, 1 replica")
    broker.terminate()
    assert broker_checks(broker)["stream ARANCINI"]["status"] == "fail"
