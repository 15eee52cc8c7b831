"""Does asking slow down collecting?

    ARANCINI_BUILD=build python3 tests/system/http_load.py [ROUNDS]

Not a test: it measures, and a busy machine makes noise. Rounds without and
with the askers take turns at one collector that already holds a table; a
round is the time in which it takes in the same updates. The askers are 200
connections that say nothing and a burst of queries that look at every key
and find nothing. One JSON object on standard output: updates a second of
each round, and the ratio of the medians.
"""

import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from conftest import Server
from watching import Http, WatchedCollector

IDLE = 200
BURST = 20          # queries, four at a time
HELD = 200_000      # prefixes of the table that is there all the time
UPDATES = 2_000_000


def query(port, count):
    http = Http(port)
    for _ in range(count):
        page = http.ask("GET", "/api/v1/rib", prefix="203.0.113.0/24",
                        match="more-specific", check=False).json
        while page.get("next") is not None:
            page = http.ask("GET", "/api/v1/rib", prefix="203.0.113.0/24",
                            match="more-specific", cursor=page["next"],
                            check=False).json
    http.close()


def ingest(c):
    """Seconds from the first byte until all was taken in."""
    before = c.http.status()["counters"]["received"]
    start = time.monotonic()
    c.send("generate", "--peers", "2", "--prefixes", "20000", "--churn", "max",
           "--churn-count", UPDATES - 40_000, "--spread-sources", timeout=300)
    c.http.until(lambda s: s["counters"]["received"] - before >= UPDATES, 300)
    return time.monotonic() - start


def disturbed(c):
    idle = [socket.create_connection(("127.0.0.1", c.http_port))
            for _ in range(IDLE)]
    askers = [threading.Thread(target=query, args=(c.http_port, BURST // 4))
              for _ in range(4)]
    for asker in askers:
        asker.start()
    seconds = ingest(c)
    for asker in askers:
        asker.join()
    for sock in idle:
        sock.close()
    return seconds


def measure(c, rounds):
    quiet, asked = [], []
    ingest(c)           # memory and caches are warm from here on
    for _ in range(rounds):
        quiet.append(UPDATES / ingest(c))
        asked.append(UPDATES / disturbed(c))
    return {"quiet": [round(x) for x in quiet],
            "asked": [round(x) for x in asked],
            "ratio": round(statistics.median(asked)
                           / statistics.median(quiet), 3),
            "best": round(max(asked) / max(quiet), 3)}


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    build = pathlib.Path(os.environ.get("ARANCINI_BUILD", "build"))
    binary = (build / "arancini").resolve()
    started = []

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def start(argv, ready=None, timeout=10, env=None):
            started.append(Server(argv, folder / f"{len(started)}.log",
                                  folder, env))
            started[-1].wait_until(ready, timeout)
            return started[-1]
        try:
            c = WatchedCollector(start, binary, folder / "state",
                                 "--workers", "2", "--journal-max-bytes",
                                 "100M")
            holder = subprocess.Popen(
                [binary, "generate", "--to", c.to, "--prefixes", str(HELD),
                 "--hold"], stdout=subprocess.DEVNULL)
            c.http.until(lambda s: s["totals"]["routes"] == HELD, 120)
            print(json.dumps(measure(c, rounds)))
            holder.send_signal(signal.SIGINT)
            holder.wait(30)
        finally:
            for one in started:
                one.kill()


if __name__ == "__main__":
    main()
