"""What a collector of many routes takes, in one table.

    bench/scale [--routes 10M|50M|187M] [--build build] [--folder DIR]

Seventeen routers of nineteen peers, as the largest public looking glass has,
send their tables; then snapshots are written, questions are asked, alone and
beside a router of a 187th of the routes that comes and goes, and the collector
is stopped, killed and started again, with all of its files and with none. Two workers, a journal compressed with zstd. By hand: 187M takes
6 GB of memory, 20 GB of disk and half an hour.

A table in Markdown on standard output; how busy the machine was is in it.
"""

import argparse
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from conftest import Server
from watching import Http

ROUTERS, PEERS = 17, 19
PATIENCE = 3600
QUESTIONS = (
    ("exact match", {"prefix": "192.0.2.0/24", "match": "exact"}),
    ("longest match", {"prefix": "198.51.100.1"}),
    ("more-specifics of a /8, first 100 routes",
     {"prefix": "100.0.0.0/8", "match": "more-specific", "limit": 100}),
    ("more-specifics of a /16 without any",
     {"prefix": "240.1.0.0/16", "match": "more-specific"}),
)


class Running:
    """A collector, and how long it took to start."""

    def __init__(self, binary, folder, number):
        self.binary, self.folder = binary, folder
        begin = time.monotonic()
        self.server = Server(
            [binary, "run", "--listen", "127.0.0.1:0", "--http",
             "127.0.0.1:0", "--state", folder / "state", "--workers", "2",
             "--batch-compress", "zstd", "--snapshot-interval", "1h",
             "--journal-max-bytes", "100G", "--sweep-quiet", "24h",
             "--sweep-max", "24h", "--stale-hold", "24h"],
            folder / f"{number}.log", folder, None)
        self.server.wait_until("event=started", PATIENCE)
        self.started = time.monotonic() - begin
        self.port = self.said(r"event=listening at=\S+:")
        self.http = Http(int(self.said(r"event=http_listening at=\S+:")))

    def said(self, before):
        """The word in its log behind a pattern."""
        return re.search(before + r"([\d.]+)", self.server.output)[1]

    def memory(self):
        text = pathlib.Path(f"/proc/{self.server.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) * 1024

    def cpu(self):
        text = pathlib.Path(f"/proc/{self.server.pid}/stat").read_text()
        fields = text.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def send(self, *words):
        return subprocess.Popen(
            [self.binary, "generate", "--to", f"127.0.0.1:{self.port}",
             *map(str, words)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def until(self, what):
        begin = time.monotonic()
        self.http.until(what, PATIENCE)
        return time.monotonic() - begin

    def end(self, how):
        begin = time.monotonic()
        self.server.stop(PATIENCE, how)
        return time.monotonic() - begin


def loaded(routes):
    return lambda s: (s["totals"]["routes"] >= routes
                      and s["output"]["waiting"] == 0)


def millis(c, ask, times=7):
    took = []
    for _ in range(times):
        begin = time.monotonic()
        ask(c)
        took.append(time.monotonic() - begin)
    return f"{1000 * statistics.median(took):.1f} ms, " \
           f"most {1000 * max(took):.1f}"


def ask_rib(parameters):
    return lambda c: c.http.get("/api/v1/rib", **parameters)


def ask_peers(c):
    subprocess.run([c.binary, "status", "--peers", "--url",
                    f"http://127.0.0.1:{c.http.port}"], check=True,
                   stdout=subprocess.DEVNULL)


def questions(c, row, where):
    for name, parameters in QUESTIONS:
        row(f"{name}, {where}", millis(c, ask_rib(parameters)))
    row(f"status --peers, {where}", millis(c, ask_peers))


def flap(c, routes, stop):
    """A router of one peer that comes and goes until it is to stop."""
    while not stop.is_set():
        sender = c.send("--routers", 1, "--prefixes", routes, "--seed", 3)
        while sender.poll() is None and not stop.wait(0.1):
            pass
        sender.kill()
        sender.wait()


def beside_a_flap(c, row, routes):
    stop = threading.Event()
    flapping = threading.Thread(target=flap, args=(c, routes, stop))
    flapping.start()
    try:
        questions(c, row, f"beside a flap of {routes} routes")
    finally:
        stop.set()
        flapping.join()


def snapshot_round(c, row, routes):
    begin = time.monotonic()
    Http(c.http.port, (c.folder / "state" / "http-token").read_text().strip()
         ).ask("POST", "/api/v1/snapshot", check=False)
    c.until(lambda s: s["snapshots"]["files"] >= ROUTERS)
    row("snapshots of all routers", f"{time.monotonic() - begin:.1f} s")
    size = sum(f.stat().st_size
               for f in (c.folder / "state" / "snapshots").glob("*.snap"))
    row("bytes a route in them", f"{size / routes:.1f}")


def load(c, row, routes, prefixes):
    sender = c.send("--routers", ROUTERS, "--spread-sources", "--peers", PEERS,
                    "--prefixes", prefixes, "--hold")
    took = c.until(loaded(routes))
    row("load", f"{took:.1f} s")
    row("CPU of it", f"{c.cpu():.1f} s, {1e9 * c.cpu() / routes:.0f} ns a "
        "route")
    row("resident", f"{c.memory() / 1e6:.0f} MB, "
        f"{c.memory() / routes:.1f} bytes a route")
    return sender, took


def restart(binary, folder, row, number, what, dump):
    c = Running(binary, folder, number)
    row(f"start, {what}", f"{c.started:.1f} s, {c.started / dump:.2f} of the "
        f"load; {c.said('event=restored .*routes=')} routes; "
        f"CPU {c.cpu():.1f} s")
    return c


def measure(binary, folder, routes):
    prefixes = routes // (ROUTERS * PEERS)
    routes = prefixes * ROUTERS * PEERS

    def row(name, value):
        print(f"| {name} | {value} |", flush=True)

    print(f"| {routes} routes | load average {os.getloadavg()[0]:.1f} |\n"
          "|---|---|")
    c = Running(binary, folder, 0)
    sender, dump = load(c, row, routes, prefixes)
    sender.kill()
    sender.wait()
    c.end(signal.SIGKILL)
    c = restart(binary, folder, row, 1, "after kill -9, no file", dump)
    sender, _ = load(c, row, routes, prefixes)
    snapshot_round(c, row, routes)
    questions(c, row, "idle")
    beside_a_flap(c, row, max(routes // 187, 1000))
    sender.kill()
    sender.wait()
    row("SIGTERM until the end", f"{c.end(signal.SIGTERM):.1f} s")
    c = restart(binary, folder, row, 2, "all files", dump)
    c.end(signal.SIGKILL)
    c = restart(binary, folder, row, 3, "after kill -9, all files", dump)
    c.end(signal.SIGKILL)
    row("load average at the end", f"{os.getloadavg()[0]:.1f}")


def number(text):
    return int(float(text.rstrip("kM")) *
               {"k": 1000, "M": 1000000}.get(text[-1:], 1))


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--routes", type=number, default="10M")
    p.add_argument("--build", type=pathlib.Path, default="build")
    p.add_argument("--folder", help="where there is room for its files")
    wanted = p.parse_args()
    with tempfile.TemporaryDirectory(dir=wanted.folder) as folder:
        measure((wanted.build / "arancini").resolve(), pathlib.Path(folder),
                wanted.routes)


if __name__ == "__main__":
    sys.exit(main())
