"""The state over a restart with a real broker: the stream is what consumers
have, the spool is what they will have."""

import json
import shutil
import subprocess
import time

import pytest

from broker import STREAM, Proxy, check_chain
from collecting import Collector, router_of, table_key, tail
from router import Router, announce, withdraw
from test_restore import (paths, prefixes, resyncs, table, until_filed,
                          updates_after_last_epoch)

OPTIONS = ["--snapshot-interval", "1s", "--nats-max-bytes", "1G"]
TOKEN = "v4_127_0_0_1"


@pytest.fixture
def collector(server, arancini, broker, tmp_path):
    def start(*options):
        c = Collector(server, arancini, tmp_path / "state", "--nats",
                      broker.url, *OPTIONS, *options)
        if broker.process is not None and not broker.process.stopped:
            c.until_said("event=publisher state=ready")
        return c
    return start


class Pausing(Proxy):
    """Keeps the first messages of a stream to itself for a while, or the next
    ones."""

    def __init__(self, port, which):
        super().__init__(port)
        self.which = which
        self.paused = False

    def down(self, data, target):
        now = b"$JS.ACK." in data and not self.paused
        self.paused |= now
        if now and self.which == "first":
            time.sleep(7)
        super().down(data, target)
        if now and self.which == "next":
            time.sleep(12)


@pytest.fixture
def stream(arancini, broker):
    """All that is in the stream, whose chain is whole."""
    def read():
        run = subprocess.run(
            [arancini, "tail", "--nats", broker.url, "--since", "all",
             "--idle-exit", "1", "--json"],
            capture_output=True, text=True, timeout=120, check=True)
        with broker.client() as client:
            check_chain(client.read_stream(STREAM))
        return [json.loads(line) for line in run.stdout.splitlines()]
    return read


def until(c, condition, timeout=60):
    c.server.wait_until(lambda _: condition(), timeout)


def count(lines, kind):
    return [line["kind"] for line in lines].count(kind)


@pytest.mark.parametrize("which", ["first", "next"])
def test_a_broker_that_pauses_is_waited_for(which, collector, broker, arancini,
                                            server, tmp_path):
    """Longer than for an answer as a rule, but less than --restore-wait."""
    broker.start()
    collector().stop()
    c = collector("--snapshot-interval", "1h")
    c.send("generate", "--peers", "2", "--prefixes", "20000", "--seed", "3")
    c.until_said("event=session_close")
    with broker.client() as client:
        until(c, lambda: client.stream_info(STREAM)["state"]["bytes"] > 4e6)
    c.kill()
    proxy = Pausing(broker.port, which)
    c = Collector(server, arancini, tmp_path / "state", "--nats", proxy.url,
                  *OPTIONS)
    c.stop()
    proxy.close()
    assert proxy.paused
    assert c.said(r"event=restored routers=1 .* log_sequences_only=[1-9]")
    assert not c.said("event=resync why")


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_only_differences_are_published_after_a_restart(how, collector, broker,
                                                        stream, tmp_path):
    broker.start()
    c = collector()
    with Router(c.port) as router:
        router.dump(table(20))
        until_filed(c, tmp_path, TOKEN)
        until(c, lambda: count(stream(), "swept") == 1)
        if how == "stop":
            c.stop()
        else:
            c.kill()
    c = collector("--workers", "3")
    assert c.said("event=restored routers=1 routes=20 .*resyncs=0")
    after = table(19) | {"10.1.4.0/24": (65010, 7)}
    with Router(c.port) as router:
        router.dump(after)
        until(c, lambda: count(stream(), "swept") == 2)
    c.stop()
    lines = stream()
    new = updates_after_last_epoch(lines)
    assert prefixes(new) == ["10.1.4.0/24"]
    assert prefixes(new, False) == ["10.1.19.0/24"]
    assert paths(lines) == after
    assert resyncs(lines) == [TOKEN]


