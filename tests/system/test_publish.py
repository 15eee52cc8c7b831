"""The publisher against a real nats-server that fails in every way we could
think of. After recovery the stream holds each batch once and in order."""

import time

import pytest

from broker import (EPOCHS, STREAM, Driver, Proxy, check_chain,
                    check_exactly, numbers, summary)

# Short, so that a test takes seconds.
HASTY = ["--ack-ms", 1000, "--spool-after-ms", 200, "--write-ms", 500,
         "--wait-ms", 1500, "--max-bytes", 1 << 30]


@pytest.fixture
def drive(tmp_path):
    """drive(url, ...) -> Driver, killed at the end whatever happens."""
    started = []

    def start(url, *options, spool=True, hasty=True):
        argv = ["--server", url] if url else []
        if spool:
            argv += ["--journal", tmp_path / "spool", "--segment", 1 << 20]
        if hasty:
            argv += HASTY
        one = Driver(tmp_path / "drivers", argv + list(options))
        started.append(one)
        return one

    yield start
    for one in started:
        one.kill()


def test_direct(broker, drive):
    broker.start()
    driver = drive(broker.url, "--count", 5000)
    driver.wait_published()
    final = driver.stop()
    assert final["safe"] == 5000
    with broker.client() as client:
        messages = check_exactly(client, 5000)
        assert messages[0].headers["Arancini-Collector"] == "test"
        assert messages[1].headers["Arancini-Schema"]
        assert "Content-Encoding" not in messages[1].headers


def test_server_absent_at_start(broker, drive):
    driver = drive(broker.url, "--count", 20000)
    # All of it is on the disk, none of it in memory.
    driver.wait_for(lambda s: s["safe"] == 20000)
    assert driver.status["spooling"]
    broker.start()
    driver.wait_published()
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 20000)


def test_server_absent_and_no_spool(broker, drive):
    driver = drive(broker.url, "--count", 3000, "--window", 64, "--bridge",
                   64, spool=False)
    # Pressure: the bridge and the window are full, no more is taken.
    driver.wait_for(lambda s: s["pushed"] >= 64)
    status = driver.status
    assert status["pushed"] < 3000 and status["safe"] == 0
    broker.start()
    driver.wait_published()
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 3000)


def test_killed_and_restarted(broker, drive):
    broker.start()
    driver = drive(broker.url, "--count", 30000, "--rate", 8000)
    for mark in (3000, 9000, 15000):
        driver.wait_safe(mark)
        broker.kill()
        if mark == 9000:
            driver.wait_for(lambda s: s["spooling"])
        broker.start()
    driver.wait_published()
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 30000)


@pytest.mark.parametrize("spool", [True, False])
def test_paused_longer_than_the_ack_timeout(broker, drive, spool):
    broker.start()
    driver = drive(broker.url, "--count", 12000, "--rate", 3000, "--size",
                   4096, spool=spool)
    driver.wait_safe(2000)
    broker.pause()
    try:
        driver.wait_for(lambda s: s["timeouts"] > 0 or s["state"] != "ready")
        if spool:
            driver.wait_for(lambda s: s["spooling"])
            # The workers are not held up by it.
            driver.wait_safe(driver.status["safe"] + 1000)
    finally:
        broker.go_on()
    driver.wait_published()
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 12000)


def test_paused_with_more_to_send_than_sockets_hold(broker, drive):
    broker.start()
    driver = drive(broker.url, "--count", 1200, "--rate", 600, "--size", 65536,
                   "--window", 512, "--bridge", 64, "--ack-ms", 30000,
                   spool=False)
    driver.wait_safe(16)
    broker.pause()
    try:
        # At least 1 MiB is under way, and the bridge behind it is full. The
        # window of 512 messages is not: what is under way is bounded by what
        # the broker made safe (decision 0133).
        before = driver.wait_for(lambda s: s["pushed"] >= s["messages"] + 72)
        assert before["timeouts"] == 0
        assert before["max_rss_kb"] < 56 * 1024
    finally:
        broker.go_on()
    driver.wait_published()
    final = driver.status
    assert (final["timeouts"], final["connects"]) == (0, 1)
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 1200)


