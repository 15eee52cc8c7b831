"""Answers that a nats-server never gives: forged ones, or those of a broken
server. Nothing may crash; there is an error, and another attempt."""

import base64
import json
import subprocess
import time

import pytest

from broker import Driver
from hostile_broker import HostileServer, stream_info

STREAM = "ARANCINI"
MARK = "stream 1 1"
SUBJECTS = ["arancini.updates.>", "arancini.events.>"]
GOOD = stream_info(STREAM, SUBJECTS)
FULL = stream_info(STREAM, SUBJECTS, messages=3, first_seq=1, last_seq=3)


def but(info, **change):
    return json.dumps({k: v for k, v in {**info, **change}.items()
                       if v is not ...}).encode()


def config(**change):
    return but(GOOD, config={k: v for k, v in {**GOOD["config"],
                                               **change}.items()
                             if v is not ...})


def state(**change):
    return but(GOOD, state={k: v for k, v in {**GOOD["state"],
                                              **change}.items()
                            if v is not ...})


STREAM_ANSWERS = {
    "empty": b"",
    "empty-object": b"{}",
    "null": b"null",
    "array": b"[]",
    "cut": but(GOOD)[:-5],
    "not-json": b"\x00\xff\xfe{",
    "no-config": but(GOOD, config=...),
    "config-null": but(GOOD, config=None),
    "config-number": but(GOOD, config=7),
    "config-array": but(GOOD, config=[]),
    "config-empty": but(GOOD, config={}),
    "no-state": but(GOOD, state=...),
    "state-null": but(GOOD, state=None),
    "state-string": but(GOOD, state="x"),
    "no-created": but(GOOD, created=...),
    "created-number": but(GOOD, created=5),
    "created-nonsense": but(GOOD, created="9999-99-99T99:99:99Z"),
    "no-subjects": config(subjects=...),
    "subjects-null": config(subjects=None),
    "subjects-of-numbers": config(subjects=[1, None, {}]),
    "subjects-string": config(subjects="arancini.>"),
    "another-name": config(name="OTHER"),
    "retention-number": config(retention=3),
    "no-ack-string": config(no_ack="true"),
    "sequences-strings": state(last_seq="1", first_seq="1", messages="1"),
    "sequence-negative": state(last_seq=-1),
    "sequence-huge": state(last_seq=10**40),
    "sequence-real": state(last_seq=1.5),
    "deep": b'{"config":' + b"[" * 100000 + b"]" * 100000 + b"}",
    "deep-open": b'{"config":' * 50000,
    "error-string": b'{"error":"no"}',
    "error-null": b'{"error":null}',
    "error-empty": b'{"error":{}}',
    "error-types": b'{"error":{"code":"x","err_code":"y","description":7}}',
    "mirror-empty": config(mirror={}),
    "long-name": config(name="A" * 100000),
}

MESSAGE_ANSWERS = {
    "empty-object": b"{}",
    "message-null": b'{"message":null}',
    "message-empty": b'{"message":{}}',
    "no-seq": b'{"message":{"subject":"a","data":""}}',
    "seq-string": b'{"message":{"seq":"3"}}',
    "another-seq": b'{"message":{"seq":77}}',
    "headers-number": b'{"message":{"seq":3,"hdrs":5}}',
    "headers-not-base64": b'{"message":{"seq":3,"hdrs":"*~"}}',
    "headers-cut": b'{"message":{"seq":3,"hdrs":"TkFUUw="}}',
    "data-object": b'{"message":{"seq":3,"data":{}}}',
}


def stored(headers):
    return json.dumps({"message": {
        "seq": 3, "subject": "x",
        "hdrs": base64.b64encode(headers).decode()}}).encode()


# These can be read; what they say of themselves is not one of ours.
ODD_MESSAGES = {
    "no-headers": b'{"message":{"seq":3}}',
    "headers-without-end": stored(b"NATS/1.0\r\nNats-Msg-Id: a.1.2"),
    "headers-zero-bytes": stored(b"NATS/1.0\r\nNats-Msg-Id: a\0.1.2\r\n\r\n"),
    "id-huge": stored(b"NATS/1.0\r\nNats-Msg-Id: test."
                      + b"9" * 5000 + b"\r\n\r\n"),
    "id-overflow": stored(b"NATS/1.0\r\nNats-Msg-Id: test.99999999999999999999"
                          b"999.1\r\n\r\n"),
    "id-and-more": stored(b"NATS/1.0\r\nNats-Msg-Id: test.1.2.3.4.5\r\n\r\n"),
    "id-empty": stored(b"NATS/1.0\r\nNats-Msg-Id:\r\n\r\n"),
}

