"""One rule of sequences (docs/schema.md, field 43): in one table no update has a
number that is not above those of all updates before it, however the table
began again. And after a resync nothing is withdrawn that consumers do not
have."""

import os
import shutil
import time

import pytest

from collecting import consumer_tables, route_key, router_of, table_key
from router import PEER, Router, message, peer_down, peer_header, withdraw
from test_restore import (collector, paths, table, until_filed,  # noqa: F401
                          until_swept)
from watching import WatchedCollector

TOKEN = "v4_127_0_0_1"


def check_sequences(lines):
    """Each number is above those before it, and behind a gap there was an
    epoch, a resync, or a Peer Down by which the peer was forgotten."""
    last, may_leap = {}, {}
    for line in lines:
        if line["kind"] in ("epoch", "resync"):
            may_leap = {}
        elif line["kind"] == "peerDown":
            may_leap = {key: False for key in may_leap
                        if key[0] != router_of(line)}
        elif line["kind"] == "update":
            key = (router_of(line), *table_key(line))
            before, now = last.get(key, 0), line["sequence"]
            assert now > before, (key, before, now)
            if key in may_leap:
                assert now == before + 1, (key, before, now)
            last[key] = now
            may_leap[key] = False
    assert last


def check_withdraws(lines):
    """Nothing is withdrawn by the collector that consumers do not have."""
    have = set()
    for line in lines:
        if line["kind"] == "resync":
            have = {key for key in have if key[0] != router_of(line)}
        elif line["kind"] == "update":
            key = (router_of(line), *route_key(line))
            if line["announced"]:
                have.add(key)
                continue
            assert key in have or not line.get("synthetic"), line
            have.discard(key)


def deconfigured(peer=PEER):
    return message(2, peer_header(peer) + b"\x05")


def snapshot_of(folder):
    return folder / "snapshots" / f"{TOKEN}.snap"


def damage(folder):
    file = snapshot_of(folder)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xff
    file.write_bytes(data)


def damage_all(folder):
    damage(folder)
    (folder / "snapshots" / "manifest").write_text("nothing\n")


def move_aside(folder):
    (folder / "snapshots").rename(folder / "snapshots-of-later")


WAYS = {
    "nothing": lambda folder: None,
    "damaged": damage,
    "missing": lambda folder: snapshot_of(folder).unlink(),
    "empty": lambda folder: os.truncate(snapshot_of(folder), 0),
    "no manifest": lambda folder: (folder / "snapshots" /
                                   "manifest").unlink(),
    "manifest and file damaged": damage_all,
    "moved aside": move_aside,
    "all snapshots removed": lambda folder: shutil.rmtree(folder /
                                                          "snapshots"),
}


@pytest.mark.parametrize("way, end", [("nothing", "stop"),
                                      *((way, "kill") for way in WAYS)])
def test_a_table_that_begins_again_after_a_restart(way, end, collector,  # noqa: F811
                                                   tmp_path):
    c = collector("--workers", "1")
    with Router(c.port) as router:
        router.dump(table(20))
        until_swept(c)
        until_filed(c, tmp_path, TOKEN)
        # In the log, and not in the file.
        router.send(withdraw("10.1.2.0/24"), withdraw("10.1.3.0/24"))
        router.dump(table(5, third=3), peer="10.9.0.2")
        until_swept(c, 2)
        getattr(c, end)()
    WAYS[way](tmp_path / "state")
    # Fewer than before: what is missing is swept if consumers have it.
    for n, workers in ((10, "2"), (8, "1")):
        c = collector("--workers", workers)
        swept = [line["kind"] for line in c.published()].count("swept")
        with Router(c.port) as router:
            router.dump(table(n))
            until_swept(c, swept + 1)
        c.kill()
        lines = c.published()
        check_sequences(lines)
        check_withdraws(lines)
        have = paths(lines)
        assert {p: have.get(p) for p in table(n)} == table(n)
        assert not set(have) & (set(table(20)) - set(table(n)))


def test_the_clock_is_set_back_and_the_state_is_lost(collector,  # noqa: F811
                                                     tmp_path):
    """Of the runs before only the epoch file is left, from a time that the
    clock has not reached again, and a table had more than 4,096 updates."""
    state = tmp_path / "state"
    (state / "journal").mkdir(parents=True)
    ahead = int(time.time() * 1000) + 86400000
    (state / "journal" / "epoch").write_text(f"{ahead:020}\n{0:020}\n")
    lines = []
    for _ in range(2):
        c = collector("--workers", "1")
        with Router(c.port) as router:
            for n in range(20):
                router.dump({f"10.1.{i}.0/24": (65010, 100 + n)
                             for i in range(250)})
        c.until_said("event=session_close")
        c.stop()
        lines += c.published()
        shutil.rmtree(state / "snapshots")
        for file in (state / "journal").glob("*.seg"):
            file.unlink()
    assert len([line for line in lines if line["kind"] == "update"]) == 10000
    check_sequences(lines)


@pytest.mark.parametrize("how, crash", [
    ("deconfigured", "none"), ("deconfigured", "before"),
    ("deconfigured", "after"), ("purged", "none"), ("purged", "after")])
def test_a_peer_that_was_forgotten_and_returns(how, crash, server, arancini,
                                               tmp_path):
    """Peer Down with reason 5, or an operator who removes a peer that is
    down; also with a crash before or after it is back."""
    def start():
        return WatchedCollector(server, arancini, tmp_path / "state",
                                "--snapshot-interval", "1s")

    def until_kinds(kind, count):
        c.server.wait_until(
            lambda _: [line["kind"] for line in c.published()].count(kind)
            >= count, 60)

    c = start()
    router = Router(c.port).dump(table(12))
    until_swept(c)
    until_filed(c, tmp_path, TOKEN)
    router.send(deconfigured() if how == "deconfigured" else peer_down())
    until_kinds("peerDown", 1)
    if how == "purged":
        assert c.with_token().post(
            f"/api/v1/peers/{TOKEN}/0-0-{PEER}/purge").status == 202
    if crash == "before":
        c.kill()
        c = start()
        router = Router(c.port)
    router.dump(table(3))
    until_swept(c, 2)
    if crash == "after":
        c.kill()
        c = start()
        router = Router(c.port)
        router.dump(table(4))
        until_swept(c, 3)
    router.dump(table(2), peer="10.9.0.3")
    c.server.wait_until(lambda _: sum(
        line.get("peerAddr") == "10.9.0.3" for line in c.published()
        if line["kind"] == "update") >= 2, 60)
    router.close()
    c.stop()
    check_sequences(c.published())
    check_withdraws(c.published())


def test_without_curation_sequences_go_on_as_well(collector):  # noqa: F811
    for n in (6, 3):
        c = collector("--curation", "off")
        had = len(c.published())
        with Router(c.port) as router:
            router.dump(table(n))
            c.server.wait_until(lambda _: sum(
                line["kind"] == "update" for line in c.published()[had:])
                >= n, 60)
        c.kill()
    check_sequences(c.published())
    assert consumer_tables(c.published())
