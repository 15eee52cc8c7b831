"""Three servers, a stream on all of them: one is killed, then the leader."""

import time

import pytest

from broker import STREAM, Driver, check_exactly, make_cluster


@pytest.fixture
def cluster(server, tmp_path, free_port):
    return make_cluster(server, tmp_path, free_port)


def leader_of(nodes):
    """The node that leads the stream, asked for from those that run."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for node in nodes:
            try:
                with node.client(timeout=2) as client:
                    info = client.stream_info(STREAM)
                    name = info.get("cluster", {}).get("leader")
            except OSError:
                continue
            for one in nodes:
                if one.name == name:
                    return one
        time.sleep(0.1)
    pytest.fail("the stream has no leader")


def check_when_settled(node, count):
    """A cluster that lost its leader takes a while to answer again."""
    deadline = time.monotonic() + 180
    while True:
        try:
            with node.client(timeout=10) as client:
                check_exactly(client, count)
            return
        except (OSError, LookupError) as failure:
            if time.monotonic() > deadline:
                pytest.fail(f"the cluster does not answer: {failure!r}")
            time.sleep(0.2)


def test_a_node_and_then_the_leader_killed(cluster, tmp_path):
    for node in cluster:
        node.start()
    servers = [word for node in cluster for word in ("--server", node.url)]
    driver = Driver(tmp_path / "drivers", servers + [
        "--journal", tmp_path / "spool", "--count", 20000, "--rate", 1500,
        "--replicas", 3, "--window", 256, "--ack-ms", 3000, "--wait-ms",
        3000, "--spool-after-ms", 300, "--max-bytes", 1 << 30])
    try:
        driver.wait_for(lambda s: s["messages"] >= 2000, timeout=90)
        leader = leader_of(cluster)
        follower = next(n for n in cluster if n is not leader)
        follower.kill()
        heard = driver.status["messages"]
        driver.wait_for(lambda s: s["messages"] >= heard + 2000, timeout=90)
        follower.start()
        driver.wait_for(lambda s: s["messages"] >= heard + 4000, timeout=90)
        leader = leader_of(cluster)
        leader.kill()
        driver.wait_for(lambda s: s["safe"] == 20000, timeout=120)
        driver.wait_published(timeout=120)
        driver.stop()
    finally:
        driver.kill()
    leader.start()
    check_when_settled(cluster[0], 20000)
