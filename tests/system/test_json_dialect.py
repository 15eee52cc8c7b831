"""One JSON dialect (docs/json.md): what a router sent looks the same in
"arancini decode", in "arancini tail", in "arancini rib" and in the HTTP API.

One session is decoded from a file and sent to a collector. For each route,
peer and event, all that these print of it must have the same names and the
same values; a member that only one of them has is listed here."""

import http.client
import json
import struct
import subprocess

import pytest

from bmp import (Peer, address16, attribute, bgp, initiation, message,
                 update)
from collecting import connect
from decoding import TREE, data_files, decode, lines, run_decode
from watching import WatchedCollector

CAPTURES = data_files("*.bmp") + [
    pytest.param(p, id=p.name)
    for p in sorted((TREE / "tests" / "captures").glob("*.bmp"))]

# Members that say how and where a line was read, not what the router sent.
OF_DECODE = {"message", "addPathGuessed", "asWidthGuessed", "hostBits",
             "fault", "faultAttribute", "warning", "unknownTlvs", "tlvs", "strings",
             "adminLabel"}
OF_TAIL = {"subject", "position", "messageId", "collector", "timeReceivedNs", "routerAddr",
           "routerPort", "routerId", "sequence", "nlriKey", "synthetic"}
# A stored route is there: it is of no UPDATE, and of no moment.
OF_RIB = {"router", "peer", "view", "family", "attributesKnown", "stale",
          "changedAt"}
OF_UPDATES = {"kind", "announced", "timeBmpHeaderNs", "mpReachAfi",
              "mpReachSafi", "isFiltered"}
OF_EVENTS = {"id", "at", "router", "peer", "view", "family"}

# Of the routes of the session.
EVPN = (25, 70)
FAMILIES = {(1, 1), (1, 128), (2, 1), EVPN}

GLOBAL = Peer("192.0.2.10", 64510)
IPV6 = Peer("2001:db8::10", 64511, flags=0x40)
WITH_RD = Peer("192.0.2.11", 64512, kind=1, distinguisher=65000 << 32 | 7)
LOCAL = Peer("192.0.2.12", 64513, kind=2, distinguisher=65000 << 32 | 8)
LOC_RIB = Peer("0.0.0.0", 64514, kind=3)
OF_LATER = Peer("192.0.2.13", 64515)
PEERS = [GLOBAL, IPV6, WITH_RD, LOCAL, LOC_RIB, OF_LATER]

WITH_NOTIFICATION = bgp(3, bytes([6, 2]) + b"\x04gone")

PATH = struct.pack(">BBII", 2, 2, 64500, 64501)
PATH_WITH_SETS = (struct.pack(">BBI", 3, 1, 65001)
                  + struct.pack(">BBI", 4, 1, 65002) + PATH
                  + struct.pack(">BBII", 1, 2, 64502, 64503))


def attributes(origin=0, path=PATH, hop=True):
    found = attribute(0x40, 1, bytes([origin])) + attribute(0x40, 2, path)
    if hop:
        found += attribute(0x40, 3, bytes([192, 0, 2, 99]))
    return found


def every_attribute():
    """One of each that has a member, and one that has none."""
    return (attributes(1, PATH_WITH_SETS)
            + attribute(0x80, 4, struct.pack(">I", 0))
            + attribute(0x40, 5, struct.pack(">I", 200))
            + attribute(0x40, 6, b"")
            + attribute(0xc0, 7, struct.pack(">I4s", 64499,
                                             bytes([192, 0, 2, 98])))
            + attribute(0xc0, 8, struct.pack(">HHHH", 64500, 1, 65535, 65281))
            + attribute(0x80, 9, bytes([192, 0, 2, 97]))
            + attribute(0x80, 10, bytes([192, 0, 2, 96, 192, 0, 2, 95]))
            + attribute(0xc0, 16, bytes.fromhex(
                # in the order in which a table keeps them
                "0002fde800000001" "0103c00002010005" "030c000000000008"
                "4304000000000001"))
            + attribute(0xc0, 25, bytes(range(20)))
            + attribute(0xc0, 32, struct.pack(">III", 64500, 1, 2))
            + attribute(0xc0, 35, struct.pack(">I", 64500))
            + attribute(0xc0, 99, b"unknown"))


def reach(afi, safi, hop, nlri):
    return attribute(0x80, 14, struct.pack(">HBB", afi, safi, len(hop)) + hop
                     + b"\0" + nlri)


def labelled(rd, prefix):
    """10.0.PREFIX.0/24 of a VPN, with label 16."""
    return bytes([24 + 64 + 24]) + b"\0\x01\x01" + struct.pack(">Q", rd) + \
        bytes([10, 0, prefix])


