"""The example consumers build the same table, and know the schema."""

import ipaddress
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from bmp import Peer, initiation
from broker import Broker, Driver
from collecting import Collector, connect, tail


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


def test_javascript_forgets_at_a_resync(stream, tree):
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    with stream.client() as client:
        for collector, router, left in (("test", "v4_192_0_2_2", 1000),
                                        ("other", "v4_192_0_2_1", 1000),
                                        ("test", "v4_192_0_2_1", 0)):
            client.request(f"arancini.events.{router}.resync",
                           headers={"Arancini-Collector": collector})
            out = subprocess.run(
                ["node", tree / "examples" / "consumers" / "table.js",
                 str(stream.port)], capture_output=True, check=True,
                timeout=60)
            assert len(out.stdout.splitlines()) == left


def javascript_table(tree, _, broker):
    return subprocess.run(
        ["node", tree / "examples" / "consumers" / "table.js",
         str(broker.port)], capture_output=True, check=True,
        timeout=60).stdout.decode().splitlines()


def python_table(tree, arancini, broker):
    lines = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--since", "all",
         "--idle-exit", "2", "--json"], capture_output=True, check=True,
        timeout=60)
    return subprocess.run(
        ["/usr/bin/python3", tree / "examples" / "consumers" / "table.py"],
        input=lines.stdout, capture_output=True, check=True,
        timeout=60).stdout.decode().splitlines()


def test_both_have_the_same_table(server, arancini, tmp_path, free_port,
                                  tree):
    """Of a router with peers of both families, after changes and withdraws."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    broker = Broker(server, tmp_path, free_port()).start()
    collector = Collector(server, arancini, tmp_path / "state", "--nats",
                          broker.url, "--nats-max-bytes", "1G")
    collector.send("generate", "--peers", "3", "--prefixes", "500", "--seed",
                   "5", "--churn", "max", "--churn-count", "3000")
    collector.until_said("event=session_close")
    collector.stop()
    mine, other = (sorted(" ".join(map(canonical, line.split()))
                          for line in read(tree, arancini, broker))
                   for read in (javascript_table, python_table))
    assert len(mine) > 500 and any(":" in line for line in mine)
    assert mine == other


@pytest.mark.parametrize("read", [python_table, javascript_table])
def test_two_collectors_with_the_same_router(read, server, arancini, tmp_path,
                                             free_port, tree):
    """Each has its own table in the consumer, and a resync of one leaves the
    other's alone."""
    broker = Broker(server, tmp_path, free_port()).start()
    peer = Peer("192.0.2.10", 64510)
    for name, prefix in (("ams1", "198.51.100.0/24"),
                         ("fra1", "203.0.113.0/24")):
        c = Collector(server, arancini, tmp_path / name, "--nats", broker.url,
                      "--nats-max-bytes", "64M", "--collector-id", name,
                      "--take-over")
        with connect(c) as sock:
            sock.sendall(initiation(b"router") + peer.up()
                         + peer.announce("192.0.2.0/24", prefix))
            c.until_said("event=session_open")
        c.until_said("event=session_close")
        c.stop()
    lines = list(tail(arancini, "--nats", broker.url))
    assert {line["collector"] for line in lines} == {"ams1", "fra1"}
    assert not [line for line in lines if line["kind"] != "update"
                and line["collector"] not in line.get("messageId", "")]
    assert sorted(line.split()[1] for line in read(tree, arancini, broker)) \
        == [
        "192.0.2.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"]


def canonical(word):
    """Addresses in one way of writing."""
    try:
        return str(ipaddress.ip_network(word, strict=False)
                   if "/" in word else ipaddress.ip_address(word))
    except ValueError:
        return word


NATS_GO = pathlib.Path("/usr/share/gocode/src/github.com/nats-io/nats.go")


def test_go(stream, tree, tmp_path):
    """Nothing of ours in between: NATS' own client for Go takes the messages
    from the stream, and Cap'n Proto's own tool reads them."""
    # Debian's own comes with a compiled library; another may take minutes.
    go = shutil.which("go", path="/usr/bin") or shutil.which("go")
    if go is None or not NATS_GO.exists():
        pytest.skip("Go or its client of NATS is not installed")
    consumers = tree / "examples" / "consumers"
    subprocess.run(
        [go, "build", "-o", tmp_path / "raw", consumers / "raw.go"],
        check=True, timeout=600, cwd=tmp_path,
        env={**os.environ, "GO111MODULE": "off", "GOFLAGS": "",
             "GOPATH": "/usr/share/gocode", "GOCACHE": str(tmp_path / "go"),
             "GOTOOLCHAIN": "local"})
    raw = subprocess.run([tmp_path / "raw", stream.url], capture_output=True,
                         check=True, timeout=60).stdout
    text = subprocess.run(
        ["capnp", "decode", "--short", tree / "schema" / "update.capnp",
         "Update"], input=raw, capture_output=True, check=True).stdout.decode()
    assert [int(n) for n in re.findall(r"sequence = (\d+)", text)] == \
        list(range(1, 1001))


def test_offsets_are_those_of_the_schema(tree):
    """What table.js reads by hand is where the compiler puts it."""
    script = (tree / "examples" / "consumers" / "table.js").read_text()
    text = subprocess.run(
        ["capnp", "compile", "-ocapnp", tree / "schema" / "update.capnp"],
        capture_output=True, check=True).stdout.decode()
    struct = re.search(r"struct Update .*?\n}", text, re.S).group(0)
    found = dict(re.findall(r"(\w+) @\d+ :[^;]*;  # (?:bits|ptr)\[(\d+)",
                            struct))
    # Flags by bit, numbers by byte.
    flags = set(re.findall(r"(\w+) @\d+ :Bool", struct))

    def constants(of):
        body = re.search(rf"const {of} = {{(.*?)}}", script, re.S).group(1)
        return re.findall(r"(\w+): (\d+)", body)

    for name, at in constants("AT") + constants("WIDE"):
        assert int(found[name]) == int(at) * (1 if name in flags else 8)
    for name, at in constants("PTR"):
        assert found[name] == at
