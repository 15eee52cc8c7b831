"""The store of a nats-server is put back, as after a power failure of its host:
it had acknowledged more than its disk had. What is missing is sent again as it
was; where that cannot be, consumers hear of it before the next update."""

import json
import shutil
import subprocess

import pytest

from broker import EPOCHS, STREAM, Driver, Proxy, check_chain, numbers
from broker import stream_sequence, summary
from router import Router, announce, withdraw
from test_publish import HASTY
from test_restore import paths, resyncs, table
from watching import WatchedCollector

TAIL = ["--acked-tail", 64 << 20]


@pytest.fixture
def drive(tmp_path):
    started = []

    def start(url, *options, folder="spool"):
        one = Driver(tmp_path / "drivers",
                     ["--server", url, "--journal", tmp_path / folder,
                      "--segment", 1 << 20, *HASTY, *options])
        started.append(one)
        return one

    yield start
    for one in started:
        one.kill()


class Store:
    """The folder of a broker, that can be put back."""

    def __init__(self, broker, folder):
        self.broker = broker
        self.path = folder / broker.name
        self.copy = folder / "before"

    def keep(self):
        """A copy of a store that is whole; the broker restarts for it."""
        self.broker.terminate()
        shutil.copytree(self.path, self.copy)
        self.broker.start()

    def put_back(self):
        self.broker.kill()
        shutil.rmtree(self.path)
        shutil.copytree(self.copy, self.path)

    def lose(self):
        self.put_back()
        self.broker.start()


@pytest.fixture
def store(broker, tmp_path):
    return Store(broker, tmp_path)


def wait_stored(driver, count):
    """The stream has acknowledged so many: what is safe may be spooled."""
    return driver.wait_for(lambda s: s["messages"] >= count)


def names(messages):
    """What a message is: its place, its id and its bytes."""
    return [(stream_sequence(m), m.headers["Nats-Msg-Id"], m.data)
            for m in messages]


def read(broker):
    with broker.client() as client:
        return client.read_stream(STREAM)


def check_whole(messages, count):
    got = numbers(messages)
    assert got == list(range(1, count + 1)), summary(got, count)
    check_chain(messages)


@pytest.mark.parametrize("size", [100, 20000])
def test_what_the_stream_lost_is_sent_again(size, broker, store, drive):
    broker.start()
    driver = drive(broker.url, "--count", 900, "--hold-at", 100, "--hold-at",
                   600, "--size", size, *TAIL)
    wait_stored(driver, 100)
    store.keep()
    driver.release()
    wait_stored(driver, 600)
    before = names(read(broker))
    store.lose()
    driver.wait_for(lambda s: s["resent"] > 0 and s["state"] == "ready")
    # Also the one that comes without another update.
    driver.release()
    driver.wait_published()
    status = driver.stop()
    messages = read(broker)
    check_whole(messages, 900)
    assert names(messages)[:len(before)] == before
    assert [m.subject for m in messages].count(EPOCHS) == 1
    assert "sent again" in driver.err.read_text()
    assert status["safe"] == 900


def test_under_load_and_again(broker, store, drive):
    """Lost while messages are under way, and while they are sent again."""
    broker.start()
    driver = drive(broker.url, "--count", 12000, "--hold-at", 1000, "--rate",
                   3000, *TAIL)
    wait_stored(driver, 1000)
    store.keep()
    driver.release()
    for mark in (3000, 6000):
        wait_stored(driver, mark)
        store.lose()
    driver.wait_published()
    final = [line for line in driver.lines if "resent" in line][-1]
    assert final["resent"] > 0 and final["rollbacks"] == 0
    driver.stop()
    check_whole(read(broker), 12000)


class Breaking(Proxy):
    """Ends a connection that has carried so many bytes; None: no limit."""

    limit = None

    def up(self, said, data, target):
        if self.limit is not None and len(said) + len(data) > self.limit:
            self.cut()
            raise ConnectionError
        super().up(said, data, target)


