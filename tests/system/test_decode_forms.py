"""What lines of "arancini decode" look like, but for JSON and bgpdump."""

import os
import pty
import subprocess

import pytest

from bmp import Peer, attribute, initiation, update
from decoding import BINARY, TREE, data_files, lines, run_decode


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
    said = run.stdout.decode().splitlines()
    assert run.returncode == 0 and len(said) == 4
    assert said[0].startswith("- * initiation sysName r?[2J1")
    assert " AS64510 192.0.2.10 * peerUp " in said[1]
    assert said[2].endswith(
        " AS64510 192.0.2.10 + 203.0.113.0/24 via 192.0.2.1 [64510] origin IGP"
        " communities [65535:65281] communityNames [no-export]"
        " unknownAttributes [{flags 128 type 26 name aigp value"
        " 01000b000000000000000a fields {tlvs [{type 1 name aigp metric 10}]}}]")
    assert said[3].endswith(" AS64510 192.0.2.10 - 203.0.113.0/24")


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


def explained(*args, stdin=None):
    """The fields of each message, which must cover all its bytes."""
    run = run_decode("--explain", "--json", *args, stdin=stdin)
    for line in lines(run):
        if line["kind"] != "explain":
            continue
        at = 0
        for field in line["fields"]:
            assert field["at"] == at, field
            at += len(field.get("bytes", "")) // 2
        yield line


def whole(line):
    return bytes.fromhex("".join(f.get("bytes", "") for f in line["fields"]))


def test_explain_covers_every_byte():
    """The bytes of all fields are the message, in its order."""
    peer = Peer("192.0.2.10", 64510)
    attributes = (attribute(0x40, 1, b"\0") +
                  attribute(0x40, 2, bytes([2, 1, 0, 0, 0xfb, 0xfe])) +
                  attribute(0x40, 3, bytes([192, 0, 2, 1])) +
                  attribute(0xc0, 8, bytes.fromhex("ffffff01")) +
                  attribute(0xc0, 16, bytes.fromhex("0002fde800000001")) +
                  attribute(0x80, 26, bytes.fromhex("01000b000000000000000a")))
    prefix = bytes([24, 203, 0, 113])
    messages = [initiation(), peer.up(),
                peer.monitor(update(prefix, attributes, prefix)),
                peer.down(), b"\3\0\0\0\x08\x63ab"]
    seen = list(explained("-", stdin=b"".join(messages)))
    assert [whole(line) for line in seen] == messages
    said = {(f["name"], f.get("value")) for f in seen[2]["fields"]}
    assert {("peerAddr", "192.0.2.10"), ("withdrawnLength", "4"),
            ("nlri", "203.0.113.0/24"), ("origin", "0 IGP"),
            ("asn", "64510"), ("community", "65535:65281 no-export"),
            ("community", "rt:65000:1"), ("metric", "10")} <= said
    # Of the last one, nothing but the header is known.
    assert [f["name"] for f in seen[4]["fields"]][-1] == "unread"


@pytest.mark.parametrize("path", data_files("*.bmp", "vectors/*.bmp") + [
    pytest.param(path, id=path.name)
    for path in sorted((TREE / "tests" / "captures").glob("*.bmp"))])
def test_explain_covers_captures(path):
    """Also of captures, with damaged messages: nothing is left out."""
    raw = path.read_bytes()
    pieces = [whole(line) for line in explained(path)]
    assert raw.startswith(b"".join(pieces))


def test_explain_on_a_terminal():
    """Bytes and fields in lines; what a router sends obeys no terminal."""
    run = run_decode("--explain", "--text", "-",
                     stdin=initiation(name=b"r\x1b[2J1"))
    text = run.stdout.decode().splitlines()
    assert text[0] == "- * explain"
    assert text[2].split() == ["0", "03", "version", "3"]
    assert text[-1].split() == ["10", "72", "1b", "5b", "32", "4a", "31",
                                "text", "r?[2J1"]
    assert run_decode("--explain", "-m", "-", stdin=b"").returncode == 2
