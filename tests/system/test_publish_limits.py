"""A stream that somebody else has made: batches are cut by what it takes, and
one that would lose messages is refused by the name of the setting."""

import json

import pytest

from broker import Driver, check_chain
from collecting import Collector, tail
from hostile_broker import HostileServer, stream_info

SUBJECTS = ["arancini.updates.>", "arancini.events.>"]
HASTY = ["--ack-ms", 2000, "--spool-after-ms", 200, "--wait-ms", 3000]
# Batches of about 150 KB.
ROUTES = 1000
NO_MESSAGE = (b'{"error":{"code":404,"err_code":10037,'
              b'"description":"no message found"}}')


@pytest.fixture
def drive(tmp_path):
    started = []

    def start(url, *argv):
        one = Driver(tmp_path / "drivers",
                     ["--server", url, "--journal", tmp_path / "spool",
                      *HASTY, *argv])
        started.append(one)
        return one

    yield start
    for one in started:
        one.kill()


def make_stream(client, what="CREATE", **settings):
    answer = client.api(f"STREAM.{what}.ARANCINI", {
        "name": "ARANCINI", "subjects": SUBJECTS, "retention": "limits",
        "storage": "file", "max_bytes": 1 << 28, **settings})
    assert "error" not in answer, answer


def test_batches_are_cut_by_max_msg_size(arancini, broker, drive):
    """Also if the setting is lowered while it runs."""
    broker.start()
    with broker.client() as client:
        make_stream(client, max_msg_size=50000)
        driver = drive(broker.url, "--encode", "none", "--routes", ROUTES,
                       "--count", 32, "--hold-at", 16, "--window", 16,
                       "--bridge", 16)
        driver.wait_safe(16)
        make_stream(client, "UPDATE", max_msg_size=20000)
        driver.release()
        driver.wait_published()
        driver.stop()
        messages = client.read_stream("ARANCINI")
    check_chain(messages)
    sizes = [len(m.data) for m in messages]
    assert 20000 < max(sizes) <= 50000
    assert max(sizes[-30:]) <= 20000
    lines = tail(arancini, "--nats", broker.url, "--subject",
                 "arancini.updates.>", idle=2)
    assert [line["sequence"] for line in lines] == list(
        range(1, 32 * ROUTES + 1))


@pytest.mark.parametrize("setting, value, good", [
    ("max_msg_size", 4096, 1 << 20), ("max_msgs_per_subject", 10, -1)])
def test_a_setting_that_cannot_work_is_named(broker, drive, setting, value,
                                             good):
    broker.start()
    with broker.client() as client:
        make_stream(client, **{setting: value})
        driver = drive(broker.url, "--count", 100)
        driver.wait_for(lambda s: s["safe"] == 100
                        and s["state"] == "refused")
        assert setting in driver.err.read_text()
        assert driver.status["messages"] == 0
        make_stream(client, "UPDATE", **{setting: good})
        driver.wait_published()
        driver.stop()


@pytest.mark.parametrize("setting, value, good", [
    ("max_msgs_per_subject", 10, -1), ("no_ack", True, False),
    ("subjects", SUBJECTS[:1], SUBJECTS), ("max_msg_size", 4096, -1)])
def test_a_setting_that_is_changed_while_it_runs(broker, drive, setting, value,
                                                 good):
    """Nothing is published meanwhile that would fail: a look notices it."""
    broker.start()
    with broker.client() as client:
        make_stream(client)
        driver = drive(broker.url, "--count", 200, "--hold-at", 100)
        driver.wait_safe(96)
        make_stream(client, "UPDATE", **{setting: value})
        driver.wait_for(lambda s: s["state"] == "refused")
        said = driver.err.read_text()
        assert setting in said, said
        make_stream(client, "UPDATE", **{setting: good})
        driver.wait_for(lambda s: s["state"] == "ready")
        driver.release()
        driver.wait_published()
        driver.stop()


def test_a_limit_that_is_raised_while_it_runs(broker, drive):
    """Batches are as long again as they can be."""
    broker.start()
    with broker.client() as client:
        make_stream(client, max_msg_size=20000)
        driver = drive(broker.url, "--encode", "none", "--routes", ROUTES,
                       "--count", 32, "--hold-at", 16)
        driver.wait_safe(16)
        make_stream(client, "UPDATE", max_msg_size=-1)
        driver.wait_for(lambda s: s["max_payload"] > 20000)
        driver.release()
        driver.wait_published()
        driver.stop()
        messages = client.read_stream("ARANCINI")
    check_chain(messages)
    assert max(len(m.data) for m in messages[-10:]) > 20000


# The first two are settings of later versions than the one at hand may be.
@pytest.mark.parametrize("setting, value", [
    ("persist_mode", "async"),
    ("subject_transform", {"src": "arancini.>", "dest": "moved.>"}),
    ("retention", "interest")])
@pytest.mark.parametrize("when", ["start", "later"])
def test_a_setting_of_another_server_is_refused(drive, setting, value, when):
    info = stream_info("ARANCINI", SUBJECTS)
    good = json.dumps(info).encode()
    info["config"][setting] = value
    answers = {"STREAM.INFO": good, "STREAM.MSG.GET": NO_MESSAGE}
    if when == "start":
        answers["STREAM.INFO"] = json.dumps(info).encode()

    def answer(subject, _):
        for part, said in answers.items():
            if part in subject:
                return said
        return b'{"stream":"ARANCINI","seq":1}'
    server = HostileServer(answer)
    try:
        driver = drive(server.url, "--count", 10, "--hold-at", 1)
        if when == "later":
            driver.wait_for(lambda s: s["state"] == "ready")
            answers["STREAM.INFO"] = json.dumps(info).encode()
        driver.wait_for(lambda s: s["state"] == "refused")
        assert setting in driver.err.read_text()
    finally:
        server.close()


def test_a_server_without_room_for_the_stream(server, arancini, broker,
                                              tmp_path):
    """It has 2 GB, and the default is to ask for more."""
    broker.start()
    c = Collector(server, arancini, tmp_path / "state", "--nats", broker.url)
    c.until_said(r"event=publisher .*10047.*--nats-max-bytes")
    c.stop()