ACKS = {
    "empty": b"",
    "no-seq": b"{}",
    "seq-huge": b'{"stream":"ARANCINI","seq":99999999999999999999999}',
    "seq-negative": b'{"stream":"ARANCINI","seq":-5}',
    "seq-object": b'{"stream":"ARANCINI","seq":{"seq":1}}',
    "error-number": b'{"error":1,"seq":1}',
    "deep": b'{"seq":' + b"[" * 100000,
}


@pytest.fixture
def hostile():
    started = []

    def start(answer, **how):
        one = HostileServer(answer, **how)
        started.append(one)
        return one

    yield start
    for one in started:
        one.close()


def wait_until(condition, driver, timeout=60):
    deadline = time.monotonic() + timeout
    while not condition():
        assert driver.process.poll() is None, \
            f"ended with {driver.process.returncode}; {driver.describe()}"
        assert time.monotonic() < deadline, driver.describe()
        time.sleep(0.02)


def publisher_survives(hostile, tmp_path, answer, asked, *options):
    """It asks again, several times, and can still be stopped."""
    server = hostile(answer)
    driver = Driver(tmp_path / "drivers", [
        "--server", server.url, "--count", 10, "--wait-ms", 300, "--ack-ms",
        300, "--drain-ms", 500, *options])
    try:
        wait_until(lambda: server.asked_for(asked) >= 3, driver)
        assert driver.status["messages"] == 0
        driver.stop(expected=1)
    finally:
        driver.kill()


@pytest.mark.parametrize("what", STREAM_ANSWERS)
def test_publisher_and_stream_info(hostile, tmp_path, what):
    publisher_survives(hostile, tmp_path,
                       lambda *_: STREAM_ANSWERS[what], "STREAM.INFO")


@pytest.mark.parametrize("what", ["no-config", "empty-object", "config-null"])
def test_publisher_and_stream_create(hostile, tmp_path, what):
    def answer(subject, _):
        if "STREAM.CREATE" in subject:
            return STREAM_ANSWERS[what]
        return (b'{"error":{"code":404,"err_code":10059,'
                b'"description":"stream not found"}}')
    publisher_survives(hostile, tmp_path, answer, "STREAM.CREATE")


@pytest.mark.parametrize("what", [*MESSAGE_ANSWERS, *ODD_MESSAGES])
def test_publisher_and_last_message(hostile, tmp_path, what):
    answers = {**MESSAGE_ANSWERS, **ODD_MESSAGES}

    def answer(subject, _):
        if "STREAM.INFO" in subject:
            return but(FULL, state={**FULL["state"], "first_seq": 3})
        if "MSG.GET" in subject:
            return answers[what]
        return b""
    publisher_survives(hostile, tmp_path, answer, "MSG.GET")


@pytest.mark.parametrize("what", ACKS)
def test_publisher_and_acknowledgements(hostile, tmp_path, what):
    epochs = []

    def answer(subject, _):
        if "STREAM.INFO" in subject:
            return but(GOOD)
        if "MSG.GET" in subject:
            return b'{"error":{"code":404,"err_code":10037}}'
        if subject.endswith(".epoch"):
            epochs.append(subject)
            return b'{"stream":"ARANCINI","seq":%d}' % len(epochs)
        return ACKS[what]
    publisher_survives(hostile, tmp_path, answer, "arancini.updates.")


def tail(arancini, server, *options):
    return subprocess.run(
        [arancini, "tail", "--nats", server.url, "--idle-exit", "1",
         *options],
        capture_output=True, text=True, timeout=120)


CONSUMER_ANSWERS = {
    "empty-object": b"{}",
    "null": b"null",
    "empty": b"",
    "config-null": b'{"config":null}',
    "name-null": b'{"name":null}',
    "name-number": b'{"name":5}',
    "name-empty": b'{"name":""}',
    "name-with-space": b'{"name":"a b"}',
    "name-wildcard": b'{"name":"a.>","config":{}}',
    "name-long": b'{"name":"' + b"a" * 100000 + b'"}',
}


@pytest.mark.parametrize("what", CONSUMER_ANSWERS)
def test_tail_and_consumer_create(arancini, hostile, what):
    server = hostile(lambda *_: CONSUMER_ANSWERS[what])
    result = tail(arancini, server)
    assert result.returncode == 1, result
    assert "cannot read stream" in result.stderr


@pytest.mark.parametrize("what", ["no-config", "no-state", "deep",
                                  "empty-object", "created-nonsense"])
