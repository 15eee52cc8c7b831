"""What is sent to the HTTP port by mistake or on purpose: each gets an answer
that says what is wrong, and the collector lives."""

import random
import socket
import string
import urllib.parse

import pytest

from watching import API, Http, WatchedCollector

PLAIN = ("/healthz", "/readyz", "/metrics", "/api/v1/status",
         "/api/v1/routers", "/api/v1/peers")
TOKEN, PEER = "v4_127_0_0_1", "0-0-10.0.0.1"


@pytest.fixture(scope="module")
def collector(module_server, arancini, tmp_path_factory):
    c = WatchedCollector(module_server, arancini,
                         tmp_path_factory.mktemp("state"), "--workers", "2")
    c.send("generate", "--peers", "2", "--prefixes", "500")
    c.http.until(lambda s: s["totals"]["routes"] == 1000)
    return c


@pytest.fixture
def http(collector):
    one = Http(collector.http_port)
    yield one
    one.close()


def refused(answer, *statuses):
    """A refusal with words a person can use."""
    assert answer.status in statuses, (answer.status, answer.bytes)
    assert answer.type.startswith("application/json"), answer.bytes
    API.check_as("Error", answer.json)
    assert len(answer.json["error"]) > 8
    return answer.json


BAD_PREFIXES = [
    "", "/", "/24", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/ 8",
    "10.0.0.0/8/8", "10.0.0/8", "10.0.0.256/32", "10.0.0.1/8", "::/129",
    "1:2:3:4:5:6:7:8:9/64", "2001:db8::1/32", "fe80::1%eth0/128", "1e1.0.0.0/8",
    "0x0a000000/8", "010.0.0.0/8", "10.0.0.0/08x", "10.0.0.0/99999999999999999",
    "a" * 500, "10.0.0.0/8\0", "10.0.0.0/8\r\nX: y", "\xff\xfe", "٣.0.0.0/8",
    "::ffff:10.0.0.0/104x", "%", "'; drop table", "10.0.0.0\\8", " ",
]


def test_prefixes_that_are_none(http):
    for prefix in BAD_PREFIXES:
        for match in ("exact", "longest", "more-specific"):
            refused(http.ask("GET", "/api/v1/rib", prefix=prefix,
                             match=match), 400)


BAD_PARAMETERS = [
    ("/api/v1/rib", {"prefix": "10.0.0.0/8", "match": "best"}),
    ("/api/v1/rib", {"prefix": "10.0.0.0/8", "match": ""}),
    ("/api/v1/rib", {"match": "exact"}),
    ("/api/v1/rib", {}),
    ("/api/v1/rib", {"prefix": "10.0.0.0/8", "router": "../etc"}),
    ("/api/v1/rib", {"prefix": "10.0.0.0/8", "router": "x" * 300}),
    ("/api/v1/rib", {"prefix": "10.0.0.0/8", "peer": PEER}),
    ("/api/v1/rib", {"prefix": "10.0.0.0/8", "router": TOKEN, "peer": "me"}),
    ("/api/v1/rib", {"prefix": "10.0.0.0/8", "router": TOKEN,
                     "peer": "0-fffffffffffffffff-10.0.0.1"}),
    ("/api/v1/rib", {"prefix": "10.0.0.0/8", "view": "sea"}),
    ("/api/v1/rib", {"prefix": "10.0.0.0/8", "family": "ipv5-unicast"}),
    ("/api/v1/rib", {"prefix": "10.0.0.0/8", "rd": "1:2:3:4"}),
    ("/api/v1/rib", {"prefix": "10.0.0.0/8", "colour": "red"}),
    ("/api/v1/peers", {"state": "asleep"}),
    ("/api/v1/peers", {"router": "not a token"}),
    ("/api/v1/routers", {"state": "asleep"}),
    ("/api/v1/routers", {"router": TOKEN}),
    ("/api/v1/status", {"verbose": "1"}),
]


def test_parameters_that_are_wrong(http):
    for path, parameters in BAD_PARAMETERS:
        refused(http.ask("GET", path, check=False, **parameters), 400)


def test_a_parameter_without_a_name(collector, http):
    for query in ("=1", "=", "limit=1&=2", "=&=", "%3D=1"):
        for path in PLAIN + ("/", "/api/v1/rib"):
            refused(http.ask("GET", f"{path}?{query}", check=False), 400)
    # The thread that reads requests still answers everybody.
    other = Http(collector.http_port, timeout=20)
    assert other.ask("GET", "/healthz").status == 200
    other.close()


def test_who_may_ask_is_checked_before_parameters(http):
    """Somebody who may not ask does not learn the names of parameters."""
    for path in ("/api/v1/routers?colour=red", "/api/v1/status?x=1"):
        answer = http.ask("GET", path, headers={"Host": "evil.example"},
                          check=False)
        refused(answer, 421)
    refused(http.ask("POST", "/api/v1/resync?colour=red", check=False), 401)


