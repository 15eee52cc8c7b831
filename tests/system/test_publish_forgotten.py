"""A server that starts knows the id of the stream's last message only if that
message is younger than the duplicate window. Publishing must go on behind an
older one, too: without a restart of the collector, nothing lost, nothing
stored twice."""

import time

import pytest

from broker import (EPOCHS, STREAM, Driver, Proxy, check_exactly,
                    make_cluster, numbers, summary)

HASTY = ["--ack-ms", 1000, "--spool-after-ms", 200, "--write-ms", 500,
         "--wait-ms", 1500, "--max-bytes", 1 << 30]
WINDOW_S = 1
WINDOW = ["--duplicate-s", WINDOW_S]
# Publishing goes on within 5 s; a busy machine gets five times that.
RESUMES = 25


@pytest.fixture
def drive(tmp_path):
    started = []

    def start(*options, spool=True):
        argv = ["--journal", tmp_path / "spool"] if spool else []
        one = Driver(tmp_path / "drivers", argv + HASTY + list(options))
        started.append(one)
        return one

    yield start
    for one in started:
        one.kill()


def outlive_window(since):
    """Until what was stored at that time is older than the window."""
    time.sleep(max(0, since + WINDOW_S + 0.5 - time.monotonic()))


def end(broker, how):
    broker.terminate() if how == "SIGTERM" else broker.kill()


def held(drive, broker, url=None, count=1600, *options, **how):
    """A driver that has stored half of what it has, then waits."""
    driver = drive("--server", url or broker.url, *WINDOW, "--count", count,
                   "--hold-at", count // 2, *options, **how)
    driver.wait_for(lambda s: s["messages"] >= count // 2)
    return driver


@pytest.mark.parametrize("spool", [True, False])
@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
def test_restarted_after_silence(broker, drive, how, spool):
    broker.start()
    driver = held(drive, broker, spool=spool)
    epoch = driver.status["epoch"]
    outlive_window(time.monotonic())
    end(broker, how)
    broker.start()
    driver.release()
    driver.wait_published(timeout=RESUMES)
    assert driver.status["epoch"] == epoch, "the chain of ids was broken"
    assert driver.status["refused"] == 0
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 1600)


@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
def test_away_for_longer_than_the_window_under_load(broker, drive, how):
    broker.start()
    driver = drive("--server", broker.url, *WINDOW, "--count", 12000,
                   "--rate", 2000)
    driver.wait_safe(3000)
    end(broker, how)
    outlive_window(time.monotonic())
    driver.wait_for(lambda s: s["spooling"])
    broker.start()
    driver.wait_for(lambda s: s["state"] == "ready", timeout=RESUMES)
    driver.wait_published()
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 12000)


def test_collector_started_after_the_server_forgot(broker, drive):
    """The epoch event of a new run goes in behind the old message and nothing
    else: it does not have to insist."""
    broker.start()
    first = drive("--server", broker.url, *WINDOW, "--count", 160)
    first.wait_published()
    first.stop()
    outlive_window(time.monotonic())
    broker.terminate()
    broker.start()
    second = drive("--server", broker.url, "--count", 160)
    second.wait_published(timeout=RESUMES)
    assert second.status["recoveries"] == 1
    second.stop()
    with broker.client() as client:
        messages = client.read_stream(STREAM)
    assert numbers(messages) == 2 * list(range(1, 161))
    epochs = [m for m in messages if m.subject == EPOCHS]
    assert len(epochs) == 2
    assert epochs[1].headers["Nats-Expected-Last-Sequence"] == "161"


class Deaf(Proxy):
    """Loses acknowledgements, and nothing else that the server says."""
    deaf = False

    def down(self, data, target):
        if self.deaf and b'{"stream":"ARANCINI"' in data:
            self.swallowed += len(data)
            return
        super().down(data, target)


def test_an_epoch_that_is_not_answered_is_not_opened_twice(broker, drive):
    """Its event is stored and forgotten, and not the newest one: somebody puts
    messages of the deleted stream back."""
    broker.start()
    proxy = Deaf(broker.port)
    try:
        driver = held(drive, broker, proxy.url, 200)
        with broker.client() as client:
            old = client.read_stream(STREAM)[0]
            assert old.subject == EPOCHS
            proxy.deaf = True
            client.api(f"STREAM.DELETE.{STREAM}")
            driver.wait_for(lambda _: proxy.swallowed > 0, timeout=RESUMES)
            outlive_window(time.monotonic())
            answer = client.request(EPOCHS, old.data, headers={
                "Nats-Msg-Id": old.headers["Nats-Msg-Id"],
                "Arancini-Collector": old.headers["Arancini-Collector"]})
            assert b'"seq"' in answer.data
            proxy.deaf = False
            driver.release()
            driver.wait_published(timeout=RESUMES)
            driver.stop()
            ids = [m.headers["Nats-Msg-Id"] for m in client.read_stream(STREAM)]
    finally:
        proxy.close()
    assert sorted(set(ids)) == sorted(ids)


