"""How long updates of a router take while another one at the same worker makes
the collector publish a thousand times what it sends.

	delay.py [--seconds N] [--output journal|nats] [--shape NAME]
		 [--nice N]

Prints one JSON object: percentiles in milliseconds from the send() of the
router to the line of "arancini tail", the same without the hostile router
("alone"), what that one sent and what was made of it, and the load. --nice is
for a machine that others use: it needs root below 0, and is set for the
sessions of this program (the shell's), the collector and the broker.
"""

import argparse
import itertools
import json
import os
import pathlib
import sys
import tempfile
import threading
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "system"), str(TESTS / "hostile")]

import conftest                                             # noqa: E402
import shapes                                               # noqa: E402
from bmp import Peer, initiation                            # noqa: E402
from broker import Broker                                   # noqa: E402
from collecting import connect                              # noqa: E402
from neighbour import EVIL, OtherRouter                     # noqa: E402
from watching import WatchedCollector                       # noqa: E402

PEER = Peer("10.0.0.1", 64500)
PLAIN_PATH = b"\x02\x01\0\0\xfb\xf4"


def large(n):
    return shapes.large(PEER, med=n)


def ordinary(n):
    return shapes.ordinary_size(PEER, 500 * (n % 40), n)


def down(n):
    """A table of 20,000 routes that comes and goes."""
    table = b"".join(PEER.monitor(shapes.update(
        PLAIN_PATH, shapes.prefixes(1000, first), n))
        for first in range(0, 20000, 1000))
    return PEER.up(port=n & 65535) + table + PEER.down()


SHAPES = {"large": large, "ordinary": ordinary, "down": down}


class Hostile:
    """Sends its shape as fast as it is read."""

    def __init__(self, c, shape):
        self.sock = connect(c, EVIL)
        self.sock.settimeout(1)
        self.stopped = threading.Event()
        self.sent = 0
        self.shape = shape
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        pending = initiation(b"evil") + PEER.up()
        numbers = itertools.count()
        while not self.stopped.is_set():
            if not pending:
                pending = SHAPES[self.shape](next(numbers))
            try:
                n = self.sock.send(pending[:65536])
            except TimeoutError:
                continue
            self.sent += n
            pending = pending[n:]

    def stop(self):
        self.stopped.set()
        self.thread.join()
        self.sock.close()


def percentiles(delays):
    return {name: round(1000 * delays[min(len(delays) - 1,
                                          int(len(delays) * share))], 1)
            for name, share in (("p50", .5), ("p99", .99), ("max", 1))}


def measure(c, log, seconds, shape=None):
    # Each time another: what it said before would be suppressed.
    other = OtherRouter(c, log, "127.0.0.4" if shape else "127.0.0.2", 0.005)
    other.until(lambda: len(other.seen) > 20)
    first = len(other.sent)
    evil = Hostile(c, shape) if shape else None
    made = c.http.metrics().sum("arancini_batch_plain_bytes_total")
    time.sleep(seconds)
    made = c.http.metrics().sum("arancini_batch_plain_bytes_total") - made
    keys = list(other.sent)[first:]
    if evil:
        evil.stop()
    other.stop()
    delays = sorted(other.seen[key] - other.sent[key] for key in keys)
    out = {**percentiles(delays), "updates": len(delays)}
    if evil:
        out.update(sent_mb=round(evil.sent / 1e6, 2),
                   made_mb=round(made / 1e6))
    return out


def set_nice(pid, nice):
    """Also of its session: where the scheduler groups processes by session,
    the nice of a process counts within its own only."""
    for task in os.listdir(f"/proc/{pid}/task"):
        os.setpriority(os.PRIO_PROCESS, int(task), nice)
    group = pathlib.Path(f"/proc/{pid}/autogroup")
    if group.exists():
        group.write_text(str(nice))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.environ.get("ARANCINI_BUILD",
                                                          "build"))
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--output", choices=["journal", "nats"],
                        default="journal")
    parser.add_argument("--shape", choices=sorted(SHAPES), default="large")
    parser.add_argument("--nice", type=int)
    options = parser.parse_args()
    if options.nice is not None:
        set_nice(os.getpid(), options.nice)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        servers = conftest.run_servers(folder)
        start, output, log = next(servers), [], None
        if options.output == "nats":
            ports = conftest.free_port.__wrapped__()
            broker = Broker(start, folder, ports()).start()
            output = ["--nats", broker.url, "--nats-max-bytes", "256M"]
            log = ["--nats", broker.url]
        c = WatchedCollector(
            start, pathlib.Path(options.build).resolve() / "arancini",
            folder / "state", "--workers", "1", "--journal-max-bytes", "256M",
            *output)
        if options.nice is not None:
            for server in (c.server, *([broker.process] if log else [])):
                set_nice(server.pid, options.nice)
        if log:
            c.until_said("event=publisher state=ready")
        try:
            result = {"alone": measure(c, log, min(options.seconds, 5)),
                      "shape": options.shape, "output": options.output,
                      "beside": measure(c, log, options.seconds,
                                        options.shape),
                      "load": round(os.getloadavg()[0], 1)}
        finally:
            next(servers, None)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
