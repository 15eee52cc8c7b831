"""Every message that the NetGauze project decoded, against our reading of it.

Peer header, routes with everything that identifies them, and attributes; one
line of *.netgauze.json.gz is one BMP message. Those that NetGauze could not
read are listed below with what we read.
"""

import gzip
import ipaddress
import json

import pytest

from decoding import data_files, decode

FILES = data_files("*.netgauze.json.gz")

FAMILIES = {
    "Ipv4Unicast": (1, 1), "Ipv4Multicast": (1, 2),
    "Ipv4NlriMplsLabels": (1, 4), "Ipv4MplsVpnUnicast": (1, 128),
    "Ipv6Unicast": (2, 1), "Ipv6Multicast": (2, 2),
    "Ipv6NlriMplsLabels": (2, 4), "Ipv6MplsVpnUnicast": (2, 128),
}

PEER_TYPES = {"GlobalInstancePeer": "global", "RdInstancePeer": "rd",
              "LocalInstancePeer": "local", "LocRibInstancePeer": "loc-rib"}

KINDS = {"Initiation": "initiation", "PeerUpNotification": "peerUp",
         "PeerDownNotification": "peerDown", "StatisticsReport": "statistics",
         "Termination": "termination", "RouteMirroring": "mirror"}


def rd_text(rd):
    if rd is None:
        return None
    (kind, value), = rd.items()
    admin = value.get("asn2", value.get("asn4", value.get("ip")))
    return f"{admin}:{value['number']}"


def next_hops(value):
    """(address, link-local) from any of NetGauze's three shapes."""
    if "next_hop_global" in value:
        return value["next_hop_global"], value["next_hop_local"]
    hop = value.get("next_hop")
    if isinstance(hop, dict):
        (_, hop), = hop.items()
        return hop["next_hop"], hop.get("next_hop_local")
    return hop, value.get("next_hop_local")


def route(nlri, family, announced, hop):
    network = ipaddress.ip_network(nlri.get("network", nlri.get("prefix")),
                                   strict=False)
    stack = nlri.get("label_stack", nlri.get("labels", []))
    labels = [(a << 16 | b << 8 | c) >> 4 for a, b, c in stack]
    return {
        "family": family,
        "announced": announced,
        "prefix": str(network),
        "rd": rd_text(nlri.get("rd")),
        "pathId": nlri["path_id"],
        "labels": labels if announced else None,
        "nextHop": hop[0] if announced else None,
        "nextHopLinkLocal": hop[1] if announced else None,
    }


def attributes(update):
    """The attributes by name; those with NLRI come as routes."""
    out = {}
    for attribute in update["path_attributes"]:
        value = attribute["value"]
        (name, value), = value.items() if isinstance(value, dict) else \
            [(value, True)]
        out[name] = value
    return out


def community(number):
    return f"{number >> 16}:{number & 0xffff}"


def common(found):
    """What all announcements of an UPDATE share, in our names."""
    segments = found.get("AsPath", {})
    segments = next(iter(segments.values()), []) if segments else []
    numbers = [n for s in segments for n in s["as_numbers"]]
    get = found.get
    return {
        "origin": get("Origin", "").upper() or None,
        "asPath": numbers or None,
        "multiExitDisc": get("MultiExitDiscriminator", {}).get("metric"),
        "localPreference": get("LocalPreference", {}).get("metric"),
        "communities": [community(n) for n in
                        get("Communities", {}).get("communities", [])],
        "originatorId": get("Originator"),
        "clusterList": get("ClusterList", []),
        "extendedCommunities":
            len(get("ExtendedCommunities", {}).get("communities", [])),
    }


def their_routes(update):
    found = attributes(update)
    hop = (found.get("NextHop", {}).get("next_hop"), None)
    routes = [route(n, (1, 1), False, hop) for n in update["withdrawn_routes"]]
    for name, announced in (("MpUnreach", False), ("MpReach", True)):
        for family, value in found.get(name, {}).items():
            routes += [route(n, FAMILIES[family], announced, next_hops(value))
                       for n in value["nlri"]]
    routes += [route(n, (1, 1), True, hop) for n in update["nlri"]]
    shared = common(found)
    return [{**r, **shared} if r["announced"] else r for r in routes]


