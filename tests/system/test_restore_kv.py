"""The state in a key-value bucket of a real broker: a collector comes back
on another host, which has nothing but the broker."""

import json
import subprocess

import pytest

from access import make_ca, tls_server
from bmp import Peer, initiation
from broker import Broker, Proxy
from collecting import Collector, come_and_go
from router import Router, announce, withdraw
from test_restore import (paths, prefixes, resyncs, table,
                          updates_after_last_epoch)
from test_sequences import check_sequences

TOKEN = "v4_127_0_0_1"
BUCKET = "KV_arancini-state"


@pytest.fixture
def broker(server, tmp_path, free_port):
    return Broker(server, tmp_path, free_port()).start()


@pytest.fixture
def collector(server, arancini, broker, tmp_path):
    """Each on a host of its own: an empty folder."""
    hosts = []

    def start(*options, host=None):
        if host is None:
            hosts.append(len(hosts))
            host = f"host-{len(hosts)}"
        c = Collector(server, arancini, tmp_path / host, "--state",
                      broker.url, "--journal", tmp_path / host / "journal",
                      "--nats", broker.url, "--nats-max-bytes", "1G",
                      "--collector-id", "ams1", "--snapshot-interval", "1s",
                      *options)
        c.until_said("event=publisher state=ready")
        return c
    return start


@pytest.fixture
def stream(arancini, broker):
    def read():
        run = subprocess.run(
            [arancini, "tail", "--nats", broker.url, "--since", "all",
             "--idle-exit", "1", "--json"],
            capture_output=True, text=True, timeout=120, check=True)
        return [json.loads(line) for line in run.stdout.splitlines()]
    return read


def keys(broker):
    """Key to value of what is in the bucket."""
    with broker.client() as client:
        prefix = "$KV.arancini-state."
        return {m.subject.removeprefix(prefix): m.data
                for m in client.read_stream(BUCKET)}


def generations(broker):
    """File to the generations of which there are chunks."""
    found = {}
    for key in keys(broker):
        name, generation, number = key.rsplit(".", 2)
        if number.isdigit():
            found.setdefault(name, set()).add(generation)
    return found


def snapshots(broker):
    """The names of routers of which there is anything but the manifest."""
    return {key.split(".")[1].removeprefix("id_") for key in keys(broker)
            if ".snap." in key}


def until(c, condition, timeout=60):
    c.server.wait_until(lambda _: condition(), timeout)


def until_filed(c, broker, token=TOKEN):
    def filed():
        return any(b"router " + token.encode() + b" filed" in value
                   for key, value in keys(broker).items()
                   if key.startswith("ams1.manifest."))
    until(c, filed)


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_another_host_goes_on(how, collector, broker, stream):
    c = collector()
    with Router(c.port) as router:
        router.dump(table(20))
        until_filed(c, broker)
        if how == "stop":
            c.stop()
        else:
            c.kill()
    c = collector("--workers", "3")
    assert c.said("event=restored routers=1 routes=20 .*resyncs=0")
    after = table(19) | {"10.1.4.0/24": (65010, 7)}
    with Router(c.port) as router:
        router.dump(after)
        until(c, lambda: paths(stream()) == after)
    c.stop()
    new = updates_after_last_epoch(stream())
    assert prefixes(new) == ["10.1.4.0/24"]
    assert prefixes(new, False) == ["10.1.19.0/24"]
    assert resyncs(stream()) == [TOKEN]


def test_a_router_that_is_forgotten_leaves_nothing(collector, broker):
    c = collector("--workers", "1", "--router-id", "sysname",
                  "--max-routers", "4", "--stale-hold", "6s")
    peer = Peer("10.0.0.1", 64500)
    for n in range(4):
        come_and_go(c, initiation(b"r%d" % n) + peer.up()
                    + peer.announce("10.0.0.0/24"))
    until(c, lambda: snapshots(broker) == {"r0", "r1", "r2", "r3"})
    # They have no routes any more, and one place is to be free.
    c.until_said("event=routers_forgotten routers=1 held=3 max=4")
    assert snapshots(broker) == {"r1", "r2", "r3"}
    c.stop()


def test_the_spool_of_a_host_that_was_superseded(collector, broker, stream):
    """Another host goes on meanwhile, under the numbers that the updates in
    the spool have. They are not published behind its updates."""
    first = collector()
    with Router(first.port) as router:
        router.dump(table(20))
        until_filed(first, broker)
        second = collector()
        router.send(*(announce(f"10.7.{i}.0/24") for i in range(9)))
        first.until_said("event=publisher state=superseded spooling=true")
        with Router(second.port) as moved:
            moved.dump(table(10, third=3))
            until(second, lambda: len(updates_after_last_epoch(stream())) > 9)
        second.stop()
        first.kill()
    first = collector(host="host-1")
    assert first.said("event=resync why=\"another process of this collector")
    with Router(first.port) as router:
        router.dump(table(12))
        until(first, lambda: paths(stream()) == table(12))
    # Nor are they later.
    first.kill()
    first = collector(host="host-1")
    first.stop()
    lines = stream()
    check_sequences(lines)
    assert paths(lines) == table(12)
    assert not any(line.get("prefixAddr", "").startswith("10.7.")
                   for line in lines)


