"""Captures written by hand: pcap and pcapng files around TCP segments, and
records of MRT."""

import ipaddress
import struct

SYN, FIN, RST, ACK = 0x02, 0x01, 0x04, 0x10


def segment(source, target, sequence, payload=b"", flags=ACK):
    """An Ethernet packet; source and target are (address, port)."""
    a, b = (ipaddress.ip_address(end[0]) for end in (source, target))
    tcp = struct.pack(">HHIIBBHHH", source[1], target[1],
                      sequence & 0xffffffff, 0, 0x50, flags, 65535, 0, 0)
    tcp += payload
    if a.version == 4:
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0x4000, 64,
                         6, 0) + a.packed + b.packed
    else:
        ip = struct.pack(">IHBB", 0x60000000, len(tcp), 6, 64)
        ip += a.packed + b.packed
    kind = 0x0800 if a.version == 4 else 0x86dd
    return bytes(12) + struct.pack(">H", kind) + ip + tcp


def flow(source, target, data, base=1000, size=700):
    """A session from its SYN on, in segments of @size bytes."""
    yield segment(source, target, base - 1, flags=SYN)
    for at in range(0, len(data), size):
        yield segment(source, target, base + at, data[at:at + size])


def pcap(packets):
    """A little-endian pcap with microseconds."""
    out = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1)
    for number, packet in enumerate(packets):
        out += struct.pack("<IIII", 1700000000 + number, 250000, len(packet),
                           len(packet)) + packet
    return out


def block(kind, body):
    body += bytes(-len(body) % 4)
    length = len(body) + 12
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


def pcapng(packets):
    out = block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))
    out += block(1, struct.pack("<HHI", 1, 0, 262144))
    for number, packet in enumerate(packets):
        time = (1700000000 + number) * 1000000 + 250000
        out += block(6, struct.pack("<IIIII", 0, time >> 32,
                                    time & 0xffffffff, len(packet),
                                    len(packet)) + packet)
    return out


def mrt(kind, subtype, body):
    return struct.pack(">IHHI", 1700000000, kind, subtype, len(body)) + body