def session():
    """One session with all kinds of peers, attributes and events."""
    plain = attributes(hop=False)
    mapped = address16("::ffff:192.0.2.94")
    hop6 = address16("2001:db8::1") + address16("fe80::1")
    out = initiation(b"edge1") + b"".join(p.up() for p in PEERS)
    for update_message in (
            update(b"", every_attribute(), b"\x18\x0a\x01\x01"),
            update(b"", attributes(2, b""), b"\x18\x0a\x01\x02"),
            update(b"", plain + reach(1, 128, bytes(8) + bytes([192, 0, 2, 1]),
                                      labelled(65000 << 32 | 1, 1)
                                      + labelled(0, 2)), b""),
            update(b"", plain + reach(2, 1, mapped, b"\x20\x20\x01\x0d\xb8"),
                   b""),
            update(b"", plain + reach(2, 1, hop6, b"\x30\x20\x01\x0d\xb8\0\1"
                                      + b"\x60" + mapped[:12]), b""),
            # EVPN, an Inclusive Multicast route: no prefix
            update(b"", plain + reach(25, 70, bytes([192, 0, 2, 1]),
                                      b"\x03\x11" + bytes(12)
                                      + b"\x20\xc0\0\2\1"), b"")):
        out += GLOBAL.monitor(update_message)
    for peer in (WITH_RD, LOCAL, LOC_RIB):
        out += peer.announce("10.2.0.0/24")
    out += IPV6.announce("2001:db8:2::/48")
    out += GLOBAL.announce("10.3.0.0/24") + GLOBAL.withdraw("10.3.0.0/24")
    out += GLOBAL.end_of_rib() + GLOBAL.count(7)
    out += message(1, IPV6.header() + struct.pack(">I", 1) + struct.pack(
        ">HHHBQ", 9, 11, 2, 1, 5))
    out += WITH_RD.down(1, WITH_NOTIFICATION) + LOCAL.down(2, b"\0\0")
    return out + OF_LATER.down(77)


def route_key(line):
    return json.dumps([line.get(name) for name in (
        "peerType", "peerDistinguisher", "peerAddr", "isPostPolicy",
        "isAdjRibOut", "isLocRib", "afi", "safi", "pathId",
        "routeDistinguisher", "prefixAddr", "prefixLen", "nlri")])


def without(line, *names):
    return {k: v for k, v in line.items() if not any(k in n for n in names)}


class Seen:
    """What each of the programs prints of the session."""

    def __init__(self, c, folder):
        path = folder / "session.bmp"
        path.write_bytes(session())
        self.decoded = list(decode(path))
        self.summary, = lines(run_decode("--summary", path))
        stream = http.client.HTTPConnection("127.0.0.1", c.http_port,
                                            timeout=60)
        stream.request("GET", "/api/v1/events")
        with connect(c) as sock:
            sock.sendall(session())
            self.happened = self.events(stream.getresponse())
            self.peers = c.http.list("peers")
            self.routers = c.http.list("routers")
            self.rib = sum((c.http.list("rib", prefix=prefix,
                                        match="more-specific")
                            for prefix in ("0.0.0.0/0", "::/0")), [])
            self.command = sum((self.ask(c, prefix)
                                for prefix in ("0.0.0.0/0", "::/0")), [])
        stream.close()
        c.until_said("event=session_close")
        c.stop()
        self.tailed = c.published()

    @staticmethod
    def events(response):
        """Until the last Peer Down of the session."""
        found, name = [], None
        for line in response:
            word, _, value = line.decode().strip().partition(": ")
            if word == "event":
                name = value
            if word != "data" or name != "event":
                continue
            found.append(json.loads(value))
            if found[-1].get("peerAsn") == OF_LATER.asn \
                    and found[-1]["kind"] == "peerDown":
                return found
        raise AssertionError("the stream ended")

    @staticmethod
    def ask(c, prefix):
        done = subprocess.run(
            [c.arancini, "rib", "--url", c.url, "--json", "--more-specific",
             prefix], check=True, capture_output=True, text=True, timeout=60)
        return [json.loads(line) for line in done.stdout.splitlines()]

    @staticmethod
    def of(source, *kinds):
        return [line for line in source if line.get("kind") in kinds]


@pytest.fixture(scope="module")
def seen(module_server, arancini, tmp_path_factory):
    c = WatchedCollector(module_server, arancini,
                         tmp_path_factory.mktemp("state"), "--workers", "1")
    return Seen(c, tmp_path_factory.mktemp("session"))


def test_lines_of_decode_and_tail_say_their_kind(seen):
    assert {line.get("kind") for line in seen.decoded} == {
        "initiation", "peerUp", "peerDown", "update", "endOfRib",
        "statistics"}
    assert {line.get("kind") for line in seen.tailed} == {
        "epoch", "sessionOpen", "peerUp", "peerDown", "update", "endOfRib",
        "swept", "stale", "statistics", "sessionClose", "resync"}
    assert {"sessionOpen", "peerUp", "peerDown", "endOfRib"} <= {
        event["kind"] for event in seen.happened}


