"""The collector with a real broker: nothing lost, nothing twice, whatever
happens to the broker in between."""

import subprocess

import pytest

from collecting import Collector, check_one_router, tail, true_table

# The test broker has no more.
LIMIT = ["--nats-max-bytes", "1G"]

CHURN = ["--peers", "2", "--prefixes", "3000", "--seed", "11", "--churn",
         "4000", "--churn-count", "20000", "--flaps", "1"]


def check(arancini, broker, tmp_path):
    check_one_router(tail(arancini, "--nats", broker.url, idle=2),
                     true_table(arancini, tmp_path, *CHURN))


@pytest.mark.parametrize("compress", ["none", "packed", "zstd"])
def test_a_broker_that_works(compress, server, arancini, broker, tmp_path):
    broker.start()
    c = Collector(server, arancini, tmp_path / "state", "--nats", broker.url, *LIMIT,
                  "--batch-compress", compress)
    c.send("generate", *CHURN)
    c.until_said("event=session_close")
    c.stop()
    check(arancini, broker, tmp_path)


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
    c.until_said("event=publisher state=ready(.*\n)+.*state=backoff")
    assert load.wait(120) == 0
    c.until_said("event=session_close")
    broker.start()
    c.until_said("event=publisher state=ready spooling=false", 2)
    c.stop()
    check(arancini, broker, tmp_path)


def test_no_broker_at_the_start(server, arancini, broker, tmp_path):
    c = Collector(server, arancini, tmp_path / "state", "--nats", broker.url, *LIMIT)
    c.send("generate", *CHURN)
    c.until_said("event=session_close")
    broker.start()
    c.until_said("event=publisher state=ready spooling=false")
    c.stop()
    check(arancini, broker, tmp_path)
