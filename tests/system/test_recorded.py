"""The sessions we recorded from FRR and GoBGP, in tests/captures.

expected.json says what the recording script did to the routers; these tests
find it in what they sent. No other data is needed.
"""

import json
import pathlib

import pytest

from decoding import TREE, decode, run_decode

FOLDER = TREE / "tests" / "captures"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())["files"]
FILES = sorted(EXPECTED)

VIEWS = {
    "prePolicy": lambda l: not l.get("isPostPolicy") and not l.get("isLocRib"),
    "postPolicy": lambda l: l.get("isPostPolicy", False),
    "locRib": lambda l: l.get("isLocRib", False),
}


def prefix(line):
    return f"{line['prefixAddr']}/{line['prefixLen']}"


def of_view(name, view):
    """Updates of the monitored peer (or the Loc-RIB) in that view, in order,
    and what takes the peer down."""
    peer = EXPECTED[name]["peer"]
    for line in decode(FOLDER / name):
        if view == "locRib" or line.get("peerAddr") == peer["peerAddr"]:
            if line["kind"] == "peerDown" or \
                    line["kind"] == "update" and VIEWS[view](line):
                yield line


def updates(name, view):
    return (line for line in of_view(name, view) if line["kind"] == "update")


def views(key):
    return [pytest.param(name, view, id=f"{name} {view}")
            for name in FILES for view in VIEWS
            if key in EXPECTED[name].get(view, {})]


@pytest.mark.parametrize("name", FILES)
def test_read_to_the_end(name):
    run = run_decode(FOLDER / name)
    assert run.returncode == 0
    assert run.stderr == b""
    assert b'"kind":"error"' not in run.stdout


@pytest.mark.parametrize("name", FILES)
def test_peer_goes_up_and_down(name):
    want = EXPECTED[name]
    ups, downs = [], []
    for line in decode(FOLDER / name):
        if line["kind"] == "peerUp":
            ups.append(line)
        elif line["kind"] == "peerDown" and ups:
            # FRR begins with a Peer Down of a peer that is not up yet.
            downs.append(line)
    assert len(ups) == want["peerUps"]
    assert len(downs) == want["peerDowns"]
    for line in ups:
        assert {k: line[k] for k in want["peer"]} == want["peer"]
        assert line["receivedOpen"]["asn"] == want["peer"]["peerAsn"]


@pytest.mark.parametrize("name, view", views("announced"))
def test_announcements_in_order(name, view):
    """Each change appears with its attributes, after the one before it."""
    lines = updates(name, view)
    by_prefix = {}
    for line in lines:
        if line["announced"]:
            by_prefix.setdefault(prefix(line), []).append(line)
    for want in EXPECTED[name][view]["announced"]:
        heard = by_prefix.get(want["prefix"], [])
        wanted = {k: v for k, v in want.items() if k != "prefix"}
        while heard:
            line = heard.pop(0)
            got = {k: sorted(line.get(k, [])) if k == "communities"
                   else line.get(k) for k in wanted}
            if got == wanted:
                break
        else:
            pytest.fail(f"nobody announced {want}")


@pytest.mark.parametrize("name, view", views("withdrawn"))
def test_withdrawals(name, view):
    gone = {prefix(l) for l in updates(name, view) if not l["announced"]}
    assert set(EXPECTED[name][view]["withdrawn"]) <= gone


@pytest.mark.parametrize("name, view", views("final"))
def test_final_table(name, view):
    table = {}
    for line in of_view(name, view):
        if line["kind"] == "peerDown":
            table.clear()  # RFC 7854 4.9: it withdraws all of the peer
        elif line["announced"]:
            table[prefix(line)] = line["asPath"]
        else:
            table.pop(prefix(line), None)
    assert table == EXPECTED[name][view]["final"]


def test_both_families_are_there():
    for name in FILES:
        families = {(l["afi"], l["safi"]) for l in decode(FOLDER / name)
                    if l["kind"] == "update"}
        assert families == {(1, 1), (2, 1)}, name


def test_the_captures_are_ours():
    """Nothing of the shared captures is copied here; these are small."""
    assert sum(p.stat().st_size for p in FOLDER.iterdir()) < 100_000
    assert not list(pathlib.Path(FOLDER).glob("*.pcap"))
