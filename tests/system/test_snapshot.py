"""arancini snapshot: what the files say, whether they are whole, and a late
consumer that starts from them."""

import json
import re
import subprocess

import pytest

from broker import Broker
from collecting import Collector, Tables, consumer_tables
from router import Router, announce, withdraw
from test_restore import paths, table, until_filed, until_swept

TOKEN = "v4_127_0_0_1"


def run(arancini, *words, code=0):
    done = subprocess.run([arancini, *map(str, words)], capture_output=True,
                          timeout=60)
    assert done.returncode == code, done.stderr.decode()
    return done.stdout, done.stderr.decode()


@pytest.fixture
def collector(server, arancini, tmp_path):
    def start(*options):
        return Collector(server, arancini, tmp_path / "state",
                         "--snapshot-interval", "1s", *options)
    return start


@pytest.fixture
def state(collector, tmp_path):
    """Two routers with files; the collector is gone."""
    c = collector()
    routers = [Router(c.port, s).dump(table(n))
               for s, n in (("127.0.0.1", 20), ("127.0.0.2", 30))]
    until_filed(c, tmp_path, TOKEN, "v4_127_0_0_2")
    c.stop()
    for router in routers:
        router.close()
    return tmp_path / "state"


@pytest.mark.parametrize("below", [False, True])
def test_ls(below, state, arancini):
    out, _ = run(arancini, "snapshot", "ls",
                 state / "snapshots" if below else state)
    lines = out.decode().splitlines()
    assert lines[0].split() == ["ROUTER", "ROUTES", "TABLES", "BYTES",
                                "AGE(s)", "MARK"]
    assert [line.split()[:2] for line in lines[1:]] == [
        [TOKEN, "20"], ["v4_127_0_0_2", "30"]]
    manifest = (state / "snapshots" / "manifest").read_text()
    for line in lines[1:]:
        mark = re.search(r"journal \d+ \d+", line)[0]
        assert re.search(rf"{line.split()[0]} filed \d+\.\d+ {mark}\n",
                         manifest)


def test_show(state, arancini):
    out, _ = run(arancini, "snapshot", "show",
                 state / "snapshots" / f"{TOKEN}.snap")
    text = out.decode()
    assert "it is whole" in text and f"router {TOKEN}" in text
    assert "peer 10.9.0.1 AS 65010" in text
    assert re.search(r" 1/1 +20 routes  sequence 20", text)
    assert text.count("mark journal ") == 2


def test_verify(state, arancini):
    out, _ = run(arancini, "snapshot", "verify", state)
    assert out.decode().count(": ok") == 3
    path = state / "snapshots" / f"{TOKEN}.snap"
    content = bytearray(path.read_bytes())
    content[-10] ^= 1
    path.write_bytes(content)
    out, _ = run(arancini, "snapshot", "verify", state, code=1)
    lines = out.decode().splitlines()
    assert [line for line in lines if path.name in line][0].endswith(
        "has a wrong checksum, in the block at byte 16")
    assert sum(": ok" in line for line in lines) == 2
    # One that has another's name, and no manifest at all.
    path.write_bytes((state / "snapshots" / "v4_127_0_0_2.snap").read_bytes())
    (state / "snapshots" / "manifest").unlink()
    out, _ = run(arancini, "snapshot", "verify", state, code=1)
    assert "is of another router, v4_127_0_0_2" in out.decode()
    assert "manifest: there is none" in out.decode()


def test_export_has_the_tables(state, arancini):
    out, err = run(arancini, "snapshot", "export", state)
    lines = [json.loads(line) for line in out.splitlines()]
    assert paths(lines) == table(20)
    assert paths(lines, "v4_127_0_0_2") == table(30)
    # The stream has sequences; what stands before it has none.
    assert all(line["resync"] and line["sequence"] == 0 for line in lines)
    assert err.splitlines()[-1].startswith("mark journal ")
    for name in (TOKEN, "127.0.0.1"):
        out, _ = run(arancini, "snapshot", "export", state, "--router", name)
        assert consumer_tables(map(json.loads, out.splitlines())).keys() \
            == {TOKEN}
    run(arancini, "snapshot", "export", state, "--router", "10.0.0.1", code=1)


def test_export_as_capnp(state, arancini, tree):
    out, _ = run(arancini, "snapshot", "export", state, "--format", "capnp",
                 "--router", "127.0.0.1")
    text = subprocess.run(
        ["capnp", "decode", tree / "schema" / "update.capnp", "Update"],
        input=out, capture_output=True, check=True, timeout=60).stdout.decode()
    assert text.count("peerAsn = 65010") == 20


def test_a_damaged_file_is_not_exported(state, arancini):
    path = state / "snapshots" / f"{TOKEN}.snap"
    path.write_bytes(path.read_bytes()[:-3])
    out, err = run(arancini, "snapshot", "export", state, code=1)
    assert f"{TOKEN}.snap: ends too early" in err
    assert consumer_tables(map(json.loads, out.splitlines())).keys() \
        == {"v4_127_0_0_2"}


def test_presence_is_exported_without_attributes(collector, arancini,
                                                 tmp_path):
    c = collector("--curation", "presence")
    with Router(c.port) as router:
        router.dump(table(20))
        until_filed(c, tmp_path, TOKEN)
        c.stop()
    out, err = run(arancini, "snapshot", "export", tmp_path / "state")
    assert paths(map(json.loads, out.splitlines())) == {
        prefix: () for prefix in table(20)}
    assert f"router {TOKEN} routes 20 mark journal" in err


