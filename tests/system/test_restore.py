"""The state over a restart, with the journal as the output: what consumers
have is what the collector goes on from."""

import os
import re
import signal
import struct

import pytest

from collecting import Collector, consumer_tables, router_of
from router import (Router, announce, end_of_rib, peer_up, withdraw)
from watching import WatchedCollector

OFTEN = ["--snapshot-interval", "1s"]


@pytest.fixture
def collector(server, arancini, tmp_path):
    def start(*options, folder="state"):
        return Collector(server, arancini, tmp_path / folder, *OFTEN, *options)
    return start


def table(count, third=1, start=0):
    """Prefixes 10.N.x.0/24 with a path."""
    return {f"10.{third}.{i}.0/24": (65010, 100 + i)
            for i in range(start, start + count)}


def updates_after_last_epoch(lines):
    last = max(i for i, line in enumerate(lines) if line["kind"] == "epoch")
    return [line for line in lines[last:] if line["kind"] == "update"]


def prefixes(lines, announced=True):
    return sorted(f"{line['prefixAddr']}/{line['prefixLen']}"
                  for line in lines if line["announced"] is announced)


def paths(lines, router="v4_127_0_0_1"):
    """Prefix to AS path, as a consumer has it in the end."""
    return {f"{key[10]}/{key[11]}": value[0]
            for key, value in consumer_tables(lines).get(router, {}).items()}


def resyncs(lines):
    return [router_of(line) for line in lines if line["kind"] == "resync"]


def until_filed(c, tmp_path, *tokens, folder="state"):
    """Until the manifest says that each has a file that counts."""
    manifest = tmp_path / folder / "snapshots" / "manifest"

    def filed(_):
        try:
            text = manifest.read_text()
        except FileNotFoundError:
            return False
        return all(f"router {token} filed" in text for token in tokens)
    c.server.wait_until(filed, 60)


def until_swept(c, count=1):
    c.server.wait_until(
        lambda _: [line["kind"] for line in c.published()].count("swept")
        >= count, 60)


def go_down(c, how):
    if how == "stop":
        c.stop()
    else:
        c.kill()


@pytest.mark.parametrize("how", ["stop", "kill"])
@pytest.mark.parametrize("source", ["127.0.0.1", "127.0.0.77"])
def test_only_differences_are_published_after_a_restart(how, source, collector,
                                                        tmp_path):
    token = "v4_" + source.replace(".", "_")
    before = table(20)
    c = collector()
    with Router(c.port, source) as router:
        router.dump(before)
        until_swept(c)
        until_filed(c, tmp_path, token)
        go_down(c, how)
    # While the collector is down: one route goes, one changes, one comes.
    after = dict(before)
    del after["10.1.3.0/24"]
    after["10.1.4.0/24"] = (65010, 7, 7)
    after["10.2.0.0/24"] = (65010, 1)
    c = collector()
    assert c.said(r"event=restored routers=1 routes=20 .*resyncs=0")
    with Router(c.port, source) as router:
        router.dump(after)
        until_swept(c, 2)
    c.stop()
    lines = c.published()
    new = updates_after_last_epoch(lines)
    assert prefixes(new) == ["10.1.4.0/24", "10.2.0.0/24"]
    assert prefixes(new, announced=False) == ["10.1.3.0/24"]
    gone = [line for line in new if not line["announced"]]
    assert gone[0]["synthetic"] and gone[0]["reason"] == "staleSweep"
    assert paths(lines, token) == after
    # Sequences go on.
    sequences = [line["sequence"] for line in lines if line["kind"] == "update"]
    assert sequences == list(range(1, len(sequences) + 1))


