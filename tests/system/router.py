"""A router in Python: BMP sessions whose table a test decides."""

import socket
import struct

PEER_AS = 65010
PEER = "10.9.0.1"


def message(kind, body):
    return struct.pack(">BIB", 3, 6 + len(body), kind) + body


def initiation(name):
    name = name.encode()
    return message(4, struct.pack(">HH", 2, len(name)) + name)


def bgp(kind, body):
    return b"\xff" * 16 + struct.pack(">HB", 19 + len(body), kind) + body


def peer_header(peer=PEER, time=1700000000):
    return (struct.pack(">BBQ", 0, 0, 0) + bytes(12) + socket.inet_aton(peer)
            + struct.pack(">I4sII", PEER_AS, socket.inet_aton(peer), time, 0))


def bgp_open(identifier):
    # Four octets of AS numbers (RFC 6793), which the AS paths below have.
    wide = struct.pack(">BBI", 65, 4, PEER_AS)
    options = struct.pack(">BB", 2, len(wide)) + wide
    return bgp(1, struct.pack(">BHH4sB", 4, PEER_AS, 180,
                              socket.inet_aton(identifier), len(options))
               + options)


def peer_up(peer=PEER):
    local = bytes(12) + socket.inet_aton("10.9.0.254")
    return message(3, peer_header(peer) + local
                   + struct.pack(">HH", 179, 40000)
                   + bgp_open("10.9.0.254") + bgp_open(peer))


def peer_down(peer=PEER):
    return message(2, peer_header(peer) + b"\x04")


def prefix(text):
    address, length = text.split("/")
    return (bytes([int(length)])
            + socket.inet_aton(address)[:(int(length) + 7) // 8])


def announce(text, path=(PEER_AS,), peer=PEER):
    as_path = struct.pack(f">BB{len(path)}I", 2, len(path), *path)
    attributes = (b"\x40\x01\x01\x00"
                  + struct.pack(">BBB", 0x40, 2, len(as_path)) + as_path
                  + b"\x40\x03\x04" + socket.inet_aton(peer))
    return message(0, peer_header(peer) + bgp(
        2, struct.pack(">HH", 0, len(attributes)) + attributes
        + prefix(text)))


def withdraw(text, peer=PEER):
    gone = prefix(text)
    return message(0, peer_header(peer) + bgp(
        2, struct.pack(">H", len(gone)) + gone + b"\0\0"))


def end_of_rib(peer=PEER):
    return message(0, peer_header(peer) + bgp(2, bytes(4)))


class Router:
    """One session. The table is a dictionary of prefixes to AS paths."""

    def __init__(self, port, source="127.0.0.1", name="test",
                 to="127.0.0.1"):
        self.sock = socket.create_connection((to, port), timeout=20,
                                             source_address=(source, 0))
        self.sock.sendall(initiation(name))

    def send(self, *messages):
        self.sock.sendall(b"".join(messages))

    def dump(self, table, peer=PEER):
        """Peer Up, all of the table, and that it was all."""
        self.send(peer_up(peer),
                  *(announce(p, path, peer) for p, path in table.items()),
                  end_of_rib(peer))
        return self

    def close(self):
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