LISTS = [("/api/v1/routers", {}), ("/api/v1/peers", {}),
         ("/api/v1/rib", {"prefix": "10.0.0.0/8"})]


def test_pages_of_no_size(http):
    for limit in ("0", "-1", "1001", "1e3", "0x10", "", " 1", "ten", "1.0",
                  "18446744073709551616", "9" * 400):
        for path, more in LISTS:
            refused(http.ask("GET", path, limit=limit, **more), 400)


def test_cursors_that_nobody_gave_out(http):
    for cursor in ("", "0", "x" * 2000, "AAAA", "../..", "\0\0\0\0", "é",
                   "A" * 64):
        for path, more in LISTS:
            refused(http.ask("GET", path, cursor=cursor, **more), 400)


def test_a_cursor_is_good_for_its_own_list_only(http):
    page = http.get("/api/v1/rib", prefix="0.0.0.0/0", limit=1,
                    match="more-specific")
    cursor = page["next"]
    for flip in range(0, len(cursor), 3):
        bad = cursor[:flip] + ("A" if cursor[flip] != "A" else "B") \
            + cursor[flip + 1:]
        refused(http.ask("GET", "/api/v1/rib", prefix="0.0.0.0/0", limit=1,
                         match="more-specific", cursor=bad), 400)
    refused(http.ask("GET", "/api/v1/peers", cursor=cursor), 400)


def test_a_parameter_twice(http):
    refused(http.ask("GET", "/api/v1/rib?prefix=10.0.0.0/8&prefix=11.0.0.0/8"),
            400)


def test_paths_that_are_none(http):
    for path in (
            "/api", "/api/", "/api/v1", "/api/v2/status",
            "/api/v1/routers/v4_1_2_3_4/x/y", "/metrics/..",
            "/api/v1/peers/v4_127_0_0_1", "/../../etc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd", "/index.html/..",
            "/api/v1/status%00", "/API/V1/STATUS", "/.git/config"):
        refused(http.ask("GET", path, check=False), 400, 404)


def test_routers_and_peers_that_are_none(http):
    for path in ("/api/v1/routers/v4_9_9_9_9", "/api/v1/routers/id_nobody",
                 f"/api/v1/peers/v4_9_9_9_9/{PEER}",
                 f"/api/v1/peers/{TOKEN}/0-0-10.9.9.9"):
        refused(http.ask("GET", path), 404)


def test_methods_that_a_path_does_not_have(collector):
    http = collector.with_token()
    for path in PLAIN:
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE",
                       "BREW", "get"):
            answer = http.ask(method, path, check=False)
            refused(answer, 405)
            assert "GET" in answer.headers["allow"]
    http.close()


ACTIONS = [f"/api/v1/routers/{TOKEN}/disconnect",
           f"/api/v1/peers/{TOKEN}/{PEER}/purge", "/api/v1/snapshot",
           "/api/v1/resync", "/api/v1/log-level?level=info"]


def test_actions_need_the_token(http):
    for header in (None, "Bearer", "Bearer ", "Bearer wrong", "bearer",
                   "Basic", "Basic !", "Basic d3Jvbmc6d3Jvbmc=", "Token x",
                   "Bearer " + "x" * 3000, "\xff"):
        headers = {} if header is None else {"Authorization": header}
        for path in ACTIONS:
            answer = http.ask("POST", path, headers=headers, check=False)
            refused(answer, 401)
            assert "Basic" in answer.headers["www-authenticate"]


def test_actions_with_the_token_and_wrong_words(collector):
    http = collector.with_token()
    refused(http.post("/api/v1/log-level", level="loud"), 400)
    refused(http.post("/api/v1/log-level"), 400)
    refused(http.post("/api/v1/resync", router="v4_9_9_9_9"), 404)
    refused(http.post("/api/v1/resync", router="??"), 400)
    refused(http.post("/api/v1/routers/v4_9_9_9_9/disconnect"), 404)
    refused(http.post(f"/api/v1/peers/{TOKEN}/0-0-1.1.1.1/purge"), 404)
    for path in ACTIONS:
        answer = http.ask("GET", path, check=False)
        refused(answer, 405)
        assert answer.headers["allow"] == "POST"
    http.close()


def test_pages_of_strangers(collector):
    http = collector.with_token()
    refused(http.ask("POST", "/api/v1/snapshot",
                     headers={"Origin": "http://evil.example"}), 403)
    http.close()
    plain = Http(collector.http_port)
    refused(plain.ask("GET", "/api/v1/status", check=False,
                      headers={"Host": "evil.example"}), 421)
    plain.close()