def test_acknowledgement_lost_of_the_first_message_after_it(broker, drive):
    broker.start()
    proxy = Deaf(broker.port)
    try:
        driver = held(drive, broker, proxy.url, 1600, "--window", 8)
        outlive_window(time.monotonic())
        broker.terminate()
        broker.start()
        driver.wait_for(lambda s: s["connects"] >= 2
                        and s["state"] == "ready", timeout=RESUMES)
        proxy.deaf = True
        before = driver.status["timeouts"]
        driver.release()
        driver.wait_for(lambda s: s["timeouts"] > before, timeout=RESUMES)
        # Not even the window of duplicates tells now what was stored.
        broker.terminate()
        outlive_window(time.monotonic())
        proxy.deaf = False
        broker.start()
        driver.wait_published(timeout=RESUMES)
        driver.stop()
    finally:
        proxy.close()
    assert proxy.swallowed > 0
    with broker.client() as client:
        check_exactly(client, 1600)


def test_another_writer_comes_before_the_first_message(broker, drive):
    broker.start()
    driver = held(drive, broker)
    outlive_window(time.monotonic())
    broker.terminate()
    broker.start()
    driver.wait_for(lambda s: s["connects"] >= 2 and s["state"] == "ready",
                    timeout=RESUMES)
    with broker.client() as client:
        # Behind the look at the stream's end, before the first message.
        client.request("arancini.updates.foreign", b"no id, no chain")
        driver.release()
        driver.wait_published(timeout=RESUMES)
        assert driver.status["refused"] > 0
        driver.stop()
        messages = client.read_stream(STREAM)
    ours = [m for m in messages if "Arancini-Collector" in m.headers]
    assert len(ours) == len(messages) - 1
    assert numbers(ours) == list(range(1, 1601)), summary(numbers(ours), 1600)
    assert len([m for m in ours if m.subject == EPOCHS]) == 2


def insist(node, what, request=None):
    """A cluster that starts does not answer at once, or not at all."""
    deadline = time.monotonic() + 90
    answer = None
    while time.monotonic() < deadline:
        try:
            with node.client(timeout=2) as client:
                answer = client.api(what, request)
                if "error" not in answer:
                    return answer
        except OSError:
            pass
        time.sleep(0.1)
    pytest.fail(f"{what}: {answer}")


def start_cluster(server, tmp_path, free_port, replicas):
    """Three servers with a stream of a short duplicate window."""
    nodes = make_cluster(server, tmp_path, free_port)
    for node in nodes:
        node.start()
    insist(nodes[0], f"STREAM.CREATE.{STREAM}", {
        "name": STREAM, "storage": "file", "retention": "limits",
        "subjects": ["arancini.updates.>", "arancini.events.>"],
        "duplicate_window": WINDOW_S * 10**9, "num_replicas": replicas})
    return nodes


def test_forgotten_while_the_connection_lives(server, tmp_path, free_port,
                                              drive):
    """The stream is on one server, the connection goes to another one: nothing
    is to be heard of the restart."""
    nodes = start_cluster(server, tmp_path, free_port, replicas=1)
    name = leader_name(nodes[0])
    home = next(n for n in nodes if n.name == name)
    door = next(n for n in nodes if n is not home)
    driver = held(drive, door)
    outlive_window(time.monotonic())
    home.terminate()
    home.start()
    insist(door, f"STREAM.INFO.{STREAM}")
    assert driver.status["connects"] == 1
    driver.release()
    driver.wait_published(timeout=RESUMES)
    assert driver.status["connects"] == 1
    driver.stop()
    with home.client() as client:
        check_exactly(client, 1600)


def test_replica_restarted_in_silence_keeps_what_follows(server, tmp_path,
                                                         free_port, drive):
    """Each replica checks for itself what a message has to follow. One that
    has forgotten the last id must not leave out what the others store."""
    nodes = start_cluster(server, tmp_path, free_port, replicas=3)
    name = leader_name(nodes[0])
    leader = next(n for n in nodes if n.name == name)
    replica = next(n for n in nodes if n is not leader)
    driver = held(drive, leader)
    outlive_window(time.monotonic())
    replica.terminate()
    replica.start()
    wait_current(leader, replica)
    driver.release()
    driver.wait_published(timeout=RESUMES)
    driver.stop()
    wait_current(leader, replica)
    deadline = time.monotonic() + 120
    while (name := leader_name(leader)) != replica.name:
        assert time.monotonic() < deadline, f"{name} leads"
        insist(leader, f"STREAM.LEADER.STEPDOWN.{STREAM}")
    check_insisting(replica, 1600)


def check_insisting(node, updates):
    """A leader that was just chosen may not hear the first request."""
    for last in (False, False, False, True):
        try:
            with node.client(timeout=5 if not last else 20) as client:
                check_exactly(client, updates)
            return
        except TimeoutError:
            if last:
                raise


def leader_name(node):
    """While one is being chosen there is none."""
    deadline = time.monotonic() + 90
    while True:
        cluster = insist(node, f"STREAM.INFO.{STREAM}")["cluster"]
        if cluster.get("leader"):
            return cluster["leader"]
        assert time.monotonic() < deadline, cluster
        time.sleep(0.1)


def wait_current(leader, replica):
    deadline = time.monotonic() + 90
    while True:
        cluster = insist(leader, f"STREAM.INFO.{STREAM}")["cluster"]
        if any(r["name"] == replica.name and r.get("current")
               and not r.get("offline") for r in cluster.get("replicas", [])):
            return
        assert time.monotonic() < deadline, cluster
        time.sleep(0.1)
