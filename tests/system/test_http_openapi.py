"""docs/openapi.yaml and docs/http.md speak of what the collector answers, all
of it and nothing else."""

import gzip
import json
import re
import socket
import subprocess

import jsonschema
import pytest

from decoding import TREE, data_files
from openapi import FILE
from watching import API


def test_the_file_is_openapi(tree):
    assert API.document["openapi"].startswith("3.1")
    for schema in API.document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    for ref in re.findall(r'\$ref: "#/([^"]+)"', FILE.read_text()):
        API.resolver.resolve("#/" + ref)
    used = set(re.findall(r'\$ref: "#/components/schemas/([^"]+)"',
                          FILE.read_text()))
    # Those of server-sent events cannot be referred to.
    assert set(API.document["components"]["schemas"]) == used | {"Event",
                                                                 "Lost"}


def test_path_parameters_are_declared():
    for template, item in API.document["paths"].items():
        for method, operation in item.items():
            names = {API.find(p)["name"] for p in operation.get("parameters",
                                                                [])
                     if API.find(p)["in"] == "path"}
            assert names == set(re.findall(r"\{(\w+)\}", template)), method


@pytest.fixture
def routes(arancini):
    """{(method, path): {parameter: required}} of the server's rows."""
    lines = subprocess.run([arancini.parent / "config_doc", "http"],
                           check=True, capture_output=True, text=True,
                           timeout=20).stdout.splitlines()
    return {(method, path): {p.rstrip("!"): p.endswith("!") for p in params}
            for method, path, *params in map(str.split, lines)}


def test_the_file_has_every_route_and_its_parameters(routes):
    described = {}
    for template, item in API.document["paths"].items():
        for method, operation in item.items():
            parameters = map(API.find, operation.get("parameters", []))
            described[method.upper(), re.sub(r"{\w+}", "*", template)] = {
                p["name"]: p.get("required", False) for p in parameters
                if p["in"] == "query"}
    assert described.keys() == routes.keys()
    wrong = [(route, name, described[route].get(name, "not described"),
              rows.get(name, "not in the server"))
             for route, rows in routes.items()
             for name in sorted(described[route].keys() | rows.keys())
             if described[route].get(name) != rows.get(name)]
    assert wrong == []


def test_the_page_has_the_parameters_of_every_route(tree, routes):
    """In a paragraph about parameters in the section of the path, or in the
    row of the action."""
    page = (tree / "docs" / "http.md").read_text()
    for (method, path), parameters in routes.items():
        path = path.replace("*", "TOKEN", 1).replace("*", "PEERID", 1)
        if method == "POST":
            where = [line for line in page.splitlines() if f"`{path}`" in line]
        else:
            where = [part for part in page.split("\n## ")
                     if f"`{method} {path}`" in part]
        assert where, path
        said = "".join(part for part in where[0].split("\n\n")
                       if "parameter" in part)
        missing = [name for name in parameters if f"`{name}`" not in said]
        assert missing == [], path


def test_rib_has_an_option_for_every_parameter(arancini, routes):
    text = subprocess.run([arancini, "rib", "--help"], check=True,
                          capture_output=True, text=True, timeout=20).stdout
    options = set(re.findall(r"^ +--([a-z0-9-]+)", text, re.M))
    # The prefix is an operand, each match has an option, pages are hidden.
    wanted = routes["GET", "/api/v1/rib"].keys() - {"prefix", "match",
                                                    "cursor"}
    wanted = {name.replace("_", "-") for name in wanted}
    assert wanted <= options, wanted - options


def test_the_page_speaks_of_every_name(tree):
    page = re.sub(r"```.*?```", "", (tree / "docs" / "http.md").read_text(),
                  flags=re.S)
    words = set(re.findall(r"[A-Za-z0-9_-]+", " ".join(
        re.findall(r"`([^`]+)`", page))))
    assert API.names() <= words, API.names() - words
    for template in API.document["paths"]:
        plain = template.replace("{router}", "TOKEN").replace("{peer}",
                                                              "PEERID")
        assert plain in page, template


def everything(http):
    """Ask all that can be asked for reading; answers are checked."""
    for path in ("/healthz", "/readyz", "/metrics", "/api/v1/status"):
        http.get(path)
    for router in http.list("routers", limit=2):
        http.get(f"/api/v1/routers/{router['id']}")
    peers = http.list("peers", limit=3)
    for peer in peers[:20]:
        http.get(f"/api/v1/peers/{peer['router']}/{peer['id']}")
    routes = http.list("rib", prefix="0.0.0.0/0", match="more-specific")
    routes += http.list("rib", prefix="::/0", match="more-specific")
    return peers, routes


