"""The looking glass: what /api/v1/rib and "arancini rib" answer, against a
model that was made from what the routers sent."""

import bisect
import json
import random
import re
import socket
import struct
import subprocess

import pytest

from decoding import BINARY
from watching import WatchedCollector

# A million routes: two routers with tables of their own, five peers in all.
ROUTERS = [("127.0.0.11", 3, 1), ("127.0.0.12", 2, 2)]
PREFIXES = 200_000
ROUTES = sum(peers for _, peers, _ in ROUTERS) * PREFIXES

# More-specifics look at every key of the family, so there are fewer of them.
EXACT, LONGEST, MORE_SPECIFIC = 5_000, 4_800, 200

VALUES = ("origin", "asPath", "nextHop", "multiExitDisc", "localPreference",
          "communities", "largeCommunities", "extendedCommunities",
          "atomicAggregate", "aggregatorAsn", "aggregatorBgpId")


def value_of(line):
    return [line.get(name) for name in VALUES]


def bits_of(version):
    return 32 if version == 4 else 128


def key_of(text):
    """(version, number, length) of a prefix."""
    address, length = text.split("/")
    if ":" in address:
        packed = socket.inet_pton(socket.AF_INET6, address)
        return 6, int.from_bytes(packed, "big"), int(length)
    packed = socket.inet_pton(socket.AF_INET, address)
    return 4, int.from_bytes(packed, "big"), int(length)


def text_of(key):
    version, number, length = key
    if version == 4:
        packed = number.to_bytes(4, "big")
        return f"{socket.inet_ntop(socket.AF_INET, packed)}/{length}"
    packed = number.to_bytes(16, "big")
    return f"{socket.inet_ntop(socket.AF_INET6, packed)}/{length}"


# Reading a million objects takes long; only what is asked for is read whole.
LINE = re.compile(r'{"kind":"update","announced":true,"prefixAddr":"([^"]+)",'
                  r'"prefixLen":(\d+),.*?"peerAddr":"([^"]+)",.*?'
                  r'"peerType":"global",(.*)}')


class Table:
    """What one router has; all of its peers have the same prefixes."""

    def __init__(self, path):
        self.peers = {}     # address -> {prefix: attributes, as JSON}
        shared = {}
        with subprocess.Popen([BINARY, "decode", path], text=True,
                              stdout=subprocess.PIPE) as process:
            for line in process.stdout:
                if (m := LINE.match(line)) is not None:
                    address, length, peer, value = m.groups()
                    self.peers.setdefault(peer, {})[f"{address}/{length}"] = \
                        shared.setdefault(value, value)
        self.prefixes = next(iter(self.peers.values())).keys()
        assert len(self.prefixes) == PREFIXES
        self.sorted = sorted(map(key_of, self.prefixes))
        self.lengths = {4: set(), 6: set()}
        for version, _, length in self.sorted:
            self.lengths[version].add(length)

    def exact(self, key):
        return [text_of(key)] if text_of(key) in self.prefixes else []

    def longest(self, key):
        version, number, length = key
        for shorter in sorted(self.lengths[version], reverse=True):
            if shorter <= length:
                low = bits_of(version) - shorter
                found = text_of((version, number >> low << low, shorter))
                if found in self.prefixes:
                    return [found]
        return []

    def more_specific(self, key):
        version, number, length = key
        last = number | ((1 << (bits_of(version) - length)) - 1)
        low = bisect.bisect_left(self.sorted, (version, number, 0))
        high = bisect.bisect_right(self.sorted, (version, last, 129))
        return [text_of(k) for k in self.sorted[low:high] if k[2] >= length]


def expected(tables, match, key):
    found = {}
    for (source, _, _), table in zip(ROUTERS, tables):
        token = "v4_" + source.replace(".", "_")
        for prefix in getattr(table, match.replace("-", "_"))(key):
            for peer, values in table.peers.items():
                found[token, peer, prefix] = value_of(
                    json.loads("{" + values[prefix] + "}"))
    return found


def answered(routes):
    found = {}
    for route in routes:
        key = (route["router"], route["peerAddr"],
               f"{route['prefixAddr']}/{route['prefixLen']}")
        assert key not in found, f"{key} twice"
        assert route["attributesKnown"] and not route["stale"]
        found[key] = value_of(route)
    return found


def feed(port, source, path):
    """Send the session of a file, without its end. The socket holds it."""
    data = path.read_bytes()
    version, length, kind = struct.unpack(">BIB", data[-12:-6])
    assert (version, length, kind) == (3, 12, 5), "a Termination at the end"
    sock = socket.create_connection(("127.0.0.1", port), timeout=60,
                                    source_address=(source, 0))
    sock.sendall(data[:-12])
    return sock


@pytest.fixture(scope="module")
def files(arancini, tmp_path_factory):
    """What the routers say, and the tables that it means."""
    folder = tmp_path_factory.mktemp("tables")
    paths = []
    for source, peers, seed in ROUTERS:
        paths.append(folder / f"{source}.bmp")
        subprocess.run([arancini, "generate", "-o", paths[-1], "--peers",
                        str(peers), "--prefixes", str(PREFIXES), "--seed",
                        str(seed)], check=True, timeout=120,
                       capture_output=True)
    return paths, [Table(path) for path in paths]


