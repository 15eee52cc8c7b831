"""Every real capture, against what tshark says about it.

Message counts, peers and, where tshark could read everything, routes and
End-of-RIB by family equal *.expected.json; every route equals its line of
*.nlri.tsv, in order. Where they differ, tshark_differences.json says for each
message why tshark is wrong and which bytes prove it: a difference that is not
listed fails, and so does a listed one that is gone.
"""

import collections
import json
import lzma
import pathlib
from random import Random

import pytest

import packets
import tshark
from decoding import DATA, data_files, decode, run_decode

STREAMS = data_files("*.bmp", "wrapped/*.bmp", "load/*.bmp.xz")

DIFFERENCES = pathlib.Path(__file__).with_name("tshark_differences.json")

# tshark's word for a message type, and that of our summary.
TYPES = {
    "route_monitoring": "routeMonitoring",
    "statistics_report": "statistics",
    "peer_down": "peerDown",
    "peer_up": "peerUp",
    "initiation": "initiation",
    "termination": "termination",
    "route_mirroring": "mirror",
}

# The length of the text in a tsv file at which it was cut.
CUT_AT = 400


def stem(path):
    return path.with_name(path.name.removesuffix(".xz").removesuffix(".bmp"))


def expected(path):
    return json.loads(pathlib.Path(f"{stem(path)}.expected.json").read_text())


def summary(path):
    return json.loads(run_decode("--summary", path).stdout)


# Our words for the types of peers; tshark has the numbers.
PEER_TYPES = dict(enumerate(["global", "rd", "local", "loc-rib"]))


def peer_name(kind, distinguisher, address, asn, bgp_id):
    # A Loc-RIB has no address; tshark takes its F flag for an IPv6 one
    # (RFC 9069 4.2), so it has two kinds of "none".
    return (kind, distinguisher, None if kind == "loc-rib" else address,
            int(asn), bgp_id)


def tshark_peer(kind, distinguisher, *others):
    return peer_name(PEER_TYPES.get(int(kind), int(kind)),
                     tshark.distinguisher(distinguisher), *others)


@pytest.mark.parametrize("path", STREAMS)
def test_message_counts(path):
    want = {TYPES[k]: n for k, n in expected(path)["by_type"].items()}
    assert summary(path)["messages"] == want


@pytest.mark.parametrize("path", STREAMS)
def test_peers(path):
    # tshark's two kinds of "none" make two peers out of one; ours are merged.
    want = collections.Counter()
    for peer in expected(path)["peers"]:
        want[tshark_peer(peer["type"], peer["distinguisher"],
                         peer["address"], peer["asn"], peer["bgp_id"])] += \
            sum(peer["messages"].values())
    got = collections.Counter()
    for peer in summary(path)["peers"]:
        got[peer_name(peer["peerType"], peer.get("peerDistinguisher", "0:0"),
                      peer["peerAddr"], peer["peerAsn"],
                      peer["peerBgpId"])] += sum(peer["messages"].values())
    assert got == want


def complete(parameter):
    path, = parameter.values
    return path is None or expected(path)["nlri_counts_complete"]


# Routes whose AS_PATH has AS 0: withdrawn by RFC 7607, shown by tshark.
AS_ZERO = {"mrt2bmp-2015-et-updates.bmp.xz": 4}


# tshark could not read all of the others; test_every_route has them all.
@pytest.mark.parametrize("path", filter(complete, STREAMS))
def test_route_counts(path):
    want, got = expected(path), summary(path)
    zeros = collections.Counter({"1/1": AS_ZERO.get(path.name, 0)})
    assert collections.Counter(got["announced"]) + zeros == \
        collections.Counter(want["announced"])
    assert collections.Counter(got["withdrawn"]) == \
        collections.Counter(want["withdrawn"]) + zeros
    assert got["endOfRib"] == want["end_of_rib"]


# The large ones have it from test_every_route.
@pytest.mark.parametrize("path", data_files("*.bmp", "wrapped/*.bmp"))
def test_summary_counts_what_lines_say(path):
    lines = collections.Counter()
    for line in decode(path):
        if line["kind"] == "update":
            key = "announced" if line["announced"] else "withdrawn"
        elif line["kind"] == "endOfRib":
            key = "endOfRib"
        else:
            continue
        lines[key, f"{line['afi']}/{line['safi']}"] += 1
    got = summary(path)
    counts = {(key, family): n
              for key in ("announced", "withdrawn", "endOfRib")
              for family, n in got[key].items()}
    assert counts == lines


def tshark_routes(path):
    """By message: (peer, action, family, text) for each line of the file."""
    routes = collections.defaultdict(list)
    for suffix, opener in ((".nlri.tsv", open), (".nlri.tsv.xz", lzma.open)):
        name = f"{stem(path)}{suffix}"
        if not pathlib.Path(name).exists():
            continue
        with opener(name, "rt") as file:
            for row in file:
                if row.startswith("#"):
                    continue
                index, kind, rd, address, action, family, text = \
                    row.rstrip("\n").split("\t")
                peer = tshark_peer(kind, rd, address, 0, "")
                if action == "W":
                    text = tshark.without_labels(text)
                routes[int(index)].append((peer, action, family, text))
    return routes


def place(line):
    """The order of the tsv files: announced, withdrawn, then MP attributes."""
    if (line["afi"], line["safi"]) in (
            (line.get("mpReachAfi"), line.get("mpReachSafi")),
            (line.get("mpUnreachAfi"), line.get("mpUnreachSafi"))):
        return 2
    return 1 if tshark.action(line) == "W" else 0