def test_updates_of_decode_and_tail(seen):
    """Each change of a route, in order: the same members and values."""
    want, got = {}, {}
    for line in seen.of(seen.decoded, "update"):
        want.setdefault(route_key(line), []).append(without(line, OF_DECODE))
    for line in seen.of(seen.tailed, "update"):
        if not line.get("synthetic"):
            got.setdefault(route_key(line), []).append(without(line, OF_TAIL))
    assert {(line["afi"], line["safi"])
            for found in want.values() for line in found} >= FAMILIES
    assert got == want
    assert sum("hasAsSet" in line for line in seen.rib) == 1


def test_routes_of_the_api_are_the_updates(seen):
    """What the collector still has, of peers that are up."""
    want = {}
    for line in seen.of(seen.tailed, "update"):
        if line["announced"]:
            want[route_key(line)] = without(line, OF_TAIL, OF_UPDATES)
        elif not line.get("synthetic") or line["reason"] == "peerDown":
            want.pop(route_key(line), None)
    got = {route_key(route): without(route, OF_RIB, OF_TAIL)
           for route in seen.rib}
    want = {k: v for k, v in want.items() if "nlri" not in v}
    assert {(line["afi"], line["safi"]) for line in want.values()} == {
        family for family in FAMILIES if family != EVPN}
    assert got == want


def test_command_prints_routes_of_the_api(seen):
    assert seen.command == seen.rib


def peer_of(line):
    return {k: v for k, v in line.items() if k.startswith("peer") and k not in
            ("peer", "peers", "peersUp", "peersStale")}


def unique(peers):
    return {json.dumps(peer, sort_keys=True) for peer in peers}


def test_peers(seen):
    want = unique(map(peer_of, seen.of(seen.decoded, "peerUp")))
    assert len(want) == len(PEERS)
    assert unique(map(peer_of, seen.summary["peers"])) == want
    assert unique(map(peer_of, seen.of(seen.tailed, "peerUp"))) == want
    assert unique(map(peer_of, seen.peers)) == want
    assert unique(map(peer_of, seen.of(seen.happened, "peerUp"))) == want
    types = {(p["peerAsn"], p["peerType"], p["peerAddr"]) for p in seen.peers}
    assert (LOC_RIB.asn, "loc-rib", "::") in types
    assert (GLOBAL.asn, "global", "192.0.2.10") in types


def test_routers(seen):
    router, = seen.routers
    for line in seen.of(seen.tailed, "update", "peerUp", "sessionOpen"):
        assert line["routerAddr"] == router["routerAddr"]
        assert line.get("routerId") == router.get("routerId")
        assert line.get("routerPort") in (None, router["routerPort"])
    assert ("routerId" in router) == any(
        "routerId" in line for line in seen.tailed)


def by_peer(source):
    return sorted(source, key=lambda line: line["peerAsn"])


@pytest.mark.parametrize("kind", ["peerUp", "peerDown", "endOfRib",
                                  "statistics"])
def test_events_of_decode_and_tail(seen, kind):
    """What the router sent is in both; a name is of decode alone."""
    views = {"isPostPolicy", "isLocRib"}     # of the header, not the event
    want = [without(line, OF_DECODE, views)
            for line in by_peer(seen.of(seen.decoded, kind))]
    for line in want:
        for count in line.get("counts", []):
            assert count.pop("name")
    got = [without(line, OF_TAIL, views)
           for line in by_peer(seen.of(seen.tailed, kind))]
    assert want and got == want


def test_events_of_the_api_and_tail(seen):
    """The stream of the browser and that of consumers."""
    kinds = {event["kind"] for event in seen.happened}
    # Events of a shard are in order; the stream goes on after the session.
    got = [without(event, OF_EVENTS) for event in seen.happened]
    details = {"timeReceivedNs", "timeBmpHeaderNs", "localAddr", "localPort",
               "remotePort", "sentOpen", "receivedOpen", "notification",
               "fsmEvent", "isFiltered"}
    want = [without(line, OF_TAIL, details)
            for line in seen.of(seen.tailed, *kinds)]
    assert got == want[:len(got)]
    reasons = [e.get("reason") for e in got if e["kind"] == "peerDown"]
    assert reasons == ["local-notification", "local-fsm-event", 77]


def test_histories_say_the_same_as_events(seen):
    told = {(e["peer"], e["kind"], e.get("reason")) for e in seen.happened
            if "peer" in e}
    downs = {(p["id"], "peerDown", p["downReason"]) for p in seen.peers
             if p["downReason"] is not None}
    assert len(downs) == 3 and downs <= told


def test_close_reasons(seen):
    close, = seen.of(seen.tailed, "sessionClose")
    assert close["reason"] == "closed"


@pytest.mark.parametrize("path", CAPTURES)
def test_captures(path, collector):
    """Of real routers: each update in the stream is a line of decode."""
    c = collector("--workers", "1")
    c.send("replay", path)
    c.until_said("event=session_close")
    c.stop()
    known = {}
    for line in decode(path):
        if line.get("kind") == "update":
            known.setdefault(route_key(line), []).append(
                without(line, OF_DECODE))
    for line in c.published():
        if line.get("kind") == "update" and (
                line["announced"] or "synthetic" not in line):
            assert without(line, OF_TAIL) in known.get(route_key(line), [])
