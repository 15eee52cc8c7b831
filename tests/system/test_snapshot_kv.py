"""arancini snapshot of a state in a bucket: the same as of a folder that has
the same files, whether or not its collector is running."""

import json
import re
import threading

import pytest

from broker import Proxy
from collecting import Collector, consumer_tables
from router import Router
from test_collector_options import authority, password
from test_restore import paths, table
from test_restore_kv import BUCKET, TOKEN, generations, keys, until_filed
from test_snapshot import change_behind_the_file, late_consumer, run

OTHER = "v4_127_0_0_2"
PREFIX = "$KV.arancini-state."


@pytest.fixture
def collector(server, arancini, broker, tmp_path):
    def start(*options, name="ams1"):
        c = Collector(server, arancini, tmp_path / name, "--state",
                      broker.url, "--journal", tmp_path / name / "journal",
                      "--nats", broker.url, "--nats-max-bytes", "1G",
                      "--collector-id", name, "--snapshot-interval", "1s",
                      *options)
        c.until_said("event=publisher state=ready")
        return c
    return start


@pytest.fixture
def state(collector, broker):
    """Two routers with files; the collector is gone."""
    broker.start()
    c = collector()
    routers = [Router(c.port, s).dump(table(n))
               for s, n in (("127.0.0.1", 20), ("127.0.0.2", 30))]
    for token in (TOKEN, OTHER):
        until_filed(c, broker, token)
    c.stop()
    for router in routers:
        router.close()
    return broker.url


def put(broker, key, value):
    with broker.client() as client:
        assert b'"seq"' in client.request(PREFIX + key, value).data


def purge(broker, key):
    with broker.client() as client:
        answer = client.api(f"STREAM.PURGE.{BUCKET}", {"filter": PREFIX + key})
        assert answer["purged"] == 1


def files(broker, collector="ams1"):
    """Name to content, put together by what is said of the bucket."""
    all_keys = keys(broker)
    found = {}
    for key, value in all_keys.items():
        if key.startswith(collector + ".") and key.endswith(".head"):
            _, generation, chunks, size = value.decode().split()
            name = key.removesuffix(".head")
            content = b"".join(all_keys[f"{name}.{generation}.{i}"]
                               for i in range(int(chunks)))
            assert len(content) == int(size)
            found[name.removeprefix(collector + ".")] = content
    return found


def without_age(text):
    """Of ls and show: they may be asked in different seconds."""
    return re.sub(r"( +\d+)(?=  stream )|\d+ s ago", "", text)


@pytest.mark.parametrize("command", ["ls", "show", "verify", "export"])
def test_all_is_as_of_a_folder(command, state, broker, arancini, tmp_path):
    folder = tmp_path / "copy"
    folder.mkdir()
    for name, content in files(broker).items():
        (folder / name).write_bytes(content)
    before = keys(broker)
    out, err = run(arancini, "snapshot", command, state)
    expected, expected_err = run(arancini, "snapshot", command, folder)
    assert len(out) > 0
    assert without_age(out.decode()) == without_age(
        expected.decode().replace(str(folder), f"{state}/ams1"))
    assert err == expected_err
    assert keys(broker) == before


def test_what_it_says(state, broker, arancini):
    out, _ = run(arancini, "snapshot", "ls", state)
    manifest = files(broker)["manifest"].decode()
    for line, count in zip(out.decode().splitlines()[1:], ("20", "30")):
        words = line.split()
        mark = re.search(r"stream \d+ \d+", line)[0]
        assert words[1] == count
        assert re.search(rf"router {words[0]} filed \d+\.\d+ {mark}\n",
                         manifest)
    out, _ = run(arancini, "snapshot", "verify", state)
    assert out.decode().splitlines() == [
        f"{state}/ams1/manifest: ok",
        f"{state}/ams1/{TOKEN}.snap: ok, 20 routes",
        f"{state}/ams1/{OTHER}.snap: ok, 30 routes"]
    out, err = run(arancini, "snapshot", "export", state)
    lines = [json.loads(line) for line in out.splitlines()]
    assert paths(lines) == table(20)
    assert paths(lines, OTHER) == table(30)
    assert err.splitlines()[-1].startswith("mark stream ")
    out, _ = run(arancini, "snapshot", "export", state, "--router",
                 "127.0.0.2")
    assert consumer_tables(map(json.loads, out.splitlines())).keys() == {OTHER}