def test_stream_missing(broker, drive):
    broker.start()
    driver = drive(broker.url, "--count", 2000, "--no-create")
    driver.wait_for(lambda s: s["state"] == "refused")
    with broker.client() as client:
        client.api(f"STREAM.CREATE.{STREAM}", {
            "name": STREAM, "storage": "file", "retention": "limits",
            "subjects": ["arancini.updates.>", "arancini.events.>"]})
        driver.wait_published()
        driver.stop()
        check_exactly(client, 2000)


def test_stream_that_does_not_fit(broker, drive):
    broker.start()
    with broker.client() as client:
        client.api(f"STREAM.CREATE.{STREAM}", {
            "name": STREAM, "storage": "file",
            "subjects": ["arancini.updates.>"]})
        driver = drive(broker.url, "--count", 100)
        driver.wait_for(lambda s: s["state"] == "refused")
        assert "does not take arancini.events.>" in driver.err.read_text()
        client.api(f"STREAM.UPDATE.{STREAM}", {
            "name": STREAM, "storage": "file",
            "subjects": ["arancini.>"]})
        driver.wait_published()
        driver.stop()
        check_exactly(client, 100)


def test_stream_deleted_midway(broker, drive):
    broker.start()
    driver = drive(broker.url, "--count", 12000, "--rate", 4000)
    driver.wait_safe(4000)
    with broker.client() as client:
        client.api(f"STREAM.DELETE.{STREAM}")
        # The server says at once that nobody takes the subject.
        assert driver.wait_published()["refused"] > 0
        driver.stop()
        messages = client.read_stream(STREAM)
    got = numbers(messages)
    # What was stored before went with the stream; from there on all is there.
    assert got[-1] == 12000 and got[0] > 1
    assert got == list(range(got[0], 12001)), summary(got, 12000)
    check_chain(messages)
    assert messages[0].subject == EPOCHS


def test_stream_deleted_is_made_again_a_second_later(broker, drive):
    """nats-server 2.9 says that a stream is gone before it has removed its
    folder, and removes it also if it is a new stream's by then."""
    broker.start()
    driver = drive(broker.url, "--rate", 200)
    driver.wait_safe(50)
    with broker.client() as client:
        before = driver.status
        client.api(f"STREAM.DELETE.{STREAM}")
        deleted = time.monotonic()
        driver.wait_for(lambda s: s["refused"] > before["refused"], timeout=4)
        while "error" in client.stream_info(STREAM):
            time.sleep(0.02)
        assert time.monotonic() > deleted + 0.8
        driver.wait_for(lambda s: s["state"] == "ready"
                        and s["epoch"] > before["epoch"], timeout=10)
    driver.kill()


def test_stream_deleted_with_messages_that_are_never_answered(broker, drive):
    """A deleted stream does not answer what it had not stored yet. What the
    server answers to the next message counts: publishing goes on within 5 s,
    not after the time-out of those (here a minute)."""
    broker.start()
    proxy = Proxy(broker.port)
    driver = drive(proxy.url, "--count", 1500, "--rate", 50, "--ack-ms", 60000,
                   hasty=False, *["--max-bytes", 1 << 30])
    try:
        driver.wait_safe(50)
        proxy.swallow = True
        with broker.client() as client:
            heard = driver.status["messages"]
            driver.wait_for(lambda s: client.stream_info(STREAM)["state"]
                            ["last_seq"] > heard + 10)
            client.api(f"STREAM.DELETE.{STREAM}")
            before = driver.status
            proxy.swallow = False
            driver.wait_for(lambda s: s["state"] == "ready" and
                            s["recoveries"] > before["recoveries"] and
                            s["messages"] > before["messages"], timeout=20)
            driver.wait_published()
            driver.stop()
            got = numbers(client.read_stream(STREAM))
    finally:
        proxy.close()
    assert proxy.swallowed > 0
    assert got == list(range(got[0], 1501)), summary(got, 1500)


def test_stream_purged_midway(broker, drive):
    broker.start()
    driver = drive(broker.url, "--count", 9000, "--rate", 3000)
    driver.wait_safe(3000)
    with broker.client() as client:
        client.api(f"STREAM.PURGE.{STREAM}")
        driver.wait_safe(6000)
        broker.kill()  # now the server does not remember the last id either
        broker.start()
    with broker.client() as client:
        driver.wait_published()
        driver.stop()
        got = numbers(client.read_stream(STREAM))
    assert got == list(range(got[0], 9001)), summary(got, 9000)


