"""A collector at a leaf node, with its stream and state in the domain of the
hub."""

import pytest

from bmp import Peer, initiation
from broker import Broker
from collecting import connect, consumer_tables, tail

PEER = Peer("192.0.2.10", 64510)
DUMP = (initiation(b"router") + PEER.up() + PEER.announce("198.51.100.0/24")
        + PEER.announce("203.0.113.0/24") + PEER.end_of_rib())


# The leaf has a JetStream in a domain of its own, or none.
@pytest.fixture(params=["leaf", None], ids=["its-own-domain", "no-jetstream"])
def pair(request, server, tmp_path, free_port):
    port = free_port()
    hub = Broker(server, tmp_path, free_port(), name="hub", domain="hub",
                 extra=f'leafnodes {{ listen: "127.0.0.1:{port}" }}\n')
    leaf = Broker(server, tmp_path, free_port(), name="leaf",
                  domain=request.param, extra="leafnodes { remotes: [ { url: "
                  f'"nats-leaf://127.0.0.1:{port}" }} ] }}\n')
    return hub.start(), leaf.start()


def published(arancini, broker, *options):
    return list(tail(arancini, "--nats", broker.url, *options))


@pytest.mark.parametrize("state", ["folder", "bucket"])
def test_stream_and_state_in_the_domain_of_the_hub(state, pair, collector,
                                                   arancini, tmp_path):
    hub, leaf = pair
    options = ["--nats", leaf.url, "--nats-domain", "hub", "--nats-stream",
               "HUB", "--nats-max-bytes", "64M"]
    if state == "bucket":
        options += ["--state", leaf.url, "--journal", tmp_path / "journal"]
    c = collector(*options)
    c.until_said("event=publisher state=ready")
    with connect(c) as sock:
        sock.sendall(DUMP)
        c.until_said("event=session_open")
    c.until_said("event=session_close")
    c.stop()
    # The same state: what comes again is not published again.
    again = collector(*options)
    again.until_said("event=publisher state=ready")
    with connect(again) as sock:
        sock.sendall(DUMP + PEER.announce("198.51.100.0/24", med=7))
    again.until_said("event=session_close")
    again.stop()
    lines = published(arancini, leaf, "--domain", "hub", "--stream", "HUB")
    assert lines == published(arancini, hub, "--stream", "HUB")
    assert [line.get("multiExitDisc") for line in lines
            if line["kind"] == "update"] == [1, 1, 7]
    (table,) = consumer_tables(lines).values()
    assert len(table) == 2


def test_a_domain_that_is_not_there(pair, collector):
    _, leaf = pair
    c = collector("--nats", leaf.url, "--nats-domain", "elsewhere")
    c.until_said('event=publisher state=backoff .*domain')
    c.stop()
