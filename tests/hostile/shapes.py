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


def large(peer, path=set_path, med=0, count=8274):
    """The largest BGP message there is: 65,535 bytes, half path, half
    routes, or so many."""
    routes = prefixes(count)
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


# Families

def reach(afi, safi, routes, next_hop=bytes([192, 0, 2, 1])):
    """MP_REACH_NLRI."""
    return attribute(0x80, 14, struct.pack(">HBB", afi, safi, len(next_hop))
                     + next_hop + b"\0" + routes)


def multiprotocol(afi, safi, routes, as_path=b"\x02\x01\0\0\xfb\xf4"):
    attributes = (attribute(0x40, 1, b"\0") + attribute(0x40, 2, as_path)
                  + reach(afi, safi, routes))
    return bgp(2, struct.pack(">HH", 0, len(attributes)) + attributes)


def link_state(count, size, first=0):
    """NLRI of BGP-LS with so many bytes each: a withdraw repeats all of it."""
    return b"".join(struct.pack(">HHBQ", 1, 9 + size, 2, first + n)
                    + bytes(size) for n in range(count))


def link_state_tables(peer, routes=60, size=30000):
    """Small tables of NLRI that are long, of each view, and a Peer Down."""
    out = peer.up()
    for flags in (0, 0x40, 0x10, 0x50):     # post-policy, Adj-RIB-Out
        for first in range(0, routes, 2):
            out += peer.monitor(multiprotocol(
                16388, 71, link_state(2, size, first)), flags)
    return out + peer.down()


# Path identifiers that nobody spoke of

def either_form(count):
    """NLRI that can be read with path identifiers and without: with them they
    are as many routes, without them /8s, most of them the same."""
    return b"".join(bytes([0, 8, n & 255, 0, 8, n >> 8 & 255])
                    for n in range(count))


def with_path_ids(count, first=0):
    """NLRI that can only be read with them: no prefix has 255 bits."""
    return b"".join(struct.pack(">I", 0xffffffff) + bytes(
        [24, 20 + (n >> 16), n >> 8 & 255, n & 255])
        for n in range(first, first + count))


def without_path_ids(count, first=0):
    """NLRI that can only be read without them: no prefix has 200 bits."""
    return b"".join(bytes([32, 20 + (n >> 16), n >> 8 & 255, n & 255, 200])
                    for n in range(first, first + count))


def held_message(peer, path=4000, routes=400):
    """One that can be read in both forms, and one that shows which it is:
    what was held is then applied again, in the other form."""
    return (peer.monitor(update(set_path(path), either_form(routes)))
            + peer.monitor(update(b"\x02\x01\0\0\xfb\xf4", with_path_ids(3))))


def changing_form(peer, routes, times=4):
    """A table without path identifiers, then with them, and so on, faster than
    what was read the other way is withdrawn."""
    path, out = b"\x02\x01\0\0\xfb\xf4", b""
    for n in range(times):
        nlri = (without_path_ids, with_path_ids)[n % 2]
        for first in range(0, routes, 7000):
            out += peer.monitor(update(path, nlri(7000, first), n))
    return out


# Others

def statistics(peer, count, kind=0):
    """A report of as many counters; 4 bytes each."""
    return message(1, peer.header() + struct.pack(">I", count) + b"".join(
        tlv(kind, struct.pack(">I", n)) for n in range(count)))


def mirrored(peer, size):
    return message(6, peer.header() + tlv(0, bytes(size)))


def many_peers(count):
    return [Peer(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}", 64500 + n % 500)
            for n in range(count)]


def broken(peer, kind=1):
    """An UPDATE with an attribute that cannot be read: its ORIGIN, or its
    length."""
    value = b"\x09" if kind == 1 else b"\0" * 3
    attributes = attribute(0x40, 1, value) + attribute(
        0x40, 2, b"\x02\x01\0\0\xfb\xf4")
    return peer.monitor(bgp(2, struct.pack(">HH", 0, len(attributes))
                            + attributes + prefixes(20)))

