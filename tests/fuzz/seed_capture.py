#!/usr/bin/python3
"""Write the seeds of the capture targets into corpus/.

    tests/fuzz/seed_capture.py

Small files that reach every branch a well-meant file can reach; fuzzing does
the rest. They are made here, byte by byte, from nobody's data but our own
recordings.
"""

import bz2
import gzip
import lzma
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "system"))

import packets  # noqa: E402

ROUTER, COLLECTOR = ("192.0.2.1", 40001), ("192.0.2.9", 11019)
ROUTER6, COLLECTOR6 = ("2001:db8::1", 40002), ("2001:db8::9", 11019)


def bmp(kind, body=b"", version=3):
    return struct.pack(">BIB", version, 6 + len(body), kind) + body


INIT = bmp(4, struct.pack(">HH", 2, 3) + b"seed"[:3])
STATS = bmp(1, bytes(42) + struct.pack(">I", 0))
STREAM = INIT + STATS + STATS


def session(source, target, data, base=1000, size=40):
    yield packets.segment(source, target, base - 1, flags=packets.SYN)
    for at in range(0, len(data), size):
        yield packets.segment(source, target, base + at, data[at:at + size])
    yield packets.segment(source, target, base + len(data),
                          flags=packets.FIN | packets.ACK)


def pcaps():
    one = list(session(ROUTER, COLLECTOR, STREAM))
    two = list(session(ROUTER6, COLLECTOR6, STREAM, base=0xfffffff0))
    yield "in-order", packets.pcap(one)
    yield "pcapng", packets.pcapng(one[:3])
    yield "reordered", packets.pcap([one[0], *one[:0:-1]])
    yield "two-sessions", packets.pcap([p for q in zip(one, two) for p in q])
    yield "gap", packets.pcap(one[:2] + [
        packets.segment(ROUTER, COLLECTOR, 2000, STATS)])
    yield "mid-session", packets.pcap([
        packets.segment(ROUTER, COLLECTOR, 5, STATS)])
    yield "reset", packets.pcap(one[:2] + [
        packets.segment(ROUTER, COLLECTOR, 1040, flags=packets.RST)])
    yield "not-bmp", packets.pcap(session(ROUTER, COLLECTOR, b"hello"))
    yield "length-zero", packets.pcap(session(ROUTER, COLLECTOR,
                                              INIT + b"\3\0\0\0\0\0"))
    yield "cut", packets.pcap(one)[:-7]
    yield "gzip", gzip.compress(packets.pcap(one), mtime=0)


def record(kind, subtype, body):
    return struct.pack(">IHHI", 1700000000, kind, subtype, len(body)) + body


ORIGIN = bytes.fromhex("40010100")
PEERS = record(13, 1, struct.pack(">IHHBIIH", 9, 0, 1, 0, 1, 0xc0000201,
                                  65001))
ENTRY = struct.pack(">HIH", 0, 1600000000, len(ORIGIN)) + ORIGIN
ENTRY_AP = struct.pack(">HIIH", 0, 1600000000, 7, len(ORIGIN)) + ORIGIN
ADDRESSES = struct.pack(">HHII", 0, 1, 0xc0000201, 0xc0000202)
KEEPALIVE = b"\xff" * 16 + b"\0\x13\4"
VPN = bytes.fromhex("60000101" "0000fde800000001" "0a")


def mrts():
    count = struct.pack(">H", 1)
    head = struct.pack(">I", 1)
    yield "table-dump", record(12, 1, struct.pack(
        ">HHIBBIIHH", 0, 1, 0x0a000000, 8, 1, 0, 0xc0000201, 65001,
        len(ORIGIN)) + ORIGIN)
    yield "rib-ipv4", PEERS + record(13, 2, head + b"\x08\x0a" + count + ENTRY)
    yield "rib-ipv6", PEERS + record(13, 4, head + b"\x08\x20" + count + ENTRY)
    yield "rib-add-path", PEERS + record(13, 8, head + b"\x08\x0a" + count +
                                         ENTRY_AP)
    vpn = struct.pack(">HB", 1, 128)
    yield "rib-generic", PEERS + record(13, 6, head + vpn + VPN + count +
                                        ENTRY)
    yield "rib-generic-add-path", PEERS + record(
        13, 12, head + vpn + VPN + count + ENTRY_AP)
    yield "rib-generic-rfc8050", PEERS + record(
        13, 12, head + vpn + struct.pack(">I", 7) + VPN + count + ENTRY)
    yield "message", record(16, 1, struct.pack(">HH", 65001, 65002) +
                            ADDRESSES + KEEPALIVE)
    yield "message-as4-et", record(17, 4, struct.pack(
        ">III", 250000, 65001, 65002) + ADDRESSES + KEEPALIVE)
    yield "state-change", record(16, 5, struct.pack(
        ">II", 65001, 65002) + ADDRESSES + struct.pack(">HH", 6, 1))
    yield "bzip2", bz2.compress(PEERS)
    yield "xz", lzma.compress(PEERS)
    yield "cut", PEERS[:-3]


def scripts():
    def step(start, length, cut=0):
        return struct.pack(">HBB", start, length, cut)
    yield "in-order", step(0, 100) + step(100, 100)
    yield "reordered", step(100, 100) + step(200, 50) + step(0, 100)
    yield "overlap", step(50, 100) + step(120, 100) + step(0, 130)
    yield "hole", step(0, 10) + step(20, 10) + step(40, 10)
    yield "cut", step(0, 100, 1) + step(100, 100, 2)
    yield "wrap", b"".join(step(at, 250) for at in range(0, 4000, 250))


def main():
    for target, seeds in (("capture_pcap", pcaps()), ("capture_mrt", mrts()),
                          ("capture_reassembly", scripts())):
        folder = HERE / "corpus" / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in seeds:
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
