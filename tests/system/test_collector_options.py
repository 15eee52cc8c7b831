"""Options of "arancini run" that nothing else tries from end to end: given to
the collector itself, with a real server, and their effect read back."""

import datetime
import json
import re
import struct
import subprocess

import pytest

from access import (credentials, make_ca, make_cert, operator_server,
                    tls_server, user_nkey, verifying_server)
from bmp import Peer, bgp, initiation, message, tlv
from broker import STREAM, make_cluster
from collecting import Collector, connect

# The test broker has no more.
LIMIT = ["--nats-max-bytes", "1G"]

LOAD = ["generate", "--peers", "2", "--prefixes", "50", "--seed", "3"]
UPDATES = 100


def tail(arancini, broker, *options):
    """What the stream holds, as objects."""
    run = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--since", "all",
         "--idle-exit", "1", "--json", *map(str, options)],
        capture_output=True, text=True, timeout=60, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def publish(collector, broker, *options):
    """All of the load, to the end."""
    c = collector("--nats", broker.url, *LIMIT, *options)
    c.until_said("event=publisher state=ready spooling=false")
    c.send(*LOAD)
    c.until_said("event=session_close")
    c.stop()
    return c


# Who is let in. Each gives the lines of the server, options of a stranger and
# of one who may, and the latter's for "arancini tail".

def secret(folder, name, text):
    file = folder / name
    file.write_text(text + "\n")
    return file


def password(folder):
    wrong = secret(folder, "wrong", "not it")
    right = secret(folder, "right", "s3cret")
    return ('authorization { user: "u", password: "s3cret" }\n',
            ["--nats-user", "u", "--nats-password-file", wrong],
            ["--nats-user", "u", "--nats-password-file", right],
            ["--user", "u", "--password-file", right])


def token(folder):
    wrong = secret(folder, "wrong", "not it")
    right = secret(folder, "right", "t0ken")
    return ('authorization { token: "t0ken" }\n',
            ["--nats-token-file", wrong], ["--nats-token-file", right],
            ["--token-file", right])


def nkey(folder):
    key, seed = user_nkey(folder)
    (folder / "other").mkdir()
    stranger, stranger_seed = user_nkey(folder / "other")
    return (f"authorization {{ users: [ {{ nkey: {key} }} ] }}\n",
            ["--nats-nkey", stranger, "--nats-nkey-seed", stranger_seed],
            ["--nats-nkey", key, "--nats-nkey-seed", seed],
            ["--nkey", key, "--nkey-seed", seed])


def creds(folder):
    lines, account, stranger = operator_server(folder)
    right = credentials(folder, "right", account)
    return (lines,
            ["--nats-creds", credentials(folder, "wrong", stranger)],
            ["--nats-creds", right], ["--creds", right])


def authority(folder):
    ca, other = make_ca(folder, "ca"), make_ca(folder, "other")
    return (tls_server(folder, ca), ["--nats-tls-ca", other[1]],
            ["--nats-tls-ca", ca[1]], ["--tls-ca", ca[1]])


def certificate(folder):
    ca, other = make_ca(folder, "ca"), make_ca(folder, "other")
    mine, stranger = (make_cert(folder, "mine", ca),
                      make_cert(folder, "stranger", other))

    def options(prefix, pair):
        return [f"--{prefix}tls-ca", ca[1], f"--{prefix}tls-cert", pair[1],
                f"--{prefix}tls-key", pair[0]]
    return (verifying_server(folder, ca), options("nats-", stranger),
            options("nats-", mine), options("", mine))


@pytest.mark.parametrize("way", [password, token, nkey, creds, authority,
                                 certificate])
def test_login(way, arancini, broker, collector, tmp_path):
    """Nothing is published for a stranger, and all of it once let in."""
    lines, wrong, right, reader = way(tmp_path)
    broker.start(lines)
    c = collector("--nats", broker.url, *LIMIT, *wrong)
    c.until_said('event=publisher state=backoff .*text="connect: ')
    c.send(*LOAD)
    c.until_said("event=session_close")
    assert not c.said("event=publisher state=ready")
    c.stop()
    c = collector("--nats", broker.url, *LIMIT, *right)
    c.until_said("event=publisher state=ready spooling=false")
    c.stop()
    got = tail(arancini, broker, *reader)
    assert sum(line["kind"] == "update" for line in got) == UPDATES


