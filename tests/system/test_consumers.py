"""The example consumers build the same table, and know the schema."""

import re
import shutil
import subprocess

import pytest

from broker import Broker, Driver


@pytest.fixture
def stream(server, tmp_path, free_port):
    """A broker whose stream holds 1000 announcements."""
    broker = Broker(server, tmp_path, free_port()).start()
    driver = Driver(tmp_path / "drivers",
                    ["--server", broker.url, "--encode", "none", "--count",
                     100, "--max-bytes", 1 << 30])
    try:
        driver.wait_for(lambda s: s["messages"] == 100)
        driver.stop()
    finally:
        driver.kill()
    return broker


def want():
    return sorted(f"10.0.0.1 10.{n >> 8}.{n & 255}.0/24"
                  for n in range(1000))


def test_python(arancini, stream, tree):
    tail = subprocess.run(
        [arancini, "tail", "--nats", stream.url, "--since", "all", "--count",
         "1001", "--json"], capture_output=True, check=True, timeout=60)
    out = subprocess.run(
        ["/usr/bin/python3", tree / "examples" / "consumers" / "table.py"],
        input=tail.stdout, capture_output=True, check=True, timeout=60)
    lines = out.stdout.decode().splitlines()
    assert sorted(" ".join(line.split()[:2]) for line in lines) == want()


def test_javascript(stream, tree):
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    out = subprocess.run(
        ["node", tree / "examples" / "consumers" / "table.js",
         str(stream.port)], capture_output=True, timeout=60)
    assert out.returncode == 0, out.stderr.decode()
    lines = out.stdout.decode().splitlines()
    assert sorted(" ".join(line.split()[:2]) for line in lines) == want()


def test_offsets_are_those_of_the_schema(tree):
    """What table.js reads by hand is where the compiler puts it."""
    script = (tree / "examples" / "consumers" / "table.js").read_text()
    text = subprocess.run(
        ["capnp", "compile", "-ocapnp", tree / "schema" / "update.capnp"],
        capture_output=True, check=True).stdout.decode()
    struct = re.search(r"struct Update .*?\n}", text, re.S).group(0)
    found = dict(re.findall(r"(\w+) @\d+ :[^;]*;  # (?:bits|ptr)\[(\d+)",
                            struct))
    for name, at in re.findall(r"(\w+): (\d+)", re.search(
            r"const AT = {(.*?)}", script).group(1)):
        # Flags by bit, numbers by byte.
        assert int(found[name]) == int(at) * (1 if name == "announced" else 8)
    for name, at in re.findall(r"(\w+): (\d+)", re.search(
            r"const PTR = {(.*?)}", script).group(1)):
        assert found[name] == at