def test_stream_full(broker, drive):
    broker.start()
    driver = drive(broker.url, "--count", 4000, "--discard-new",
                   "--max-bytes", 1 << 20, "--size", 1024)
    driver.wait_for(lambda s: s["refused"] > 0)
    driver.wait_for(lambda s: s["safe"] == 4000)  # in the spool
    with broker.client() as client:
        stored = client.stream_info(STREAM)["state"]["messages"]
        assert 0 < stored < 4000
        config = client.stream_info(STREAM)["config"]
        config["max_bytes"] = 1 << 30
        assert "error" not in client.api(f"STREAM.UPDATE.{STREAM}", config)
        driver.wait_published()
        driver.stop()
        check_exactly(client, 4000)


def test_max_payload_too_small(broker, drive):
    broker.start(extra="max_payload: 4096\n")
    driver = drive(broker.url, "--count", 500, "--size", 8192)
    driver.wait_for(lambda s: s["safe"] == 500 and s["state"] == "refused")
    assert "max_payload" in driver.err.read_text()
    assert driver.status["messages"] == 0
    broker.kill()
    broker.start(extra="max_payload: 65536\n")
    driver.wait_published()
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 500)


def test_somebody_else_writes_to_the_stream(broker, drive):
    broker.start()
    driver = drive(broker.url, "--count", 6000, "--rate", 2000)
    with broker.client() as client:
        for mark in (1000, 2000, 3000):
            driver.wait_safe(mark)
            client.publish("arancini.updates.foreign", b"no id, no chain")
        driver.wait_published()
        driver.stop()
        messages = client.read_stream(STREAM)
    ours = [m for m in messages if "Arancini-Collector" in m.headers]
    assert len(ours) < len(messages)
    got = numbers(ours)
    assert got == list(range(1, 6001)), summary(got, 6000)


def test_acks_lost_for_longer_than_the_duplicate_window(broker, drive):
    broker.start()
    proxy = Proxy(broker.port)
    driver = drive(proxy.url, "--count", 9000, "--rate", 3000,
                   "--duplicate-s", 1)
    try:
        for mark in (2000, 4500):
            driver.wait_for(lambda s: s["messages"] >= mark
                            and s["state"] == "ready")
            proxy.swallow = True
            with broker.client() as client:
                # The server stores more, and nobody hears of it.
                heard = driver.status["messages"]
                driver.wait_for(lambda s: client.stream_info(STREAM)["state"]
                                ["last_seq"] > heard + 50, timeout=20)
            proxy.refuse = True
            driver.wait_for(lambda s: s["state"] != "ready")
            proxy.cut()
            deadline = time.monotonic() + 2.5  # the window is one second
            driver.wait_for(lambda s: time.monotonic() > deadline)
            proxy.swallow = False
            proxy.refuse = False
        assert proxy.swallowed > 0
        driver.wait_published()
        driver.stop()
    finally:
        proxy.close()
    with broker.client() as client:
        check_exactly(client, 9000)


def test_nothing_leaves_on_its_own_after_a_cut(broker, drive):
    """On a new connection the stream is asked for its end before anything is
    published: what libnats had buffered for the old one is not sent there."""
    broker.start()
    proxy = Proxy(broker.port)
    driver = drive(proxy.url, "--count", 9000, "--rate", 3000)
    try:
        for mark in (2000, 4000, 6000):
            driver.wait_for(lambda s: s["messages"] >= mark
                            and s["state"] == "ready")
            before = len(proxy.said)
            proxy.cut()
            driver.wait_for(lambda s: len(proxy.said) > before)
        driver.wait_published()
        driver.stop()
    finally:
        proxy.close()
    writers = [said for said in proxy.said if b"HPUB arancini." in said]
    assert len(writers) >= 4
    for said in writers:
        assert 0 < said.find(b"$JS.API.STREAM.MSG.GET.") \
            < said.find(b"HPUB arancini.")
    with broker.client() as client:
        check_exactly(client, 9000)