@pytest.mark.parametrize("by", ["option", "url"])
def test_tls_is_insisted_on(by, broker, collector):
    broker.start()
    c = collector(*LIMIT, *(
        ["--nats", broker.url, "--nats-tls"] if by == "option"
        else ["--nats", broker.url.replace("nats://", "tls://")]))
    c.until_said('event=publisher state=backoff .*text="connect: ')
    assert not c.said("event=publisher state=ready")
    c.stop()


def test_state_behind_tls(broker, collector, free_port, tmp_path):
    """In a bucket, over TLS: there is no folder that HTTP's token could be
    in, and nobody looks for one."""
    ca = make_ca(tmp_path, "ca")
    broker.start(tls_server(tmp_path, ca))
    url = broker.url.replace("nats://", "tls://")
    c = collector("--nats", url, *LIMIT, "--nats-tls-ca", ca[1], "--state",
                  url, "--journal", tmp_path / "journal", "--http",
                  f"127.0.0.1:{free_port()}")
    c.until_said("event=publisher state=ready")
    assert c.said("event=http_without_token")
    c.stop()


# The stream

SECOND = 1_000_000_000


@pytest.mark.parametrize("options, expected", [
    ([], {"storage": "file", "num_replicas": 1, "max_bytes": 1 << 30,
          "max_age": 24 * 3600 * SECOND, "duplicate_window": 120 * SECOND,
          "subjects": ["arancini.updates.>", "arancini.events.>"]}),
    (["--nats-storage", "memory", "--nats-max-bytes", "8M"],
     {"storage": "memory", "max_bytes": 8 << 20}),
    (["--nats-max-age", "90m", "--nats-max-bytes", "0",
      "--nats-duplicate-window", "30s"],
     {"max_age": 5400 * SECOND, "max_bytes": -1,
      "duplicate_window": 30 * SECOND}),
    (["--nats-max-age", "never"], {"max_age": 0}),
], ids=["defaults", "memory", "limits", "for ever"])
def test_stream_is_made_as_told(options, expected, broker, collector):
    broker.start()
    publish(collector, broker, *options)
    with broker.client() as client:
        config = client.stream_info(STREAM)["config"]
    assert {key: config.get(key, 0) for key in expected} == expected


def test_replicas(server, collector, tmp_path, free_port):
    cluster = make_cluster(server, tmp_path, free_port)
    for node in cluster:
        node.start()
    c = collector("--nats", ",".join(node.url for node in cluster), *LIMIT,
                  "--nats-replicas", "3")
    c.until_said("event=publisher state=ready", timeout=90)
    with cluster[0].client() as client:
        assert client.stream_info(STREAM)["config"]["num_replicas"] == 3
    c.stop()


def test_no_create(broker, collector):
    broker.start()
    c = collector("--nats", broker.url, *LIMIT, "--nats-no-create")
    c.until_said("event=publisher state=refused .*there is no stream")
    with broker.client() as client:
        assert "error" in client.stream_info(STREAM)
        client.api(f"STREAM.CREATE.{STREAM}", {
            "name": STREAM, "storage": "file", "subjects": ["arancini.>"]})
    c.until_said("event=publisher state=ready")
    c.stop()


def test_take_over(server, arancini, broker, collector, tmp_path):
    broker.start()
    publish(collector, broker, "--collector-id", "one")
    other = ["--nats", broker.url, *LIMIT, "--collector-id", "two"]
    c = Collector(server, arancini, tmp_path / "two", *other)
    c.until_said("event=publisher state=refused .*written by collector one")
    c.send(*LOAD)
    c.until_said("event=session_close")
    assert not c.said("event=publisher state=ready")
    c.stop()
    c = Collector(server, arancini, tmp_path / "two", *other, "--take-over")
    c.until_said("event=publisher state=ready")
    c.stop()
    lines = tail(arancini, broker)
    epochs = [line["collector"] for line in lines if line["kind"] == "epoch"]
    assert epochs == ["one", "two"]
    # What the second took in while it was refused was not lost.
    assert sum(line["kind"] == "update" for line in lines) == 2 * UPDATES


