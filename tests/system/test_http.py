"""The HTTP server of a running collector: what it answers to whom, and how it
takes what no browser would send. What the figures say is tested elsewhere."""

import base64
import contextlib
import gzip
import http.client
import json
import re
import shutil
import socket
import stat
import subprocess
import time

import pytest

from bmp import Peer, initiation
from collecting import Collector, connect

LIMIT_MAX = 1000


class Api:
    """One collector and its HTTP port."""

    def __init__(self, collector, state):
        self.collector = collector
        self.state = state
        self.host, port = re.search(
            r"event=http_listening at=([\d.]+):(\d+)",
            collector.server.output).groups()
        self.port = int(port)

    @property
    def token(self):
        return (self.state / "http-token").read_text().strip()

    def ask(self, path, method="GET", headers=None, body=None):
        """Status, headers, body."""
        connection = http.client.HTTPConnection(self.host, self.port,
                                                timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def get(self, path):
        status, _, body = self.ask(path)
        assert status == 200, body
        return json.loads(body)

    def post(self, path, **headers):
        status, _, body = self.ask(path, "POST", {
            "Authorization": f"Bearer {self.token}", **headers})
        return status, json.loads(body)

    def until(self, path, good, timeout=60):
        """Ask until the answer is good; what was answered last."""
        deadline = time.monotonic() + timeout
        while True:
            answer = self.get(path)
            if good(answer):
                return answer
            assert time.monotonic() < deadline, answer
            time.sleep(0.05)

    def raw(self, request, timeout=30):
        """Send bytes, and read until the other side closes, or is silent: of
        half a request it waits for the rest as long as for any."""
        with socket.create_connection((self.host, self.port),
                                      timeout=timeout) as s:
            got = b""
            # It may answer and close before it has read all of it.
            with contextlib.suppress(OSError):
                s.sendall(request)
                s.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionResetError, TimeoutError):
                while chunk := s.recv(65536):
                    got += chunk
            return got


@pytest.fixture
def start(server, arancini, tmp_path):
    def one(*options, at="127.0.0.1:0"):
        state = tmp_path / "state"
        return Api(Collector(server, arancini, state, "--http", at, *options),
                   state)
    return one


@pytest.fixture
def api(start):
    return start("--workers", "2")


@pytest.fixture
def fed(api):
    """With two routers of three peers and 500 prefixes each, still there."""
    api.collector.send("generate", "--routers", 2, "--peers", 3, "--prefixes",
                       500, "--spread-sources", "--seed", 7)
    api.until("/api/v1/status",
              lambda s: s["totals"]["routes"] == 3000)
    return api


def assert_error(answer, status):
    got, headers, body = answer
    assert got == status, (answer, status)
    assert headers["Content-Type"] == "application/json"
    error = json.loads(body)
    assert error["error"]
    assert set(error) <= {"error", "hint"}
    return error


# Health

def test_health_and_readiness(api):
    status, headers, body = api.ask("/healthz")
    assert (status, body) == (200, b"ok\n")
    assert headers["Content-Type"].startswith("text/plain")
    assert api.get("/readyz") == {
        "ready": True, "restored": True, "listening": True,
        "output": "accepting", "degraded": None, "why": None,
        "action": None}


def test_off_means_off(server, arancini, tmp_path):
    one = Collector(server, arancini, tmp_path / "state")
    assert not one.said("http_listening")
    assert not (tmp_path / "state" / "http-token").exists()


