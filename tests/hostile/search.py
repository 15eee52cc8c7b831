"""A search for messages that cost the collector more than they may.

A candidate is a list of steps, drawn at random or changed from one that was
bad before; it is played by one router at a collector of one worker, beside a
router that behaves. Counted are bytes and routes of the longest turn, resident
memory, and how long updates of the other router took. What exceeds a bound is
printed with the steps that did it: make it small and put it into shapes.py.

	search.py [--seed N] [--seconds N] [--candidates N]
"""

import argparse
import json
import os
import pathlib
import random
import struct
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "system"), str(TESTS / "hostile")]

import shapes                                               # noqa: E402
from bmp import Peer, bgp, end_of_rib, initiation           # noqa: E402
from collecting import connect                              # noqa: E402
from neighbour import (MB, MEMORY, TURN_BYTES, TURN_ROUTES,  # noqa: E402
                       OtherRouter, Watch)

OPTIONS = ["--workers", "1", "--stale-hold", "0", "--journal-max-bytes",
           "256M", "--max-routes-per-router", "200000"]
SENT_MAX = 8 * MB       # of one candidate
PLAIN_PATH = b"\x02\x01\0\0\xfb\xf4"


# Steps: each draws its parameters, and makes bytes of them.

def make_peer(n):
    return Peer(f"10.1.{n >> 8}.{n & 255}", 64500 + n)


def path_of(kind, count):
    if kind == "sets":
        return shapes.set_path(count)
    if kind == "sequences":
        return shapes.sequence_path(count)
    out = b""
    while count > 0:            # segments of as many as fit
        n = min(count, 255)
        out += struct.pack(">BB", 2, n) + b"".join(
            struct.pack(">I", 64500 + i) for i in range(n))
        count -= n
    return out


def lists_of(communities, large):
    return (shapes.attribute(0xc0, 8, b"".join(
        struct.pack(">HH", 64500, n & 65535) for n in range(communities)))
        + shapes.attribute(0xc0, 32, b"".join(
            struct.pack(">III", 64500, n, n) for n in range(large))))


def fit(update_of, routes):
    """With as many of the routes as a BGP message may have bytes."""
    while routes > 0:
        try:
            return update_of(routes)
        except struct.error:    # a length of more than 16 bits
            routes = routes * 2 // 3
    return b""


def draw_updates(r):
    return {"peer": r.randrange(4), "count": r.choice([1, 1, 4, 30]),
            "routes": int(r.choice([1, 30, 500, 900, 8000])),
            "path": r.choice(["sets", "sequences", "plain"]),
            "length": int(2 ** r.uniform(0, 13)),
            "communities": r.choice([0, 0, 10, 1000, 8000]),
            "large": r.choice([0, 0, 10, 2000]), "med": r.randrange(3),
            "flags": r.choice([0, 0x40, 0x10]), "paths": r.random() < 0.2}


def make_updates(p):
    peer, out = make_peer(p["peer"]), b""
    nlri = shapes.with_path_ids if p["paths"] else shapes.prefixes
    path = path_of(p["path"], min(p["length"], 9000))
    more = lists_of(p["communities"], p["large"])

    def update_of(count, first=0):
        attributes = (shapes.attribute(0x40, 1, b"\0")
                      + shapes.attribute(0x40, 2, path)
                      + shapes.attribute(0x40, 3, bytes([192, 0, 2, 1]))
                      + shapes.attribute(0x80, 4, struct.pack(">I", p["med"]))
                      + more)
        if len(attributes) > 60000:
            attributes = attributes[:len(attributes) - len(more)]
        return bgp(2, struct.pack(">HH", 0, len(attributes)) + attributes
                   + nlri(count, first))
    for n in range(p["count"]):
        out += peer.monitor(fit(lambda c: update_of(c, n * p["routes"]),
                                p["routes"]), p["flags"])
    return out


def draw_withdraws(r):
    return {"peer": r.randrange(4), "routes": r.choice([1, 500, 8000]),
            "count": r.choice([1, 8]), "paths": r.random() < 0.3}


def make_withdraws(p):
    nlri = shapes.with_path_ids if p["paths"] else shapes.prefixes
    return b"".join(make_peer(p["peer"]).monitor(fit(
        lambda c: bgp(2, struct.pack(">H", len(x := nlri(c, n * p["routes"])))
                      + x + b"\0\0"), p["routes"])) for n in range(p["count"]))


def draw_up(r):
    return {"peer": r.randrange(4), "port": r.randrange(3),
            "add_path": r.random() < 0.3}