def test_a_late_consumer(collector, broker, arancini):
    """From the bucket of a collector that is running."""
    broker.start()
    c = collector()
    source = ["--nats", broker.url]

    def everything():
        out, _ = run(arancini, "tail", *source, "--since", "all",
                     "--idle-exit", "1", "--json")
        return [json.loads(line) for line in out.splitlines()]

    with Router(c.port) as router:
        router.dump(table(20))
        until_filed(c, broker)
        change_behind_the_file(router)
        c.server.wait_until(
            lambda _: paths(everything()).get("10.1.1.0/24") == (65010, 9), 30)
        tables, lines = late_consumer(arancini, broker.url, *source)
        assert tables == consumer_tables(everything())
        assert len(lines) < len(everything())
        assert paths(everything())["10.7.0.0/24"]
        c.stop()


def chunk(broker, name):
    generation, = generations(broker)[f"ams1.{name}"]
    return f"ams1.{name}.{generation}.0"


def test_a_missing_chunk(state, broker, arancini):
    purge(broker, chunk(broker, f"{TOKEN}.snap"))
    for command in ("ls", "show", "verify", "export"):
        out, err = run(arancini, "snapshot", command, state, code=1)
        said, = [line for line in err.splitlines() if "chunk" in line]
        assert f"{state}/ams1/{TOKEN}.snap: the chunk behind byte 0 is " \
            "missing" in said
        assert OTHER.encode() in out and TOKEN.encode() not in out


def test_a_damaged_chunk(state, broker, arancini):
    key = chunk(broker, f"{TOKEN}.snap")
    content = bytearray(keys(broker)[key])
    content[-10] ^= 1
    put(broker, key, content)
    out, _ = run(arancini, "snapshot", "verify", state, code=1)
    assert (f"{state}/ams1/{TOKEN}.snap: has a wrong checksum, in the block "
            "at byte 16") in out.decode()
    assert out.decode().count(": ok") == 2
    out, err = run(arancini, "snapshot", "export", state, code=1)
    assert f"{TOKEN}.snap: has a wrong checksum; nothing of it" in err
    assert consumer_tables(map(json.loads, out.splitlines())).keys() == {OTHER}
    # One that is not as long as it was is not what was written, either.
    put(broker, key, content + b"more")
    _, err = run(arancini, "snapshot", "verify", state, code=1)
    assert f"{TOKEN}.snap: the chunk behind byte 0 is missing, or not" in err


def test_a_damaged_manifest(state, broker, arancini):
    purge(broker, chunk(broker, "manifest"))
    out, _ = run(arancini, "snapshot", "verify", state, code=1)
    assert f"{state}/ams1/manifest: is damaged" in out.decode()
    assert out.decode().count(": ok") == 2
    # The files have marks of their own.
    out, _ = run(arancini, "snapshot", "export", state)
    assert paths(map(json.loads, out.splitlines())) == table(20)


class Pausing(Proxy):
    """Stops in the middle of what the server says, until it is told to go."""

    def __init__(self, port, after):
        self.left = after
        self.reached, self.go = threading.Event(), threading.Event()
        super().__init__(port)

    def down(self, data, target):
        self.left -= len(data)
        if self.left < 0:
            self.reached.set()
            self.go.wait(30)
        super().down(data, target)


def test_a_file_that_is_replaced_is_read_again(collector, broker, arancini):
    broker.start()
    c = collector()
    c.send("generate", "--prefixes", "30000", "--attr-sets", "1", "--seed",
           "4", "--nlri-per-update", "1")
    c.until_said("event=session_close")
    c.stop()
    chunks = {key: value for key, value in keys(broker).items()
              if re.search(r"\.snap\.[0-9a-f]{16}\.\d+$", key)}
    assert len(chunks) > 1
    proxy = Pausing(broker.port, after=128 * 1024)
    done = []
    thread = threading.Thread(target=lambda: done.append(
        run(arancini, "snapshot", "verify", proxy.url)))
    thread.start()
    assert proxy.reached.wait(30)
    # In the middle of the first chunk: what its collector would do.
    for key, value in chunks.items():
        name, _, number = key.rsplit(".", 2)
        put(broker, f"{name}.00000000deadbeef.{number}", value)
    put(broker, f"{name}.head", b"1 00000000deadbeef %d %d\n" % (
        len(chunks), sum(map(len, chunks.values()))))
    for key in chunks:
        purge(broker, key)
    proxy.go.set()
    thread.join()
    proxy.close()
    assert ".snap: ok, 30000 routes" in done[0][0].decode()


def one_line(arancini, *words, code=1):
    out, err = run(arancini, "snapshot", *words, code=code)
    assert out == b"" and err.count("\n") == 1
    return err