def test_bytes_of_an_old_epoch_come_late(broker, drive):
    broker.start()
    proxy = Proxy(broker.port)
    old = drive(proxy.url, "--rate", 2000, "--ack-ms", 20000, hasty=False,
                *["--max-bytes", 1 << 30])
    try:
        old.wait_safe(1000)
        proxy.hold = []
        held = old.status["pushed"]
        old.wait_for(lambda s: s["pushed"] >= held + 500)
        old.kill()
        assert len(proxy.hold) > 0
        new = drive(broker.url, "--count", 2000, "--rate", 1000)
        new.wait_safe(500)
        assert proxy.release() > 10000
        new.wait_published()
        new.stop()
    finally:
        proxy.close()
    with broker.client() as client:
        messages = client.read_stream(STREAM)
    check_chain(messages)
    epochs = [int(m.headers["Nats-Msg-Id"].split(".")[1]) for m in messages]
    assert epochs == sorted(epochs), "an old epoch wrote after a new one"
    first_new = epochs.index(epochs[-1])
    got = numbers(messages[:first_new])
    assert got == list(range(1, len(got) + 1))
    got = numbers(messages[first_new:])
    # Leftovers of the old run, if it had spooled any, then the new run.
    assert got[-2000:] == list(range(1, 2001)), summary(got, 2000)


def test_another_collectors_stream(broker, drive, tmp_path):
    broker.start()
    first = drive(broker.url, "--collector", "alpha", "--rate", 500)
    first.wait_safe(200)
    second = drive(broker.url, "--collector", "beta", "--count", 100,
                   "--journal", tmp_path / "beta", spool=False)
    second.wait_for(lambda s: s["state"] == "refused")
    assert "alpha" in second.err.read_text()
    assert second.status["messages"] == 0
    second.stop()
    # Who insists gets it, and the other one must not come back.
    third = drive(broker.url, "--collector", "beta", "--take-over", "--count",
                  100, "--journal", tmp_path / "beta", spool=False)
    third.wait_published()
    first.wait_for(lambda s: s["state"] == "superseded")
    third.stop()
    first.kill()
    with broker.client() as client:
        messages = client.read_stream(STREAM)
    check_chain(messages, insisting=True)
    collectors = [m.headers["Arancini-Collector"] for m in messages]
    assert collectors == sorted(collectors), "alpha wrote after beta"
    # The refused run's batches were in the spool and came first.
    got = numbers(m for m in messages
                  if m.headers["Arancini-Collector"] == "beta")
    assert got == 2 * list(range(1, 101))


def test_another_collectors_stream_without_its_epoch(broker, drive, tmp_path):
    """The event expires before the messages behind it, and a purge removes it:
    then the last message says whose the stream is."""
    broker.start()
    first = drive(broker.url, "--collector", "alpha", "--count", 100)
    first.wait_published()
    first.stop()
    with broker.client() as client:
        assert client.read_stream(STREAM)[0].subject == EPOCHS
        answer = client.api(f"STREAM.PURGE.{STREAM}", {"filter": EPOCHS})
        assert answer["purged"] == 1
    beta = ("--collector", "beta", "--count", 100, "--journal",
            tmp_path / "beta")
    second = drive(broker.url, *beta, spool=False)
    second.wait_for(lambda s: s["state"] == "refused")
    assert "alpha" in second.err.read_text()
    second.stop()
    # Its own collector goes on there, and who insists may take it over.
    first = drive(broker.url, "--collector", "alpha", "--count", 100)
    first.wait_published()
    first.stop()
    with broker.client() as client:
        client.api(f"STREAM.PURGE.{STREAM}", {"filter": EPOCHS})
    third = drive(broker.url, *beta, "--take-over", spool=False)
    third.wait_published()
    third.stop()


def test_second_process_of_the_same_collector(broker, drive, tmp_path):
    broker.start()
    first = drive(broker.url, "--rate", 500)
    first.wait_safe(200)
    second = drive(broker.url, "--count", 300, "--journal",
                   tmp_path / "second", spool=False)
    second.wait_published()
    first.wait_for(lambda s: s["state"] == "superseded")
    second.stop()
    first.kill()
    with broker.client() as client:
        messages = client.read_stream(STREAM)
    check_chain(messages, insisting=True)
    assert numbers(messages)[-300:] == list(range(1, 301))


