"""What lines of "arancini decode" look like, but for JSON and bgpdump."""

import os
import pty
import subprocess

from bmp import Peer, attribute, initiation, update
from decoding import BINARY, run_decode


def test_lines_for_reading():
    """--text: time, who, what, then the other members behind their names."""
    peer = Peer("192.0.2.10", 64510)
    attributes = (attribute(0x40, 1, b"\0") +
                  attribute(0x40, 2, bytes([2, 1, 0, 0, 0xfb, 0xfe])) +
                  attribute(0x40, 3, bytes([192, 0, 2, 1])) +
                  attribute(0xc0, 8, bytes.fromhex("ffffff01")) +
                  attribute(0x80, 26, bytes.fromhex("01000b000000000000000a")))
    prefix = bytes([24, 203, 0, 113])
    stream = (initiation(name=b"r\x1b[2J1") + peer.up() +
              peer.monitor(update(b"", attributes, prefix)) +
              peer.monitor(update(prefix, b"", b"")))
    run = run_decode("--text", "-", stdin=stream)
    lines = run.stdout.decode().splitlines()
    assert run.returncode == 0 and len(lines) == 4
    assert lines[0].startswith("- * initiation sysName r?[2J1")
    assert " AS64510 192.0.2.10 * peerUp " in lines[1]
    assert lines[2].endswith(
        " AS64510 192.0.2.10 + 203.0.113.0/24 via 192.0.2.1 [64510] origin IGP"
        " communities [65535:65281] communityNames [no-export]"
        " unknownAttributes [{flags 128 type 26 name aigp value"
        " 01000b000000000000000a fields {tlvs [{type 1 name aigp metric 10}]}}]")
    assert lines[3].endswith(" AS64510 192.0.2.10 - 203.0.113.0/24")


def test_text_is_for_terminals():
    """Without an option, a terminal gets text and a pipe JSON."""
    stream = initiation()
    ours, theirs = pty.openpty()
    try:
        run = subprocess.run([BINARY, "decode", "-"], input=stream,
                             stdout=theirs, timeout=60)
        text = os.read(ours, 4096).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert run.returncode == 0 and text.startswith("- * initiation sysName ")
    assert run_decode("-", stdin=stream).stdout.startswith(b'{"kind":')
    assert run_decode("--json", "-", stdin=stream).stdout.startswith(
        b'{"kind":')
