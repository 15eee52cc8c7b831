"""What values mean: bytes, and what "arancini decode" prints of them. Each
test names the reference that says what its bytes mean."""

import struct

import pytest

from bmp import Peer, announce
from decoding import lines, run_decode

PEER = Peer("192.0.2.10", 64510)


def decoded(*messages, options=()):
    """The lines of a stream; nothing of it may be damaged."""
    run = run_decode(*options, "-", stdin=b"".join(messages))
    assert run.returncode == 0, run.stderr
    return lines(run)


def segment(kind, *asns):
    return struct.pack(f">BB{len(asns)}I", kind, len(asns), *asns)


# RFC 9774 3: AS_SET (1) and AS_CONFED_SET (4) must not be sent any more.
@pytest.mark.parametrize("path, flagged", [
    (segment(2, 64500, 64501), None),
    (segment(2, 64500) + segment(2, 64501), None),
    (segment(3, 65001) + segment(2, 64500), None),
    (segment(2, 64500) + segment(1, 64502, 64503), True),
    (segment(4, 65001, 65002) + segment(2, 64500), True),
])
def test_a_path_with_a_set_is_flagged(path, flagged):
    up, update = decoded(
        PEER.up(), PEER.monitor(announce("10.0.0.0/24", as_path=path)))
    assert update["announced"] is True
    assert update.get("hasAsSet") == flagged