def test_acknowledgements_that_do_not_come(broker, collector):
    broker.start()
    c = collector("--nats", broker.url, *LIMIT, "--nats-ack-timeout", "200ms")
    c.until_said("event=publisher state=ready")
    broker.pause()
    try:
        c.send(*LOAD)
        c.until_said("no acknowledgement in time")
    finally:
        broker.go_on()

    def when(what):
        return datetime.datetime.fromisoformat(
            c.said(f"time=(.*)Z .*{what}")[0])
    # Of the default it would be five seconds.
    assert (when("no acknowledgement") - when("event=session_open")
            ).total_seconds() < 4
    c.until_said("event=publisher state=ready spooling=false", 2)
    c.stop()


# Subjects and messages

def test_subjects_with_the_name_of_the_collector(broker, collector):
    broker.start()
    publish(collector, broker, "--collector-id", "ams1",
            "--subject-updates", "bgp.{collector}.updates",
            "--subject-events", "bgp.{collector}-events",
            "--nats-stream", "BGP_{collector}")
    with broker.client() as client:
        config = client.stream_info("BGP_ams1")["config"]
        messages = client.read_stream("BGP_ams1")
    assert config["subjects"] == ["bgp.ams1.updates.>", "bgp.ams1-events.>"]
    assert messages[0].subject == "bgp.ams1-events.collector.epoch"
    updates = [m for m in messages
               if m.subject.startswith("bgp.ams1.updates.v4_127_0_0_1.")]
    events = [m for m in messages
              if m.subject.startswith("bgp.ams1-events.")]
    assert updates and len(updates) + len(events) == len(messages)


def parts(data):
    """The Cap'n Proto messages in the payload of one message."""
    count = 0
    while data:
        segments, words = struct.unpack_from("<II", data)
        assert segments == 0
        data = data[8 + 8 * words:]
        count += 1
    return count


@pytest.mark.parametrize("most", [1, 7])
def test_updates_in_a_message(most, broker, collector):
    broker.start()
    publish(collector, broker, "--batch-max-updates", str(most))
    with broker.client() as client:
        counts = [parts(m.data) for m in client.read_stream(STREAM)
                  if m.subject.startswith("arancini.updates.")]
    assert sum(counts) == UPDATES and max(counts) == most


@pytest.mark.parametrize("option", [
    ["--batch-max-bytes", "1K"], ["--batch-max-bytes", "4M"],
    ["--recv-buffers", "8", "--recv-buffer-size", "4K"],
    ["--recv-buffers", "8", "--recv-buffer-size", "1M"],
    ["--recv-buffers", "32768", "--recv-buffer-size", "4K"],
    ["--nats-window", "1"]], ids=" ".join)
def test_the_least_and_the_most_work(option, arancini, broker, collector):
    broker.start()
    publish(collector, broker, *option)
    got = tail(arancini, broker)
    assert sum(line["kind"] == "update" for line in got) == UPDATES


def largest_mapping(pid):
    """Bytes of what can be written, in one piece."""
    with open(f"/proc/{pid}/maps") as lines:
        pieces = [line.split()[0].split("-") for line in lines
                  if line.split()[1].startswith("rw")]
    return max(int(end, 16) - int(start, 16) for start, end in pieces)


def test_receive_buffers_are_as_many_as_told(server, arancini, tmp_path):
    """All are there with the first session: address space, not yet memory."""
    def space(folder, count, size):
        c = Collector(server, arancini, tmp_path / folder, "--workers", "1",
                      "--recv-buffers", count, "--recv-buffer-size", size)
        with connect(c) as sock:
            sock.sendall(initiation())
            c.until_said("event=session_open")
            largest = largest_mapping(c.server.pid)
        c.stop()
        return largest
    assert space("least", "8", "4K") < 64 << 20
    for folder, count, size in (("many", "32768", "4K"),
                                ("long", "128", "1M")):
        assert 128 << 20 <= space(folder, count, size) <= 160 << 20


# The rest

def test_journal_gives_up_what_is_old(collector):
    c = collector("--journal-max-age", "1s", "--journal-segment-bytes", "1M")

    def segments():
        return {file.name for file in c.journal.glob("*.seg")}
    (first,) = segments()
    c.send("generate", "--peers", "2", "--prefixes", "10000", "--seed", "3")
    c.until_said("event=session_close")
    c.server.wait_until(lambda _: first not in segments(), 30)
    c.stop()


