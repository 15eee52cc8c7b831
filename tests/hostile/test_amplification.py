"""A router that makes the collector publish a thousand times what it sends.
That is its right: what the routes of an UPDATE share is repeated for each. But
it takes no more of the worker at a time than others, and no more memory, and
another router of the same worker is read and published in time."""

import socket
import time
import warnings

import pytest
import shapes
from bmp import Peer, initiation
from broker import Broker
from collecting import closed_by_collector, connect
from neighbour import (EVIL, OtherRouter, Watch, attack, check_memory,
                       check_turns, is_sanitized, published, token)
from watching import WatchedCollector


SHAPES = {
    "65582 bytes of sets": lambda p, count: (
        shapes.large(p, count=count), count),
    "4096 bytes of sets": lambda p, _: (
        b"".join(shapes.ordinary_size(p, 500 * n) for n in range(40)),
        20000),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_attributes_that_are_repeated(collector, shape):
    peer = Peer("10.0.0.1", 64500)
    count = 8274
    if is_sanitized(collector):
        count = 400
        warnings.warn("AddressSanitizer: 0.1 GB are published, not 1.2")
    data, routes = SHAPES[shape](peer, count)
    metrics = attack(collector, peer.up() + data, routes)
    assert metrics.sum("arancini_session_turns_cut_total") > 0


def test_a_name_that_is_repeated(collector):
    peer, up = shapes.named_up("ä".encode() * 30000)
    few = peer.monitor(shapes.update(b"\x02\x01\0\0\xfb\xf4",
                                     shapes.prefixes(64)))
    metrics = attack(collector, up + shapes.many_routes(peer) + peer.down()
                     + up + few + peer.down(), 2 * 910 + 2 * 64)
    assert metrics.sum("arancini_table_names_cut_total") == 2
    names = {line.get("tableName") for line in collector.published(
        "--subject", f"arancini.updates.{token(EVIL)}.>")}
    assert names == {"ä" * 127}


def test_the_table_of_a_peer_that_comes_back_as_another(collector):
    """Its routes are withdrawn because of 48 bytes: not all of them before
    others have their turn."""
    before, after = Peer("10.0.0.1", 64500), Peer("10.0.0.1", 64501)
    routes = 40000
    other = OtherRouter(collector)
    with connect(collector, EVIL) as sock:
        sock.sendall(initiation(b"evil") + before.up() + b"".join(
            before.monitor(shapes.update(b"\x02\x01\0\0\xfb\xf4",
                                         shapes.prefixes(1000, n)))
            for n in range(0, routes, 1000)))
        other.until(lambda: published(collector) >= routes)
    with connect(collector, EVIL) as sock:
        sock.sendall(initiation(b"evil") + after.announce("192.0.2.0/24"))
        other.until(lambda: published(collector) >= 2 * routes + 1)
    other.stop()
    check_turns(collector)
    lines = collector.published(
        "--subject", f"arancini.updates.{token(EVIL)}.>")
    assert [line["peerAsn"] for line in lines[-2:]] == [64500, 64501]
    assert lines[-1]["announced"] and len(lines) == 2 * routes + 1


@pytest.fixture
def with_broker(server, arancini, tmp_path, free_port):
    """A collector of one worker whose output is JetStream."""
    broker = Broker(server, tmp_path, free_port()).start()
    c = WatchedCollector(server, arancini, tmp_path / "state", "--workers",
                         "1", "--nats", broker.url, "--nats-max-bytes", "1G")
    c.until_said("event=publisher state=ready")
    c.broker = broker
    return c


def test_a_turn_spans_what_has_come(collector):
    """Each message is less than a turn may apply, and so are the few that come
    together. They have come, and nobody waits between them: what they ask for
    is known, so nothing is published. They share turns."""
    peer, routes, times = Peer("10.0.0.1", 64500), 900, 2000
    few = peer.monitor(shapes.update(b"\x02\x01\0\0\xfb\xf4",
                                     shapes.prefixes(routes)))
    with connect(collector, EVIL) as sock:
        sock.sendall(initiation(b"evil") + peer.up() + few * times)
        OtherRouter.until(None, lambda: collector.http.metrics().sum(
            "arancini_messages_total", type="route-monitoring") == times)
        metrics = check_turns(collector)
    assert metrics.sum("arancini_session_turn_max_routes") > routes


def test_jetstream(with_broker):
    """A stream instead of the journal: what is sent and not acknowledged is
    bounded, too."""
    c = with_broker
    peer = Peer("10.0.0.1", 64500)
    data = b"".join(shapes.ordinary_size(peer, 500 * n) for n in range(16))
    metrics = attack(c, peer.up() + data, 8000, ["--nats", c.broker.url])
    assert metrics.sum("arancini_session_turns_cut_total") > 0


def test_a_broker_that_is_away(with_broker):
    """All of it goes to the spool, and to the stream when it is back."""
    c = with_broker
    peer = Peer("10.0.0.1", 64500)
    data = b"".join(shapes.ordinary_size(peer, 500 * n) for n in range(16))
    c.broker.kill()
    c.http.until(lambda s: s["output"]["state"] != "ready")
    # Another router is published: it is in the spool, which is a journal.
    attack(c, peer.up() + data, 8000)
    assert c.http.status()["output"]["spooling"]
    c.broker.start()
    c.http.until(lambda s: not s["output"]["spooling"]
                 and s["output"]["spoolBytes"] == 0, 120)


def settle(c, sessions=0, seconds=120):
    """The routers have gone, and all that they said is published."""
    deadline = time.monotonic() + seconds
    while True:
        metrics = c.http.metrics()
        if (metrics.sum("arancini_sessions") == sessions
                and metrics.sum("arancini_routes_pending_withdraw") == 0
                and c.http.status()["output"]["waiting"] == 0):
            return
        assert time.monotonic() < deadline, "it does not come to an end"
        time.sleep(0.05)


def play(c, *sessions):
    """One session after the other. No turn is longer than it may be, and
    memory is not taken for more than the tables that were there."""
    watch, tables = Watch(c), 0
    for data in sessions:
        with connect(c, EVIL) as sock:
            sock.settimeout(120)
            sock.sendall(initiation(b"evil") + data)
            sock.shutdown(socket.SHUT_WR)
            assert closed_by_collector(sock, 120)
            tables = max(tables, c.http.status()["totals"]["bytes"])
    settle(c)
    check_memory(c, watch.stop() - tables)
    return check_turns(c)


PEER = Peer("10.0.0.1", 64500)
# Found by reading and by tests/hostile/search.py.
FOUND = {
    # Small tables of a peer are withdrawn at its Peer Down, at once.
    "link-state tables of a peer that goes": [
        shapes.link_state_tables(PEER)],
    # What is held until the form is known was applied at once.
    "messages in both forms": [PEER.up() + shapes.held_message(PEER)],
    # A table that changes its form had older withdraws published at once.
    "a table that changes its form": [
        PEER.up() + shapes.changing_form(PEER, 60000)],
    # A report was read as a whole, however long.
    "a report of 120,000 counters": [
        PEER.up() + shapes.statistics(PEER, 120000)],
}


@pytest.mark.parametrize("shape", FOUND)
def test_shapes_that_were_found(collector, shape):
    play(collector, *FOUND[shape])
