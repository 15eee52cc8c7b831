"""What older versions wrote is read, or named and followed by a resync; what
a later version wrote is refused by name.

tests/fixtures/formats has a folder for each version whose formats are kept;
make.py there says what is in the archives."""

import json
import pathlib
import re
import shutil
import struct
import subprocess
import tarfile

import pytest

from broker import Broker
from collecting import Collector, consumer_tables
from journal_file import newest, set_version
from router import Router
from test_restore import crc32c, paths, resyncs, table

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "fixtures" / "formats"
VERSIONS = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
TOKENS = ["v4_127_0_0_1", "v4_127_0_0_2"]
OPTIONS = ["--collector-id", "ams1", "--snapshot-interval", "1s",
           "--nats-max-bytes", "64M", "--nats-max-age", "never"]
# What the router of make.py had when its collector was gone.
HAD = table(20) | {"10.7.0.0/24": (65010, 7)}
# What it has when it comes back.
HAS = table(19) | {"10.7.0.0/24": (65010, 7), "10.8.0.0/24": (65010, 8)}


def versions_with(name):
    """A version need not have all archives: not every format changed."""
    return pytest.mark.parametrize(
        "unpack", [version for version in VERSIONS
                   if (FOLDER / version / f"{name}.tar.xz").exists()],
        indirect=True)


@pytest.fixture
def unpack(request, tmp_path):
    """unpack(NAME): the folder with what is in that archive."""
    def unpack(name):
        folder = tmp_path / "kept"
        with tarfile.open(FOLDER / request.param / f"{name}.tar.xz") as file:
            file.extractall(folder)
        return folder
    return unpack


@pytest.fixture
def start(server, arancini, tmp_path):
    def start(folder, *options):
        return Collector(server, arancini, folder, *OPTIONS, *options)
    return start


@pytest.fixture
def serve(server, free_port):
    """A broker with the store that was kept."""
    return lambda folder: Broker(server, folder, free_port()).start()


def read_stream(arancini, broker):
    run = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--since", "all",
         "--idle-exit", "1", "--json"],
        capture_output=True, text=True, timeout=120, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def run(arancini, *words):
    return subprocess.run([arancini, *map(str, words)], check=True,
                          capture_output=True, text=True, timeout=60)


def kept_well(c, routers, routes):
    """All was read: nobody is told to forget anything."""
    return c.said(rf"event=restored routers={routers} routes={routes} .*"
                  "files_damaged=0 resyncs=0")


def test_there_is_something_to_read():
    assert VERSIONS


@versions_with("journal")
@pytest.mark.parametrize("name", ["journal", "presence"])
def test_state_and_journal_are_read(name, unpack, start, arancini):
    state = unpack(name) / "state"
    run(arancini, "snapshot", "verify", state)
    out = run(arancini, "snapshot", "export", state).stdout
    exported = consumer_tables(map(json.loads, out.splitlines()))
    assert sorted(exported) == TOKENS
    assert all(len(routes) == 20 for routes in exported.values())
    c = start(state, *(["--curation", "presence"] if name == "presence"
                       else []))
    assert kept_well(c, 2, 40)
    before = len(c.published())
    assert sorted(paths(c.published())) == sorted(HAD)
    with Router(c.port) as router:
        router.dump(HAS)
        c.server.wait_until(
            lambda _: sorted(paths(c.published())) == sorted(HAS), 60)
    c.stop()
    new = [line for line in c.published()[before:]
           if line["kind"] == "update"]
    # Only differences, of which the log knows more than the file.
    assert {line["prefixAddr"] for line in new} <= {
        "10.1.19.0", "10.8.0.0", "10.7.0.0"}
    assert resyncs(c.published()[before:]) == []
    assert paths(c.published(), TOKENS[1]) == table(20)
    # And what this version has made of it, it reads as well.
    c = start(state)
    assert c.said(r"event=restored routers=2 .*resyncs=0")
    c.stop()


@versions_with("nats")
def test_spool_and_stream_are_read(unpack, start, serve, arancini):
    folder = unpack("nats")
    broker = serve(folder)
    assert sorted(paths(read_stream(arancini, broker))) == sorted(table(20))
    c = start(folder / "state", "--nats", broker.url)
    assert kept_well(c, 1, 21)
    c.server.wait_until(
        lambda _: paths(read_stream(arancini, broker)) == HAD, 60)
    with Router(c.port) as router:
        router.dump(HAS)
        c.server.wait_until(
            lambda _: paths(read_stream(arancini, broker)) == HAS, 60)
    c.stop()
    assert resyncs(read_stream(arancini, broker)) == [TOKENS[0]]