def test_what_came_after_the_file_is_read_from_the_stream(collector, broker,
                                                          stream):
    broker.start()
    c = collector("--snapshot-interval", "1h")
    with Router(c.port) as router:
        router.dump(table(5))
        until(c, lambda: count(stream(), "swept") == 1)
        c.stop()
    c = collector("--snapshot-interval", "1h")
    with Router(c.port) as router:
        router.dump(table(5))
        router.send(announce("10.7.0.0/24"), withdraw("10.1.0.0/24"))
        until(c, lambda: "10.7.0.0/24" in paths(stream()))
        until(c, lambda: "10.1.0.0/24" not in paths(stream()))
        c.kill()
    c = collector()
    assert c.said(r"event=restored routers=1 routes=5 log_batches=[1-9]\d* "
                  r".*resyncs=0")
    with Router(c.port) as router:
        router.dump(table(5, start=1))
        until(c, lambda: count(stream(), "swept") == 3)
    c.stop()
    lines = stream()
    assert paths(lines) == table(5, start=1)
    new = updates_after_last_epoch(lines)
    assert prefixes(new, False) == ["10.7.0.0/24"]
    assert prefixes(new) == ["10.1.5.0/24"]


def test_what_is_left_in_the_spool_is_known(collector, broker, stream,
                                            tmp_path):
    broker.start()
    c = collector("--snapshot-interval", "1h")
    with Router(c.port) as router:
        router.dump(table(5))
        until(c, lambda: count(stream(), "swept") == 1)
        c.stop()
    c = collector("--snapshot-interval", "1h")
    with Router(c.port) as router:
        router.dump(table(5))
        until(c, lambda: count(stream(), "swept") == 2)
        broker.kill()
        c.until_said("state=(settling|backoff)")
        router.send(announce("10.7.0.0/24"), withdraw("10.1.0.0/24"))
        c.until_said("spooling=true")
        # On the disk, whatever the collector knows of it.
        until(c, lambda: has(spooled(tmp_path), "10.7.0.0"))
        c.kill()
    broker.start()
    c = collector()
    assert c.said(r"event=restored routers=1 routes=5 log_batches=[1-9]\d* "
                  r".*resyncs=0")
    with Router(c.port) as router:
        router.dump(table(5, start=1))
        until(c, lambda: count(stream(), "swept") == 3)
    c.stop()
    lines = stream()
    assert paths(lines) == table(5, start=1)
    assert prefixes(updates_after_last_epoch(lines), False) == [
        "10.1.0.0/24", "10.7.0.0/24"]


def spooled(tmp_path):
    return b"".join(p.read_bytes() for p in
                    sorted((tmp_path / "state" / "journal").glob("*.seg")))


def has(content, address):
    return bytes([*b"\xff\xff", *map(int, address.split("."))]) in content


def test_a_spool_without_any_state_is_known(collector, broker, stream,
                                            tmp_path):
    """The broker was never there, so there is no mark and no manifest; what
    is in the spool will be published, and somebody must answer for it."""
    c = collector()
    with Router(c.port) as router:
        router.dump(table(5))
        c.until_said("spooling=true")
        until(c, lambda: has(spooled(tmp_path), "10.1.4.0"))
        c.kill()
    assert not (tmp_path / "state" / "snapshots" / "manifest").exists()
    broker.start()
    c = collector()
    # The router does not come back.
    until(c, lambda: resyncs(stream()) == [TOKEN, TOKEN])
    c.stop()
    assert paths(stream()) == {}
    assert len(prefixes([line for line in stream()
                         if line["kind"] == "update"])) == 5


def test_a_stream_that_was_deleted_while_it_was_down(collector, broker, stream,
                                                     tmp_path):
    broker.start()
    c = collector()
    with Router(c.port) as router:
        router.dump(table(20))
        until_filed(c, tmp_path, TOKEN)
    c.stop()
    with broker.client() as client:
        assert client.api(f"STREAM.DELETE.{STREAM}")["success"]
    c = collector()
    assert c.said("event=restored routers=1 routes=20 .*resyncs=1")
    # Without the router: it is all in the state.
    until(c, lambda: paths(stream()) == table(20))
    until_filed(c, tmp_path, TOKEN)
    c.stop()
    lines = stream()
    assert all(line["resync"] for line in lines if line["kind"] == "update")
    again = collector()
    assert again.said("event=restored routers=1 routes=20 .*resyncs=0")
    again.stop()


