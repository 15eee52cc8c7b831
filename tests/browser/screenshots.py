"""Make the pictures of the dashboard that the documentation shows.

    ARANCINI_BUILD=build python3 tests/browser/screenshots.py [FOLDER]

A collector with made-up routers, as in the tests, and a broker; FOLDER is
docs/img unless named. Takes six minutes, so that the charts have a history.
"""

import contextlib
import itertools
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TREE / "tests" / name) for name in ("browser", "system")]

import bmp                                               # noqa: E402
import chromium                                          # noqa: E402
from dashboard import Page                               # noqa: E402

MINUTES = 5
BURSTS = (15000, 40), (40000, 25), (9000, 45), (28000, 35)  # a second; for
WALL, PHONE = (1440, 1000), (390, 844)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def running(argv, cwd):
    """A program that is stopped by its id, whatever happens."""
    process = subprocess.Popen([str(a) for a in argv], cwd=cwd)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def lab(stack, arancini, folder):
    """A broker, a collector, and six routers with their whole tables."""
    port, http, nats = free_port(), free_port(), free_port()
    stack.enter_context(running(
        ["nats-server", "-js", "-a", "127.0.0.1", "-p", nats, "-sd",
         folder / "nats", "-l", folder / "nats.log"], folder))
    wait_for(nats)
    stack.enter_context(running(
        [arancini, "run", "--listen", f"127.0.0.1:{port}", "--http",
         f"127.0.0.1:{http}", "--collector-id", "ams-1", "--workers", "2",
         "--nats", f"nats://127.0.0.1:{nats}", "--log-level", "warning",
         "--state", "data"], folder))
    wait_for(http)
    stack.enter_context(running(
        [arancini, "generate", "--to", f"127.0.0.1:{port}", "--routers", "6",
         "--peers", "4", "--prefixes", "15k", "--spread-sources",
         "--wall-clock", "--churn", "9k", "--churn-mix", "70:22:8",
         "--churn-count", "5M", "--flaps", "6"], folder))
    url = f"http://127.0.0.1:{http}/"
    while status(url)["counters"]["received"] < 6 * 4 * 15_000:
        time.sleep(1)
    stack.enter_context(odd_router(port))
    return url, f"127.0.0.1:{port}"


def odd_router(port):
    """One whose own count is another than ours, and with a peer that is
    down."""
    up, down = bmp.Peer("10.0.0.33", 64511), bmp.Peer("10.0.0.34", 64512)
    routes = [f"198.51.{i}.0/24" for i in range(100)]
    counted = struct.pack("!IHHQ", 1, 7, 8, len(routes) + 12)
    sock = socket.create_connection(("127.0.0.1", port), 60,
                                    source_address=("127.1.0.7", 0))
    sock.sendall(b"".join([
        bmp.initiation(b"edge7"), up.up(), up.announce(*routes),
        up.end_of_rib(), down.up(), down.announce(*routes[:40]),
        down.end_of_rib(), bmp.message(1, up.header() + counted),
        down.down()]))
    return sock


def status(url):
    with urllib.request.urlopen(url + "api/v1/status", timeout=60) as answer:
        return json.load(answer)


def busy_times(arancini, to, folder):
    """A seventh router that comes, has much to say, and goes: what the charts
    show has hills, and at the end its peers are stale."""
    end = time.monotonic() + 60 * MINUTES
    for rate, seconds in itertools.cycle(BURSTS):
        left = end - time.monotonic() - 20
        if left < 10:
            break
        subprocess.run(
            [arancini, "generate", "--to", to, "--peers", "3", "--prefixes",
             "2k", "--wall-clock", "--churn", str(rate), "--duration",
             str(int(min(seconds, left)))], cwd=folder, check=True)
        time.sleep(8)
    time.sleep(max(0, end - time.monotonic()))


def wait_for(port):
    for _ in range(600):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        time.sleep(0.1)
    sys.exit(f"nothing listens on port {port}")


def known_prefix(page):
    """A prefix that every peer has."""
    page.go("#/lookup?prefix=0.0.0.0/0&match=more-specific")
    page.until("routes", lambda: page.column("Prefix"))
    return page.column("Prefix")[0].split()[0]


def shoot(page, folder, name, place, shown):
    page.go(place)
    page.until(name, lambda: page.all(shown))
    # One more refresh, so that nothing on it is half drawn.
    time.sleep(1.5)
    page.driver.save_screenshot(str(folder / f"dashboard-{name}.png"))


def shoot_all(browser, page, folder):
    prefix = known_prefix(page)
    peer = "#/peers/v4_127_1_0_1/0-0-10.0.0.1"
    lookup = f"#/lookup?prefix={prefix}&match=longest"
    rows = "tbody td"
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        shoot(page, folder, scheme, "#/", ".stat-tile")
    shoot(page, folder, "lookup", lookup, rows)
    browser.scheme("light")
    shoot(page, folder, "peers", "#/peers", rows)
    shoot(page, folder, "peer", peer, ".timeline")
    browser.size(*PHONE)
    shoot(page, folder, "phone", "#/", ".stat-tile")
    shoot(page, folder, "phone-peers", "#/peers", rows)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1
                          else TREE / "docs" / "img").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    build = pathlib.Path(os.environ.get("ARANCINI_BUILD", TREE / "build"))
    with contextlib.ExitStack() as stack:
        temporary = pathlib.Path(stack.enter_context(
            tempfile.TemporaryDirectory()))
        browser = chromium.Browser(temporary)
        stack.callback(browser.stop)
        browser.size(*WALL)
        browser.scheme("light")
        arancini = build.resolve() / "arancini"
        url, to = lab(stack, arancini, temporary)
        page = Page(browser, url)
        page.open()
        busy_times(arancini, to, temporary)
        shoot_all(browser, page, folder)


main()