def test_an_address_that_is_taken(start, arancini, tmp_path):
    taken = start()
    run = subprocess.run(
        [arancini, "run", "--listen", "127.0.0.1:0", "--state",
         tmp_path / "other", "--http", f"127.0.0.1:{taken.port}"],
        capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert "event=cannot_listen" in run.stderr
    assert "--http" in run.stderr


# Who may ask

def test_token_file(api):
    file = api.state / "http-token"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert re.fullmatch(r"[0-9a-f]{64}", api.token)


ACTIONS_NEED_THE_TOKEN = [
    None, "Bearer", "Bearer ", "Bearer x", "Basic", "Basic !!!",
    "Basic " + base64.b64encode(b"user:wrong").decode(),
    "Basic " + base64.b64encode(b"no colon").decode(), "Digest x"]


def test_actions_need_the_token(api):
    for header in ACTIONS_NEED_THE_TOKEN:
        answer = api.ask("/api/v1/snapshot", "POST",
                         {"Authorization": header} if header else {})
        assert_error(answer, 401)
        assert "Basic" in answer[1]["WWW-Authenticate"]


def test_token_both_ways(api):
    for header in (f"Bearer {api.token}", f"bearer {api.token}",
                   "Basic " + base64.b64encode(
                       b"anybody:" + api.token.encode()).decode()):
        assert api.ask("/api/v1/snapshot", "POST",
                       {"Authorization": header})[0] == 202


def test_token_of_a_file(start, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("open sesame\n")
    secret.chmod(0o600)
    api = start("--http-token-file", secret)
    assert not (api.state / "http-token").exists()
    assert api.ask("/api/v1/snapshot", "POST",
                   {"Authorization": "Bearer open sesame"})[0] == 202


def test_beyond_loopback_everything_needs_it_but_health(start):
    api = start(at="0.0.0.0:0")
    api.host = "127.0.0.1"
    assert api.ask("/healthz")[0] == 200
    assert api.ask("/readyz")[0] == 200
    for path in ("/", "/metrics", "/api/v1/status", "/api/v1/events",
                 "/chart.js"):
        assert_error(api.ask(path), 401)
        if path != "/api/v1/events":
            assert api.ask(path, headers={
                "Authorization": f"Bearer {api.token}"})[0] == 200


def test_pages_of_others(api):
    """Neither by a name that points here, nor by a form with the token."""
    assert_error(api.ask("/api/v1/status", headers={"Host": "evil.example"}),
                 421)
    assert api.ask("/api/v1/status", headers={
        "Host": "evil.example",
        "Authorization": f"Bearer {api.token}"})[0] == 200
    assert api.ask("/api/v1/status", headers={"Host": "localhost"})[0] == 200
    assert api.post("/api/v1/snapshot",
                    Origin="http://evil.example")[0] == 403
    assert api.post("/api/v1/snapshot",
                    Origin=f"http://{api.host}:{api.port}")[0] == 202
    assert "Access-Control-Allow-Origin" not in api.ask("/api/v1/status")[1]


# What may be asked

NO_SUCH_PATH = [
    "/nope", "/api", "/api/v1", "/api/v1/", "/api/v2/status", "/metrics/x",
    "/../etc/passwd", "/%2e%2e/etc/passwd", "/index.html/x", "//",
    "/api/v1/peers/v4_127_1_0_1", "/a/b/c/d/e/f/g/h/i/j/k/l"]


def test_no_such_path(api):
    for path in NO_SUCH_PATH:
        assert_error(api.ask(path), 404)


WRONG_METHODS = [
    ("POST", "/api/v1/status", "GET, HEAD"), ("PUT", "/", "GET, HEAD"),
    ("DELETE", "/api/v1/routers/v4_127_0_0_1", "GET, HEAD"),
    ("GET", "/api/v1/snapshot", "POST"), ("OPTIONS", "/metrics", "GET, HEAD"),
    ("PATCH", "/api/v1/resync", "POST"), ("BREW", "/healthz", "GET, HEAD")]


def test_wrong_methods(api):
    for method, path, allow in WRONG_METHODS:
        answer = api.ask(path, method)
        assert_error(answer, 405)
        assert answer[1]["Allow"] == allow


HEAD_IS_GET_WITHOUT_A_BODY = [
    "/healthz", "/readyz", "/api/v1/status", "/api/v1/routers", "/", "/metrics",
    "/chart.js", "/api/v1/events"]


def test_head_is_get_without_a_body(api):
    for path in HEAD_IS_GET_WITHOUT_A_BODY:
        status, headers, body = api.ask(path, "HEAD")
        assert (status, body) == (200, b"")
        assert headers["Content-Type"]


BAD_PARAMETERS = [
    "/api/v1/routers?limit=0", "/api/v1/routers?limit=1001",
    "/api/v1/routers?limit=-1", "/api/v1/routers?limit=ten",
    "/api/v1/routers?limit=", "/api/v1/routers?limit=99999999999999999999",
    "/api/v1/routers?limit=1&limit=2", "/api/v1/routers?lmit=1",
    "/api/v1/routers?cursor=x", "/api/v1/routers?cursor=" + "0" * 64,
    "/api/v1/routers?state=sideways", "/api/v1/routers?filter=" + "x" * 129,
    "/api/v1/routers?filter=%00", "/api/v1/routers?filter=%ff",
    "/api/v1/routers?filter=%", "/api/v1/routers?filter=%4",
    "/api/v1/routers?" + "&".join(f"p{i}" for i in range(17)),
    "/api/v1/routers/nobody", "/api/v1/routers/v4_1_2_3",
    "/api/v1/routers/%0a", "/api/v1/peers?router=", "/api/v1/peers?router=v6_",
    "/api/v1/peers/v4_127_0_0_1/x", "/api/v1/peers/v4_127_0_0_1/0-0-",
    "/api/v1/rib", "/api/v1/rib?prefix=", "/api/v1/rib?prefix=10",
    "/api/v1/rib?prefix=10.0.0.1/8", "/api/v1/rib?prefix=10.0.0.0/33",
    "/api/v1/rib?prefix=::/129", "/api/v1/rib?prefix=::&match=nearest",
    "/api/v1/rib?prefix=::&view=top", "/api/v1/rib?prefix=::&family=ipv5",
    "/api/v1/rib?prefix=::&rd=1", "/api/v1/rib?prefix=::&peer=0-0-::",
    "/api/v1/rib?prefix=::&cursor=00", "/api/v1/status?pretty=1",
    "/?theme=dark"]


def test_bad_parameters(api):
    for path in BAD_PARAMETERS:
        error = assert_error(api.ask(path), 400)
        assert "\n" not in error["error"]


def test_what_is_not_there(fed):
    assert_error(fed.ask("/api/v1/routers/v4_192_0_2_1"), 404)
    assert_error(fed.ask("/api/v1/peers/v4_127_1_0_1/0-0-192.0.2.1"), 404)
    for path in ("/api/v1/rib?prefix=::&", "/api/v1/peers?"):
        error = assert_error(fed.ask(path + "router=v4_192_0_2_1"), 404)
        assert error["error"].startswith("no such router")
    assert fed.get("/api/v1/rib?prefix=203.0.113.0/24") == {
        "prefix": "203.0.113.0/24", "match": "exact", "routes": [],
        "next": None}


# What is too much

def test_long_targets(api):
    assert_error(api.ask("/?" + "x" * 4095), 414)
    assert_error(api.ask("/" + "x" * 4094), 404)


def test_long_headers(api):
    """Beyond its memory libmicrohttpd refuses by itself. It closes with bytes
    unread, and the reset that follows can overtake its answer."""
    got, left = b"", 50
    while got == b"" and left > 0:
        got = api.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "
                      + b"x" * 100000 + b"\r\n\r\n")
        left -= 1
    assert re.match(rb"HTTP/1\.1 4(31|13|14) ", got), got[:200]
    assert api.ask("/healthz")[0] == 200


def test_bodies(api):
    token = {"Authorization": f"Bearer {api.token}"}
    assert_error(api.ask("/api/v1/snapshot", "POST", token,
                         body=b"x" * 65537), 413)
    assert api.ask("/api/v1/snapshot", "POST", token,
                   body=b"x" * 65536)[0] == 202
    chunk = b"8000\r\n" + b"x" * 0x8000 + b"\r\n"
    got = api.raw(b"POST /api/v1/snapshot HTTP/1.1\r\nHost: localhost\r\n"
                  b"Transfer-Encoding: chunked\r\nAuthorization: Bearer "
                  + api.token.encode() + b"\r\n\r\n" + 5 * chunk
                  + b"0\r\n\r\n")
    assert b" 202 " not in got
    assert api.ask("/healthz")[0] == 200


BROKEN_REQUESTS = [
    b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02",
    b"GET / HTTP/1.1\r\n\r\n", b"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"POST /api/v1/snapshot HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Length: -1\r\n\r\n",
    b"POST /api/v1/snapshot HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Length: 99999999999999999999\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
    b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"]


def test_broken_requests(api):
    for request_bytes in BROKEN_REQUESTS:
        got = api.raw(request_bytes, timeout=2)
        assert got == b"" or re.match(rb"HTTP/1\.1 [2345]\d\d ", got), got[:200]
        assert api.ask("/healthz")[0] == 200


def test_many_idle_connections(api):
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(
                socket.create_connection((api.host, api.port), timeout=30))
        assert api.ask("/healthz")[0] == 200
        assert api.get("/api/v1/status")["totals"]["routers"] == 0


# Answers

def test_gzip(fed):
    path = f"/api/v1/peers?limit={LIMIT_MAX}"
    plain = fed.ask(path)
    assert "Content-Encoding" not in plain[1]
    packed = fed.ask(path, headers={"Accept-Encoding": "br, gzip;q=0.8"})
    assert packed[1]["Content-Encoding"] == "gzip"
    assert len(packed[2]) < len(plain[2])
    assert (json.loads(gzip.decompress(packed[2]))["peers"][0]["id"]
            == json.loads(plain[2])["peers"][0]["id"])
    for never in ("gzip;q=0", "identity", "gzipped", ""):
        answer = fed.ask(path, headers={"Accept-Encoding": never})
        assert "Content-Encoding" not in answer[1], never
    small = fed.ask("/readyz", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in small[1]


def pages(api, path, limit):
    key, cursor, all_of_it = None, "", []
    for _ in range(2000):
        page = api.get(f"{path}limit={limit}" + cursor)
        key = next(k for k in ("routers", "peers", "routes") if k in page)
        assert len(page[key]) <= limit
        all_of_it += page[key]
        if page["next"] is None:
            return all_of_it
        cursor = f"&cursor={page['next']}"
    pytest.fail("the pages do not end")


def test_pages(fed):
    peers = pages(fed, "/api/v1/peers?", 1)
    assert len(peers) == 6
    assert len({(p["router"], p["id"]) for p in peers}) == 6
    assert ([(p["router"], p["id"]) for p in pages(fed, "/api/v1/peers?", 4)]
            == [(p["router"], p["id"]) for p in peers])
    assert len(pages(fed, "/api/v1/routers?", 1)) == 2
    routes = pages(fed, "/api/v1/rib?prefix=0.0.0.0/0&match=more-specific&", 7)
    assert len(routes) == sum(
        t["routes"] for p in peers for t in p["tables"] if t["afi"] == 1)
    keys = [(r["router"], r["peer"], r["view"], r["prefixAddr"],
             r["prefixLen"]) for r in routes]
    assert len(set(keys)) == len(keys)


def test_cursor_is_of_its_question(fed):
    cursor = fed.get("/api/v1/peers?limit=1")["next"]
    assert fed.ask(f"/api/v1/peers?limit=9&cursor={cursor}")[0] == 200
    for path in ("/api/v1/peers?state=up&cursor=", "/api/v1/routers?cursor=",
                 "/api/v1/rib?prefix=::&cursor="):
        assert_error(fed.ask(path + cursor), 400)


def test_filters(fed):
    assert len(fed.get("/api/v1/routers?filter=127_1_0_2")["routers"]) == 1
    assert len(fed.get("/api/v1/routers?filter=GENERATED-1")["routers"]) == 1
    assert fed.get("/api/v1/routers?filter=nobody")["routers"] == []
    assert fed.get("/api/v1/routers?state=up")["routers"] == []
    assert len(fed.get("/api/v1/routers?state=stale")["routers"]) == 2
    assert len(fed.get("/api/v1/peers?router=v4_127_1_0_1")["peers"]) == 3


def test_one_router_and_one_peer(fed):
    router = fed.get("/api/v1/routers/v4_127_1_0_1")
    assert [h["kind"] for h in router["history"]][:1] == ["sessionOpen"]
    assert "sessionClose" in [h["kind"] for h in router["history"]]
    # The generator reports how many routes its peers have, but is gone.
    assert router["difference"] is None
    peer = fed.get("/api/v1/peers?router=v4_127_1_0_1&limit=1")["peers"][0]
    one = fed.get(f"/api/v1/peers/v4_127_1_0_1/{peer['id']}")
    assert one["history"][0]["kind"] == "peerUp"
    assert {**one, "history": None} == {**peer, "history": None}


def test_what_a_router_counts_goes_with_who_counted(start):
    api = start()
    path = "/api/v1/routers/v4_127_0_0_2"
    a, b = Peer("192.0.2.10", 64510), Peer("192.0.2.11", 64511)
    with connect(api.collector, "127.0.0.2") as sock:
        sock.sendall(initiation())
        api.collector.until_said("event=session_open")
        sock.sendall(b"".join(p.up() + p.announce("198.51.100.0/24")
                              + p.count(1) for p in (a, b)))
        api.until(path, lambda r: r["difference"] == 0)
        sock.sendall(a.count(5) + b.count(3))
        api.until(path, lambda r: r["difference"] == -6)
        # Late, as those are that were on their way.
        sock.sendall(a.down() + a.count(5))
        api.until(path, lambda r: r["difference"] == -2)
    router = api.until(path, lambda r: r["state"] == "stale")
    assert router["difference"] is None
    for peer in api.get("/api/v1/peers")["peers"]:
        assert peer["difference"] is None and peer["reportedAt"] is None


def test_rib_matches(fed):
    some = fed.get("/api/v1/rib?prefix=0.0.0.0/0&match=more-specific"
                   "&limit=1")["routes"][0]
    prefix = f"{some['prefixAddr']}/{some['prefixLen']}"
    exact = fed.get(f"/api/v1/rib?prefix={prefix}&limit=1000")
    assert exact["match"] == "exact"
    assert some in exact["routes"]
    longest = fed.get(f"/api/v1/rib?prefix={some['prefixAddr']}")
    assert longest["match"] == "longest"
    assert longest["routes"]
    narrow = fed.get(f"/api/v1/rib?prefix={prefix}&router={some['router']}"
                     f"&peer={some['peer']}&view={some['view']}"
                     f"&family={some['family']}")
    assert narrow["routes"] == [some]
    assert some["attributesKnown"] and some["asPath"] and some["nextHop"]


# Actions

@pytest.fixture
def talking(api, server, arancini):
    """A router that stays, as long as the test."""
    api.router = server(
        [arancini, "generate", "--routers", "1", "--peers", "2", "--prefixes",
         "200", "--churn", "100", "--duration", "120", "--spread-sources",
         "--to", api.collector.to])
    api.until("/api/v1/status", lambda s: s["totals"]["peersUp"] == 2)
    yield api
    api.router.kill()
    api.router.stopped = True


def test_disconnect(talking):
    assert talking.post("/api/v1/routers/v4_127_1_0_1/disconnect") == (
        202, {"accepted": True})
    router = talking.until("/api/v1/routers/v4_127_1_0_1",
                           lambda r: r["closeReason"] is not None)
    assert router["closeReason"] == "operator"
    talking.collector.until_said("event=http_action action=disconnect "
                                 "router=v4_127_1_0_1 from=127.0.0.1")
    talking.until("/api/v1/status", lambda s: s["totals"]["sessions"] == 0)
    assert talking.post("/api/v1/routers/v4_127_1_0_1/disconnect")[0] == 409
    assert talking.post("/api/v1/routers/v4_1_1_1_1/disconnect")[0] == 404


def test_purge_and_resync(fed):
    peer = fed.get("/api/v1/peers?limit=1")["peers"][0]
    path = f"/api/v1/peers/{peer['router']}/{peer['id']}"
    assert fed.post(path + "/purge")[0] == 202
    status = fed.until("/api/v1/status",
                       lambda s: s["totals"]["routes"] == 2500)
    assert status["counters"]["synthetic"] == 500
    assert fed.post(path + "/purge")[0] == 404
    before = status["counters"]["published"]
    assert fed.post("/api/v1/resync") == (202, {"routers": 2})
    fed.until("/api/v1/status",
              lambda s: s["counters"]["published"] == before + 2500)
    assert fed.post("/api/v1/resync?router=v4_127_1_0_1") == (
        202, {"routers": 1})
    assert fed.post("/api/v1/resync?router=v4_9_9_9_9")[0] == 404


def test_snapshot_now(fed):
    assert fed.post("/api/v1/snapshot")[0] == 202
    status = fed.until("/api/v1/status",
                       lambda s: s["snapshots"]["files"] == 2)
    assert status["snapshots"]["lastAt"]


def test_log_level(api):
    assert api.post("/api/v1/log-level?level=error") == (200,
                                                         {"level": "error"})
    assert api.post("/api/v1/log-level?level=loud")[0] == 400
    assert api.post("/api/v1/log-level")[0] == 400


# Streams

class Stream:
    """Server-sent events, one at a time."""

    def __init__(self, api, **headers):
        self.connection = http.client.HTTPConnection(api.host, api.port,
                                                     timeout=30)
        self.connection.request("GET", "/api/v1/events", headers=headers)
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200
        assert self.answer.headers["Content-Type"] == "text/event-stream"

    def next(self):
        event = {}
        while True:
            line = self.answer.readline().decode().rstrip("\n")
            if not line:
                return event
            name, _, value = line.partition(": ")
            event[name] = value

    def until(self, good):
        for _ in range(200):
            event = self.next()
            data = json.loads(event["data"])
            if good(event, data):
                return event, data
        pytest.fail("it did not come")

    def close(self):
        self.connection.close()


def test_events(fed):
    with contextlib.closing(Stream(fed)) as stream:
        first, data = stream.until(lambda e, d: e["event"] == "event")
        assert int(first["id"]) == data["id"]
        assert data["kind"] == "sessionOpen"
        _, status = stream.until(lambda e, d: e["event"] == "status")
        assert set(status) == set(fed.get("/api/v1/status"))
        fed.post("/api/v1/resync?router=v4_127_1_0_2")
        last, _ = stream.until(
            lambda e, d: d.get("kind") == "resync"
            and d["router"] == "v4_127_1_0_2" and d["id"] > data["id"] + 10)
    # Who comes back gets what is behind that, and not what it has seen.
    fed.post("/api/v1/resync?router=v4_127_1_0_1")
    with contextlib.closing(Stream(
            fed, **{"Last-Event-ID": last["id"]})) as stream:
        event, data = stream.until(lambda e, d: e["event"] == "event")
        assert int(event["id"]) == int(last["id"]) + 1
        assert data["router"] == "v4_127_1_0_1"


def test_stop_ends_streams(api):
    """Also those that nobody reads, and idle connections."""
    streams = [Stream(api) for _ in range(10)]
    with socket.create_connection((api.host, api.port)):
        assert "event" in streams[0].next()
        api.collector.stop()
    for stream in streams:
        # Cut off, as everything is when a process ends.
        with contextlib.suppress(http.client.IncompleteRead):
            stream.answer.read()
        stream.close()


def test_streams_are_bounded(api):
    streams = []
    for _ in range(64):
        streams.append(Stream(api))
    assert_error(api.ask("/api/v1/events"), 503)
    for stream in streams:
        stream.close()
    # A place is free once the next status found nobody there.
    deadline = time.monotonic() + 60
    while api.ask("/api/v1/events", "HEAD")[0] != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)


# Metrics and pages

def test_metrics_are_well_formed(start):
    if shutil.which("promtool") is None:
        pytest.skip("promtool of Debian's prometheus is not installed")
    api = start("--workers", "2", "--metrics-per-peer")
    api.collector.send("generate", "--routers", 2, "--peers", 2, "--prefixes",
                       100, "--spread-sources")
    api.until("/api/v1/status", lambda s: s["totals"]["routes"] == 400)
    status, headers, text = api.ask("/metrics")
    assert status == 200
    assert headers["Content-Type"].startswith("text/plain; version=0.0.4")
    check = subprocess.run(["promtool", "check", "metrics"], input=text,
                           capture_output=True, timeout=60)
    assert (check.returncode, check.stdout, check.stderr) == (0, b"", b"")
    assert len(re.findall(rb"^arancini_peer_up\{", text, re.M)) == 4
    routes = re.findall(rb"^arancini_routes\{.*\} (\d+)$", text, re.M)
    assert sum(map(int, routes)) == 400


def test_no_series_for_each_peer_unasked(fed):
    assert b"arancini_peer_up{" not in fed.ask("/metrics")[2]


def test_pages_are_kept_by_browsers(api):
    status, headers, body = api.ask("/")
    assert status == 200 and body.lower().startswith(b"<!doctype html>")
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert api.ask("/index.html")[2] == body
    again = api.ask("/", headers={"If-None-Match": headers["ETag"]})
    assert (again[0], again[2]) == (304, b"")
    packed = api.ask("/chart.js", headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(packed[2]) == api.ask("/chart.js")[2]
