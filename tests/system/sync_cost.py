"""What it costs when the broker syncs each message before it acknowledges it:
batches a second that a nats-server stores, with and without.

    python3 tests/system/sync_cost.py BUILD [FOLDER]

The store is in FOLDER (default /var/tmp), which must be on the disk to measure.
nats-server 2.10 and later is told "sync_interval: always". An older one does
not know it: there every write of the store is synchronous by chattr +S, which
ext4, XFS and Btrfs honour and new files inherit."""

import json
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SERVER = shutil.which("nats-server") or "/usr/sbin/nats-server"
SIZES = ((512, 20000), (32768, 2000))
SECONDS = 60


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def knows_always():
    version = subprocess.run([SERVER, "--version"], capture_output=True,
                             text=True, check=True).stdout.split("v")[-1]
    return tuple(map(int, version.split(".")[:2])) >= (2, 10)


def start(folder, port, sync):
    store = folder / "store"
    store.mkdir()
    always = ""
    if sync and knows_always():
        always = ", sync_interval: always"
    elif sync:
        subprocess.run(["chattr", "+S", store], check=True)
    config = folder / "server.conf"
    config.write_text(f'host: "127.0.0.1"\nport: {port}\n'
                      f'jetstream {{ store_dir: "{store}"{always} }}\n')
    server = subprocess.Popen([SERVER, "-c", config],
                              stderr=subprocess.PIPE, text=True)
    while "Server is ready" not in server.stderr.readline():
        assert server.poll() is None
    return server


def published(driver):
    """The last status line: acknowledged batches, and when."""
    for line in driver.stdout:
        status = json.loads(line)
        yield status.get("messages", 0), time.monotonic()


def rate(build, folder, sync, size, count):
    port = free_port()
    server = start(folder, port, sync)
    driver = subprocess.Popen(
        [build / "tests" / "publish_driver", "--server",
         f"nats://127.0.0.1:{port}", "--count", str(count), "--size",
         str(size), "--max-bytes", str(1 << 30), "--ack-ms", "60000"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True)
    began = time.monotonic()
    try:
        for messages, when in published(driver):
            if messages >= count or when > began + SECONDS:
                return messages / (when - began)
    finally:
        driver.kill()
        driver.wait()
        server.send_signal(signal.SIGTERM)
        server.wait()


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    where = sys.argv[2] if len(sys.argv) > 2 else "/var/tmp"
    for size, count in SIZES:
        for sync in (False, True):
            with tempfile.TemporaryDirectory(dir=where) as folder:
                got = rate(build, pathlib.Path(folder), sync, size, count)
            print(f"{size} bytes, {'each message synced' if sync else 'default'}"
                  f": {got:.0f} messages/s")


if __name__ == "__main__":
    main()