def test_a_stream_that_is_deleted_while_it_runs(collector, broker, stream,
                                                tmp_path):
    broker.start()
    c = collector()
    with Router(c.port) as router:
        router.dump(table(20))
        until_filed(c, tmp_path, TOKEN)
        with broker.client() as client:
            assert client.api(f"STREAM.DELETE.{STREAM}")["success"]
        # The next change finds that there is no stream, and makes one.
        router.send(announce("10.7.0.0/24"))
        c.until_said("event=resync why=\"the stream is a new one\"")
        wanted = table(20) | {"10.7.0.0/24": (65010,)}
        until(c, lambda: paths(stream()) == wanted)
        c.kill()
    c = collector()
    until(c, lambda: paths(stream()) == wanted)
    c.stop()


@pytest.mark.parametrize("how", [{}, {"keep": 3}, {"filter": TOKEN}])
def test_a_stream_that_is_purged_while_it_runs(collector, broker, arancini,
                                               stream, how):
    """Consumers that were behind miss messages, and nothing is published that
    would tell them. They do not wait for the next snapshots."""
    broker.start()
    c = collector("--batch-max-bytes", "1K", "--snapshot-interval", "1h")
    with Router(c.port) as router:
        router.dump(table(20))
        until(c, lambda: count(stream(), "swept") == 1)
        if "filter" in how:
            how = {"filter": f"arancini.updates.{TOKEN}.>"}
        with broker.client() as client:
            answer = client.api(f"STREAM.PURGE.{STREAM}", how)
            assert answer["success"] and answer["purged"] > 0
        c.until_said("event=resync why=\"somebody removed messages")
        until(c, lambda: paths(list(tail(arancini, "--nats", broker.url)))
              == table(20))
        assert len(c.said("event=resync")) == 1
    c.stop()


@pytest.mark.parametrize("how", [{}, {"keep": 2}])
def test_a_stream_that_is_purged_while_the_collector_is_stopped(
        collector, broker, arancini, stream, how):
    """Cleanly: nothing is missing behind the positions of the snapshots, but
    consumers that were behind miss what is before."""
    broker.start()
    c = collector("--batch-max-bytes", "1K")
    with Router(c.port) as router:
        router.dump(table(20))
        until(c, lambda: count(stream(), "swept") == 1)
    c.stop()
    with broker.client() as client:
        answer = client.api(f"STREAM.PURGE.{STREAM}", how)
        assert answer["success"] and answer["purged"] > 0
    c = collector()
    assert c.said("event=resync why=\"somebody removed messages")
    assert c.said("event=restored .*resyncs=1")
    with Router(c.port) as router:
        router.dump(table(20))
        until(c, lambda: paths(list(tail(arancini, "--nats", broker.url)))
              == table(20))
    c.stop()
    # It is said once.
    c = collector()
    assert c.said("event=restored .*resyncs=0")
    c.stop()


@pytest.mark.parametrize("damage", ["flipped", "removed"])
def test_a_purge_behind_which_the_manifest_is_lost(
        damage, collector, broker, arancini, stream, tmp_path):
    """Only the manifest says what the stream held: without it nobody knows of
    the purge, and so consumers get the tables again."""
    broker.start()
    c = collector("--batch-max-bytes", "1K")
    with Router(c.port) as router:
        router.dump(table(20))
        until(c, lambda: count(stream(), "swept") == 1)
        until_filed(c, tmp_path, TOKEN)
        with broker.client() as client:
            assert client.api(f"STREAM.PURGE.{STREAM}")["purged"] > 0
        c.kill()  # before it looks at the stream again
    manifest = tmp_path / "state" / "snapshots" / "manifest"
    if damage == "removed":
        manifest.unlink()
    else:
        manifest.write_text(manifest.read_text().replace("filed", "new"))
    c = collector()
    assert c.said("event=resync why=\"there is no valid manifest")
    assert c.said("event=restored routers=1 .*resyncs=1")
    with Router(c.port) as router:
        router.dump(table(20))
        until(c, lambda: paths(list(tail(arancini, "--nats", broker.url)))
              == table(20))
    c.stop()
    # It is said once.
    c = collector()
    assert c.said("event=restored .*resyncs=0")
    c.stop()


