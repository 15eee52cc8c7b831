"""Messages of a router that makes the collector publish far more than it
sends. Each is valid BMP and BGP: an honest router could be made to relay the
smaller ones."""

import struct

from bmp import Peer, bgp, message, tlv

EXTENDED = 0x10     # attribute flag: two bytes of length


def prefixes(count, first=0):
    """As many different /24s, as they stand in an UPDATE."""
    return b"".join(bytes([24, 20 + (n >> 16), n >> 8 & 255, n & 255])
                    for n in range(first, first + count))


def set_path(count):
    """An AS_PATH of sets of one AS each: they cannot be merged."""
    return b"".join(struct.pack(">BBI", 1, 1, 64500 + n % 100)
                    for n in range(count))


def sequence_path(count):
    """One set, so that segments are published, and sequences of one AS."""
    return set_path(1) + b"".join(struct.pack(">BBI", 2, 1, 64500 + n % 100)
                                  for n in range(count - 1))


def attribute(flags, code, value):
    return struct.pack(">BBH", flags | EXTENDED, code, len(value)) + value


def update(as_path, routes, med=0):
    attributes = (attribute(0x40, 1, b"\0") + attribute(0x40, 2, as_path)
                  + attribute(0x40, 3, bytes([192, 0, 2, 1]))
                  + attribute(0x80, 4, struct.pack(">I", med)))
    return bgp(2, struct.pack(">HH", 0, len(attributes)) + attributes + routes)


def large(peer, path=set_path, med=0):
    """The largest BGP message there is: 65,535 bytes, half path, half
    routes."""
    routes = prefixes(8274)
    room = 65535 - 23 - 4 * 4 - 1 - 4 - 4 - len(routes)
    return peer.monitor(update(path(room // 6), routes, med))


def ordinary_size(peer, first, med=0):
    """4,096 bytes, as every router may send: half path, half routes."""
    routes = prefixes(500, first)
    room = 4096 - 23 - 4 * 4 - 1 - 4 - 4 - len(routes)
    return peer.monitor(update(set_path(room // 6), routes, med))


def named_up(name, families=((1, 1),), asn=64500):
    """A Loc-RIB with this table name, and its Peer Up."""
    peer = Peer("0.0.0.0", asn, kind=3)
    capabilities = b"".join(b"\x01\x04" + struct.pack(">HBB", afi, 0, safi)
                            for afi, safi in families)
    capabilities += b"\x41\x04" + struct.pack(">I", asn)
    options = bytes([2, len(capabilities)]) + capabilities
    opening = bgp(1, struct.pack(">BHH4sB", 4, 23456, 90, b"\x0a\0\0\1",
                                 len(options)) + options)
    return peer, message(3, peer.header() + bytes(16)
                         + struct.pack(">HH", 0, 0) + opening * 2
                         + tlv(3, name))


def many_routes(peer, count=910):
    """A 3,691-byte UPDATE of plain routes."""
    return peer.monitor(update(struct.pack(">BBI", 2, 1, 64500),
                               prefixes(count)))
