"""What values mean: bytes, and what "arancini decode" prints of them. Each
test names the reference that says what its bytes mean."""

import struct

import pytest

from bmp import (Peer, announce, attribute, bgp, end_of_rib, message, tlv,
                 update, withdraw)
from decoding import lines, run_decode
from packets import mrt

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


# Peer Down (RFC 7854 4.9) and NOTIFICATION; codes and subcodes as IANA has them


def notification(*data):
    up, down = decoded(PEER.up(), PEER.down(1, bgp(3, bytes(data))))
    assert down["reason"] == "local-notification"
    return down["notification"]


@pytest.mark.parametrize("code, subcode, name, subcode_name", [
    (1, 2, "message-header-error", "bad-message-length"),
    (2, 2, "open-message-error", "bad-peer-as"),
    (2, 7, "open-message-error", "unsupported-capability"),    # RFC 5492
    (2, 11, "open-message-error", "role-mismatch"),            # RFC 9234
    (3, 11, "update-message-error", "malformed-as-path"),
    (4, 0, "hold-timer-expired", "unspecific"),
    (5, 3, "finite-state-machine-error",                       # RFC 6608
     "unexpected-message-in-established"),
    (6, 8, "cease", "out-of-resources"),                       # RFC 4486
    (6, 10, "cease", "bfd-down"),                              # RFC 9384
    (7, 1, "route-refresh-message-error",                      # RFC 7313
     "invalid-message-length"),
    (8, 0, "send-hold-timer-expired", "unspecific"),           # RFC 9687
    (6, 11, "cease", None),
    (9, 0, None, None),
])
def test_errors_have_names(code, subcode, name, subcode_name):
    got = notification(code, subcode)
    assert (got["errorCode"], got["errorSubcode"]) == (code, subcode)
    assert got.get("errorName") == name
    assert got.get("errorSubcodeName") == subcode_name


# RFC 9003 2: a length, then UTF-8; of a shutdown (2) and a reset (4) only.
@pytest.mark.parametrize("data, text", [
    (b"\6\2\x05maint", "maint"),
    (b"\6\4\x05maint", "maint"),
    (b"\6\2\0", None),
    (b"\6\2\x06maint", None),
    (b"\6\3\x05maint", None),
])
def test_shutdown_communication(data, text):
    got = notification(*data)
    assert got.get("shutdownCommunication") == text
    assert got["errorData"] == data[2:].hex()


# RFC 4486 4: AFI, SAFI and the upper bound.
def test_maximum_number_of_prefixes():
    got = notification(6, 1, 0, 2, 1, 0, 0, 0, 100)
    assert (got["afi"], got["safi"], got["maxPrefixes"]) == (2, 1, 100)


# RFC 8538 3.1: a hard reset has another error in its data.
def test_hard_reset():
    got = notification(*b"\6\x09\6\2\x05maint")
    assert got["errorSubcodeName"] == "hard-reset"
    assert got["hardReset"]["errorSubcodeName"] == "administrative-shutdown"
    assert got["hardReset"]["shutdownCommunication"] == "maint"


# RFC 4271 8.1, RFC 9687
@pytest.mark.parametrize("event, name", [
    (10, "hold-timer-expires"), (18, "tcp-connection-fails"),
    (29, "send-hold-timer-expires"), (30, None)])
def test_events_of_the_state_machine_have_names(event, name):
    up, down = decoded(PEER.up(), PEER.down(2, struct.pack(">H", event)))
    assert (down["reason"], down["fsmEvent"]) == ("local-fsm-event", event)
    assert down.get("fsmEventName") == name


# Capabilities of an OPEN; tests/unit/test_bmp_capability.c has all of them.
def test_capabilities_of_an_open_have_their_values():
    up, = decoded(PEER.up(add_path=True))
    got = {c["name"]: c.get("fields")
           for c in up["sentOpen"]["capabilities"]}
    assert got == {
        "multiprotocol": {"afi": 2, "safi": 1},
        "four-byte-as": {"asn": 64510},
        "add-path": {"families": [{"afi": 1, "safi": 1,
                                   "direction": "both"}]}}


