"""Is a restart faster than telling everything again?

    ARANCINI_BUILD=build python3 tests/system/restart_time.py [ROUNDS [PREFIXES]]

Not a test: it measures, and a busy machine makes noise. Four routers of five
peers send their tables to a collector that has nothing, as fast as they are
taken, until it holds them and its journal has them; that is the re-dump, of
routers as fast as none is. Snapshots are written, updates change some of the
routes behind them, and the collector is killed. From then on the time runs
until it is back with all tables and listens.

One JSON object on standard output: seconds of each round, and the ratio of the
best ones.
"""

import json
import os
import pathlib
import sys
import time

from measuring import servers
from watching import WatchedCollector

ROUTERS, PEERS = 4, 5


def generate(prefixes):
    return ["generate", "--routers", ROUTERS, "--spread-sources", "--peers",
            PEERS, "--prefixes", prefixes, "--seed", "11", "--hold"]


def seconds(deed):
    start = time.monotonic()
    return deed(), time.monotonic() - start


def dump(c, words, routes):
    """A generator that stays, and how long its tables took."""
    def all_in():
        sender = c.start_sending(*words)
        c.http.until(lambda s: s["totals"]["routes"] == routes
                     and s["output"]["updates"] >= routes
                     and s["output"]["waiting"] == 0, 300)
        return sender
    return seconds(all_in)


def write_down(c):
    """Snapshots of all routers."""
    c.with_token().ask("POST", "/api/v1/snapshot", check=False)
    c.http.until(lambda s: s["snapshots"]["files"] == ROUTERS, 300)


def one_round(start, binary, folder, prefixes):
    routes = ROUTERS * PEERS * prefixes
    options = ["--workers", "2", "--snapshot-interval", "1h",
               "--journal-max-bytes", "8G"]
    c = WatchedCollector(start, binary, folder, *options)
    sender, dumped = dump(c, generate(prefixes), routes)
    write_down(c)
    sender.kill()
    sender.wait()
    # Behind the snapshots, of another router.
    c.send("generate", "--routers", "1",
           "--prefixes", "1000", "--churn", "max", "--churn-count", "200000")
    c.kill()
    again, back = seconds(
        lambda: WatchedCollector(start, binary, folder, *options))
    kept = int(again.said(r"event=restored .*?routes=(\d+)")[0])
    assert kept >= routes, again.server.output
    again.kill()
    return dumped, back


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    prefixes = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    build = pathlib.Path(os.environ.get("ARANCINI_BUILD", "build"))
    binary = (build / "arancini").resolve()
    dumped, back = [], []

    for _ in range(rounds):
        with servers() as (folder, start):
            one = one_round(start, binary, folder / "state", prefixes)
        dumped.append(round(one[0], 3))
        back.append(round(one[1], 3))
    print(json.dumps({"routes": ROUTERS * PEERS * prefixes, "dump": dumped,
                      "restart": back,
                      "ratio": round(min(back) / min(dumped), 3)}))


if __name__ == "__main__":
    main()
