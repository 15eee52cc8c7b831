"""Credentials and TLS: who is wrong gets in nowhere and loses nothing."""

import json
import subprocess

import pytest

from access import (credentials, make_ca, make_cert, operator_server,
                    tls_server, user_nkey, verifying_server)
from broker import Driver, check_exactly

HASTY = ["--ack-ms", 1000, "--spool-after-ms", 100, "--wait-ms", 1500,
         "--max-bytes", 1 << 30]


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


def refuse_then_accept(broker, drive, wrong, right, **client):
    """Nothing is published under @wrong, all of it under @right."""
    bad = drive(broker.url, "--count", 300, *wrong)
    bad.wait_safe(300)  # in the spool
    bad.wait_for(lambda s: "connect: " in bad.err.read_text())
    assert bad.status["messages"] == 0 and bad.status["connects"] == 0
    bad.stop()
    good = drive(broker.url, "--count", 0, "--rate", 1, *right)
    good.wait_for(lambda s: s["state"] == "ready" and s["spool_left"] == 0
                  and s["messages"] >= 300)
    good.stop()
    with broker.client(**client) as reader:
        messages = reader.read_stream("ARANCINI")
    return [int(m.data[:20]) for m in messages
            if m.subject.startswith("arancini.updates")][:300]


def tail_is_let_in(arancini, broker, *access):
    """"arancini tail" sees the epoch event, and not without @access."""
    for words, code in ((access, 0), ((), 1)):
        tail = subprocess.run(
            [arancini, "tail", "--nats", broker.url, *map(str, words),
             "--since", "all", "--subject", "arancini.events.>", "--count",
             "1", "--idle-exit", "20"], capture_output=True, text=True,
            timeout=60)
        assert tail.returncode == code, tail.stderr
        assert len(tail.stdout.splitlines()) == 1 - code


def test_password(arancini, broker, drive, tmp_path):
    broker.start('authorization { user: "u", password: "right" }\n')
    got = refuse_then_accept(
        broker, drive, ["--user", "u", "--password", "wrong"],
        ["--user", "u", "--password", "right"], user="u", password="right")
    assert got == list(range(1, 301))
    (tmp_path / "password").write_text("right\n")
    tail_is_let_in(arancini, broker, "--user", "u", "--password-file",
                   tmp_path / "password")


def test_token(arancini, broker, drive, tmp_path):
    broker.start('authorization { token: "t0ken" }\n')
    bad = drive(broker.url, "--count", 10, "--token", "other")
    bad.wait_for(lambda s: "connect: " in bad.err.read_text())
    bad.kill()
    good = drive(broker.url, "--count", 10, "--token", "t0ken")
    good.wait_published()
    good.stop()
    (tmp_path / "token").write_text("t0ken\n")
    tail_is_let_in(arancini, broker, "--token-file", tmp_path / "token")


def test_nkey(arancini, broker, drive, tmp_path):
    public, seed = user_nkey(tmp_path)
    (tmp_path / "other").mkdir()
    stranger, stranger_seed = user_nkey(tmp_path / "other")
    broker.start(f"authorization {{ users: [ {{ nkey: {public} }} ] }}\n")
    bad = drive(broker.url, "--count", 10, "--nkey", stranger, "--nkey-seed",
                stranger_seed)
    bad.wait_for(lambda s: "connect: " in bad.err.read_text())
    bad.kill()
    good = drive(broker.url, "--count", 10, "--nkey", public, "--nkey-seed",
                 seed)
    good.wait_published()
    good.stop()
    tail_is_let_in(arancini, broker, "--nkey", public, "--nkey-seed", seed)


def test_creds(arancini, broker, drive, tmp_path):
    """An operator, its account with JetStream, and users with files."""
    lines, account, stranger = operator_server(tmp_path)
    broker.start(lines)
    right = credentials(tmp_path, "right", account)
    bad = drive(broker.url, "--count", 300, "--creds",
                credentials(tmp_path, "wrong", stranger))
    bad.wait_safe(300)  # in the spool
    bad.wait_for(lambda s: "connect: " in bad.err.read_text())
    assert bad.status["messages"] == 0 and bad.status["connects"] == 0
    bad.stop()
    good = drive(broker.url, "--count", 10, "--encode", "none", "--creds",
                 right)
    good.wait_published()
    good.stop()
    tail = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--creds", right, "--since",
         "all", "--subject", "arancini.updates.>", "--idle-exit", "2"],
        capture_output=True, text=True, timeout=60)
    assert tail.returncode == 0, tail.stderr
    # The first 300 are numbers, not updates.
    got = [json.loads(line) for line in tail.stdout.splitlines()]
    assert [u["sequence"] for u in got] == list(range(1, 101))


def test_tls(broker, drive, tmp_path):
    ca, other = make_ca(tmp_path, "ca"), make_ca(tmp_path, "other")
    broker.start(tls_server(tmp_path, ca))
    got = refuse_then_accept(broker, drive, ["--ca", other[1]],
                             ["--ca", ca[1]], ca=str(ca[1]))
    assert got == list(range(1, 301))


def test_tls_and_more_to_send_than_sockets_hold(broker, drive, tmp_path):
    ca = make_ca(tmp_path, "ca")
    broker.start(tls_server(tmp_path, ca))
    driver = drive(broker.url, "--count", 1200, "--rate", 600, "--size", 65536,
                   "--window", 512, "--bridge", 64, "--ack-ms", 30000,
                   "--write-ms", 30000, "--spool-after-ms", 60000, "--ca",
                   ca[1])
    driver.wait_safe(16)
    broker.pause()
    try:
        driver.wait_for(lambda s: s["pushed"] >= s["messages"] + 72)
    finally:
        broker.go_on()
    driver.wait_published()
    final = driver.status
    assert (final["timeouts"], final["connects"]) == (0, 1)
    driver.stop()
    with broker.client(ca=str(ca[1])) as client:
        check_exactly(client, 1200)


def test_client_certificate(arancini, broker, drive, tmp_path):
    ca, other = make_ca(tmp_path, "ca"), make_ca(tmp_path, "other")
    mine, stranger = (make_cert(tmp_path, "mine", ca),
                      make_cert(tmp_path, "stranger", other))
    broker.start(verifying_server(tmp_path, ca))
    bad = drive(broker.url, "--count", 10, "--ca", ca[1], "--cert",
                stranger[1], "--key", stranger[0])
    bad.wait_for(lambda s: "connect: " in bad.err.read_text())
    assert bad.status["connects"] == 0
    bad.kill()
    good = drive(broker.url, "--count", 10, "--ca", ca[1], "--cert", mine[1],
                 "--key", mine[0])
    good.wait_published()
    good.stop()
    tail_is_let_in(arancini, broker, "--tls-ca", ca[1], "--tls-cert", mine[1],
                   "--tls-key", mine[0])