@pytest.mark.parametrize("window", [1, 2, 7])
def test_tiny_window(broker, drive, window):
    broker.start()
    driver = drive(broker.url, "--count", 800, "--window", window, "--rate",
                   400)
    driver.wait_safe(200)
    broker.kill()
    broker.start()
    driver.wait_published()
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 800)


def test_restarts_continue(broker, drive):
    """Three runs, with a server and without: nothing is lost in between."""
    broker.start()
    for _ in range(2):
        first = drive(broker.url, "--count", 500)
        first.wait_published()
        first.stop()
    broker.kill()
    second = drive(broker.url, "--count", 700)
    second.wait_safe(700)
    second.stop()  # exit code 0: it is safe in the spool
    broker.start()
    third = drive(broker.url, "--count", 300)
    third.wait_published()
    third.stop()
    with broker.client() as client:
        messages = client.read_stream(STREAM)
    check_chain(messages)
    got = numbers(messages)
    assert got == [n for count in (500, 500, 700, 300)
                   for n in range(1, count + 1)]


def test_killed_while_spooling(broker, drive):
    first = drive(broker.url, "--rate", 20000)
    first.wait_for(lambda s: s["spooling"] and s["safe"] >= 8000)
    first.kill()
    safe = first.status["safe"]
    # Killed again while the leftovers are being published.
    broker.start()
    second = drive(broker.url, "--count", 100, "--window", 8)
    second.wait_for(lambda s: s["messages"] > 500)
    second.kill()
    third = drive(broker.url, "--count", 50)
    third.wait_published()
    third.stop()
    with broker.client() as client:
        messages = client.read_stream(STREAM)
    check_chain(messages)
    got = numbers(messages)
    one = next(i for i in range(1, len(got)) if got[i] != got[i - 1] + 1)
    assert got[:one] == list(range(1, one + 1))
    assert one >= safe, f"{safe} were safe, {one} are there"
    rest = got[one:]
    assert rest[-50:] == list(range(1, 51))
    # Of the second run, what it had accepted: from its first on, in order.
    assert rest[:-50] == list(range(1, len(rest) - 49))


def test_memory_stays_bounded_while_the_broker_is_away(broker, drive):
    driver = drive(broker.url, "--count", 6000, "--size", 65536, "--bridge",
                   64, "--window", 64, "--segment", 16 << 20)
    driver.wait_for(lambda s: s["safe"] == 6000)
    # 390 MB went by; the bridge, two rings of batches and the code stay.
    assert driver.status["max_rss_kb"] < 100 * 1024
    broker.start(extra="max_pending: 1GB\n")
    driver.wait_published()
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 6000)


def test_restore_reads_stream_and_spool_from_a_mark(broker, drive):
    broker.start()
    first = drive(broker.url, "--count", 900, "--rate", 1500)
    mark = first.wait_for(lambda s: s["messages"] >= 300)
    first.wait_published()
    broker.kill()
    first.stop()
    second = drive(broker.url, "--count", 400)
    second.wait_safe(400)
    second.kill()  # these are in the spool
    broker.start()
    third = drive(broker.url, "--count", 10, "--restore",
                  f"{mark['identity']}:{mark['position']}")
    third.wait_published()
    third.stop()
    lines = third.lines
    assert {"restored": 0} in lines and {"spool_read": 0} in lines
    stream = [line["stream"] for line in lines if "stream" in line]
    # The mark stands behind this many: the epoch event was the first.
    assert stream == list(range(mark["position"], 901))
    assert [line["spool"] for line in lines if "spool" in line] == \
        list(range(1, 401))
    assert {line["router"] for line in lines if "router" in line} == \
        {"v4_192_0_2_1"}
    # Another stream than the mark's, or one that lost what is needed.
    fourth = drive(broker.url, "--count", 10, "--restore", "1:1")
    fourth.wait_published()
    fourth.stop()
    assert {"restored": -116} in fourth.lines  # ESTALE
    with broker.client() as client:
        client.api(f"STREAM.PURGE.{STREAM}", {"keep": 5})
    fifth = drive(broker.url, "--count", 10, "--restore",
                  f"{mark['identity']}:{mark['position']}")
    fifth.wait_published()
    assert {"restored": -116} in fifth.lines
    fifth.stop()