def test_a_stream_that_is_deleted_in_silence(collector, broker, stream,
                                             tmp_path):
    """It is made again, although nothing is to be published."""
    broker.start()
    c = collector()
    with Router(c.port) as router:
        router.dump(table(20))
        until_filed(c, tmp_path, TOKEN)
        with broker.client() as client:
            assert client.api(f"STREAM.DELETE.{STREAM}")["success"]
        c.until_said("event=resync why=\"the stream is a new one\"")
        until(c, lambda: paths(stream()) == table(20))
    c.stop()


def test_a_stream_that_is_deleted_before_the_first_snapshot(collector, broker,
                                                            stream):
    """Of a router that came while the broker was not there yet."""
    c = collector("--snapshot-interval", "1h")
    with Router(c.port) as router:
        router.dump(table(20))
        broker.start()
        c.until_said("event=publisher state=ready")
        until(c, lambda: count(stream(), "swept") == 1)
        with broker.client() as client:
            assert client.api(f"STREAM.DELETE.{STREAM}")["success"]
        c.until_said("event=resync why=\"the stream is a new one\"")
        until(c, lambda: paths(stream()) == table(20))
    c.stop()


def test_a_stream_that_loses_its_end_while_it_runs(collector, broker, stream,
                                                   tmp_path):
    """As after a power failure of its host: the store is that of some time
    ago, and what was acknowledged since is not in it."""
    store, copy = tmp_path / broker.name, tmp_path / "before"
    broker.start()
    c = collector("--acked-tail", "0")
    with Router(c.port) as router:
        router.dump(table(5))
        until(c, lambda: count(stream(), "swept") == 1)
        broker.process.stop()
        shutil.copytree(store, copy)
        broker.start()
        router.send(announce("10.7.0.0/24"), withdraw("10.1.0.0/24"))
        wanted = table(5) | {"10.7.0.0/24": (65010,)}
        del wanted["10.1.0.0/24"]
        until(c, lambda: paths(stream()) == wanted)
        broker.kill()
        shutil.rmtree(store)
        copy.rename(store)
        broker.start()
        c.until_said("event=resync why=\"the stream lost what it had")
        until(c, lambda: paths(stream()) == wanted)
    c.stop()


def put_back(store, copy):
    shutil.rmtree(store)
    shutil.copytree(copy, store)


@pytest.mark.parametrize("manifest", ["written", "removed"])
def test_a_crash_behind_a_rollback(manifest, collector, broker, stream,
                                   tmp_path):
    """After a rollback the stream gives sequences of lost messages to others.
    So the positions that the manifest had do not count any more, also if the
    collector is killed before it writes the next one; if it cannot be written,
    there is none."""
    options = ["--acked-tail", "0", "--snapshot-interval", "1h",
               "--batch-max-bytes", "1K"]
    store, copy = tmp_path / broker.name, tmp_path / "before"
    many = {f"10.2.{n}.0/24": (65010, 1) for n in range(250)}
    broker.start()
    c = collector(*options)
    with Router(c.port) as router:
        router.dump(table(5))
        until(c, lambda: count(stream(), "swept") == 1)
        broker.process.stop()
        shutil.copytree(store, copy)
        broker.start()
        router.send(*(announce(*route) for route in many.items()))
        until(c, lambda: paths(stream()) == table(5) | many)
    c.stop()
    c = collector(*options)
    broker.kill()
    put_back(store, copy)
    blocked = tmp_path / "state" / "snapshots" / "manifest.tmp"
    if manifest == "removed":
        blocked.mkdir()
    broker.start()
    with Router(c.port) as router:
        router.dump(table(5) | {"10.7.0.0/24": (65010,)})
        c.until_said("event=resync why=\"the stream lost what it had")
        until(c, lambda: "10.7.0.0/24" in paths(stream()))
        # More messages than were lost.
        for path in (2, 3, 4):
            router.send(*(announce(prefix, (65010, path)) for prefix in many))
        until(c, lambda: paths(stream()).get("10.2.249.0/24") == (65010, 4))
        c.kill()
    if manifest == "removed":
        assert not blocked.with_suffix("").exists()
        blocked.rmdir()
    c = collector(*options)
    with Router(c.port) as router:
        router.dump(table(5))
        until(c, lambda: paths(stream()) == table(5))
    c.stop()
    assert c.said("event=restored .*resyncs=1")