# BMP version 4: draft-ietf-grow-bmp-tlv-20 and -21, and what pmacct and
# NetGauze send. Type, length, index, value; the length is the value's.


def rm_tlv(kind, value, index=0):
    return struct.pack(">HHH", kind, len(value), index) + value


def monitor4(*tlvs):
    return message(0, PEER.header() + b"".join(tlvs), version=4)


NUMBERS = {     # BGP message, group, table name, stateless parsing
    "tlv20": (7, 4, 5, 6),
    "tlv21": (4, 1, 2, 3),
    "legacy": (4, 2, 3, 1),
}
WITH_PATH_ID = announce("10.0.0.0/24", path_id=7, asn=64510)


def tlvs_of(line):
    return [{k: v for k, v in t.items() if k != "type"} for t in line["tlvs"]]


@pytest.mark.parametrize("draft", NUMBERS)
def test_stateless_parsing_says_how_an_update_is_read(draft):
    """There is no Peer Up, so nothing else says it: ADD-PATH of IPv4."""
    pdu, group, name, stateless = NUMBERS[draft]
    line, = decoded(monitor4(
        rm_tlv(stateless, bytes([69, 4, 0, 1, 1, 3])),
        rm_tlv(name, b"red"),
        rm_tlv(group, struct.pack(">HH", 1, 2), 0x8001),
        rm_tlv(pdu, WITH_PATH_ID)), options=("--bmp-v4", draft))
    assert line["kind"] == "update" and "addPathGuessed" not in line
    assert (line["prefixAddr"], line["pathId"]) == ("10.0.0.0", 7)
    assert tlvs_of(line) == [
        {"name": "stateless-parsing", "capabilities": [
            {"code": 69, "name": "add-path", "value": "00010103", "fields": {
                "families": [{"afi": 1, "safi": 1, "direction": "both"}]}}]},
        {"name": "table-name", "tableName": "red"},
        {"name": "group", "group": 1, "indexes": [1, 2]}]


@pytest.mark.parametrize("draft, sequence, flags, time", [
    ("tlv20", 1, 2, 3), ("tlv21", 5, 6, 7)])
def test_tlvs_of_a_route_monitoring_are_shown(draft, sequence, flags, time):
    line, = decoded(monitor4(
        rm_tlv(sequence, struct.pack(">I", 41)), rm_tlv(flags, b"\x80"),
        rm_tlv(time, struct.pack(">II", 1700000000, 250000)),
        rm_tlv(0x8001, b"\0\0\0\x09x", 3),    # of an enterprise
        rm_tlv(NUMBERS[draft][0], announce("10.0.0.0/24"))),
        options=("--bmp-v4", draft))
    assert tlvs_of(line) == [
        {"name": "sequence", "sequence": 41},
        {"name": "extended-flags", "value": "80"},
        {"name": "timestamp", "timeNs": 1700000000250000000},
        {"name": "unknown", "index": 3, "value": "0000000978"}]


# draft-ietf-grow-bmp-path-marking-tlv-05 3.1, 3.2
def test_path_marking():
    line, = decoded(monitor4(
        rm_tlv(5, struct.pack(">IH", 0x80000402, 3), 1),
        rm_tlv(4, announce("10.0.0.0/24"))), options=("--bmp-v4", "legacy"))
    assert tlvs_of(line) == [
        {"name": "path-marking", "index": 1, "reason": "local-preference",
         "status": ["best", "stale", 0x80000000]}]


# draft-ietf-grow-bmp-tlv-03: the BGP message, then TLVs without an index
def test_a_bgp_message_that_is_in_no_tlv():
    line, = decoded(monitor4(announce("10.0.0.0/24"), b"\0\2\0\1\1"),
                    options=("--bmp-v4", "legacy"))
    assert line["prefixAddr"] == "10.0.0.0"
    assert tlvs_of(line) == [{"name": "unknown", "value": "01"}]