def test_routes_known_by_key_only_are_not_exported(collector, arancini,
                                                   tmp_path):
    """Those that were announced behind the file, restored from the log, while
    the router is not back."""
    c = collector()
    with Router(c.port) as router:
        router.dump(table(20))
        until_swept(c)
        until_filed(c, tmp_path, TOKEN)
        c.stop()
    c = collector("--snapshot-interval", "1h")
    with Router(c.port) as router:
        router.dump(table(25))
        c.server.wait_until(lambda _: paths(c.published()) == table(25), 60)
        c.kill()
    c = collector()
    c.stop()
    out, err = run(arancini, "snapshot", "export", tmp_path / "state")
    assert len(out.splitlines()) == 20
    assert f"router {TOKEN} routes 25 mark journal" in err
    assert "5 routes are known by key only and left out" in err


def late_consumer(arancini, state, *source):
    """From the export, and from its mark on."""
    out, err = run(arancini, "snapshot", "export", state)
    mark = err.splitlines()[-1].removeprefix("mark ")
    tables = Tables()
    for line in out.splitlines():
        tables.apply(json.loads(line))
    out, _ = run(arancini, "tail", *source, "--since", mark, "--idle-exit",
                 "1", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    for line in lines:
        tables.apply(line)
    return tables.routers(), lines


def change_behind_the_file(router):
    router.send(announce("10.7.0.0/24"), withdraw("10.1.0.0/24"),
                announce("10.1.1.0/24", (65010, 9)))


def test_a_late_consumer_of_the_journal(collector, arancini, tmp_path):
    c = collector()
    with Router(c.port) as router:
        router.dump(table(20))
        until_swept(c)
        until_filed(c, tmp_path, TOKEN)
        change_behind_the_file(router)
        c.server.wait_until(
            lambda _: paths(c.published()).get("10.1.1.0/24") == (65010, 9),
            30)
        c.kill()
    source = ["--journal", c.journal]
    tables, lines = late_consumer(arancini, tmp_path / "state", *source)
    assert tables == consumer_tables(c.published())
    assert len(lines) < len(c.published())
    run(arancini, "tail", *source, "--since", "journal 1 1", code=1)
    run(arancini, "tail", *source, "--since", "stream 1 1", code=2)


def test_a_late_consumer_of_the_stream(collector, server, arancini, tmp_path,
                                       free_port):
    broker = Broker(server, tmp_path, free_port()).start()
    c = collector("--nats", broker.url, "--nats-max-bytes", "1G")
    source = ["--nats", broker.url]

    def everything():
        out, _ = run(arancini, "tail", *source, "--since", "all",
                     "--idle-exit", "1", "--json")
        return [json.loads(line) for line in out.splitlines()]

    c.until_said("event=publisher state=ready")
    with Router(c.port) as router:
        router.dump(table(20))
        until_filed(c, tmp_path, TOKEN)
        change_behind_the_file(router)
        c.server.wait_until(
            lambda _: paths(everything()).get("10.1.1.0/24") == (65010, 9), 30)
        c.kill()
    tables, lines = late_consumer(arancini, tmp_path / "state", *source)
    assert tables == consumer_tables(everything())
    assert len(lines) < len(everything())
    _, err = run(arancini, "tail", *source, "--since", "stream 1 1", code=1)
    assert "the mark is of another one" in err


@pytest.mark.parametrize("words, said", [
    ([], "a command and a PATH"),
    (["ls"], "a command and a PATH"),
    (["burn", "."], "there is no command burn"),
    (["burn", "nowhere"], "there is no command burn"),
    (["ls", ".", "."], "one PATH only"),
    (["export", ".", "--format", "xml"], "json or capnp, not xml"),
    (["export", ".", "--router"], "a value is missing"),
    (["ls", ".", "--router", "x"], "options are of export"),
    (["--what"], "unknown option --what"),
])
def test_wrong_usage(words, said, arancini):
    _, err = run(arancini, "snapshot", *words, code=2)
    assert said in err and err.count("\n") == 1


def test_what_is_not_there(arancini, tmp_path):
    _, err = run(arancini, "snapshot", "ls", tmp_path / "nowhere", code=1)
    assert "No such file" in err


@pytest.mark.parametrize("command", ["ls", "show", "verify", "export"])
def test_a_folder_without_snapshots(command, arancini, tmp_path):
    """Of a wrong folder nothing good is to be said."""
    (tmp_path / "above" / "data" / "snapshots").mkdir(parents=True)
    for folder in ("above", "above/data", "above/data/snapshots"):
        out, err = run(arancini, "snapshot", command, tmp_path / folder,
                       code=1)
        assert out == b"" and err.count("\n") == 1
        assert "there are no snapshots" in err and "--state folder" in err


def test_a_collector_without_routers_has_a_manifest(collector, arancini,
                                                    tmp_path):
    collector().stop()
    for command in ("ls", "verify"):
        _, err = run(arancini, "snapshot", command, tmp_path / "state")
        assert err == ""


def test_help(arancini):
    out, _ = run(arancini, "snapshot", "--help")
    assert b"Usage: arancini snapshot" in out