def our_route(line):
    announced = line["announced"]
    out = {
        "family": (line["afi"], line["safi"]),
        "announced": announced,
        "prefix": f"{line['prefixAddr']}/{line['prefixLen']}",
        "rd": line.get("routeDistinguisher"),
        "pathId": line.get("pathId"),
        "labels": line.get("labels", []) if announced else None,
        "nextHop": line.get("nextHop") if announced else None,
        "nextHopLinkLocal":
            line.get("nextHopLinkLocal") if announced else None,
    }
    if not announced:
        return out
    for name in ("origin", "asPath", "multiExitDisc", "localPreference",
                 "originatorId"):
        out[name] = line.get(name)
    for name in ("communities", "clusterList"):
        out[name] = line.get(name, [])
    out["extendedCommunities"] = len(line.get("extendedCommunities", []))
    return out


def their_peer(header):
    (kind, flags), = header["peer_type"].items()
    none = "::" if kind == "LocRibInstancePeer" else "0.0.0.0"
    return {
        "peerType": PEER_TYPES[kind],
        "peerDistinguisher": rd_text(header["rd"]),
        "peerAddr": header["address"] or none,
        "peerAsn": header["peer_as"],
        "peerBgpId": header["bgp_id"],
        "isPostPolicy": flags.get("post_policy", False),
        "isAdjRibOut": flags.get("adj_rib_out", False),
        "isFiltered": flags.get("filtered", False),
    }


def our_peer(line):
    out = {name: line.get(name)
           for name in ("peerType", "peerDistinguisher", "peerAddr",
                        "peerAsn", "peerBgpId")}
    return {**out, **{name: line.get(name, False)
                      for name in ("isPostPolicy", "isAdjRibOut",
                                   "isFiltered")}}


def same_spelling(value):
    """Addresses compared as addresses; a mapped one is IPv4 (docs/json.md)."""
    try:
        found = ipaddress.ip_address(value)
    except ValueError:
        return value
    return getattr(found, "ipv4_mapped", None) or found


def by_key(routes):
    """In an order that does not depend on who wrote them."""
    return sorted(routes, key=lambda r: (r["family"], r["announced"],
                                         r["prefix"], str(r["rd"]),
                                         str(r["pathId"])))


def check_monitoring(theirs, lines):
    update = theirs["update_message"]["Update"]
    routes = by_key(their_routes(update))
    ours = by_key(our_route(l) for l in lines if l["kind"] == "update")
    assert len(ours) == len(routes)
    for our, their in zip(ours, routes):
        for side in (our, their):
            for name in ("nextHop", "nextHopLinkLocal"):
                if side[name]:
                    side[name] = same_spelling(side[name])
        assert our == their
    if not routes:
        assert [l["kind"] for l in lines] == ["endOfRib"]


def check(theirs, lines):
    (version, message), = theirs.items()
    assert version == "V3"
    (kind, message), = message.items()
    if "peer_header" in message:
        assert our_peer(lines[0]) == their_peer(message["peer_header"])
    if kind == "RouteMonitoring":
        check_monitoring(message, lines)
        return
    assert [l["kind"] for l in lines] == [KINDS[kind]]
    if kind == "PeerUpNotification":
        # NetGauze says null for 0: a Loc-RIB has no ports.
        assert lines[0].get("localPort") == (message["local_port"] or None)
        assert lines[0].get("remotePort") == (message["remote_port"] or None)


# What NetGauze could not read, and we could: message, type, AS path.
NOT_READ = {
    "pmacct-206-frr-6wind-ha": [
        # OPENs with the BGP identifier 0.0.0.0: odd, but nothing is lost.
        (1, "peerUp", None),
        # Two-byte paths although the A flag is clear (PROTOCOL.md, note 4).
        (199, "update", [65000]),
        (200, "update", [65000]),
    ],
}


@pytest.mark.parametrize("path", FILES)
def test_as_netgauze_says_it(path):
    name = path.name.removesuffix(".netgauze.json.gz")
    with gzip.open(path, "rt") as file:
        theirs = [json.loads(line) for line in file]
    lines = {}
    for line in decode(path.with_name(f"{name}.bmp")):
        lines.setdefault(line["message"], []).append(line)
    not_read = []
    for number, message in enumerate(theirs):
        if "BmpMessageParsingError" in message:
            line, = lines[number]
            not_read.append((number, line["kind"], line.get("asPath")))
            continue
        check(message, lines[number])
    assert not_read == NOT_READ.get(name, [])
