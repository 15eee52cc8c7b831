"""Clients of HTTP that are slow, many, greedy or ambiguous: none keeps others
from health and metrics, and none costs more memory than its share."""

import http.client
import socket
import struct
import time

import pytest
import shapes
from bmp import Peer, initiation
from collecting import connect

MB = 1 << 20
PAGE = 2 * MB           # 1 MiB, and one route more


def dial(port, source="127.0.0.1"):
    return socket.create_connection(("127.0.0.1", port), timeout=30,
                                    source_address=(source, 0))


def health(port, source="127.0.0.1", path="/healthz"):
    """The status, and how long it took to get it."""
    start = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30,
                                            source_address=(source, 0))
    connection.request("GET", path)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, time.monotonic() - start


@pytest.mark.parametrize("sources", [1, 4])
def test_slow_requests_keep_nobody_out(collector, sources):
    """More connections than there are places, each in the middle of a
    request, from one address and from several."""
    c = collector
    slow = []
    try:
        for n in range(700):
            slow.append(dial(c.http.port, f"127.0.0.{1 + n % sources}"))
            slow[-1].sendall(b"GET /healthz HTT")
        for path in ("/healthz", "/readyz", "/metrics", "/api/v1/status"):
            for source in ("127.0.0.1", "127.0.0.9"):
                status, seconds = health(c.http.port, source, path)
                assert status == 200
                assert seconds < 5
    finally:
        for sock in slow:
            sock.close()
    assert c.http.metrics().sum(
        "arancini_http_connections_evicted_total") > 0


def rib_request(limit):
    return (f"GET /api/v1/rib?prefix=0.0.0.0/0&match=more-specific"
            f"&limit={limit} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").encode()


def fill_table(c, routes=2000):
    """Routes whose attributes are some 60 KB of JSON each."""
    with connect(c, "127.0.0.3") as sock:
        peer = Peer("10.0.0.1", 64500)
        sock.sendall(initiation(b"large") + peer.up())
        sock.sendall(peer.monitor(shapes.update(
            shapes.set_path(2000), shapes.prefixes(routes))))
        c.http.until(lambda s: s["totals"]["routes"] == routes)


def test_pages_are_bounded_by_bytes(collector):
    c = collector
    fill_table(c, 500)
    found, cursor, pages = set(), {}, 0
    while True:
        answer = c.http.ask("GET", "/api/v1/rib", check=False,
                            prefix="0.0.0.0/0", match="more-specific",
                            limit=1000, **cursor)
        assert answer.status == 200
        assert len(answer.bytes) <= PAGE
        page = answer.json
        got = {r["prefixAddr"] for r in page["routes"]}
        assert not got & found
        found |= got
        pages += 1
        if page.get("next") is None:
            break
        cursor = {"cursor": page["next"]}
    assert len(found) == 500
    assert pages > 5


def test_clients_that_do_not_read(collector):
    c = collector
    fill_table(c)
    before = c.memory()
    clients = [dial(c.http.port) for _ in range(200)]
    try:
        for sock in clients:
            sock.sendall(rib_request(1000) * 3)
        deadline = time.monotonic() + 10
        most = 0
        while time.monotonic() < deadline:
            most = max(most, c.memory() - before)
            assert health(c.http.port)[0] == 200
            time.sleep(0.1)
    finally:
        for sock in clients:
            sock.close()
    # 64 MiB of answers, 64 that are being made, their connections.
    assert most < 192 * MB, f"{most / MB:.0f} MB"


AMBIGUOUS = {
    "length and encoding": b"Content-Length: 3\r\n"
                           b"Transfer-Encoding: chunked\r\n",
    "two lengths": b"Content-Length: 3\r\nContent-Length: 5\r\n",
    "two equal lengths": b"Content-Length: 0\r\nContent-Length: 0\r\n",
    "two hosts": b"Host: example.net\r\n",
    "blank before the colon": b"Content-Length : 3\r\n",
    "blank before the colon of another": b"X-Any : 3\r\n",
    "two encodings": b"Transfer-Encoding: chunked\r\n"
                     b"Transfer-Encoding: identity\r\n",
}


@pytest.mark.parametrize("kind", AMBIGUOUS)
def test_ambiguous_framing_is_refused(collector, kind):
    with dial(collector.http.port) as sock:
        sock.sendall(b"GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                     + AMBIGUOUS[kind] + b"\r\n0\r\n\r\n")
        got = b""
        while chunk := sock.recv(65536):
            got += chunk
        # One answer, and no second request on this connection.
        assert got.startswith(b"HTTP/1.1 400 "), got[:200]
        assert got.count(b"HTTP/1.1") == 1


def test_a_reset_in_the_middle(collector):
    """Clients that go away at every point are forgotten."""
    request = b"GET /api/v1/routers HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    c = collector
    for cut in range(0, len(request) + 1, 4):
        with dial(c.http.port) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                            struct.pack("ii", 1, 0))
            sock.sendall(request[:cut])
    deadline = time.monotonic() + 30
    while c.http.metrics().sum("arancini_http_connections") > 1:
        assert time.monotonic() < deadline
        time.sleep(0.05)