@versions_with("kv")
def test_bucket_is_read(unpack, start, serve, arancini, tmp_path):
    broker = serve(unpack("kv"))
    c = start(tmp_path / "host", "--nats", broker.url, "--state", broker.url,
              "--journal", tmp_path / "host" / "journal")
    assert kept_well(c, 1, 20)
    with Router(c.port) as router:
        router.dump(HAS)
        c.server.wait_until(
            lambda _: paths(read_stream(arancini, broker)) == HAS, 60)
    c.stop()
    assert resyncs(read_stream(arancini, broker)) == [TOKENS[0]]


@versions_with("journal")
def test_what_cannot_be_read_is_named_and_made_anew(unpack, start):
    """Every file of the state, one after the other, is no longer what it
    was."""
    state = unpack("journal") / "state"
    original = state.with_name("original")
    state.rename(original)
    for path in ["snapshots/manifest", f"snapshots/{TOKENS[0]}.snap",
                 "journal/00000000000000000000.seg"]:
        shutil.copytree(original, state)
        (state / path).write_bytes(b"not what it was" * 10)
        c = start(state)
        assert path.rsplit("/", 1)[1].split(".")[0] in c.server.output
        with Router(c.port) as router:
            router.dump(HAS)
            c.server.wait_until(lambda _: paths(c.published()) == HAS, 60)
        c.stop()
        shutil.rmtree(state)


def later_snapshot(state):
    path = state / "snapshots" / f"{TOKENS[0]}.snap"
    content = bytearray(path.read_bytes())
    content[8:10] = struct.pack(">H", 99)
    content[12:16] = struct.pack(">I", crc32c(content[:12]))
    path.write_bytes(content)
    return f"event=snapshot_not_used file={path.name} .*later version"


def later_manifest(state):
    path = state / "snapshots" / "manifest"
    path.write_text(re.sub(r"^arancini manifest \d+", "arancini manifest 99",
                           path.read_text()))
    return "event=manifest_not_used .*later version"


def later_segment(state):
    path = newest(state / "journal")
    set_version(path, 99)
    return f"event=cannot_publish .*{path.name} was written by a later version"


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*")
            if path.is_file()}


@versions_with("journal")
@pytest.mark.parametrize("later", [later_snapshot, later_manifest,
                                   later_segment])
def test_a_later_version_is_refused_by_name(later, unpack, server, arancini):
    """And every file is as it was, for the version that can read it."""
    state = unpack("journal") / "state"
    pattern = later(state)
    before = contents(state / "snapshots")
    segment = newest(state / "journal").read_bytes()
    one = server([arancini, "run", "--listen", "127.0.0.1:0", "--state", state,
                  "--http", "off", *OPTIONS])
    assert one.wait(timeout=30) == 1
    assert re.search(pattern, one.output), one.output
    assert contents(state / "snapshots") == before
    if later is later_segment:
        assert newest(state / "journal").read_bytes() == segment


@versions_with("kv")
@pytest.mark.parametrize("name", ["manifest", f"{TOKENS[0]}.snap"])
def test_a_later_version_in_a_bucket_is_refused_by_name(
        name, unpack, server, serve, arancini, tmp_path):
    """The head of a file, which names its chunks: these stay, too."""
    broker = serve(unpack("kv"))
    prefix = "$KV.arancini-state.ams1."

    def chunks():
        with broker.client() as client:
            return {m.subject: m.data
                    for m in client.read_stream("KV_arancini-state")
                    if m.subject.startswith(f"{prefix}{name}.")}
    head = chunks()[f"{prefix}{name}.head"]
    with broker.client() as client:
        client.request(f"{prefix}{name}.head",
                       re.sub(rb"^\d+", b"99", head))
    before = chunks()
    one = server([arancini, "run", "--listen", "127.0.0.1:0", "--state",
                  broker.url, "--nats", broker.url, "--journal",
                  tmp_path / "journal", "--http", "off", *OPTIONS])
    assert one.wait(timeout=60) == 1
    event = "manifest" if name == "manifest" else "snapshot"
    assert re.search(f"event={event}_not_used .*later version", one.output)
    assert chunks() == before