def test_connections_that_break_are_not_a_refusal(broker, store, drive):
    """Each one gets further; it takes more of them than refusals count."""
    broker.start()
    proxy = Breaking(broker.port)
    driver = drive(proxy.url, "--count", 700, "--hold-at", 100, "--hold-at",
                   600, "--size", 4000, *TAIL)
    wait_stored(driver, 100)
    store.keep()
    driver.release()
    wait_stored(driver, 600)
    before = names(read(broker))
    proxy.limit = 400 << 10
    store.lose()
    status = driver.wait_for(lambda s: s["resent"] >= 500
                             and s["state"] == "ready")
    proxy.limit = None
    driver.release()
    driver.wait_published()
    assert driver.stop()["safe"] == 700
    proxy.close()
    assert status["connects"] > 5, driver.describe()
    messages = read(broker)
    check_whole(messages, 700)
    assert names(messages)[:len(before)] == before


def test_what_came_from_the_spool_is_sent_again(broker, store, drive):
    broker.start()
    driver = drive(broker.url, "--count", 6000, "--hold-at", 500, "--hold-at",
                   5000, "--rate", 4000, *TAIL)
    wait_stored(driver, 500)
    store.keep()
    broker.kill()
    driver.release()
    driver.wait_for(lambda s: s["spooling"] and s["safe"] >= 4000)
    broker.start()
    wait_stored(driver, 5000)
    before = names(read(broker))
    store.lose()
    driver.release()
    driver.wait_published()
    driver.stop()
    messages = read(broker)
    check_whole(messages, 6000)
    assert names(messages)[:len(before)] == before


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_lost_while_the_collector_is_down(how, broker, store, drive):
    """Before the new run writes. One that was killed may have had more
    acknowledged than it could write down: then that counts as a loss."""
    broker.start()
    driver = drive(broker.url, "--count", 500, *TAIL)
    driver.wait_published()
    store.keep()
    driver.wait_for(lambda s: s["state"] == "ready")
    driver.stop()
    driver = drive(broker.url, "--count", 700, "--rate", 2000, *TAIL)
    driver.wait_published()
    if how == "kill":
        driver.kill()
    else:
        driver.stop()
    before = names(read(broker))
    store.put_back()
    broker.start()
    driver = drive(broker.url, "--count", 1, *TAIL)
    status = driver.wait_published()
    driver.stop()
    messages = read(broker)
    check_chain(messages)
    if how == "stop":
        assert names(messages)[:len(before)] == before
        assert status["rollbacks"] == 0 and status["resent"] >= 700
    else:
        assert status["rollbacks"] == 1


@pytest.mark.parametrize("tail", [0, 1 << 20])
def test_a_tail_that_does_not_reach(tail, broker, store, drive):
    """Off, or shorter than what is lost: said, counted, and gone on."""
    broker.start()
    driver = drive(broker.url, "--count", 1200, "--hold-at", 100, "--hold-at",
                   1000, "--size", 20000, "--encode", "zstd", "--routes", 600,
                   "--acked-tail", tail)
    wait_stored(driver, 100)
    store.keep()
    driver.release()
    wait_stored(driver, 1000)
    if tail:
        assert driver.wait_for(
            lambda s: s["acked_tail"] > 800 << 10)["acked_tail"] <= tail
    store.lose()
    driver.wait_for(lambda s: s["rollbacks"] == 1 and s["state"] == "ready")
    driver.release()
    driver.wait_published()
    driver.stop()
    messages = read(broker)
    check_chain(messages)
    assert [m.subject for m in messages].count(EPOCHS) == 2
    assert "cannot be sent again" in driver.err.read_text()


@pytest.mark.parametrize("what", ["delete", "purge", "remake"])
def test_what_others_took_away_is_not_brought_back(what, broker, drive):
    broker.start()
    driver = drive(broker.url, "--count", 900, "--hold-at", 600, *TAIL)
    wait_stored(driver, 600)
    with broker.client() as client:
        config = client.stream_info(STREAM)["config"]
        if what == "purge":
            client.api(f"STREAM.PURGE.{STREAM}")
        else:
            client.api(f"STREAM.DELETE.{STREAM}")
        if what == "remake":
            client.api(f"STREAM.CREATE.{STREAM}", config)
    broker.terminate()
    broker.start()
    driver.wait_for(lambda s: s["connects"] > 1 and s["state"] == "ready")
    driver.release()
    driver.wait_published()
    final = [line for line in driver.lines if "resent" in line][-1]
    driver.stop()
    assert final["resent"] == 0
    assert numbers(read(broker)) == list(range(601, 901))


def collect(server, arancini, broker, tmp_path, *options):
    c = WatchedCollector(server, arancini, tmp_path / "state", "--nats",
                         broker.url, "--nats-max-bytes", "1G",
                         "--snapshot-interval", "1h", *options)
    c.until_said("event=publisher state=ready")
    return c