def test_tail_and_stream_info(arancini, hostile, what):
    server = hostile(lambda *_: STREAM_ANSWERS[what])
    result = tail(arancini, server, "--since", MARK)
    assert result.returncode == 1, result
    assert "cannot read stream" in result.stderr


BUCKET = stream_info("KV_arancini-state", ["$KV.arancini-state.>"])
KV_ANSWERS = {
    "no-config": but(BUCKET, config=...),
    "config-null": but(BUCKET, config=None),
    "empty-object": b"{}",
    "empty": b"",
    "mirror": but(BUCKET, config={**BUCKET["config"], "mirror": {}}),
    "no-limit": but(BUCKET, config={**BUCKET["config"],
                                    "max_msgs_per_subject": -1}),
}


@pytest.mark.parametrize("what", KV_ANSWERS)
def test_bucket(arancini, hostile, what):
    server = hostile(lambda *_: KV_ANSWERS[what])
    result = subprocess.run([arancini, "snapshot", "ls", server.url],
                            capture_output=True, text=True, timeout=120)
    assert result.returncode in (1, 2), result
    assert result.stderr


def keys(subjects):
    return but(BUCKET, state={**BUCKET["state"], "subjects": subjects})


KEY = "$KV.arancini-state.ams1.manifest"
NO_HEADERS = b"NATS/1.0\r\n\r\n"


ENTRIES = {
    "keys-null": (keys(None), b""),
    "keys-array": (keys([]), b""),
    "keys-of-others": (keys({"": 1, "$KV": 1, "$KV.arancini-state.": 1,
                             "x" * 5000: 1}), b""),
    "no-headers": (keys({KEY: "x"}), b"no headers"),
    "empty-headers": (keys({KEY: 1}), (NO_HEADERS, b"")),
    "sequence-negative": (
        keys({KEY: 1}), (b"NATS/1.0\r\nNats-Sequence: -1\r\n\r\n", b"x")),
    "another-subject": (
        keys({KEY: 1}), (b"NATS/1.0\r\nNats-Sequence: 1\r\n"
                         b"Nats-Subject: $\r\n\r\n", b"x")),
    "not-found": (
        keys({KEY: 1}), (b"NATS/1.0 404 Message Not Found\r\n\r\n", b"")),
    "nonsense": (
        keys({KEY: 1}), (f"NATS/1.0\r\nNats-Sequence: 1\r\nNats-Subject: "
                         f"{KEY}\r\n\r\n".encode(), b"\0\xff" * 1000)),
}


@pytest.mark.parametrize("what", ENTRIES)
def test_bucket_entries(arancini, hostile, what):
    listed, entry = ENTRIES[what]

    def answer(subject, body):
        if "STREAM.INFO" in subject:
            return listed if b"subjects_filter" in body else but(BUCKET)
        if "DIRECT.GET" in subject:
            return entry
        return b"{}"
    server = hostile(answer)
    result = subprocess.run([arancini, "snapshot", "ls", server.url],
                            capture_output=True, text=True, timeout=120)
    assert result.returncode in (0, 1, 2), result


def test_max_payload_of_nonsense(hostile, tmp_path):
    for size in (-1, 0, 1, 1 << 62):
        server = hostile(lambda *_: b"{}", max_payload=size)
        driver = Driver(tmp_path / "drivers", [
            "--server", server.url, "--count", 10, "--wait-ms", 300,
            "--drain-ms", 300])
        try:
            wait_until(lambda: server.connections >= 1
                       and driver.err.read_text() != "", driver)
            driver.stop(expected=1)
        finally:
            driver.kill()


def test_collector_stays_alive(collector, hostile):
    """The collector: forged answers are logged, it runs, and its inbox is not
    one that a consumer may write to."""
    server = hostile(lambda *_: STREAM_ANSWERS["no-config"])
    c = collector("--nats", server.url)
    c.until_said("STREAM.INFO of ARANCINI: the answer lacks something", 2)
    c.stop()
    assert server.inboxes
    assert all(i.startswith("_ARANCINI.") and len(i.split(".")[1]) == 32
               for i in server.inboxes)


def test_inbox_prefix_can_be_set(collector, hostile):
    server = hostile(lambda *_: b"{}")
    c = collector("--nats", server.url, "--nats-inbox-prefix", "_INBOX.ams1")
    c.until_said("STREAM.INFO of ARANCINI: the answer lacks something")
    c.stop()
    assert server.inboxes
    assert all(i.startswith("_INBOX.ams1.") for i in server.inboxes)