def test_old_generations_and_those_of_a_crash_are_removed(collector, broker):
    c = collector()
    with Router(c.port) as router:
        router.dump(table(5))
        until_filed(c, broker)
        # Some more, each one a generation: of the manifest and of the file.
        before = generations(broker)["ams1.manifest"]
        until(c, lambda: generations(broker)["ams1.manifest"].isdisjoint(
            before))
        c.stop()
    assert all(len(g) == 1 for g in generations(broker).values())
    # Of a write that did not get to its end; and of another collector.
    with broker.client() as client:
        for owner in ("ams1", "fra1"):
            for number in (0, 1):
                client.request(f"$KV.arancini-state.{owner}.{TOKEN}.snap."
                               f"00000000deadbeef.{number}", b"half")
    c = collector()
    assert c.said("event=restored routers=1 routes=5 .*resyncs=0")
    c.stop()
    left = generations(broker)
    assert all(len(g) == 1 for g in left.values())
    assert left[f"fra1.{TOKEN}.snap"] == {"00000000deadbeef"}


def test_collectors_do_not_see_each_other(collector, broker, server, arancini,
                                          tmp_path):
    c = collector()
    with Router(c.port) as router:
        router.dump(table(5))
        until_filed(c, broker)
        c.stop()
    other = Collector(server, arancini, tmp_path / "other", "--state",
                      broker.url, "--journal", tmp_path / "other",
                      "--collector-id", "fra1")
    assert not other.said("event=restored")
    other.stop()
    assert any(key.startswith("fra1.manifest.") for key in keys(broker))


def test_a_large_table_is_many_chunks(collector, broker):
    c = collector()
    c.send("generate", "--prefixes", "30000", "--attr-sets", "1", "--seed",
           "4", "--nlri-per-update", "1")
    c.until_said("event=session_close")
    c.stop()
    chunks = [key for key in keys(broker) if ".snap." in key
              and not key.endswith(".head")]
    assert len(chunks) > 1
    c = collector()
    assert c.said("event=restored routers=1 routes=30000 .*resyncs=0")
    c.stop()


def test_a_missing_chunk_is_a_damaged_file(collector, broker, stream):
    c = collector()
    with Router(c.port) as router:
        router.dump(table(5))
        until_filed(c, broker)
        c.stop()
    with broker.client() as client:
        generation, = generations(broker)[f"ams1.{TOKEN}.snap"]
        answer = client.api(f"STREAM.PURGE.{BUCKET}", {
            "filter": f"$KV.arancini-state.ams1.{TOKEN}.snap.{generation}.0"})
        assert answer["purged"] == 1
    c = collector()
    assert c.said(f"event=snapshot_not_used file={TOKEN}.snap")
    assert c.said("event=restored .*resyncs=1")
    with Router(c.port) as router:
        router.dump(table(4))
        until(c, lambda: paths(stream()) == table(4))
        until_filed(c, broker)
        c.stop()
    assert f"ams1.{TOKEN}.snap.damaged" in keys(broker)
    c = collector()
    assert c.said("event=restored routers=1 routes=4 .*resyncs=0")
    c.stop()


def test_a_missing_chunk_is_a_damaged_manifest(collector, broker):
    c = collector()
    with Router(c.port) as router:
        router.dump(table(5))
        until_filed(c, broker)
        c.stop()
    with broker.client() as client:
        generation, = generations(broker)["ams1.manifest"]
        answer = client.api(f"STREAM.PURGE.{BUCKET}", {
            "filter": f"$KV.arancini-state.ams1.manifest.{generation}.0"})
        assert answer["purged"] == 1
    c = collector()
    assert c.said("event=manifest_not_used .*why=\"?cannot be read")
    assert c.said("event=restored routers=1 routes=5 .*resyncs=1")
    c.stop()
    assert "ams1.manifest.damaged" in keys(broker)
    c = collector()
    assert not c.said("event=manifest_not_used")
    c.stop()


class Replacing(Proxy):
    """Before the first chunk of a file is read, its collector replaces it."""

    def __init__(self, broker, name):
        self.broker, self.name = broker, name
        generation, = generations(broker)[name]
        self.chunk = f"{name}.{generation}.0"
        super().__init__(broker.port)

    def up(self, said, data, target):
        if self.chunk is not None and self.chunk.encode() in data:
            key, self.chunk = self.chunk, None
            value = keys(self.broker)[key]
            with self.broker.client() as client:
                for rest, content in (("00000000deadbeef.0", value),
                                      ("head", b"1 00000000deadbeef 1 %d\n"
                                       % len(value))):
                    client.request(f"$KV.arancini-state.{self.name}.{rest}",
                                   content)
                client.api(f"STREAM.PURGE.{BUCKET}",
                           {"filter": f"$KV.arancini-state.{key}"})
        super().up(said, data, target)