BMP_FILES = data_files("*.bmp", "wrapped/*.bmp") + [
    pytest.param(p, id=p.name)
    for p in sorted((TREE / "tests" / "captures").glob("*.bmp"))]


def test_answers_about_all_captures(watched, captures):
    """One router for each capture, so that attributes of all kinds come by."""
    c = watched()
    for parameter in BMP_FILES:
        c.send("replay", parameter.values[0], "--speed", "max")
    peers, routes = everything(c.http)
    assert len(peers) > 20 and len(routes) > 100
    seen = {name for route in routes for name in route}
    assert {"asPath", "nextHop", "communities", "routeDistinguisher",
            "labels", "extendedCommunities"} <= seen


def test_answers_while_a_router_is_there(watched, server, arancini):
    c = watched()
    http = c.with_token()
    everything(http)
    router = server([arancini, "generate", "--to", c.to, "--peers", "2",
                     "--prefixes", "200", "--hold"])
    http.until(lambda s: s["totals"]["routes"] == 400)
    peers, routes = everything(http)
    assert {p["state"] for p in peers} == {"up"} and len(routes) == 400
    token, peer = peers[0]["router"], peers[0]["id"]
    assert http.post("/api/v1/snapshot").status == 202
    assert http.post("/api/v1/resync").json == {"routers": 1}
    assert http.post("/api/v1/resync", router=token).status == 202
    assert http.post("/api/v1/log-level", level="debug").json == {
        "level": "debug"}
    assert http.post(f"/api/v1/peers/{token}/{peer}/purge").status == 202
    http.until(lambda s: s["totals"]["routes"] == 200)
    assert http.post(f"/api/v1/routers/{token}/disconnect").status == 202
    assert router.wait(30) == 1     # it was sent away
    http.until(lambda s: s["totals"]["sessions"] == 0)
    everything(http)


def read_events(port, wanted, last=None):
    """[(event, id, data)] until wanted() of them is true."""
    found = []
    with socket.create_connection(("127.0.0.1", port), timeout=30) as sock:
        head = "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n"
        if last is not None:
            head += f"Last-Event-ID: {last}\r\n"
        sock.sendall((head + "\r\n").encode())
        file = sock.makefile("rb")
        assert b"200" in file.readline()
        while (line := file.readline().strip()):
            if line.lower().startswith(b"content-type"):
                assert line.split()[1].startswith(b"text/event-stream")
        fields = {}
        while not wanted(found):
            line = file.readline().decode().strip()
            name, colon, value = line.partition(": ")
            if colon and name in ("event", "id", "data"):
                fields[name] = value
            elif "data" in fields:
                found.append((fields["event"], fields.get("id"),
                              json.loads(fields["data"])))
                fields = {}
    return found


def test_events_are_as_they_are_described(watched):
    c = watched()
    c.send("generate", "--peers", "2", "--prefixes", "50")
    c.until_said("event=session_close")

    def enough(found):
        kinds = [data["kind"] for event, _, data in found if event == "event"]
        return "sessionClose" in kinds and \
            [event for event, _, _ in found].count("status") >= 2
    found = read_events(c.http_port, enough)
    for event, _, data in found:
        API.check_as({"status": "Status", "event": "Event",
                      "lost": "Lost"}[event], data)
    happened = [(key, data) for event, key, data in found if event == "event"]
    kinds = [data["kind"] for _, data in happened]
    assert kinds.count("peerUp") == 2 and kinds.count("endOfRib") == 4
    # Those behind the one that is named, and no others.
    middle = len(happened) // 2
    rest = len(happened) - middle - 1
    again = read_events(
        c.http_port, lambda f: [e for e, _, _ in f].count("event") >= rest
        and "status" in [e for e, _, _ in f], last=happened[middle][0])
    assert [data for event, _, data in again if event == "event"] == \
        [data for _, data in happened[middle + 1:]]


def test_gzip_says_the_same(watched):
    c = watched()
    c.send("generate", "--peers", "2", "--prefixes", "500")
    c.http.until(lambda s: s["totals"]["routes"] == 1000
                 and s["totals"]["sessions"] == 0)
    path = "/api/v1/rib?prefix=0.0.0.0/0&match=more-specific&limit=500"
    plain = c.http.ask("GET", path)
    packed = c.http.ask("GET", path, headers={"Accept-Encoding": "gzip"},
                        check=False)
    assert packed.headers["content-encoding"] == "gzip"
    assert len(packed.bytes) < len(plain.bytes) / 3
    assert json.loads(gzip.decompress(packed.bytes))["routes"] == \
        plain.json["routes"]