# draft-ietf-grow-bmp-tlv-20 5.6.2: numbers count the messages of a session
def test_gaps_of_sequence_numbers_are_messages_lost():
    def numbered(n):
        return monitor4(rm_tlv(1, struct.pack(">I", n)),
                        rm_tlv(7, announce("10.0.0.0/24")))

    got = decoded(*map(numbered, (1, 2, 6, 7)), options=("--bmp-v4", "tlv20"))
    assert [line["kind"] for line in got] == [
        "update", "update", "messagesLost", "update", "update"]
    assert (got[2]["messages"], got[2]["message"]) == (3, 2)


# Route Mirroring, RFC 7854 4.7: BGP messages (0) and information (1). How an
# UPDATE is read is said by the OPENs, here add-path.


def mirrored(*tlvs):
    up, line = decoded(PEER.up(add_path=True),
                       message(6, PEER.header() + b"".join(tlvs)))
    assert line["kind"] == "mirror"
    return line["mirrored"]


def test_a_mirrored_update_is_decoded():
    pdu = announce("10.1.0.0/24", "10.2.0.0/24", path_id=7)
    got, = mirrored(tlv(0, pdu))
    assert (got["bgpType"], got["bgpMessage"]) == ("update", pdu.hex())
    assert got["update"]["announced"] == [
        {"prefixAddr": prefix, "prefixLen": 24, "pathId": 7, "afi": 1,
         "safi": 1, "nextHop": "192.0.2.1"}
        for prefix in ("10.1.0.0", "10.2.0.0")]
    assert got["update"]["asPath"] == [64500]
    assert "withdrawn" not in got["update"]


def test_mirrored_withdraws_faults_and_the_rest():
    one, two, three, four = mirrored(
        tlv(0, withdraw("2001:db8::/32")), tlv(0, end_of_rib(2)),
        tlv(0, update(b"", attribute(0x40, 1, b"\x09"), b"")),
        tlv(0, bgp(3, b"\x06\x02")))
    assert one["update"]["withdrawn"] == [
        {"prefixAddr": "2001:db8::", "prefixLen": 32, "afi": 2, "safi": 1}]
    assert two["update"]["endOfRib"] == {"afi": 2, "safi": 1}
    assert three["update"]["fault"] == "attribute-value"
    assert four["notification"]["errorSubcodeName"] == \
        "administrative-shutdown"


def test_information_of_a_mirroring():
    got = mirrored(tlv(1, b"\0\0"), tlv(1, b"\0\1"), tlv(1, b"\0\2"),
                   tlv(9, b"x"))
    assert [t.get("information") for t in got] == [
        "errored-pdu", "messages-lost", 2, None]
    assert got[3] == {"type": 9, "value": "78"}


# MRT

PATH2 = (attribute(0x40, 1, b"\0")
         + attribute(0x40, 2, struct.pack(">BBH", 2, 1, 64510))
         + attribute(0x40, 3, bytes([192, 0, 2, 10])))
# RFC 6396 B.2: AS and address of the peer, then those of the collector
OLD_PEER = struct.pack(">H4B", 64510, 192, 0, 2, 10)
OLD_LOCAL = struct.pack(">H4B", 64500, 192, 0, 2, 9)


def record(kind, subtype, body):
    line, = decoded(mrt(kind, subtype, body))
    return line


# RFC 6396 B.2: the type BGP has messages without their headers.
def test_mrt_bgp_update():
    body = b"\0\0" + struct.pack(">H", len(PATH2)) + PATH2 + b"\x18\x0a\1\2"
    line = record(5, 1, OLD_PEER + OLD_LOCAL + body)
    assert line["kind"] == "update" and line["recordType"] == "BGP"
    assert (line["prefixAddr"], line["prefixLen"]) == ("10.1.2.0", 24)
    assert (line["peerAddr"], line["peerAsn"]) == ("192.0.2.10", 64510)
    assert (line["localAddr"], line["localAsn"]) == ("192.0.2.9", 64500)
    assert line["asPath"] == [64510] and line["nextHop"] == "192.0.2.10"


@pytest.mark.parametrize("subtype, name", [(5, "open"), (6, "notification"),
                                           (7, "keepalive")])
