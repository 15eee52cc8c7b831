"""A router with ever new peers: each has 48 bytes in a Peer Up and memory of
its own, so their number is bounded."""

from bmp import Peer, initiation
from collecting import connect
from neighbour import EVIL, Watch, check_memory, is_sanitized

MAX = 65536
MORE = 80000


def peers(count):
    for n in range(count):
        yield Peer(f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}", 64500)


def test_peers_without_end(collector):
    count = 2000 if is_sanitized(collector) else MORE
    watch = Watch(collector)
    with connect(collector, EVIL) as sock:
        sock.sendall(initiation(b"evil")
                     + b"".join(peer.up() for peer in peers(count)))
    collector.until_said("event=session_close", timeout=300)
    check_memory(collector, watch.stop())
    metrics = collector.http.metrics()
    assert metrics.sum("arancini_peers") == min(count, MAX)
    assert (metrics.sum("arancini_peers_refused_total") > 0) == (count > MAX)
    collector.stop()
