"""What values mean: bytes, and what "arancini decode" prints of them. Each
test names the reference that says what its bytes mean."""

import struct

import pytest

from bmp import Peer, announce, attribute, update
from decoding import lines, run_decode

PEER = Peer("192.0.2.10", 64510)


def decoded(*messages, options=()):
    """The lines of a stream; nothing of it may be damaged."""
    run = run_decode(*options, "-", stdin=b"".join(messages))
    assert run.returncode == 0, run.stderr
    return lines(run)


def segment(kind, *asns):
    return struct.pack(f">BB{len(asns)}I", kind, len(asns), *asns)


# RFC 9774 3: AS_SET (1) and AS_CONFED_SET (4) must not be sent any more.
@pytest.mark.parametrize("path, flagged", [
    (segment(2, 64500, 64501), None),
    (segment(2, 64500) + segment(2, 64501), None),
    (segment(3, 65001) + segment(2, 64500), None),
    (segment(2, 64500) + segment(1, 64502, 64503), True),
    (segment(4, 65001, 65002) + segment(2, 64500), True),
])
def test_a_path_with_a_set_is_flagged(path, flagged):
    up, update = decoded(
        PEER.up(), PEER.monitor(announce("10.0.0.0/24", as_path=path)))
    assert update["announced"] is True
    assert update.get("hasAsSet") == flagged


def mp_reach(afi, safi, hop, routes):
    return attribute(0x80, 14, struct.pack(">HBB", afi, safi, len(hop)) + hop
                     + b"\0" + routes)


def route_of(afi, safi, nlri):
    """The line of one route in MP_REACH_NLRI."""
    path = attribute(0x40, 1, b"\0") + attribute(0x40, 2, segment(2, 64510))
    up, line = decoded(PEER.up(), PEER.monitor(update(
        b"", path + mp_reach(afi, safi, bytes([192, 0, 2, 1]), nlri), b"")))
    return line


# RFC 8956 3.8.2: the pattern is that of bits 64 to 103.
def test_a_pattern_with_an_offset_stands_where_it_is_compared():
    line = route_of(2, 133, bytes.fromhex("08 02 68 40 12 34 56 78 9a"))
    assert line["nlriText"] == \
        "flow src ::1234:5678:9a00:0/104 offset 64"


# RFC 6514 4.4: a Leaf A-D route (type 4) has the key of another route, an
# Intra-AS I-PMSI A-D route (type 1) a distinguisher.
@pytest.mark.parametrize("nlri, rd", [
    ("01 0c 0000fde800000001 c0000201", "65000:1"),
    ("04 12 01 0c 0000fde800000001 c0000201 c0000202", None),
])
def test_a_leaf_route_has_no_distinguisher_of_its_own(nlri, rd):
    line = route_of(1, 5, bytes.fromhex(nlri))
    assert line.get("routeDistinguisher") == rd
    assert (" rd " in line["nlriText"]) == (rd is not None)