def test_any_number_of_workers_finds_the_state(collector, tmp_path):
    sources = [f"127.0.0.{i}" for i in range(10, 22)]
    tokens = ["v4_" + s.replace(".", "_") for s in sources]
    routers = []
    for workers in (1, 4, 2):
        c = collector("--workers", workers)
        if routers:
            assert c.said(r"event=restored routers=12 routes=120 .*resyncs=0")
        routers = [Router(c.port, s).dump(table(10)) for s in sources]
        until_filed(c, tmp_path, *tokens)
        for router in routers:
            router.send(announce("10.200.0.0/24"), withdraw("10.200.0.0/24"))
        c.until_said("event=session_open", len(sources))
        c.stop()
        for router in routers:
            router.close()
    lines = c.published()
    first = [i for i, line in enumerate(lines) if line["kind"] == "epoch"][1]
    assert len([line for line in lines[:first]
                if line["kind"] == "update" and line["announced"]
                and line["prefixAddr"].startswith("10.1.")]) == 120
    assert not [line for line in lines[first:] if line["kind"] == "update"
                and line["prefixAddr"].startswith("10.1.")]
    tables = consumer_tables(lines)
    assert sorted(tables) == sorted(tokens)


def test_another_listener_finds_the_state(collector, server, arancini,
                                          tmp_path):
    c = collector("--workers", "3", "--listen", "127.0.0.2:0")
    ports = [int(p) for p in
             re.findall(r"event=listening at=[\d.]+:(\d+)", c.server.output)]
    assert len(ports) == 2
    for n, (port, to) in enumerate(zip(ports, ("127.0.0.1", "127.0.0.2"))):
        with Router(port, "127.0.0.50", to=to) as router:
            router.dump(table(10))
            until_swept(c, n + 1)
        c.until_said("event=session_close", n + 1)
    c.stop()
    updates = [line for line in c.published() if line["kind"] == "update"]
    assert len(updates) == 10


def test_named_routers_are_found_by_name(collector, tmp_path):
    name, token = "core-1.example_net", "id_core-1_2eexample_5fnet"
    c = collector("--router-id", "sysname", "--workers", "2")
    with Router(c.port, "127.0.0.5", name) as router:
        router.dump(table(10))
        until_filed(c, tmp_path, token)
        c.kill()
    c = collector("--router-id", "sysname", "--workers", "3")
    assert c.said(r"event=restored routers=1 routes=10 .*resyncs=0")
    with Router(c.port, "127.0.0.6", name) as router:
        router.dump(table(9))
        until_swept(c, 2)
    c.stop()
    lines = c.published()
    assert prefixes(updates_after_last_epoch(lines), False) == ["10.1.9.0/24"]
    assert paths(lines, token) == table(9)


def test_a_router_that_does_not_come_back_is_withdrawn(collector, tmp_path):
    c = collector()
    with Router(c.port) as router:
        router.dump(table(5))
        until_filed(c, tmp_path, "v4_127_0_0_1")
        c.kill()
    c = collector("--stale-hold", "1s")
    c.server.wait_until(lambda _: paths(c.published()) == {}, 30)
    c.stop()
    gone = updates_after_last_epoch(c.published())
    assert prefixes(gone, False) == sorted(table(5))


def test_what_came_after_the_file_is_read_from_the_log(collector, tmp_path):
    c = collector("--snapshot-interval", "1h")
    with Router(c.port) as router:
        router.dump(table(5))
        until_swept(c)
        c.stop()
    c = collector("--snapshot-interval", "1h")
    with Router(c.port) as router:
        # Behind the file: a route that comes, one that goes, one that changes.
        router.dump(table(5))
        until_swept(c, 2)
        router.send(announce("10.7.0.0/24"), withdraw("10.1.0.0/24"),
                    announce("10.1.1.0/24", (65010, 9)))
        c.server.wait_until(lambda _: "10.7.0.0/24" in paths(c.published()),
                            30)
        c.server.wait_until(
            lambda _: paths(c.published()).get("10.1.1.0/24") == (65010, 9),
            30)
        c.kill()
    c = collector()
    assert c.said(r"event=restored routers=1 routes=5 log_batches=[1-9]\d* "
                  r".*resyncs=0")
    after = table(5, start=2)
    with Router(c.port) as router:
        router.dump(after)
        until_swept(c, 3)
    c.stop()
    lines = c.published()
    assert paths(lines) == after
    new = updates_after_last_epoch(lines)
    # 10.1.0.0 was withdrawn before; 10.1.1.0 and 10.7.0.0 are remembered.
    assert prefixes(new, False) == ["10.1.1.0/24", "10.7.0.0/24"]
    assert prefixes(new) == ["10.1.5.0/24", "10.1.6.0/24"]