def test_a_stream_that_ends_before_what_the_manifest_names(collector, broker,
                                                           stream, tmp_path):
    """Both hosts lost power: nobody has the acked tail, and consumers may have
    read what is gone."""
    store, copy = tmp_path / broker.name, tmp_path / "before"
    manifest = tmp_path / "state" / "snapshots" / "manifest"
    broker.start()
    c = collector()
    with Router(c.port) as router:
        router.dump(table(5))
        until_filed(c, tmp_path, TOKEN)
        broker.process.stop()
        shutil.copytree(store, copy)
        broker.start()
        # Two messages, too few changes for another file.
        for prefix in ("10.7.0.0/24", "10.8.0.0/24"):
            router.send(announce(prefix))
            until(c, lambda p=prefix: p in paths(stream()))
        with broker.client() as client:
            end = client.stream_info(STREAM)["state"]["last_seq"]
        until(c, lambda: f" {end}\n" in manifest.read_text())
        c.kill()
    broker.kill()
    put_back(store, copy)
    shutil.rmtree(tmp_path / "state" / "journal" / "acked-tail")
    broker.start()
    c = collector()
    assert c.said("event=resync why=.*the log ends before a position")
    with Router(c.port) as router:
        router.dump(table(5))
        until(c, lambda: count(stream(), "swept") == 2)
    c.stop()
    lines = stream()
    assert paths(lines) == table(5)
    assert resyncs(lines) == [TOKEN, TOKEN]


def check_sequences(lines):
    """A consumer that throws away what it has seen throws nothing away."""
    last = {}
    for line in lines:
        if line["kind"] == "update":
            table = (router_of(line), *table_key(line))
            assert line["sequence"] > last.get(table, 0), line
            last[table] = line["sequence"]


def limit_messages(broker, count):
    """The stream trims itself."""
    with broker.client() as client:
        config = client.stream_info(STREAM)["config"]
        answer = client.api(f"STREAM.UPDATE.{STREAM}",
                            config | {"max_msgs": count})
        assert answer["config"]["max_msgs"] == count


def test_a_stream_that_does_not_reach_back(collector, broker, stream,
                                           tmp_path):
    broker.start()
    c = collector("--snapshot-interval", "1h")
    with Router(c.port) as router:
        router.dump(table(5))
        until(c, lambda: count(stream(), "swept") == 1)
        until(c, (tmp_path / "state" / "snapshots" / "manifest").exists)
        c.kill()
    before = stream()
    limit_messages(broker, 1)
    c = collector()
    limit_messages(broker, -1)
    assert c.said("event=resync why=.*does not reach back")
    assert "Stale file handle" not in c.server.output
    with Router(c.port) as router:
        router.dump(table(4))
        until(c, lambda: paths(stream()) == table(4))
    c.stop()
    check_sequences(before + stream())


def test_the_broker_is_away_at_the_restart(collector, broker, stream,
                                           tmp_path):
    broker.start()
    c = collector()
    with Router(c.port) as router:
        router.dump(table(20))
        until_filed(c, tmp_path, TOKEN)
    c.stop()
    broker.kill()
    c = collector("--restore-wait", "1s")
    assert c.said("event=resync why=.*end of the log is not known")
    after = table(19)
    with Router(c.port) as router:
        router.dump(after)
        broker.start()
        c.until_said("event=publisher state=ready spooling=false")
        until(c, lambda: paths(stream()) == after)
    c.stop()
    lines = stream()
    assert paths(lines) == after
    assert resyncs(lines) == [TOKEN, TOKEN]
    check_sequences(lines)