@pytest.fixture(scope="module")
def looking_glass(module_server, arancini, tmp_path_factory, files):
    paths, tables = files
    c = WatchedCollector(module_server, arancini,
                         tmp_path_factory.mktemp("state"), "--workers", "2")
    sockets = [feed(c.port, source, path)
               for (source, _, _), path in zip(ROUTERS, paths)]
    c.http.until(lambda s: s["totals"]["routes"] == ROUTES, 120)
    yield c, tables
    for sock in sockets:
        sock.close()


def near(rng, key):
    """A prefix that is there, or one around it."""
    version, number, length = key
    bits = bits_of(version)
    kind = rng.randrange(4)
    if kind == 1:       # longer
        longer = rng.randint(length, bits)
        number |= rng.getrandbits(longer - length) << (bits - longer) \
            if longer > length else 0
        length = longer
    elif kind == 2:     # shorter
        length = rng.randint(max(length - 4, 0), length)
    elif kind == 3:     # its neighbour
        number ^= 1 << (bits - length) if length else 0
    low = bits - length
    return version, number >> low << low, length


def queries(rng, tables):
    """(match, key) in a random order."""
    everything = [table.sorted for table in tables]

    def some():
        return near(rng, rng.choice(rng.choice(everything)))

    def covering():
        version, number, length = some()
        length = min(max(length - rng.randrange(6), 13), length)
        low = bits_of(version) - length
        return version, number >> low << low, length

    out = [("exact", some()) for _ in range(EXACT)]
    out += [("longest", some()) for _ in range(LONGEST)]
    out += [("more-specific", covering()) for _ in range(MORE_SPECIFIC)]
    rng.shuffle(out)
    return out


def test_ten_thousand_queries_over_a_million_routes(looking_glass):
    c, tables = looking_glass
    seed = random.randrange(1 << 32)
    print("seed", seed)
    found = 0
    for i, (match, key) in enumerate(queries(random.Random(seed), tables)):
        # Each hundredth is held against the OpenAPI file, which takes longer
        # than the answer.
        got = answered(c.http.list("rib", prefix=text_of(key), match=match,
                                   check=i % 100 == 0))
        assert got == expected(tables, match, key), (match, text_of(key))
        found += bool(got)
    assert found > (EXACT + LONGEST + MORE_SPECIFIC) / 4


@pytest.mark.parametrize("limit", [1, 7, 1000])
def test_pages_have_each_route_once(looking_glass, limit):
    c, tables = looking_glass
    # Enough to need some pages, and not too many.
    key = next(k for k in ((4, k[1] >> 16 << 16, 16)
                           for k in tables[0].sorted[::50] if k[0] == 4)
               if 8 < len(expected(tables, "more-specific", k)) < 200)
    got = c.http.list("rib", limit=limit, prefix=text_of(key),
                      match="more-specific")
    assert answered(got) == expected(tables, "more-specific", key)


def test_the_whole_table_page_by_page(looking_glass):
    c, tables = looking_glass
    token = "v4_127_0_0_12"
    got = set()
    for route in c.http.list("rib", prefix="0.0.0.0/0", match="more-specific",
                             router=token, peer="0-0-10.0.0.1",
                             check=False):
        got.add(f"{route['prefixAddr']}/{route['prefixLen']}")
        assert (route["router"], route["peerAddr"]) == (token, "10.0.0.1")
    assert got == {text_of(k) for k in tables[1].sorted if k[0] == 4}


def test_filters_and_the_command(looking_glass, arancini):
    c, tables = looking_glass
    key = next(k for k in tables[0].sorted if k[0] == 4)
    all_of_it = expected(tables, "exact", key)

    def rib(*words):
        done = subprocess.run([arancini, "rib", "--url", c.url, *words],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done

    lines = rib(text_of(key)).stdout.splitlines()
    assert answered(map(json.loads, lines)) == all_of_it
    one = rib(text_of(key), "--router", "127.0.0.11", "--peer", "10.0.0.2")
    assert answered(map(json.loads, one.stdout.splitlines())) == {
        k: v for k, v in all_of_it.items()
        if k[:2] == ("v4_127_0_0_11", "10.0.0.2")}
    same = rib(text_of(key), "--router", "v4_127_0_0_11", "--peer",
               "0-0-10.0.0.2")
    assert same.stdout == one.stdout
    for option, there, absent in (
            ("--view", "adj-rib-in-pre", "loc-rib"),
            ("--family", "ipv4-unicast", "ipv4-multicast")):
        some = rib(text_of(key), option, there)
        assert answered(map(json.loads, some.stdout.splitlines())) == all_of_it
        assert rib(text_of(key), option, absent).stdout == ""
    wrong = subprocess.run([arancini, "rib", "--view", "top", "::"],
                           capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("arancini rib: not a view: 'top'; adj-rib")
    address = text_of(key).split("/")[0]
    longest = rib(address).stdout.splitlines()
    assert answered(map(json.loads, longest)) == expected(
        tables, "longest", (4, key[1], 32))
    table = rib(text_of(key), "--table").stdout.splitlines()
    assert table[0].split()[:3] == ["PREFIX", "ROUTER", "PEER"]
    assert len(table) == 1 + len(all_of_it)
    assert len({line.index("adj-rib-in-pre") for line in table[1:]}) == 1
    assert "\033" not in "".join(table)
    none = rib("203.0.113.5/32", "--exact")
    assert none.stdout == ""
    assert none.stderr == "arancini rib: no route for 203.0.113.5/32 (exact)\n"