def test_mrt_bgp_other_messages(subtype, name):
    line = record(5, subtype, OLD_PEER + OLD_LOCAL + b"\6\2"
                  * (subtype == 6))
    assert (line["kind"], line["bgpType"]) == ("mirror", name)


def test_mrt_bgp_state_change():
    line = record(5, 3, OLD_PEER + struct.pack(">HH", 5, 6))
    assert line["kind"] == "peerUp" and "localAddr" not in line
    assert (line["oldState"], line["newState"]) == (5, 6)


# Packet-Binary-Dump-Format of Zebra: header of BGP4MP, view, status, time,
# family, next hop, prefix, attributes.
@pytest.mark.parametrize("kind", [16, 17])
def test_mrt_bgp4mp_entry(kind):
    body = (struct.pack(">HHHH4B4B", 64510, 64500, 0, 1,
                        192, 0, 2, 10, 192, 0, 2, 9)
            + struct.pack(">HHI", 0, 1, 900000000)
            + struct.pack(">HBB4B", 1, 1, 4, 192, 0, 2, 77)
            + b"\x18\x0a\1\2"
            + struct.pack(">H", len(PATH2) - 7) + PATH2[:-7])
    line = record(kind, 2, b"\0\0\0\1" * (kind == 17) + body)
    assert (line["kind"], line["announced"]) == ("update", True)
    assert (line["prefixAddr"], line["prefixLen"]) == ("10.1.2.0", 24)
    assert line["nextHop"] == "192.0.2.77"
    assert line["originatedAt"] == "1998-07-09T16:00:00.000Z"
    assert (line["peerAddr"], line["peerAsn"]) == ("192.0.2.10", 64510)


# RFC 6397 3: positions are single-precision degrees, NaN is private.
def test_mrt_geo_peer_table():
    nan = struct.pack(">I", 0x7fc00000)
    body = (bytes([192, 0, 2, 9]) + struct.pack(">H", 4) + b"view"
            + struct.pack(">ff", 52.5, 13.375) + struct.pack(">H", 2)
            + b"\2" + bytes([192, 0, 2, 1, 192, 0, 2, 10])
            + struct.pack(">Iff", 64510, -33.75, 151.25)
            + b"\0" + bytes([192, 0, 2, 2, 192, 0, 2, 11])
            + struct.pack(">H", 64511) + nan + nan)
    line = record(13, 7, body)
    assert line["kind"] == "geoPeers"
    assert line["collectorBgpId"] == "192.0.2.9"
    assert (line["latitude"], line["longitude"]) == (52.5, 13.375)
    here, hidden = line["peers"]
    assert (here["peerAddr"], here["peerAsn"], here["peerBgpId"]) == (
        "192.0.2.10", 64510, "192.0.2.1")
    assert (here["latitude"], here["longitude"]) == (-33.75, 151.25)
    assert hidden["peerAsn"] == 64511 and "latitude" not in hidden


AIGP = attribute(0x80, 26, bytes.fromhex("01 000b 0000000000000001"))
CUT_AIGP = attribute(0x80, 26, bytes.fromhex("01 000b"))


# RFC 7606 3g and 4: the wire has it, the route does not.
@pytest.mark.parametrize("sent, discarded, fault", [
    ([AIGP], [None], None),
    ([CUT_AIGP], [True], "attribute-value"),
    ([AIGP, AIGP], [None, True], "attribute-twice"),
    ([CUT_AIGP, AIGP], [True, True], "attribute-value"),
])
def test_a_discarded_attribute_is_marked(sent, discarded, fault):
    path = (attribute(0x40, 1, b"\0") + attribute(0x40, 2, segment(2, 64510))
            + attribute(0x40, 3, bytes([192, 0, 2, 1])))
    up, line = decoded(PEER.up(), PEER.monitor(update(
        b"", path + b"".join(sent), bytes([24, 10, 0, 0]))))
    shown = line["unknownAttributes"]
    assert [a.get("discarded") for a in shown] == discarded
    assert ["fields" not in a for a in shown] == [bool(d) for d in discarded]
    assert line.get("fault") == fault