def test_nobody_can_say_how_far_the_sequences_were(collector, broker, stream,
                                                   tmp_path):
    """The file is old, more is in the stream, more still in the spool; and the
    broker is away. A router whose file was not even begun is there, too."""
    broker.start()
    c = collector("--snapshot-interval", "1h")
    with Router(c.port) as router:
        router.dump(table(5))
        until(c, lambda: count(stream(), "swept") == 1)
        c.stop()
    c = collector("--snapshot-interval", "1h")
    with Router(c.port) as router, Router(c.port, "127.0.0.9") as new:
        router.dump(table(5, third=2))
        new.dump(table(5))
        until(c, lambda: count(stream(), "swept") == 3)
        broker.kill()
        c.until_said("state=(settling|backoff)")
        router.send(*(announce(p) for p in table(5)))
        c.until_said("spooling=true")
        until(c, lambda: has(spooled(tmp_path), "10.1.4.0"))
        c.kill()
    c = collector("--snapshot-interval", "1h", "--restore-wait", "1s")
    assert c.said("event=resync why=.*end of the log is not known")
    with Router(c.port) as router, Router(c.port, "127.0.0.9") as new:
        router.dump(table(6, third=3))
        new.dump(table(4))
        broker.start()
        c.until_said("event=publisher state=ready spooling=false")
        until(c, lambda: paths(stream()) == table(6, third=3))
        until(c, lambda: paths(stream(), "v4_127_0_0_9") == table(4))
    c.stop()
    check_sequences(stream())


def test_a_drain_with_the_broker_away_loses_nothing(collector, broker, stream,
                                                    tmp_path):
    broker.start()
    c = collector()
    with Router(c.port) as router:
        router.dump(table(20))
        until_filed(c, tmp_path, TOKEN)
        broker.kill()
        router.send(announce("10.7.0.0/24"))
        c.until_said("spooling=true")
        until(c, lambda: has(spooled(tmp_path), "10.7.0.0"))
        c.stop()
    broker.start()
    c = collector()
    # The last file has it, and the spool still had to publish it.
    assert c.said("event=restored routers=1 routes=21 .*resyncs=0")
    until(c, lambda: "10.7.0.0/24" in paths(stream()))
    c.stop()
    wanted = table(20) | {"10.7.0.0/24": (65010,)}
    assert paths(stream()) == wanted


def cut_newest_segment(journal):
    newest = max(journal.glob("*.seg"))
    with open(newest, "r+b") as file:
        file.truncate(max(newest.stat().st_size // 10, 64))


LOSSES = {"nothing": lambda journal: None,
          "the folder": shutil.rmtree,
          "most of a segment": cut_newest_segment}


@pytest.mark.parametrize("loss", LOSSES)
def test_snapshots_that_rely_on_a_spool_that_is_lost(loss, collector, broker,
                                                     stream, tmp_path):
    """Snapshots say what consumers will have once the spool is published. If it
    never is, they must not be believed."""
    broker.start()
    c = collector()
    before, after = table(20), table(20) | table(60, third=2)
    with Router(c.port) as router:
        router.dump(before)
        until_filed(c, tmp_path, TOKEN)
        until(c, lambda: count(stream(), "swept") == 1)
        broker.kill()
        router.send(*(announce(p, path) for p, path in after.items()))
        c.until_said("event=publisher .*spooling=true")
        c.stop()
    LOSSES[loss](tmp_path / "state" / "journal")
    broker.start()
    c = collector()
    lost = loss != "nothing"
    assert bool(c.said("event=resync why=.*rely on.* routers=1")) is lost
    assert c.said(f"event=restored routers=1 .*resyncs={int(lost)}")
    with Router(c.port) as router:
        router.dump(after)
        until(c, lambda: paths(stream()) == after)
    c.stop()
    assert paths(stream()) == after