def lines_of(arancini, broker):
    run = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--since", "all",
         "--idle-exit", "1", "--json"],
        capture_output=True, text=True, timeout=120, check=True)
    check_chain(read(broker))
    return [json.loads(line) for line in run.stdout.splitlines()]


def lose_changes(c, router, store, arancini, broker):
    """A table of 5, and 2 changes that the stream loses."""
    router.dump(table(5))
    c.server.wait_until(
        lambda _: paths(lines_of(arancini, broker)) == table(5)
        and "swept" in str(lines_of(arancini, broker)), 60)
    store.keep()
    c.until_said("event=publisher state=ready", 2)
    router.send(announce("10.7.0.0/24"), withdraw("10.1.0.0/24"))
    wanted = table(5) | {"10.7.0.0/24": (65010,)}
    del wanted["10.1.0.0/24"]
    c.server.wait_until(lambda _: paths(lines_of(arancini, broker)) == wanted,
                        60)
    store.put_back()
    # What waits while the broker is away.
    router.send(announce("10.8.0.0/24"))
    wanted["10.8.0.0/24"] = (65010,)
    broker.start()
    return wanted


def test_consumers_see_a_repeat_and_nothing_else(server, arancini, broker,
                                                 store, tmp_path):
    broker.start()
    c = collect(server, arancini, broker, tmp_path)
    with Router(c.port) as router:
        wanted = lose_changes(c, router, store, arancini, broker)
        c.server.wait_until(
            lambda _: paths(lines_of(arancini, broker)) == wanted, 60)
        output = c.http.until(lambda s: s["output"]["resentMessages"])["output"]
        c.stop()
    assert output["rollbacks"] == 0 and output["ackedTailBytes"] > 0
    lines = lines_of(arancini, broker)
    assert resyncs(lines) == ["v4_127_0_0_1"]  # of the start
    sequences = [line["sequence"] for line in lines if line["kind"] == "update"]
    assert sequences == list(range(1, 9))
    assert not c.said("event=resync why")
    assert c.said("event=broker sync=.*sync_interval.* acked_tail=268435456 .*"
                  "price=.*sync_cost.py")


def test_a_new_stream_before_the_first_snapshot(server, arancini, broker,
                                                tmp_path):
    """The router came before the broker: its tables follow the resync."""
    c = WatchedCollector(server, arancini, tmp_path / "state", "--nats",
                         broker.url, "--nats-max-bytes", "1G",
                         "--restore-wait", "100ms", "--snapshot-interval",
                         "1h")
    with Router(c.port) as router:
        router.dump(table(5))
        c.http.until(lambda s: s["totals"]["routes"] == 5)
        broker.start()
        c.until_said("event=publisher state=ready")
        c.server.wait_until(
            lambda _: paths(lines_of(arancini, broker)) == table(5), 60)
        with broker.client() as client:
            client.api(f"STREAM.DELETE.{STREAM}")
        c.until_said("event=publisher state=ready", 2)
        c.server.wait_until(
            lambda _: paths(lines_of(arancini, broker)) == table(5), 60)
        c.stop()


def test_a_resync_comes_before_the_next_update(server, arancini, broker, store,
                                               tmp_path):
    """Snapshots are an hour away: nobody else asks what the stream has."""
    broker.start()
    c = collect(server, arancini, broker, tmp_path, "--acked-tail", "0")
    with Router(c.port) as router:
        wanted = lose_changes(c, router, store, arancini, broker)
        c.until_said("event=resync why=\"the stream lost what it had")
        c.server.wait_until(
            lambda _: paths(lines_of(arancini, broker)) == wanted, 60)
        output = c.http.until(lambda s: s["output"]["rollbacks"] == 1)["output"]
        assert output["resentMessages"] == output["ackedTailBytes"] == 0
        assert "resynced" in subprocess.run(
            [arancini, "status", "--url", c.url],
            capture_output=True, text=True, timeout=60, check=True).stdout
        c.stop()
    kinds = [line["kind"] for line in lines_of(arancini, broker)]
    epoch = len(kinds) - 1 - kinds[::-1].index("epoch")
    assert kinds[epoch + 1] == "resync"
    assert kinds[epoch + 2:].count("resync") == 1
    assert "update" in kinds[epoch + 2:]
    assert not (tmp_path / "state" / "journal" / "acked-tail").exists()
