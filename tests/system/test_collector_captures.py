"""Every capture, however its bytes arrive: what is published is what "arancini
decode" says the bytes contain, after the rules of curation; not only in the
end, but route by route in order."""

import collections

import pytest

from collecting import (connect, consumer_table, route_key, route_value,
                        table_key)
from decoding import TREE, data_files, decode

BMP_FILES = data_files("*.bmp") + [
    pytest.param(p, id=p.name)
    for p in sorted((TREE / "tests" / "captures").glob("*.bmp"))]

# Byte by byte takes a system call each; these many are a few seconds.
SMALL = 80_000


class Curation:
    """The rules, applied to what decode prints: which changes of each route
    must be published, in order."""

    def __init__(self):
        self.routes = {}      # route key -> value, generation
        self.published = collections.defaultdict(list)
        self.generation = collections.Counter()
        self.up = {}

    def apply(self, line):
        apply = getattr(self, "on_" + line["kind"], None)
        if apply is not None:
            apply(line)

    def say(self, key, value):
        self.published[key].append(value)

    def on_update(self, line):
        peer, key = table_key(line)[:3], route_key(line)
        if self.up.setdefault(peer, "implied") is None:
            self.up[peer] = "implied"
        before = self.routes.get(key)
        if not line.get("announced"):
            if before is not None:
                del self.routes[key]
                self.say(key, None)
            return
        value = route_value(line)
        if before is None or before[0] != full_value(line):
            self.say(key, value)
        self.routes[key] = (full_value(line), self.generation[peer])

    def on_peerUp(self, line):
        peer = table_key(line)[:3]
        session = [line.get(k) for k in ("localPort", "remotePort",
                                         "sentOpen", "receivedOpen")]
        before = self.up.get(peer)
        self.up[peer] = session
        if before == session or (before is not None and peer[0] == "loc-rib"
                                 and before != "implied"):
            return
        self.generation[peer] += 1

    def on_peerDown(self, line):
        peer = table_key(line)[:3]
        self.up.pop(peer, None)
        self.drop(lambda key, _: key[:3] == peer)

    def on_endOfRib(self, line):
        table = table_key(line)
        now = self.generation[table[:3]]
        self.drop(lambda key, route: key[:len(table)] == table
                  and route[1] != now)

    def drop(self, gone):
        for key in [k for k, v in self.routes.items() if gone(k, v)]:
            del self.routes[key]
            self.say(key, None)


NOT_A_VALUE = {"kind", "announced", "message", "timeBmpHeaderNs", "peerAddr",
               "peerAsn", "peerBgpId", "peerType", "isPostPolicy",
               "isAdjRibOut", "isLocRib", "peerDistinguisher"}


def full_value(line):
    return repr(sorted((k, repr(v)) for k, v in line.items()
                       if k not in NOT_A_VALUE))


def published(lines):
    changes = collections.defaultdict(list)
    for line in lines:
        if line["kind"] == "update":
            changes[route_key(line)].append(
                route_value(line) if line.get("announced") else None)
    return changes


@pytest.mark.parametrize("path", BMP_FILES)
def test_each_route_changes_as_its_router_said(path, collector):
    expected = Curation()
    for line in decode(path):
        expected.apply(line)
    c = collector("--workers", "2")
    small = path.stat().st_size <= SMALL
    c.send("replay", path, "--chunk", "1" if small else "97")
    c.send("replay", path, "--chunk", "random", "--sessions", "2",
           "--spread-sources")
    with connect(c, "127.0.0.9") as sock:
        sock.sendall(path.read_bytes())
    c.until_said("event=session_close", 4)
    c.stop()
    routers = collections.defaultdict(list)
    for line in c.published():
        routers[line.get("routerAddr")].append(line)
    for router in ("127.0.0.1", "127.1.0.1", "127.1.0.2", "127.0.0.9"):
        lines = routers[router]
        assert published(lines) == expected.published, router
        assert consumer_table(lines).keys() == expected.routes.keys()