def test_log_as_json(server, arancini, tmp_path):
    one = server([arancini, "run", "--listen", "127.0.0.1:0", "--http", "off",
                  "--state", tmp_path / "state", "--log-format", "json"],
                 ready='"event": *"started"', timeout=30)
    assert one.stop() == 0
    lines = [json.loads(line) for line in one.output.splitlines()]
    assert {"listening", "started", "stopped"} <= {
        line["event"] for line in lines}
    assert all({"time", "level"} <= line.keys() for line in lines)


@pytest.mark.parametrize("how, taken", [("legacy", True), ("tlv20", False),
                                        ("tlv21", True), ("off", False)])
def test_bmp_v4_of_all_routers(how, taken, collector):
    """The numbers of pmacct: the BGP message is element 4."""
    peer = Peer("192.0.2.10", 65001)
    update = peer.announce("198.51.100.0/24")
    header, pdu = update[6:48], update[48:]
    c = collector("--bmp-v4", how)
    with connect(c) as sock:
        sock.sendall(initiation() + peer.up() + message(
            0, header + struct.pack(">HHH", 4, len(pdu), 0) + pdu, version=4))
    c.until_said("event=session_close")
    c.stop()
    got = [line for line in c.published() if line["kind"] == "update"
           and line.get("announced")]
    assert [line["prefixAddr"] for line in got] == (
        ["198.51.100.0"] if taken else [])


def test_messages_that_a_router_did_not_send(collector):
    """Gaps in the numbers of draft-ietf-grow-bmp-tlv-20 (TLV 1), and add-path
    as its stateless-parsing TLV (6) says, without a Peer Up."""
    peer = Peer("192.0.2.10", 65001)
    update = peer.announce("198.51.100.0/24", path_id=7)
    header, pdu = update[6:48], update[48:]

    def numbered(n):
        tlvs = b"".join(struct.pack(">HHH", kind, len(value), 0) + value
                        for kind, value in ((1, struct.pack(">I", n)),
                                            (6, bytes([69, 4, 0, 1, 1, 3])),
                                            (7, pdu)))
        return message(0, header + tlvs, version=4)

    c = collector("--bmp-v4", "tlv20")
    with connect(c) as sock:
        sock.sendall(initiation() + b"".join(map(numbered, (1, 2, 6, 9))))
    c.until_said("event=session_close")
    c.until_said("event=messages_lost")
    c.stop()
    got = c.published()
    lost = [line for line in got if line["kind"] == "messagesLost"]
    assert sum(line["messages"] for line in lost) == 5    # one for each read
    assert all("peerAddr" not in line for line in lost)
    routes = [line for line in got if line["kind"] == "update"
              and line.get("announced")]
    assert [(line["prefixAddr"], line["pathId"]) for line in routes] == [
        ("198.51.100.0", 7)]


@pytest.mark.parametrize("asked", [True, False])
def test_mirroring_is_published_when_asked(asked, collector):
    """As it is, on a subject of its own; too long ones are counted."""
    peer = Peer("192.0.2.10", 65001)
    tlvs = tlv(0, bgp(3, b"\x06\x02\x05maint")) + tlv(1, b"\0\0")
    c = collector(*["--publish-mirroring"] * asked)
    with connect(c) as sock:
        sock.sendall(
            initiation() + peer.up() + message(6, peer.header() + tlvs)
            + message(6, peer.header() + tlv(0, b"x" * 60000) * 3)
            + message(6, Peer("192.0.2.99", 65099).header() + tlvs))
    c.until_said("event=session_close")
    c.stop()
    got = [line for line in c.published() if line["kind"] == "mirror"]
    if not asked:
        assert got == []
        return
    known, unknown = got
    assert all(line["subject"].endswith(".mirror") for line in got)
    assert known["peerAddr"] == "192.0.2.10" and "peerAddr" not in unknown
    for line in got:
        first, second = line["mirrored"]
        assert first["bgpType"] == "notification"
        assert first["notification"]["shutdownCommunication"] == "maint"
        assert second == {"type": 1, "information": "errored-pdu"}
