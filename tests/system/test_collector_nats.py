"""The collector with a real broker: nothing lost, nothing twice, whatever
happens to the broker in between."""

import json
import subprocess

import pytest

from broker import Broker
from collecting import Collector, check_one_router, true_table

# The test broker has no more.
LIMIT = ["--nats-max-bytes", "1G"]

CHURN = ["--peers", "2", "--prefixes", "3000", "--seed", "11", "--churn",
         "4000", "--churn-count", "20000", "--flaps", "1"]


@pytest.fixture
def broker(server, tmp_path, free_port):
    return Broker(server, tmp_path, free_port())


def stream(arancini, broker, *options):
    run = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--since", "all",
         "--idle-exit", "2", "--json", *options],
        capture_output=True, text=True, timeout=120, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def check(lines, arancini, tmp_path):
    check_one_router(lines, true_table(arancini, tmp_path, *CHURN))


@pytest.mark.parametrize("compress", ["none", "packed", "zstd"])
def test_a_broker_that_works(compress, server, arancini, broker, tmp_path):
    broker.start()
    c = Collector(server, arancini, tmp_path / "state", "--nats", broker.url, *LIMIT,
                  "--batch-compress", compress)
    c.send("generate", *CHURN)
    c.until_said("event=session_close")
    c.stop()
    check(stream(arancini, broker), arancini, tmp_path)


def test_a_broker_that_is_killed_and_comes_back(server, arancini, broker,
                                                tmp_path):
    broker.start()
    c = Collector(server, arancini, tmp_path / "state", "--nats", broker.url, *LIMIT)
    c.until_said("event=publisher state=ready")
    load = subprocess.Popen([arancini, "generate", *CHURN, "--to", c.to],
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    c.until_said("event=session_open")
    broker.kill()
    c.until_said("event=publisher state=ready(.*\n)+.*state=connecting")
    assert load.wait(120) == 0
    c.until_said("event=session_close")
    broker.start()
    c.until_said("event=publisher state=ready spooling=false", 2)
    c.stop()
    check(stream(arancini, broker), arancini, tmp_path)


def test_no_broker_at_the_start(server, arancini, broker, tmp_path):
    c = Collector(server, arancini, tmp_path / "state", "--nats", broker.url, *LIMIT)
    c.send("generate", *CHURN)
    c.until_said("event=session_close")
    broker.start()
    c.until_said("event=publisher state=ready spooling=false")
    c.stop()
    check(stream(arancini, broker), arancini, tmp_path)