@pytest.mark.parametrize("command", ["ls", "show", "verify", "export"])
def test_no_bucket(command, broker, arancini, free_port):
    err = one_line(arancini, command, f"nats://127.0.0.1:{free_port()}")
    assert "connect: " in err and "wanted is a NATS server" in err
    broker.start()
    for _ in range(2):
        err = one_line(arancini, command, broker.url)
        assert "there is no bucket arancini-state" in err
        assert "--state of a collector" in err


def test_an_empty_bucket(state, broker, arancini):
    with broker.client() as client:
        client.api(f"STREAM.PURGE.{BUCKET}")
    err = one_line(arancini, "ls", state)
    assert "there is nothing in the bucket arancini-state" in err


def test_several_collectors(state, collector, broker, arancini):
    collector("--nats-stream", "OTHER", "--subject-updates", "other.updates",
              "--subject-events", "other.events", name="fra1").stop()
    err = one_line(arancini, "ls", state)
    assert re.search("there are several collectors: (ams1, fra1|fra1, ams1); "
                     "say which one with --collector-id", err)
    out, _ = run(arancini, "snapshot", "ls", state, "--collector-id", "ams1")
    assert out.count(b"\n") == 3
    out, _ = run(arancini, "snapshot", "ls", "--collector-id", "fra1", state)
    assert out.count(b"\n") == 1
    # One whose name only begins like that of another one.
    for name in ("ams", "ams11"):
        err = one_line(arancini, "ls", state, "--collector-id", name)
        assert f"there is nothing of collector {name}, but of " in err


def test_what_a_collector_is_writing_stays(state, broker, arancini):
    key = f"ams1.{TOKEN}.snap.00000000deadbeef.0"
    put(broker, key, b"not all of it yet")
    run(arancini, "snapshot", "verify", state)
    assert key in keys(broker)


@pytest.mark.parametrize("way", [password, authority])
def test_login(way, broker, collector, arancini, tmp_path):
    lines, _, right, reader = way(tmp_path)
    broker.start(lines)
    collector(*right).stop()
    url = broker.url
    if way is authority:
        url = url.replace("nats://", "tls://")
    assert "connect: " in one_line(arancini, "verify", url)
    out, _ = run(arancini, "snapshot", "verify", url, *reader)
    assert out.decode() == f"{url}/ams1/manifest: ok\n"


def test_who_may_only_look(collector, broker, arancini, tree, tmp_path):
    """With the rights that docs/operations.md names, and no others."""
    text = (tree / "docs" / "operations.md").read_text()
    sentence, = re.findall(r"A user who only looks .*?\n\n", text, re.DOTALL)
    rights = re.findall(r"`([$_][^`]*)`", sentence)
    publish, read = rights[:-1], rights[-1]
    secret = tmp_path / "secret"
    secret.write_text("s3cret\n")
    broker.start(
        'authorization { users: [ { user: "w", password: "s3cret" },\n'
        '{ user: "r", password: "s3cret", permissions: { publish: '
        f'{json.dumps(publish)}, subscribe: {json.dumps(read)} }} }} ] }}\n')
    c = collector("--nats-user", "w", "--nats-password-file", secret)
    with Router(c.port) as router:
        router.dump(table(20))
        c.until_said("event=session_open")
        c.stop()
    for command in ("ls", "verify", "export"):
        out, _ = run(arancini, "snapshot", command, broker.url, "--user", "r",
                     "--password-file", secret)
    assert paths(map(json.loads, out.splitlines())) == table(20)


@pytest.mark.parametrize("words, said", [
    (["ls", "http://127.0.0.1:4222"], "a URL is nats://host:4222"),
    (["ls", "nats://u:p@127.0.0.1:4222"], "without a user"),
    (["ls", "nats://"], "a URL is nats://host:4222"),
    (["ls", ".", "--collector-id", "ams1"], "--collector-id is for a URL"),
    (["ls", "nats://127.0.0.1:4222", "--collector-id", "a.b"],
     "no id of a collector: a.b"),
    (["ls", "nats://127.0.0.1:4222", "--user"], "a value is missing"),
    (["ls", "nats://127.0.0.1:4222", "--format", "capnp"],
     "options are of export"),
])
def test_wrong_usage(words, said, arancini):
    assert said in one_line(arancini, *words, code=2)


def test_a_secret_that_cannot_be_read(arancini, tmp_path):
    err = one_line(arancini, "ls", "nats://127.0.0.1:4222", "--user", "u",
                   "--password-file", tmp_path / "nowhere")
    assert "No such file" in err
