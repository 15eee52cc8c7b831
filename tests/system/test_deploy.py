"""What is in deploy/ fits the program and the tools that read it."""

import os
import re
import shutil
import subprocess

import pytest


def sh(*argv, **kwargs):
    return subprocess.run([str(a) for a in argv], timeout=60, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          **kwargs)


@pytest.fixture
def unit(arancini, tmp_path):
    """The unit, of this build's program and of a user that exists."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze")
    text = (arancini.parent / "deploy/arancini.service").read_text()
    text = re.sub(r"(?m)^ExecStart=\S+", f"ExecStart={arancini}", text)
    text = re.sub(r"(?m)^(User|Group)=arancini", r"\1=root", text)
    path = tmp_path / "arancini.service"
    path.write_text(text)
    return path


def test_the_unit_is_understood(unit):
    got = sh("systemd-analyze", "verify", "--man=no", unit)
    assert got.returncode == 0
    assert got.stderr == ""


def test_a_wrong_unit_would_not_be(unit):
    unit.write_text(unit.read_text().replace("Type=notify", "Type=notfy"))
    assert "notfy" in sh("systemd-analyze", "verify", "--man=no", unit).stderr


def test_the_unit_gives_little_away(unit):
    """systemd's own measure; 10 is a service without any restriction."""
    unit.write_text(unit.read_text().replace("=root", "=nobody"))
    got = sh("systemd-analyze", "security", "--offline=true", "--no-pager",
             unit)
    level = re.search(r"Overall exposure level for \S+: ([0-9.]+)", got.stdout)
    assert level, got.stdout + got.stderr
    assert float(level[1]) <= 2.0, got.stdout


def test_the_unit_allows_io_uring(unit):
    filters = re.findall(r"(?m)^SystemCallFilter=(.*)", unit.read_text())
    assert filters[0] == "@system-service"
    taken = {word for line in filters[1:] if line.startswith("~")
             for word in line[1:].split()}
    calls = sh("systemd-analyze", "syscall-filter", "@system-service",
               "@aio", *taken).stdout
    allowed, denied = set(), set()
    group = None
    for line in calls.splitlines():
        if line.startswith("@"):
            group = line.split()[0]
        elif line.strip() and not line.strip().startswith("#"):
            (denied if group in taken else allowed).add(line.strip())
    assert "io_uring_enter" in allowed
    assert not any(call.startswith("io_uring") for call in denied)


def test_the_manifest_s_configuration_is_right(arancini, tree, tmp_path):
    text = (tree / "deploy/kubernetes/arancini.yaml").read_text()
    block = re.search(r"arancini\.conf: \|\n((?: {4}.*\n)+)", text)[1]
    conf = re.sub(r"(?m)^ {4}", "", block)
    token = tmp_path / "token"
    token.write_text("t\n")
    token.chmod(0o600)
    conf = re.sub(r"token-file = .*", f"token-file = {token}", conf)
    path = tmp_path / "a.conf"
    path.write_text(conf)
    env = {k: v for k, v in os.environ.items()
           if not k.startswith("ARANCINI_")}
    got = sh(arancini, "run", "--check-config", "--config", path, env=env)
    assert got.returncode == 0, got.stderr
    assert got.stderr == ""
    assert "state = nats://nats:4222" in got.stdout


def test_the_image_s_collector_has_an_id_of_its_own(arancini, tree, tmp_path):
    """The host name of a container is new each time, and the state would be
    that of another collector."""
    image = (tree / "deploy/docker/Dockerfile").read_text()
    edit = re.search(r"sed -i '([^']+collector-id[^']+)'", image)[1]
    path = tmp_path / "a.conf"
    shutil.copy(tree / "deploy/arancini.conf", path)
    sh("sed", "-i", edit, path, check=True)
    env = {k: v for k, v in os.environ.items()
           if not k.startswith("ARANCINI_")}
    got = sh(arancini, "run", "--check-config",
             env={**env, "ARANCINI_CONFIG": str(path)})
    assert got.returncode == 0, got.stderr
    assert re.search(r"(?m)^collector-id = arancini +; ", got.stdout)


def test_the_image_is_called_the_same_everywhere(tree):
    version = re.search(r"version : '([^']+)'",
                        (tree / "meson.build").read_text())[1]
    tags = [tag for name in ("docker/Dockerfile", "kubernetes/arancini.yaml")
            for tag in re.findall(r"\barancini:([0-9]\S*)",
                                  (tree / "deploy" / name).read_text())]
    assert len(tags) >= 3
    assert set(tags) == {version}


def test_the_package_is_built_with_what_the_tree_needs(tree):
    control = (tree / "deploy/debian/control").read_text()
    field = re.search(r"Build-Depends:((?:.*\n)(?: .*\n)*)", control)[1]
    asked = {word.split()[0] for word in field.split(",")}
    listed = set(sh(tree / "tools/deps.sh", "--list", "build").stdout.split())
    # Debian's build-essential, and what only tests need.
    given = {"gcc", "libc6-dev", "make", "libcmocka-dev"}
    assert asked - {"debhelper-compat"} == listed - given


def test_what_is_installed_for_operators(arancini, tmp_path):
    sh("meson", "install", "-C", arancini.parent, "--no-rebuild", "--quiet",
       "--destdir", tmp_path, check=True)
    names = {p.name for p in tmp_path.rglob("*") if p.is_file()}
    assert {"arancini", "arancini.1", "arancini.conf.5", "arancini.service",
            "arancini.conf"} <= names
    (service,) = tmp_path.rglob("arancini.service")
    run = re.search(r"(?m)^ExecStart=(\S+)", service.read_text())[1]
    assert (tmp_path / run.lstrip("/")).exists()
