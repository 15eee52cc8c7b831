"""BMP messages, written from the RFCs for tests that need odd ones."""

import ipaddress
import socket
import struct

HEADER = struct.Struct(">BIB")


def message(kind, body=b"", version=3, length=None):
    return HEADER.pack(version, 6 + len(body) if length is None else length,
                       kind) + body


def messages(data):
    """Those of a stream, but for one that is cut at its end."""
    at = 0
    while at + HEADER.size <= len(data):
        length = HEADER.unpack_from(data, at)[1]
        if at + length > len(data):
            return
        yield data[at:at + length]
        at += length


def tlv(kind, value):
    return struct.pack(">HH", kind, len(value)) + value


def initiation(name=b"test"):
    return message(4, tlv(2, name))


def termination(reason=0):
    return message(5, tlv(1, struct.pack(">H", reason)))


def address16(text):
    packed = ipaddress.ip_address(text).packed
    return packed.rjust(16, b"\0")


class Peer:
    """A peer of a router, with its per-peer header."""

    def __init__(self, address, asn, flags=0, kind=0, distinguisher=0):
        self.address = address
        self.asn = asn
        self.kind = kind
        self.distinguisher = distinguisher
        self.flags = flags | (0x80 if ":" in address else 0)

    def header(self, flags=0):
        return struct.pack(">BBQ16sIIII", self.kind, self.flags | flags,
                           self.distinguisher, address16(self.address),
                           self.asn, self.asn & 0xffffffff, 0, 0)

    def up(self, port=179, add_path=False):
        families = b"".join(b"\x01\x04" + struct.pack(">HBB", afi, 0, 1)
                            for afi in (1, 2))
        capabilities = families + b"\x41\x04" + struct.pack(">I", self.asn)
        if add_path:    # both ways, of IPv4
            capabilities += b"\x45\x04" + struct.pack(">HBB", 1, 1, 3)
        options = bytes([2, len(capabilities)]) + capabilities
        opening = bgp(1, struct.pack(">BHH4sB", 4, 23456, 90,
                                     struct.pack(">I", self.asn),
                                     len(options)) + options)
        return message(3, self.header() + address16(self.address)
                       + struct.pack(">HH", port, 40000) + opening * 2)

    def down(self, reason=4, data=b""):
        return message(2, self.header() + bytes([reason]) + data)

    def count(self, routes):
        """A report of how many routes its Adj-RIB-In has."""
        return message(1, self.header() + struct.pack(">I", 1)
                       + tlv(7, struct.pack(">Q", routes)))

    def monitor(self, update, flags=0):
        return message(0, self.header(flags) + update)

    def announce(self, *prefixes, flags=0, **how):
        return self.monitor(announce(*prefixes, asn=self.asn, **how), flags)

    def withdraw(self, *prefixes, flags=0):
        return self.monitor(withdraw(*prefixes), flags)

    def end_of_rib(self, afi=1, flags=0):
        return self.monitor(end_of_rib(afi), flags)


def bgp(kind, body):
    return b"\xff" * 16 + struct.pack(">HB", 19 + len(body), kind) + body


def attribute(flags, code, value):
    return struct.pack(">BBB", flags, code, len(value)) + value


def nlri(prefixes, path_id=None):
    out = b""
    for prefix in map(ipaddress.ip_network, prefixes):
        length = prefix.prefixlen
        if path_id is not None:
            out += struct.pack(">I", path_id)
        out += bytes([length])
        out += prefix.network_address.packed[:(length + 7) // 8]
    return out


def announce(*prefixes, asn=64500, med=1, path_id=None, as_path=None):
    ipv6 = ":" in prefixes[0]
    if as_path is None:
        as_path = struct.pack(">BBI", 2, 1, asn)
    routes = nlri(prefixes, path_id)
    attributes = (attribute(0x40, 1, b"\0")
                  + attribute(0x40, 2, as_path)
                  + attribute(0x80, 4, struct.pack(">I", med)))
    if not ipv6:
        attributes += attribute(0x40, 3, socket.inet_aton("192.0.2.1"))
        return update(b"", attributes, routes)
    attributes += attribute(0x80, 14, struct.pack(">HBB", 2, 1, 16)
                            + address16("2001:db8::1") + b"\0" + routes)
    return update(b"", attributes, b"")


def withdraw(*prefixes):
    if ":" not in prefixes[0]:
        return update(nlri(prefixes), b"", b"")
    return update(b"", attribute(0x80, 15, struct.pack(">HB", 2, 1)
                                 + nlri(prefixes)), b"")


def end_of_rib(afi=1):
    if afi == 1:
        return update(b"", b"", b"")
    return update(b"", attribute(0x80, 15, struct.pack(">HB", afi, 1)), b"")


def update(withdrawn, attributes, routes):
    return bgp(2, struct.pack(">H", len(withdrawn)) + withdrawn
               + struct.pack(">H", len(attributes)) + attributes + routes)
