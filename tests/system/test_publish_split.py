"""Batches longer than the server takes: published in pieces, each update once
and in order, whatever happens in between."""

import socket
import struct

import pytest

from bmp import Peer, attribute, initiation, nlri, update
from broker import Driver, Proxy, check_chain
from collecting import connect, tail
from watching import WatchedCollector

HASTY = ["--ack-ms", 1000, "--spool-after-ms", 200, "--write-ms", 500,
         "--wait-ms", 1500, "--max-bytes", 1 << 30]
# Batches of about 150 KB.
ROUTES = 1000


@pytest.fixture
def drive(tmp_path):
    started = []

    def start(url, count, *options, encode="none"):
        one = Driver(tmp_path / "drivers", [
            "--server", url, "--journal", tmp_path / "spool", "--segment",
            1 << 20, "--encode", encode, "--routes",
            ROUTES, "--count", count, "--window", 16, "--bridge", 16,
            *HASTY, *options])
        started.append(one)
        return one

    yield start
    for one in started:
        one.kill()


def payload(limit):
    return f"max_payload: {limit}\n"


def updates(arancini, broker):
    return tail(arancini, "--nats", broker.url, "--subject",
                "arancini.updates.>", idle=2)


def sequences(arancini, broker):
    return [line["sequence"] for line in updates(arancini, broker)]


def check(arancini, broker, count, limit):
    """Each update once and in order, in messages the server takes."""
    with broker.client() as client:
        messages = client.read_stream("ARANCINI")
    check_chain(messages)
    assert max(len(m.data) for m in messages) <= limit
    assert sequences(arancini, broker) == list(range(1, count * ROUTES + 1))
    return messages


@pytest.mark.parametrize("encode", ["none", "packed", "zstd"])
def test_batches_made_before_a_server_was_seen(arancini, broker, drive,
                                               encode):
    driver = drive(broker.url, 40, encode=encode)
    driver.wait_safe(40)  # in the spool
    broker.start(payload(16384))
    driver.wait_published()
    driver.stop()
    messages = check(arancini, broker, 40, 16384)
    if encode == "none":
        assert len(messages) > 3 * 40


def test_straight_from_memory(arancini, broker, drive):
    broker.start(payload(32768))
    driver = drive(broker.url, 100, "--window", 4)
    driver.wait_published()
    driver.stop()
    check(arancini, broker, 100, 32768)


def test_servers_of_all_sizes_one_after_the_other(arancini, broker, drive):
    broker.start(payload(20000))
    # In all less than the server has in store for a reader as slow as ours.
    driver = drive(broker.url, 240, "--rate", 100)
    for safe, limit in ((48, 1 << 20), (96, 16384), (144, 40000)):
        driver.wait_safe(safe)
        broker.kill()
        broker.start(payload(limit))
    driver.wait_published()
    driver.stop()
    check(arancini, broker, 240, 1 << 20)


def test_killed_between_pieces(arancini, broker, drive):
    """What is in the spool goes on where the stream ends: in the middle of a
    batch, and with a server that takes more or less than the one before."""
    first = drive(broker.url, 20)
    first.wait_safe(20)
    first.kill()
    proxy = Proxy(broker.port)
    ends = []
    for limit in (16384, 50000, 20000, 1 << 20, 17000):
        broker.start(payload(limit))
        # Less than a whole batch, but more than a piece or two.
        proxy.most = 70000
        proxy.said.clear()
        again = drive(proxy.url, 0, "--rate", 1)
        again.wait_for(lambda s: proxy.said
                       and len(proxy.said[-1]) == proxy.most)
        again.kill()
        proxy.cut()
        with broker.client() as client:
            last = client.read_stream("ARANCINI")[-1]
        ends.append(last.headers["Nats-Msg-Id"])
        broker.kill()
    proxy.close()
    assert sum("-" in end for end in ends) >= 3, ends
    broker.start(payload(1 << 20))
    last = drive(broker.url, 0, "--rate", 1)
    last.wait_for(lambda s: s["state"] == "ready" and s["spool_left"] == 0)
    last.stop()
    with broker.client() as client:
        check_chain(client.read_stream("ARANCINI"))
    # Behind the first run's come what the others made.
    assert sequences(arancini, broker)[:20 * ROUTES] == list(
        range(1, 20 * ROUTES + 1))


def test_cut_off_between_pieces(arancini, broker, drive):
    """The same in one run: the stream has batches nobody answered for, and a
    part of the one behind them."""
    broker.start(payload(16384))
    proxy = Proxy(broker.port)
    try:
        # Few enough to be in memory all the time.
        driver = drive(proxy.url, 40, "--rate", 20, "--window", 64,
                       "--spool-after-ms", 60000)
        driver.wait_for(lambda s: s["messages"] >= 30)
        proxy.swallow = True
        said = proxy.said[-1]
        # Two batches, and most of a third.
        proxy.most = len(said) + 400000
        driver.wait_for(lambda s: len(said) == proxy.most)
        broker.kill()
        proxy.swallow, proxy.most = False, None
        broker.start(payload(20000))
        driver.wait_published()
        driver.stop()
    finally:
        proxy.close()
    check(arancini, broker, 40, 20000)


@pytest.fixture
def watched(server, arancini, broker, tmp_path):
    return WatchedCollector(server, arancini, tmp_path / "state", "--nats",
                            broker.url, "--nats-max-bytes", "1G")


def far_away(prefix, hops=5000):
    """An announcement with a path that no BGP message of 4096 bytes has."""
    path = b"".join(struct.pack(">BB200I", 2, 200, *[64500] * 200)
                    for _ in range(hops // 200))
    return update(b"", attribute(0x40, 1, b"\0")
                  + struct.pack(">BBH", 0x50, 2, len(path)) + path
                  + attribute(0x40, 3, socket.inet_aton("192.0.2.1")),
                  nlri([prefix]))


def test_one_update_that_is_too_long(arancini, broker, watched):
    """It is left out and told of; those around it are published."""
    broker.start(payload(16384))
    peer = Peer("192.0.2.10", 64500)
    watched.until_said("event=publisher state=ready spooling=false")
    with connect(watched) as sock:
        sock.sendall(initiation() + peer.up() + b"".join(
            peer.announce(f"198.51.100.{n}/32") + peer.monitor(
                far_away(f"203.0.113.{n}/32")) for n in range(3)))
    watched.until_said("event=session_close")
    watched.until_said("level=warning event=publisher state=ready .*"
                       "left out 2.... bytes .*max_payload, now 16384", 2)
    status = watched.http.until(lambda s: s["output"]["tooLong"] == 3)
    assert status["output"]["state"] == "ready"
    assert watched.http.metrics().sum("arancini_output_too_long_total") == 3
    watched.stop()
    assert [line["prefixAddr"] for line in updates(arancini, broker)
            ] == [f"198.51.100.{n}" for n in range(3)]


def test_a_server_that_takes_too_little(broker, watched):
    """It is not written to, so that nothing has to be left out."""
    broker.start(payload(4096))
    watched.until_said("event=publisher state=refused .*max_payload is 4096 "
                       "bytes: raise it to 16384")
    watched.http.until(lambda s: s["output"]["state"] == "refused"
                       and "max_payload" in s["output"]["lastError"])
    broker.kill()
    broker.start(payload(16384))
    watched.until_said("event=publisher state=ready")
    watched.stop()