def raw(collector, data, more=b"", timeout=30):
    """Send bytes as they are; what comes back until the end, or until it is
    silent: of half a request it waits for the rest as long as for any."""
    with socket.create_connection(("127.0.0.1", collector.http_port),
                                  timeout=timeout) as sock:
        try:
            sock.sendall(data)
            if more:
                sock.sendall(more)
            sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # closed before it was sent
        out = b""
        try:
            while chunk := sock.recv(65536):
                out += chunk
        except (ConnectionResetError, TimeoutError):
            pass
        return out


def answer_to(collector, data, more=b""):
    """Raw, of what is closed before all of it is read: the reset that follows
    can overtake the answer, so it is asked until there is one."""
    for _ in range(50):
        answer = raw(collector, data, more)
        if answer:
            return answer
    return b""


def status_of(answer):
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.") else None


def test_long_things(collector):
    head = b" HTTP/1.1\r\nHost: localhost\r\n"
    get = b"GET /api/v1/status"
    for limits, data in (
            ((414, 431), b"GET /api/v1/rib?prefix=" + b"1" * 100_000 + head),
            ((413, 431), get + head + b"X: " + b"y" * 200_000 + b"\r\n"),
            ((413, 431), get + head + b"X: y\r\n" * 20_000)):
        answer = answer_to(collector, data + b"\r\n")
        assert status_of(answer) in limits, data[:40]
    token = collector.token.encode()
    big = answer_to(
        collector, b"POST /api/v1/snapshot" + head + b"Authorization: Bearer "
        + token + b"\r\nContent-Length: 99999999\r\n\r\n", b"z" * 1_000_000)
    assert status_of(big) == 413


def test_bytes_that_are_no_http(collector):
    head = b"POST /api/v1/resync HTTP/1.1\r\nHost: localhost\r\n"
    for data in (
            b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            b"GET /healthz HTTP/1.1\r\nHost localhost\r\n\r\n",
            head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            head + b"Content-Length: -5\r\n\r\n"):
        answer = raw(collector, data, timeout=5)
        assert answer == b"" or status_of(answer) in range(200, 506), data
    # What does not even end is waited for, but not for ever; others do not
    # wait with it.
    waiting = [socket.create_connection(("127.0.0.1", collector.http_port))
               for _ in range(20)]
    for i, sock in enumerate(waiting):
        sock.sendall((b"\r\n", b"\0" * 100, b"GET /healthz HT",
                      b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                      b"\x03\0\0\0\x06\x04")[i % 5])
    other = Http(collector.http_port, timeout=20)
    assert other.get("/healthz") == "ok\n"
    other.close()
    for sock in waiting:
        sock.close()


def test_a_head_is_a_get_without_its_body(http):
    for path in PLAIN:
        head = http.ask("HEAD", path, check=False)
        assert head.status == 200 and head.bytes == b""
        assert head.type == http.ask("GET", path).type


def random_value(rng):
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice(BAD_PREFIXES)
    if kind == 1:
        return "".join(rng.choice(string.printable)
                       for _ in range(rng.randrange(40)))
    if kind == 2:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(20)))
    if kind == 3:
        return str(rng.choice([0, 1, -1, 2**31, 2**32, 2**63, 2**64]))
    if kind == 4:
        return rng.choice(["exact", "longest", "more-specific", "up", TOKEN,
                           PEER, "adj-rib-in-pre", "ipv4-unicast", "65000:1"])
    return (f"{rng.randrange(256)}.{rng.randrange(256)}.0.0/"
            f"{rng.randrange(40)}")


NAMES = ["prefix", "match", "router", "peer", "view", "family", "rd", "limit",
         "cursor", "filter", "state", "level", "nobody"]
WHERE = ["/api/v1/rib", "/api/v1/peers", "/api/v1/routers", "/api/v1/status",
         "/metrics", "/readyz", f"/api/v1/routers/{TOKEN}",
         f"/api/v1/peers/{TOKEN}/{PEER}"]


def test_anything_at_all(collector, http):
    """Never a 500, never silence; and the collector is as before after it."""
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    for _ in range(2000):
        query = "&".join(
            urllib.parse.quote(name) + "="
            + urllib.parse.quote(random_value(rng),
                                 safe=rng.choice(["", "/:%&="]))
            for name in rng.sample(NAMES, rng.randrange(1, 4)))
        path = rng.choice(WHERE)
        if rng.random() < 0.1:
            path += urllib.parse.quote(random_value(rng), safe="")
        # A space or a control character would not be HTTP any more.
        target = "".join(c if "!" <= c <= "~" else "%20"
                         for c in f"{path}?{query}")
        answer = http.ask("GET", target, check=False)
        if answer.status != 200:
            refused(answer, 400, 404, 414)
    assert http.status()["totals"]["routes"] == 1000
