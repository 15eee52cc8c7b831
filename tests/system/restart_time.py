"""Is a restart faster than telling everything again?

    ARANCINI_BUILD=build python3 tests/system/restart_time.py [--judge]
        [ROUNDS [PREFIXES]]

It measures, and a busy machine makes noise; so with --judge only the best of
each count, and the exit status is 1 unless the best restart is faster than the
best re-dump. Four routers of five
peers send their tables to a collector that has nothing, as fast as they are
taken, until it holds them and its journal has them; that is the re-dump, of
routers as fast as none is. Snapshots are written, updates change some of the
routes behind them, and the collector is killed. From then on the time runs
until it is back with all tables and listens.

One JSON object on standard output: seconds of each round, and the ratio of the
best ones.
"""

import argparse
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


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--judge", action="store_true",
                   help="fail if the best restart is not faster")
    p.add_argument("rounds", type=int, nargs="?", default=3)
    p.add_argument("prefixes", type=int, nargs="?", default=100_000)
    return p.parse_args()


def main():
    wanted = arguments()
    build = pathlib.Path(os.environ.get("ARANCINI_BUILD", "build"))
    binary = (build / "arancini").resolve()
    dumped, back = [], []

    for _ in range(wanted.rounds):
        with servers() as (folder, start):
            one = one_round(start, binary, folder / "state", wanted.prefixes)
        dumped.append(round(one[0], 3))
        back.append(round(one[1], 3))
    print(json.dumps({"routes": ROUTERS * PEERS * wanted.prefixes,
                      "dump": dumped, "restart": back,
                      "ratio": round(min(back) / min(dumped), 3)}))
    if wanted.judge and min(back) >= min(dumped):
        sys.exit("a restart is not faster than a re-dump")


if __name__ == "__main__":
    main()