def our_routes(path):
    """By message: (peer, action, family, possible texts), in that order."""
    lines = collections.defaultdict(list)
    for line in decode(path):
        if line["kind"] == "update":
            lines[line["message"]].append(line)
    return {
        message: [
            (peer_name(line["peerType"], line.get("peerDistinguisher", "0:0"),
                       line["peerAddr"], 0, ""),
             tshark.action(line), f"{line['afi']}/{line['safi']}",
             tshark.texts(line))
            for line in sorted(group, key=place)]
        for message, group in lines.items()}


def same_route(ours, theirs):
    if ours[:3] != theirs[:3]:
        return False
    return any(text == theirs[3] or
               len(theirs[3]) >= CUT_AT - 1 and text.startswith(theirs[3])
               for text in ours[3])


def same_routes(ours, theirs):
    return len(ours) == len(theirs) and all(map(same_route, ours, theirs))


def differences(path):
    """Messages whose routes differ: index, tshark's routes, our routes."""
    theirs, ours = tshark_routes(path), our_routes(path)
    for message in sorted(set(theirs) | set(ours)):
        pair = ours.get(message, []), theirs.get(message, [])
        if not same_routes(*pair):
            yield (message,
                   [f"{a} {f} {t}".strip() for _, a, f, t in pair[1]],
                   [f"{a} {f} {t[0]}".strip() for _, a, f, t in pair[0]])


def listed(path):
    name = str(path.relative_to(DATA))
    return {entry["message"]: entry
            for entry in json.loads(DIFFERENCES.read_text())["differences"]
            if entry["file"] == name}


@pytest.mark.parametrize("path", STREAMS)
def test_every_route(path):
    known = listed(path)
    found = {message: (theirs, ours)
             for message, theirs, ours in differences(path)}
    unlisted = {m: pair for m, pair in found.items() if m not in known}
    assert not unlisted, f"not in {DIFFERENCES.name}: {unlisted}"
    gone = sorted(set(known) - set(found))
    assert not gone, f"listed, but there is no difference: {gone}"
    for message, (theirs, ours) in found.items():
        assert theirs == known[message]["tshark"], f"message {message}"
        assert ours == known[message]["ours"], f"message {message}"


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no captures in {DATA}")
def test_differences_are_proved():
    """Every entry has a reason and quotes bytes that are in the file."""
    content = json.loads(DIFFERENCES.read_text())
    for entry in content["differences"]:
        raw = (DATA / entry["file"]).read_bytes()
        proof = bytes.fromhex(entry["bytes"])
        where = f"{entry['file']} message {entry['message']}"
        assert proof and raw[entry["offset"]:].startswith(proof), where
        assert entry["reason"] in content["reasons"], where
    used = {entry["reason"] for entry in content["differences"]}
    assert used == set(content["reasons"])


def segments(data, random, source, target):
    """A session cut anywhere, some segments late, some twice."""
    base = random.randrange(2**32)
    yield packets.segment(source, target, base - 1, flags=packets.SYN)
    cuts, at = [], 0
    while at < len(data):
        size = random.choice((1, 7, 100, 1448, 1448))
        cuts.append((at, data[at:at + size]))
        at += size
    late = []
    for at, payload in cuts:
        segment = packets.segment(source, target, base + at, payload)
        if random.random() < 0.1:
            late.append(segment)
            continue
        yield segment
        if random.random() < 0.05:
            yield segment
        if random.random() < 0.5:
            yield from late
            late = []
    yield from late


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no captures in {DATA}")
def test_all_at_once_as_packets(tmp_path):
    """Every whole stream is a session of one packet capture, side by side,
    out of order and with repeats; each reads as it does alone."""
    random = Random(5)
    files = [p for p in sorted(DATA.glob("*.bmp"))
             if "truncated" not in p.name]
    queues = []
    for number, path in enumerate(files):
        queues.append(segments(path.read_bytes(), random,
                               ("198.51.100.1", 1000 + number),
                               ("203.0.113.1", 11019)))
    mixed = []
    while queues:
        queue = random.choice(queues)
        if (packet := next(queue, None)) is None:
            queues.remove(queue)
        else:
            mixed.append(packet)
    capture = tmp_path / "all.pcap"
    capture.write_bytes(packets.pcap(mixed))
    got = collections.defaultdict(list)
    for line in decode(capture):
        for name in ("session", "routerAddr", "timeReceivedNs"):
            del line[name]
        got[line.pop("routerPort")].append(line)
    for number, path in enumerate(files):
        assert got[1000 + number] == list(decode(path)), path.name
    assert len(got) == len(files)


def vectors():
    table = DATA / "vectors" / "expected.json"
    if not table.exists():
        return data_files("vectors/*.bmp")
    return [pytest.param(v, id=v["file"])
            for v in json.loads(table.read_text())]


@pytest.mark.parametrize("vector", vectors())
def test_single_messages(vector):
    """Never a crash; whole messages are counted by type, bad ones named."""
    path = DATA / "vectors" / vector["file"]
    run = run_decode("--summary", path)
    assert run.returncode in (0, 1), run.stderr
    lines = run.stdout.splitlines()
    if vector["version"] not in (3, 4):
        # Not BMP as we know it; what it is, the format cannot tell.
        assert run.returncode == 1
        return
    assert len(lines) == 1
    if vector["well_framed"]:
        want = {TYPES.get(k, "unknown"): n
                for k, n in vector["tshark"]["by_type"].items()}
        assert run.returncode == 0, run.stderr
        assert json.loads(lines[0])["messages"] == want
    else:
        assert run.returncode == 1
        assert run.stderr.count(b"\n") == 1