@pytest.mark.parametrize("name", ["manifest", f"{TOKEN}.snap"])
def test_a_file_that_another_host_replaces(name, collector, broker, stream):
    """That host writes until this one has opened its epoch."""
    c = collector()
    with Router(c.port) as router:
        router.dump(table(5))
        until_filed(c, broker)
    c.stop()
    proxy = Replacing(broker, f"ams1.{name}")
    c = collector("--state", proxy.url)
    assert proxy.chunk is None
    assert c.said(f"event=restored .*resyncs={int(name != 'manifest')}")
    with Router(c.port) as router:
        router.dump(table(4))
        until(c, lambda: paths(stream()) == table(4))
    c.stop()
    proxy.close()


def test_what_is_only_in_the_spool_of_this_host_is_not_kept(
        collector, broker, stream, server, arancini, tmp_path, free_port):
    """The stream's broker is away, the bucket's is not: no file may say that
    consumers have what only this host's spool has."""
    other = Broker(server, tmp_path, free_port(), name="n2").start()
    c = collector("--state", other.url)
    with Router(c.port) as router:
        router.dump(table(5))
        until_filed(c, other)
        broker.kill()
        router.send(announce("10.7.0.0/24"), withdraw("10.1.0.0/24"))
        c.until_said("spooling=true")
        # Manifests go on; the file stays what it was.
        before = generations(other)
        until(c, lambda: generations(other)["ams1.manifest"].isdisjoint(
            before["ams1.manifest"]))
        assert generations(other)[f"ams1.{TOKEN}.snap"] \
            == before[f"ams1.{TOKEN}.snap"]
        c.kill()
    broker.start()
    c = collector("--state", other.url)
    assert c.said("event=restored routers=1 routes=5 .*resyncs=0")
    with Router(c.port) as router:
        router.dump(table(5) | {"10.7.0.0/24": (65010,)})
        until(c, lambda: "10.7.0.0/24" in paths(stream()))
    c.stop()


def test_a_bucket_that_cannot_be_reached_is_said(server, arancini, tmp_path,
                                                 free_port):
    run = server([arancini, "run", "--listen", "127.0.0.1:0", "--http", "off",
                  "--state", f"nats://127.0.0.1:{free_port()}", "--journal",
                  tmp_path / "journal", "--restore-wait", "1s"])
    assert run.wait(timeout=60) == 1
    assert "event=state_store_failed at=nats://" in run.output


def no_token(c, arancini):
    """No token could be made, so there are no actions; reading goes on."""
    assert c.said("event=http_without_token .*--http-token-file")
    url = "http://" + c.said(r"event=http_listening at=(\S+)")[0]
    run = subprocess.run([arancini, "resync", "--url", url], timeout=60,
                         capture_output=True, text=True, cwd=c.journal)
    assert run.returncode == 1 and run.stderr.count("\n") == 1
    assert "has no token" in run.stderr and "--http-token-file" in run.stderr
    run = subprocess.run([arancini, "status", "--url", url], timeout=60,
                         capture_output=True)
    assert run.returncode == 0


class Breaking(Proxy):
    """Breaks the first connection at its second question about the bucket."""

    def up(self, said, data, target):
        if said is self.said[0] and \
                (said + data).count(b"STREAM.INFO.KV_") > 1:
            raise OSError
        super().up(said, data, target)


def test_a_connection_that_breaks_at_the_start(collector, broker, server,
                                               arancini, tmp_path):
    """After the bucket was opened: there is another attempt."""
    c = collector()
    with Router(c.port) as router:
        router.dump(table(5))
        until_filed(c, broker)
    c.stop()
    proxy = Breaking(broker.port)
    c = Collector(server, arancini, tmp_path / "another", "--state",
                  proxy.url, "--journal", tmp_path / "another" / "journal",
                  "--nats", broker.url, "--collector-id", "ams1")
    assert c.said("event=restored routers=1 routes=5")
    assert len(proxy.said) > 1
    c.stop()
    proxy.close()


def test_actions_need_a_token_file(collector, arancini):
    no_token(collector("--http", "127.0.0.1:0"), arancini)


def test_the_same_over_tls(server, arancini, tmp_path, free_port):
    ca = make_ca(tmp_path, "ca")
    one = Broker(server, tmp_path, free_port()).start(tls_server(tmp_path, ca))
    c = Collector(server, arancini, tmp_path / "host", "--state",
                  f"tls://127.0.0.1:{one.port}", "--journal",
                  tmp_path / "host" / "journal", "--nats", one.url,
                  "--nats-max-bytes", "1G", "--nats-tls-ca", ca[1],
                  "--http", "127.0.0.1:0")
    no_token(c, arancini)


def test_a_bucket_that_goes_away_and_comes_back(collector, broker, stream):
    c = collector()
    with Router(c.port) as router:
        router.dump(table(5))
        until_filed(c, broker)
        broker.kill()
        router.send(announce("10.7.0.0/24"))
        c.until_said("event=manifest_failed")
        broker.start()
        c.until_said("event=manifest_written")
        c.until_said("event=publisher state=ready spooling=false", 2)
        c.stop()
    c = collector()
    assert c.said("event=restored routers=1 routes=6 .*resyncs=0")
    c.stop()
    assert "10.7.0.0/24" in paths(stream())
