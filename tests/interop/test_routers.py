"""Real routers report to the real collector: FRR and GoBGP, Debian's both,
peer with each other on the loopback (tests/captures/record.py says how)."""

import os
import shutil
import time

import pytest

import record
from collecting import Collector, consumer_table


class Feed:
    """Where one router is to connect, and since when nothing new came."""

    def __init__(self, collector):
        self.port = collector.port
        self.journal = collector.journal
        self.size = 0
        self.changed = time.monotonic()

    @property
    def quiet_since(self):
        size = sum(p.stat().st_size for p in self.journal.glob("*.seg"))
        if size != self.size:
            self.size, self.changed = size, time.monotonic()
        return self.changed

    def close(self):
        pass


@pytest.fixture
def lab(server, arancini, tmp_path, request):
    if not os.path.exists(record.BGPD) or shutil.which("gobgpd") is None:
        pytest.skip("frr and gobgpd are not installed")
    # Both connect from one address: their names tell them apart.
    collector = Collector(server, arancini, tmp_path / "state", "--workers",
                          "2", "--router-id", "sysname",
                          listen=record.COLLECTOR)
    configs = record.FRR_CONFIG, record.GOBGP_CONFIG
    if getattr(request, "param", None) == "add-path":
        configs = record.with_add_path(*configs)
    lab = record.Lab(tmp_path, Feed(collector), Feed(collector), configs)
    lab.collector = collector
    lab.start_routers()
    yield lab
    lab.stop()


def view(line):
    if line.get("isLocRib"):
        return "locRib"
    return "postPolicy" if line.get("isPostPolicy") else "prePolicy"


def tables(lines):
    """By router, view and prefix: the AS path, as a consumer ends with it."""
    found = {}
    for line in lines:
        if line["kind"] != "update":
            continue
        router = line["subject"].split(".")[2]
        table = found.setdefault(
            (router, view(line), line["peerAddr"]), {})
        prefix = f'{line["prefixAddr"]}/{line["prefixLen"]}'
        if line.get("announced"):
            table[prefix] = line.get("asPath", [])
        else:
            table.pop(prefix, None)
    return found


def test_frr_and_gobgp(lab):
    record.scenario(lab)
    want = record.expectations()
    before = lab.collector.published()

    # A router restart: FRR goes away without a word and comes back.
    lab.restart_frr()
    lab.wait_for("the BGP session", lab.established)
    lab.wait_for("FRR's new session", lambda: len(lab.collector.said(
        "session_open .*router=frr")) == 2)
    lab.settle(5)
    lab.collector.stop()
    lines = lab.collector.published()

    for when, stream in (("before", before), ("after the restart", lines)):
        got = tables(stream)
        for policy in ("prePolicy", "postPolicy"):
            assert got["id_frr", policy, record.GOBGP] == \
                want["frr.bmp"][policy]["final"], when
    got = tables(before)
    for policy in ("prePolicy", "postPolicy"):
        assert got["id_GoBGP", policy, record.FRR] == \
            want["gobgp.bmp"][policy]["final"]
    # GoBGP sends its Loc-RIB without a Peer Up; that must work.
    assert set(want["gobgp.bmp"]["prePolicy"]["final"]) <= set(
        got["id_GoBGP", "locRib", "::"])

    events = [(line["subject"].split(".")[2], line["kind"])
              for line in before]
    assert events.count(("id_frr", "peerUp")) >= 2
    assert events.count(("id_frr", "peerDown")) >= 1
    assert ("id_frr", "stale") in [
        (line["subject"].split(".")[2], line["kind"]) for line in lines]
    assert consumer_table(lines)


@pytest.mark.parametrize("lab", ["add-path"], indirect=True)
def test_add_path_negotiated_and_not_sent(lab):
    """FRR leaves path identifiers out of all its views, GoBGP out of its
    post-policy view, although both negotiate them: consumers get the routes
    that are there, and no others."""
    first = [(prefix, words) for prefix, words, _ in record.FIRST
             if prefix != "203.0.113.64/26"]
    more = [f"198.18.{n}.0/24" for n in range(8)]
    of_frr = ["198.51.100.0/24", "198.51.100.128/25", "2001:db8:1::/48"]
    lab.wait_for("the BGP session", lab.established)
    for prefix, words in first:
        lab.announce(prefix, *words)
    for prefix in more:
        lab.announce(prefix, "nexthop", record.NEXT_HOP)
    want = {prefix for prefix, _ in first} | set(more)
    views = {("id_frr", "prePolicy", record.GOBGP): want,
             ("id_frr", "postPolicy", record.GOBGP): want,
             ("id_GoBGP", "postPolicy", record.FRR): set(of_frr)}

    def got():
        found = tables(lab.collector.published())
        return {key: set(found.get(key, ())) for key in views}

    try:
        lab.wait_for("the routes", lambda: got() == views)
    except RuntimeError:
        found = got()
        assert {key: found[key] ^ views[key] for key in views} == {}
    lab.withdraw(more[0])
    views["id_frr", "prePolicy", record.GOBGP] = want - {more[0]}
    views["id_frr", "postPolicy", record.GOBGP] = want - {more[0]}
    lab.wait_for("the withdraw", lambda: got() == views)
    lab.collector.stop()

    lines = lab.collector.published()
    ups = [line for line in lines if line["kind"] == "peerUp"
           and line["subject"].split(".")[2] == "id_frr"]
    # Capability 69, of which there must be some for this to be a test.
    assert ups and all("add-path" in str(line) for line in ups), ups
    kept = consumer_table(line for line in lines
                          if line["subject"].split(".")[2] == "id_frr")
    assert kept and {key[8] for key in kept} == {None}    # path identifiers
    # The first message can be read both ways, and was not lost for it.
    assert not [line for line in lines if line["kind"] == "suspect"]
    # One line for each peer, not one for each message.
    said = lab.collector.said("event=add_path_differs .*router=frr")
    assert len(said) == 1, said
    assert not lab.collector.said("event=peer_unreadable")
