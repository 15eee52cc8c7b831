"""A start on a disk without room: what fills the disk can only be published by
a collector that runs."""

import re

from broker import STREAM, Broker
from router import Router
from test_restore import table
from watching import WatchedCollector

OPTIONS = ["--nats-max-bytes", "1G", "--snapshot-interval", "1s"]


def fill(folder):
    """Not a byte is left; the file that takes it."""
    path = folder / "filler"
    with open(path, "wb", buffering=0) as out:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    out.write(bytes(size))
            except OSError:
                pass
    return path


def until_published(c, broker):
    c.http.until(lambda s: not s["output"]["spoolBytes"] and
                 s["output"]["state"] == "ready", 120)
    with broker.client() as client:
        return client.stream_info(STREAM)["state"]["messages"]


def test_a_full_disk_does_not_keep_it_from_starting(
        server, arancini, small_disk, tmp_path, free_port):
    broker = Broker(server, tmp_path, free_port())
    state = small_disk / "state"
    c = WatchedCollector(server, arancini, state, "--nats", broker.url,
                         *OPTIONS)
    token = c.token
    with Router(c.port) as router:
        router.dump(table(50))
        c.http.until(lambda s: s["output"]["spoolBytes"] > 0, 60)
        c.kill()
    fill(small_disk)
    broker.start()
    c = WatchedCollector(server, arancini, state, "--nats", broker.url,
                         *OPTIONS)
    assert (state / "http-token").read_text().strip() == token
    assert c.with_token().post("/api/v1/snapshot").status == 202
    assert until_published(c, broker) > 0
    c.kill()


def test_a_full_disk_without_a_token_costs_the_actions(
        server, arancini, small_disk, tmp_path, free_port):
    broker = Broker(server, tmp_path, free_port()).start()
    state = small_disk / "state"
    WatchedCollector(server, arancini, state, "--nats", broker.url,
                     *OPTIONS).stop()
    (state / "http-token").unlink()
    filler = fill(small_disk)
    c = WatchedCollector(server, arancini, state, "--nats", broker.url,
                         *OPTIONS)
    assert c.said('event=http_without_token .*error="No space left on device"')
    assert not c.said("Input/output error")
    assert not list(state.glob("http-token*"))
    assert c.http.ask("GET", "/api/v1/status").status == 200
    refused = c.http.ask("POST", "/api/v1/snapshot",
                         headers={"Authorization": "Bearer x"})
    assert refused.status == 403
    assert "http_without_token" in refused.json["hint"]
    c.kill()
    filler.unlink()
    c = WatchedCollector(server, arancini, state, "--nats", broker.url,
                         *OPTIONS)
    assert re.fullmatch("[0-9a-f]{64}",
                        (state / "http-token").read_text().strip())
    assert c.with_token().post("/api/v1/snapshot").status == 202
    c.stop()