def make_up(p):
    return make_peer(p["peer"]).up(port=p["port"], add_path=p["add_path"])


def draw_down(r):
    return {"peer": r.randrange(4), "reason": r.choice([1, 2, 4, 5])}


def make_down(p):
    data = b"\0\6" if p["reason"] == 2 else b""
    return make_peer(p["peer"]).down(p["reason"], data)


def draw_name(r):
    return {"length": r.choice([1, 255, 4000, 60000]),
            "routes": r.choice([10, 900, 8000]), "down": r.random() < 0.7}


def make_name(p):
    peer, up = shapes.named_up(b"n" * p["length"])
    return (up + shapes.many_routes(peer, p["routes"])
            + (peer.down() if p["down"] else b""))


def draw_peers(r):
    return {"count": r.choice([10, 1000, 8000]), "up": r.random() < 0.5,
            "routes": r.choice([0, 1, 60]), "down": r.random() < 0.6}


def make_peers(p):
    peers = shapes.many_peers(min(p["count"], 200000 // (p["routes"] * 4 + 40)))
    table = shapes.update(PLAIN_PATH, shapes.prefixes(p["routes"]))
    out = b"".join((one.up() if p["up"] else b"")
                   + (one.monitor(table) if p["routes"] else b"")
                   for one in peers)
    if p["down"]:
        out += b"".join(one.down() for one in peers)
    return out


def draw_ends(r):
    return {"peer": r.randrange(4), "count": r.choice([1, 100, 3000]),
            "families": r.choice([1, 200])}


def make_ends(p):
    peer, out = make_peer(p["peer"]), b""
    for n in range(p["count"]):
        n %= p["families"]
        out += peer.monitor(end_of_rib(1) if n == 0 else bgp(
            2, struct.pack(">HHBBBHB", 0, 6, 0x80, 15, 3, 1 + n % 20,
                           1 + n // 20)))
    return out


def draw_statistics(r):
    return {"peer": r.randrange(4), "count": r.choice([1, 1, 300]),
            "counters": r.choice([1, 60, 8000, 120000])}


def make_statistics(p):
    one = shapes.statistics(make_peer(p["peer"]), p["counters"])
    return one * min(p["count"], 1 + MB // len(one))


def draw_mirrored(r):
    return {"peer": r.randrange(4), "count": r.choice([1, 100]),
            "size": r.choice([0, 100, 60000])}


def make_mirrored(p):
    return shapes.mirrored(make_peer(p["peer"]), p["size"]) * min(
        p["count"], 1 + 2 * MB // (p["size"] + 60))


def draw_broken(r):
    return {"peer": r.randrange(4), "count": r.choice([1, 50, 2000]),
            "kind": r.choice([1, 2])}


def make_broken(p):
    return shapes.broken(make_peer(p["peer"]), p["kind"]) * p["count"]


def draw_link_state(r):
    return {"peer": r.randrange(4), "count": r.choice([1, 10, 30]),
            "routes": r.choice([1, 2, 40]), "size": r.choice([10, 1500, 30000]),
            "safi": r.choice([71, 72])}


def make_link_state(p):
    peer, size = make_peer(p["peer"]), p["size"]
    routes = max(1, min(p["routes"], 60000 // (size + 20)))
    return b"".join(peer.monitor(shapes.multiprotocol(
        16388, p["safi"], shapes.link_state(routes, size, n * routes)))
        for n in range(p["count"]))


def draw_either(r):
    return {"peer": r.randrange(4), "length": r.choice([1, 300, 4000]),
            "routes": r.choice([3, 500, 5000]), "show": r.random() < 0.8}


def make_either(p):
    peer = make_peer(p["peer"])
    out = peer.monitor(fit(lambda c: shapes.update(
        shapes.set_path(p["length"]), shapes.either_form(c)), p["routes"]))
    if p["show"]:
        out += peer.monitor(shapes.update(PLAIN_PATH, shapes.with_path_ids(3)))
    return out


STEPS = {name[5:]: (globals()["draw_" + name[5:]], make)
         for name, make in list(globals().items())
         if name.startswith("make_") and "draw_" + name[5:] in globals()}


def draw_step(r):
    name = r.choice(sorted(STEPS))
    return [name, STEPS[name][0](r)]


def draw_candidate(r, bad):
    """A new one, or one that was bad with a step changed, added or left out."""
    if not bad or r.random() < 0.5:
        return [draw_step(r) for _ in range(r.randint(1, 8))]
    steps = list(r.choice(bad))
    at = r.randrange(len(steps))
    how = r.random()
    if how < 0.4:
        steps[at] = [steps[at][0], STEPS[steps[at][0]][0](r)]
    elif how < 0.8 or len(steps) == 1:
        steps.insert(at, draw_step(r))
    else:
        del steps[at]
    return steps


def bytes_of(steps):
    out = b""
    for name, parameters in steps:
        out += STEPS[name][1](parameters)
        if len(out) > SENT_MAX:
            break
    return out


# Running them

def delay_max():
    """Seconds: more on a machine that has other things to do."""
    return max(1, os.getloadavg()[0] / os.cpu_count())



class Search:
    def __init__(self, c, seed, longest=9000):
        self.c = c
        self.random = random.Random(seed)
        self.longest = longest  # AS_PATH, in segments
        self.other = OtherRouter(c)
        self.other.until(lambda: len(self.other.seen) > 5)
        self.before = c.memory()
        self.bad = []           # the worst so far, by any measure
        self.worst = {}         # measure: value
        self.number = 0

    def settle(self, seconds=120):
        """All that the router sent was read, and all of it is published."""
        c, deadline = self.c, time.monotonic() + seconds
        while True:
            metrics = c.http.metrics()
            if (metrics.sum("arancini_sessions") == 1
                    and metrics.sum("arancini_routes_pending_withdraw") == 0
                    and c.http.status()["output"]["waiting"] == 0):
                return metrics
            assert time.monotonic() < deadline, "it does not come to an end"
            time.sleep(0.05)

    def tables(self):
        return self.c.http.status()["totals"]["bytes"]

    def play(self, steps):
        """What the candidate cost: {measure: value}."""
        data = bytes_of(steps)
        self.number += 1
        address = f"127.3.{self.number >> 8 & 255}.{self.number & 255}"
        watch = Watch(self.c)
        began = time.monotonic()
        made = self.c.http.metrics().sum("arancini_batch_plain_bytes_total")
        with connect(self.c, address) as sock:
            sock.settimeout(120)
            sock.sendall(initiation(b"evil") + data)
            tables = self.tables()
        metrics = self.settle()
        ended = time.monotonic()
        grown = watch.stop()
        delays = [self.other.seen[key] - sent
                  for key, sent in list(self.other.sent.items())
                  if began <= sent <= ended and key in self.other.seen]
        return {
            "sent": len(data),
            "made": metrics.sum("arancini_batch_plain_bytes_total") - made,
            "seconds": ended - began,
            "delay": max(delays, default=0),
            "memory": max(0, watch.before + grown - self.before - tables),
            "turn": metrics.sum("arancini_session_turn_output_max_bytes"),
            "routes": metrics.sum("arancini_session_turn_max_routes"),
        }

    def step(self):
        """One candidate; why it is too much, or nothing."""
        steps = draw_candidate(self.random, self.bad)
        for _, parameters in steps:
            if "length" in parameters:
                parameters["length"] = min(parameters["length"], self.longest)
        cost = self.play(steps)
        # The collector keeps the longest turn of all: it is this one's if it
        # grew.
        for what in ("turn", "routes"):
            if cost[what] <= self.worst.get(what, 0):
                cost[what] = 0
        for measure in ("made", "delay", "memory", "turn", "routes",
                        "seconds"):
            if cost[measure] > self.worst.get(measure, 0):
                self.worst[measure] = cost[measure]
                self.bad = (self.bad + [steps])[-12:]
        over = [what for what, most in (
            ("turn", TURN_BYTES), ("routes", TURN_ROUTES),
            ("memory", MEMORY), ("delay", delay_max())) if cost[what] > most]
        return steps, cost, over

    def stop(self):
        self.other.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.environ.get("ARANCINI_BUILD",
                                                          "build"))
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--candidates", type=int, default=0)
    options = parser.parse_args()

    import conftest
    from watching import WatchedCollector
    found = 0
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        servers = conftest.run_servers(folder)
        c = WatchedCollector(next(servers), pathlib.Path(
            options.build).resolve() / "arancini", folder / "state", *OPTIONS)
        search = Search(c, options.seed)
        until = time.monotonic() + options.seconds
        try:
            while time.monotonic() < until and (
                    not options.candidates
                    or search.number < options.candidates):
                steps, cost, over = search.step()
                if over:
                    found += 1
                    print(json.dumps({"over": over, "cost": cost,
                                      "steps": steps}), flush=True)
        finally:
            search.stop()
            next(servers, None)
        print(json.dumps({"candidates": search.number, "found": found,
                          "worst": search.worst,
                          "load": os.getloadavg()[0]}))
        if search.bad:
            print("last of the worst:", json.dumps(search.bad[-1]))
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