def test_killed_before_the_first_file(collector, tmp_path):
    c = collector("--snapshot-interval", "1h")
    assert (tmp_path / "state" / "snapshots" / "manifest").exists()
    with Router(c.port) as router:
        router.dump(table(5))
        until_swept(c)
        c.kill()
    c = collector()
    # Only its sequences are read: its routes would be forgotten anyway.
    assert c.said(r"event=restored routers=1 .*log_batches=0 "
                  r"log_sequences_only=[1-9]\d* ")
    # Nobody knows what consumers have: they are told, without the router.
    c.server.wait_until(lambda _: len(resyncs(c.published())) == 2, 30)
    assert paths(c.published()) == {}
    with Router(c.port) as router:
        router.dump(table(3))
        until_swept(c, 2)
    c.stop()
    assert paths(c.published()) == table(3)


def snapshot_file(tmp_path, token="v4_127_0_0_1"):
    return tmp_path / "state" / "snapshots" / f"{token}.snap"


@pytest.fixture
def two_filed(collector, tmp_path):
    """Two routers with a file each, and the collector gone."""
    c = collector()
    routers = [Router(c.port, s).dump(table(50))
               for s in ("127.0.0.1", "127.0.0.2")]
    until_filed(c, tmp_path, "v4_127_0_0_1", "v4_127_0_0_2")
    c.stop()
    for router in routers:
        router.close()


@pytest.mark.parametrize("how", ["flip", "cut", "empty", "rubbish", "foreign",
                                 "gone", "fifo"])
