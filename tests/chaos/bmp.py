"""A BMP writer (RFC 7854, 8671, 9069) with just enough BGP for routes of IPv4
and IPv6. It shares no code with the collector or with tests/system."""

import ipaddress
import struct

ROUTE_MONITORING, STATISTICS, PEER_DOWN, PEER_UP, INITIATION = range(5)
GLOBAL_PEER, DISTINGUISHED_PEER, LOC_RIB_PEER = 0, 1, 3
FLAG_V6, FLAG_POST, FLAG_OUT = 0x80, 0x40, 0x10
IPV4, IPV6 = 1, 2
UNICAST = 1
AS_TRANS = 23456
# RFC 7854 4.9: no reason is "de-configured" but the last one.
REMOTE_CLOSED, DECONFIGURED = 4, 5


def message(kind, body):
    return struct.pack(">BIB", 3, 6 + len(body), kind) + body


def initiation(name):
    tlvs = b""
    for kind, text in ((1, "chaos"), (2, name)):
        tlvs += struct.pack(">HH", kind, len(text)) + text.encode()
    return message(INITIATION, tlvs)


def address16(text):
    return ipaddress.ip_address(text).packed.rjust(16, b"\0")


def mapped16(text):
    """As the schema has addresses: IPv4 is mapped."""
    address = ipaddress.ip_address(text)
    if address.version == 6:
        return address.packed
    return bytes(10) + b"\xff\xff" + address.packed


def bgp(kind, body):
    return b"\xff" * 16 + struct.pack(">HB", 19 + len(body), kind) + body


def bgp_open(asn, bgp_id, add_path):
    capabilities = b"".join(struct.pack(">BBHBB", 1, 4, afi, 0, UNICAST)
                            for afi in (IPV4, IPV6))
    capabilities += struct.pack(">BBI", 65, 4, asn)
    if add_path:
        families = b"".join(struct.pack(">HBB", afi, UNICAST, 3)
                            for afi in (IPV4, IPV6))
        capabilities += struct.pack(">BB", 69, len(families)) + families
    parameters = struct.pack(">BB", 2, len(capabilities)) + capabilities
    my_as = asn if asn < 65536 else AS_TRANS
    return bgp(1, struct.pack(">BHHIB", 4, my_as, 90, bgp_id, len(parameters))
               + parameters)


def attribute(flags, code, value):
    if len(value) > 255:
        return struct.pack(">BBH", flags | 0x10, code, len(value)) + value
    return struct.pack(">BBB", flags, code, len(value)) + value


def nlri(afi, routes):
    """@routes: (path id or None, address bytes of 16, prefix length)."""
    out = b""
    for path_id, address, length in routes:
        if path_id is not None:
            out += struct.pack(">I", path_id)
        packed = address[12:] if afi == IPV4 else address
        out += bytes([length]) + packed[:(length + 7) // 8]
    return out


def update(withdrawn, attributes, routes):
    return bgp(2, struct.pack(">H", len(withdrawn)) + withdrawn
               + struct.pack(">H", len(attributes)) + attributes + routes)


def path_attributes(value):
    """Of a model.Value, without the next hop, which goes with the NLRI."""
    out = attribute(0x40, 1, bytes([value.origin]))
    path = b""
    if value.as_path:
        path = struct.pack(f">BB{len(value.as_path)}I", 2, len(value.as_path),
                           *value.as_path)
    out += attribute(0x40, 2, path)
    if value.med is not None:
        out += attribute(0x80, 4, struct.pack(">I", value.med))
    if value.local_pref is not None:
        out += attribute(0x40, 5, struct.pack(">I", value.local_pref))
    if value.communities:
        out += attribute(0xc0, 8, b"".join(
            struct.pack(">HH", *pair) for pair in value.communities))
    if value.large:
        out += attribute(0xc0, 32, b"".join(
            struct.pack(">III", *three) for three in value.large))
    return out


def announcement(afi, value, routes):
    attributes = path_attributes(value)
    if afi == IPV4:
        attributes += attribute(0x40, 3, value.next_hop[12:])
        return update(b"", attributes, nlri(afi, routes))
    reach = (struct.pack(">HBB", afi, UNICAST, 16) + value.next_hop + b"\0"
             + nlri(afi, routes))
    return update(b"", attributes + attribute(0x80, 14, reach), b"")


def withdrawal(afi, routes):
    if afi == IPV4:
        return update(nlri(afi, routes), b"", b"")
    unreach = struct.pack(">HB", afi, UNICAST) + nlri(afi, routes)
    return update(b"", attribute(0x80, 15, unreach), b"")


def end_of_rib(afi):
    if afi == IPV4:
        return update(b"", b"", b"")
    return update(b"", attribute(0x80, 15, struct.pack(">HB", afi, UNICAST)),
                  b"")


def peer_header(peer, flags):
    """@peer: a model.Peer; the time is left out, as some routers do."""
    if peer.kind == LOC_RIB_PEER:
        address, family = bytes(16), 0
    else:
        address = address16(peer.address)
        family = FLAG_V6 if ":" in peer.address else 0
    return struct.pack(">BBQ16sIIII", peer.kind, flags | family,
                       peer.distinguisher, address, peer.asn, peer.bgp_id,
                       0, 0)


def peer_up(peer):
    opening = bgp_open(peer.asn, peer.bgp_id, peer.add_path)
    return message(PEER_UP, peer_header(peer, 0) + bytes(16)
                   + struct.pack(">HH", 179, peer.port) + opening * 2)


def peer_down(peer, reason):
    return message(PEER_DOWN, peer_header(peer, 0) + bytes([reason]))


def monitoring(peer, flags, bgp_message):
    return message(ROUTE_MONITORING, peer_header(peer, flags) + bgp_message)


def statistics(peer, routes):
    return message(STATISTICS, peer_header(peer, 0)
                   + struct.pack(">IHHQ", 1, 7, 8, routes))
