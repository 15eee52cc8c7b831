"""Does asking slow down collecting?

    ARANCINI_BUILD=build python3 tests/system/http_load.py [ROUNDS]

Not a test: it measures, and a busy machine makes noise. Rounds without and
with the askers take turns at one collector of one worker that already holds a
table; a round is the taking in of the same updates. The askers are 200
connections that say nothing, four that ask all the time for what takes a look
at every key and finds nothing, and one that reads /metrics ten times a second.

What counts is the processor time of the worker's thread for each update: the
generator, the askers and HTTP's own threads compete with it for the cores of a
small machine, which the clock on the wall cannot tell from being slowed down.
One JSON object on standard output: nanoseconds of the worker and updates a
second, of each round; the ratios of the medians, of the best rounds, and the
median of those of each round to the one before it, above 1 where asking costs
something; and how much was asked.
"""

import contextlib
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time

from measuring import servers
from watching import Http, WatchedCollector

IDLE = 200
ASKERS = 4
SCRAPE_SECONDS = 0.1
HELD = 200_000      # prefixes of the table that is there all the time
UPDATES = 4_000_000


class Askers:
    """They ask as long as the context lasts."""

    def __init__(self, port):
        self.port = port
        self.done = threading.Event()
        self.count = {"pages": 0, "scrapes": 0}
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.query)
                        for _ in range(ASKERS)]
        self.threads.append(threading.Thread(target=self.scrape))

    def add(self, what):
        with self.lock:
            self.count[what] += 1

    def query(self):
        http, cursor = Http(self.port), {}
        while not self.done.is_set():
            page = http.ask("GET", "/api/v1/rib", prefix="203.0.113.0/24",
                            match="more-specific", check=False, **cursor)
            assert page.status == 200, page.bytes
            after = page.json["next"]
            cursor = {"cursor": after} if after is not None else {}
            self.add("pages")
        http.close()

    def scrape(self):
        http = Http(self.port)
        while not self.done.wait(SCRAPE_SECONDS):
            assert http.ask("GET", "/metrics", check=False).status == 200
            self.add("scrapes")
        http.close()

    def __enter__(self):
        self.idle = [socket.create_connection(("127.0.0.1", self.port))
                     for _ in range(IDLE)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        for thread in self.threads:
            thread.join()
        for sock in self.idle:
            sock.close()


def processor_ns(pid):
    """{thread: nanoseconds on a processor}."""
    spent = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            spent[task.name] = int(
                (task / "schedstat").read_text().split()[0])
    return spent


def ingest(c):
    """Processor time of each thread, and seconds, until all was taken in."""
    pid = c.server.process.pid
    before, start = c.http.status()["counters"]["received"], time.monotonic()
    spent = processor_ns(pid)
    c.send("generate", "--peers", "2", "--prefixes", "20000", "--churn", "max",
           "--churn-count", UPDATES - 40_000, "--spread-sources", timeout=300)
    c.http.until(lambda s: s["counters"]["received"] - before >= UPDATES, 300)
    seconds = time.monotonic() - start
    return ({t: ns - spent.get(t, 0) for t, ns in processor_ns(pid).items()},
            seconds)


def compare(quiet, asked, best):
    """Of which the smaller is the better."""
    pairs = [a / q for a, q in zip(asked, quiet)]
    return {"median": round(statistics.median(asked)
                            / statistics.median(quiet), 3),
            "best": round(best(asked) / best(quiet), 3),
            "pairs": round(statistics.median(pairs), 3)}


def measure(c, rounds):
    # Memory and caches are warm from here on; and the thread that worked most
    # is the worker.
    spent, _ = ingest(c)
    worker = max(spent, key=spent.get)
    ns, rates, asked = ([], []), ([], []), {"pages": 0, "scrapes": 0}
    for i in range(2 * rounds):
        if i % 2 == 0:
            spent, seconds = ingest(c)
        else:
            with Askers(c.http_port) as askers:
                spent, seconds = ingest(c)
            asked = {k: v + askers.count[k] for k, v in asked.items()}
        ns[i % 2].append(round(spent[worker] / UPDATES, 1))
        rates[i % 2].append(round(UPDATES / seconds))
    return {"worker_ns": {"quiet": ns[0], "asked": ns[1],
                          **compare(*ns, min)},
            "updates_per_second": {"quiet": rates[0], "asked": rates[1],
                                   **compare(*reversed(rates), max)},
            "idle": IDLE, **asked}


def hold(c, binary):
    """A router whose table is there all the time."""
    holder = subprocess.Popen(
        [binary, "generate", "--to", c.to, "--prefixes", str(HELD), "--hold"],
        stdout=subprocess.DEVNULL)
    c.http.until(lambda s: s["totals"]["routes"] == HELD, 120)
    return holder


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    build = pathlib.Path(os.environ.get("ARANCINI_BUILD", "build"))
    binary = (build / "arancini").resolve()

    with servers() as (folder, start):
        c = WatchedCollector(start, binary, folder / "state", "--workers",
                             "1", "--journal-max-bytes", "100M")
        holder = hold(c, binary)
        print(json.dumps(measure(c, rounds)))
        holder.send_signal(signal.SIGINT)
        holder.wait(30)


if __name__ == "__main__":
    main()