def test_a_damaged_file_is_set_aside_and_the_rest_is_used(
        how, two_filed, collector, tmp_path):
    path = snapshot_file(tmp_path)
    content = bytearray(path.read_bytes())
    if how == "flip":
        content[len(content) // 2] ^= 0x10
    elif how == "cut":
        del content[len(content) - 7:]
    elif how == "empty":
        content = b""
    elif how == "rubbish":
        content = b"What is this?\n" * 100
    elif how == "foreign":
        content = snapshot_file(tmp_path, "v4_127_0_0_2").read_bytes()
    path.write_bytes(content)
    if how in ("gone", "fifo"):
        path.unlink()
    if how == "fifo":
        os.mkfifo(path)         # nobody will ever write to it
    c = collector("--workers", "2")
    assert c.said(r"event=restored routers=\d routes=50 .*resyncs=1")
    if how != "gone":
        assert c.said(r"event=snapshot_not_used file=v4_127_0_0_1.snap .*why=")
        # A pipe may not be renamed in the sandbox, and is removed.
        assert path.with_name(path.name + ".damaged").exists() or \
            (how == "fifo" and not path.is_fifo())
    c.server.wait_until(
        lambda _: resyncs(c.published()).count("v4_127_0_0_1") == 2, 30)
    after = table(49)
    routers = [Router(c.port, s).dump(after)
               for s in ("127.0.0.1", "127.0.0.2")]
    until_swept(c, 4)
    c.stop()
    for router in routers:
        router.close()
    lines = c.published()
    assert paths(lines, "v4_127_0_0_1") == after
    assert paths(lines, "v4_127_0_0_2") == after
    assert resyncs(lines).count("v4_127_0_0_2") == 1
    again = collector()
    assert again.said(r"event=restored routers=2 routes=98 .*resyncs=0")
    again.stop()


def test_a_resync_that_was_cut_short_is_made_again(two_filed, collector,
                                                   tmp_path):
    """Damaged file, and killed before anything of the RESYNC is safe: the
    manifest must not have forgotten that it is needed."""
    snapshot_file(tmp_path).unlink()
    c = collector("--snapshot-interval", "1h")
    c.kill()
    c = collector()
    assert c.said(r"event=restored .*resyncs=1")
    c.server.wait_until(
        lambda _: resyncs(c.published()).count("v4_127_0_0_1") >= 2, 30)
    c.stop()
    assert paths(c.published()) == {}


def change(manifest):
    manifest.write_text(manifest.read_text().replace("filed", "new"))


def lengthen(manifest):
    """Not a byte of it is read, nor is there memory for it."""
    os.truncate(manifest, 1 << 40)


@pytest.mark.parametrize("damage, why", [(change, "is damaged"),
                                         (lengthen, "is too long")])
def test_a_damaged_manifest_is_set_aside(two_filed, collector, tmp_path,
                                         damage, why):
    manifest = tmp_path / "state" / "snapshots" / "manifest"
    damage(manifest)
    c = collector()
    assert c.said(f"event=manifest_not_used .*why=\"?{why}")
    assert c.said(r"event=restored routers=2 routes=100 .*resyncs=0")
    assert manifest.with_name("manifest.damaged").exists()
    c.stop()
    assert "router v4_127_0_0_2 filed" in manifest.read_text()


def test_a_manifest_that_is_no_file_is_set_aside(two_filed, collector,
                                                 tmp_path):
    manifest = tmp_path / "state" / "snapshots" / "manifest"
    manifest.unlink()
    os.mkfifo(manifest)
    c = collector()
    assert c.said("event=manifest_not_used .*why=\"?cannot be read")
    c.stop()


def crc32c(data):
    sum = 0xffffffff
    for byte in data:
        sum ^= byte
        for _ in range(8):
            sum = sum >> 1 ^ (0x82f63b78 if sum & 1 else 0)
    return sum ^ 0xffffffff


def refuses(server, arancini, tmp_path, *options):
    run = server([arancini, "run", "--listen", "127.0.0.1:0", "--state",
                  tmp_path / "state", "--http", "off", *options])
    assert run.wait(timeout=30) == 1
    return run.output


def test_a_later_version_is_refused(two_filed, server, arancini, tmp_path):
    path = snapshot_file(tmp_path)
    content = bytearray(path.read_bytes())
    content[8:12] = struct.pack(">HH", 99, 0)
    content[12:16] = struct.pack(">I", crc32c(content[:12]))
    path.write_bytes(content)
    said = refuses(server, arancini, tmp_path)
    assert "snapshot_not_used file=v4_127_0_0_1.snap" in said
    assert "later version" in said
    assert path.read_bytes() == content


def test_a_manifest_of_a_later_version_is_refused(two_filed, server, arancini,
                                                  tmp_path):
    path = tmp_path / "state" / "snapshots" / "manifest"
    text = re.sub(r"^arancini manifest \d+", "arancini manifest 99",
                  path.read_text())
    path.write_text(text)
    said = refuses(server, arancini, tmp_path)
    assert re.search("event=manifest_not_used .*later version.*run that "
                     "version, or start with another --state", said)
    assert path.read_text() == text


def test_snapshots_that_were_moved_aside_mean_a_resync(two_filed, collector,
                                                       tmp_path):
    """The way back to an older version, as docs/operations.md has it."""
    (tmp_path / "state" / "snapshots").rename(tmp_path / "later")
    c = collector()
    after = table(49)
    with Router(c.port) as router:
        router.dump(after)
        until_swept(c, 3)
        c.stop()
    lines = c.published()
    assert paths(lines, "v4_127_0_0_1") == after
    assert resyncs(lines).count("v4_127_0_0_1") == 2


def test_the_state_of_another_collector_is_refused(two_filed, server, arancini,
                                                   tmp_path):
    said = refuses(server, arancini, tmp_path, "--collector-id", "other")
    assert "is of another collector" in said and "--collector-id" in said


def test_a_journal_that_is_gone_means_a_resync(two_filed, collector, tmp_path):
    for path in (tmp_path / "state" / "journal").glob("*"):
        path.unlink()
    c = collector()
    assert c.said(r"event=restored routers=2 routes=100 .*resyncs=2")
    c.server.wait_until(
        lambda _: len(consumer_tables(c.published())) == 2, 30)
    c.stop()
    lines = c.published()
    assert paths(lines, "v4_127_0_0_1") == table(50)
    assert paths(lines, "v4_127_0_0_2") == table(50)
    assert all(line["resync"] for line in lines if line["kind"] == "update")


def test_presence_survives_a_resync(collector, tmp_path):
    """Attributes are not kept there, and what is present is not published
    again when its router returns: so a resync must have it."""
    options = ["--curation", "presence"]
    c = collector(*options)
    with Router(c.port) as router:
        router.dump(table(20))
        until_filed(c, tmp_path, "v4_127_0_0_1")
        c.stop()
    for path in (tmp_path / "state" / "journal").glob("*"):
        path.unlink()
    c = collector(*options)
    with Router(c.port) as router:
        router.dump(table(19))
        until_swept(c)
    c.stop()
    assert sorted(paths(c.published())) == sorted(table(19))


def test_the_second_signal_ends_it_at_once(collector):
    c = collector()
    process = c.server.process
    # Both are there when it looks: one is taken, and the other ends it.
    process.send_signal(signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGCONT)
    assert c.server.wait(timeout=20) == -signal.SIGTERM
    assert c.said("event=stopping") and not c.said("event=stopped")


def test_curation_off_keeps_nothing(collector, tmp_path):
    c = collector("--curation", "off")
    with Router(c.port) as router:
        router.send(peer_up(), announce("10.1.0.0/24"), end_of_rib())
        c.until_said("session_open")
    c.until_said("session_close")
    c.stop()
    assert not (tmp_path / "state" / "snapshots").exists()


def block_file(tmp_path, token):
    """Make the file of a router one that cannot be written."""
    path = tmp_path / "state" / "snapshots" / f"{token}.snap"
    path.unlink(missing_ok=True)
    (path / "in-the-way").mkdir(parents=True)


def test_a_file_that_fails_does_not_keep_others_from_theirs(collector,
                                                           tmp_path):
    c = collector("--workers", "1")
    block_file(tmp_path, "v4_127_0_0_2")
    with Router(c.port, source="127.0.0.1") as good:
        # The younger one is the first in every round.
        c.until_said("event=session_open")
        with Router(c.port, source="127.0.0.2") as bad:
            bad.dump(table(5))
            c.until_said("event=snapshot_failed file=v4_127_0_0_2.snap", 2)
            good.dump(table(5))
            until_filed(c, tmp_path, "v4_127_0_0_1")
    # And at the end: so few changes are not written before.
    file = tmp_path / "state" / "snapshots" / "v4_127_0_0_1.snap"
    before = file.read_bytes()
    with Router(c.port, source="127.0.0.1") as good:
        good.dump(table(9))
        c.server.wait_until(
            lambda _: len(paths(c.published(), "v4_127_0_0_1")) == 9, 30)
        c.stop()
    assert c.said("event=final_snapshot_failed")
    assert c.said("event=final_snapshots_missing older_file=0 no_file=1 "
                  "files=v4_127_0_0_2.snap")
    assert file.read_bytes() != before


def test_a_file_does_not_count_from_the_beginning_of_a_resync(
        server, arancini, tmp_path):
    c = WatchedCollector(server, arancini, tmp_path / "state", *OFTEN)
    manifest = tmp_path / "state" / "snapshots" / "manifest"
    with Router(c.port) as router:
        router.dump(table(5))
        until_filed(c, tmp_path, "v4_127_0_0_1")
        # No other one can take its place.
        block_file(tmp_path, "v4_127_0_0_1")
        c.http.token = (tmp_path / "state" / "http-token").read_text().strip()
        assert c.http.post("/api/v1/resync").status == 202
        c.server.wait_until(
            lambda _: "router v4_127_0_0_1 new" in manifest.read_text(),
            30)
    c.stop()


def test_a_manifest_of_a_later_file_than_the_one_that_is_there(collector,
                                                               tmp_path):
    """As a copy of the folder of a running collector may have it: a file, and a
    manifest that was written after the next one."""
    file = tmp_path / "state" / "snapshots" / "v4_127_0_0_1.snap"
    c = collector()
    with Router(c.port) as router:
        router.dump(table(5))
        until_swept(c)
        until_filed(c, tmp_path, "v4_127_0_0_1")
        old = file.read_bytes()
        router.send(announce("10.1.3.0/24", (65010, 7)))
        c.server.wait_until(lambda _: paths(c.published())["10.1.3.0/24"] ==
                            (65010, 7), 60)
        c.stop()
    assert file.read_bytes() != old
    file.write_bytes(old)
    c = collector()
    # As the old file has it, and not as consumers have it.
    with Router(c.port) as router:
        router.dump(table(5))
        until_swept(c, 2)
    c.stop()
    assert paths(c.published()) == table(5)
