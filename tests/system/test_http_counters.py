"""Every figure on /api/v1 and /metrics is what was sent, by a second count: of
what "arancini decode" reads in the same bytes, of what the journal holds, and
of a model of curation."""

import collections
import json
import re
import socket
import struct
import subprocess

import pytest

from bmp import Peer, initiation, message, messages, tlv
from collecting import RouterTable, connect
from decoding import TREE, data_files, decode, run_decode

# Names of message types on /metrics, by those of "decode --summary".
PEER_TYPES = ["global", "rd", "local", "loc-rib"]    # by number
TYPES = {"routeMonitoring": "route-monitoring", "statistics": "statistics",
         "peerDown": "peer-down", "peerUp": "peer-up",
         "initiation": "initiation", "termination": "termination",
         "mirror": "route-mirroring"}
SNAKE = re.compile("([A-Z])")
VIEWS = {(False, False, False): "adj-rib-in-pre",
         (True, False, False): "adj-rib-in-post",
         (False, True, False): "adj-rib-out-pre",
         (True, True, False): "adj-rib-out-post"}


class Expected:
    """What a capture means for the figures."""

    def __init__(self, path):
        self.bytes = sum(map(len, messages(path.read_bytes())))
        self.summary = json.loads(run_decode("--summary", path).stdout)
        self.messages = sum(self.summary["messages"].values())
        self.received = (sum(self.summary["announced"].values())
                         + sum(self.summary["withdrawn"].values()))
        model = RouterTable()
        for line in decode(path):
            model.apply(line)
        self.routes = len(model.routes)
        self.tables = collections.Counter(
            key[:8] for key in model.routes)


class Journal:
    """What was published, by a reader of the journal."""

    def __init__(self, lines):
        updates = [line for line in lines if line["kind"] == "update"]
        self.published = len(updates)
        self.announced = sum(1 for u in updates if u.get("announced"))
        self.synthetic = collections.Counter(
            u["reason"] for u in updates if u.get("synthetic"))
        self.events = collections.Counter(
            line["kind"] for line in lines if line["kind"] != "update")


def check_status(status, want, journal):
    counters = status["counters"]
    assert counters["messages"] == want.messages
    assert counters["bytes"] == want.bytes
    assert counters["received"] == want.received
    assert counters["published"] == journal.published
    assert counters["synthetic"] == sum(journal.synthetic.values())
    assert counters["suppressed"] == want.received - (
        journal.published - sum(journal.synthetic.values()))
    assert status["totals"]["routes"] == want.routes
    assert sum(w["routes"] for w in status["workers"]) == want.routes
    for name in ("routers", "sessions", "peers"):
        assert sum(w[name] for w in status["workers"]) == \
            status["totals"][name]


def check_router(router, want, journal):
    assert router["messages"] == want.messages
    assert router["bytes"] == want.bytes
    assert router["routes"] == want.routes
    assert router["counters"]["received"] == want.received
    assert router["counters"]["published"] == journal.published
    assert router["counters"]["synthetic"] == sum(journal.synthetic.values())


def check_peers(peers, want):
    """Each table has as many routes as the model's."""
    found = {}
    for peer in peers:
        kind, rd, address = peer["id"].split("-", 2)
        for table in peer["tables"]:
            found[kind, rd, address, table["view"], table["afi"],
                  table["safi"]] = table["routes"]
        assert peer["routes"] == sum(t["routes"] for t in peer["tables"])
    wanted = {}
    for key, count in want.tables.items():
        kind, rd, address, post, out, loc, afi, safi = key
        view = "loc-rib" if loc else VIEWS[post, out, False]
        wanted[str(PEER_TYPES.index(kind)), distinguisher(rd), address, view,
               afi, safi] = count
    assert {k: v for k, v in found.items() if v} == wanted


def distinguisher(text):
    """As in the id of a peer: hex. decode prints 65000:1 or 192.0.2.1:1."""
    if not text:
        return "0"
    left, right = text.rsplit(":", 1)
    if "." in left:
        parts = [int(p) for p in left.split(".")]
        value = (1 << 48 | int.from_bytes(bytes(parts), "big") << 16
                 | int(right))
    elif int(left) > 0xffff:
        value = 2 << 48 | int(left) << 16 | int(right)
    else:
        value = int(left) << 32 | int(right)
    return f"{value:x}"


def check_metrics(metrics, want, journal):
    types = metrics.by("arancini_messages_total", "type")
    assert types == {TYPES[name]: count
                     for name, count in want.summary["messages"].items()}
    assert metrics.sum("arancini_message_results_total") == want.messages
    for name, value in [
            ("arancini_received_bytes_total", want.bytes),
            ("arancini_updates_received_total", want.received),
            ("arancini_updates_published_total", journal.published),
            ("arancini_updates_suppressed_total", want.received - (
                journal.published - sum(journal.synthetic.values()))),
            ("arancini_ends_of_rib_total",
             sum(want.summary["endOfRib"].values())),
            ("arancini_routes", want.routes), ("arancini_routers", 1)]:
        assert metrics.sum(name) == value, name
    assert metrics.sum("arancini_updates_received_total",
                       action="announce") == \
        sum(want.summary["announced"].values())
    assert metrics.sum("arancini_updates_published_total",
                       action="announce") == journal.announced
    assert metrics.by("arancini_updates_synthetic_total", "reason") == {
        SNAKE.sub(r"_\1", reason).lower(): count
        for reason, count in journal.synthetic.items()}


def send(port, data):
    """A router that says this. The caller closes it."""
    sock = socket.create_connection(("127.0.0.1", port), timeout=60)
    sock.sendall(data)
    return sock


def read_journal(c, published):
    """The reader ends when nothing came for a second, which a busy machine
    may take to show something: what seems short is read again, patiently."""
    journal = Journal(c.published())
    if journal.published < published:
        journal = Journal(c.published("--idle-exit", "15"))
    return journal


def check_file(c, path):
    """Play a file to a collector and compare all that can be asked."""
    want = Expected(path)
    with send(c.port, path.read_bytes()):
        status = c.http.until(
            lambda s: s["counters"]["messages"] == want.messages)
    status = c.http.until(lambda s: s["totals"]["sessions"] == 0)
    (router,) = c.http.list("routers")
    peers = c.http.list("peers")
    metrics = c.http.metrics()
    c.stop()
    journal = read_journal(c, status["counters"]["published"])
    check_status(status, want, journal)
    check_router(router, want, journal)
    check_peers(peers, want)
    check_metrics(metrics, want, journal)
    return want, journal, router, peers, metrics


BMP_FILES = data_files("*.bmp") + [
    pytest.param(p, id=p.name)
    for p in sorted((TREE / "tests" / "captures").glob("*.bmp"))]


@pytest.mark.parametrize("path", BMP_FILES)
def test_figures_of_a_capture(path, watched):
    check_file(watched(), path)


def test_figures_of_a_table_and_its_churn(watched, arancini, tmp_path):
    """Duplicates, withdraws, changes, and peers that go down and come back."""
    path = tmp_path / "churn.bmp"
    subprocess.run([arancini, "generate", "-o", path, "--peers", "3",
                    "--prefixes", "1000", "--churn", "max", "--churn-count",
                    "4000", "--churn-mix", "60:25:15", "--flaps", "2"],
                   check=True, capture_output=True, timeout=60)
    want, journal, _, _, metrics = check_file(watched(), path)
    assert journal.synthetic["peerDown"] > 1000
    suppressed = metrics.by("arancini_updates_suppressed_total", "reason")
    assert suppressed["same"] > 100
    assert sum(suppressed.values()) == want.received - (
        journal.published - sum(journal.synthetic.values()))


def journal_bytes(c, *options):
    """How long what the journal holds is, as it would be sent."""
    return len(subprocess.run(
        [c.arancini, "tail", "--journal", c.journal, "--since", "all",
         "--raw", *options], capture_output=True, timeout=120,
        check=True).stdout)


def test_bytes_are_those_of_the_journal(watched):
    c = watched()
    c.send("generate", "--peers", "2", "--prefixes", "500")
    c.http.until(lambda s: s["totals"]["peersStale"] == 2)
    # The first is the epoch event, the journal's own.
    held = journal_bytes(c, "--idle-exit", "5") - journal_bytes(
        c, "--count", "1")
    # What is counted is synced; a reader is a moment ahead of that.
    output = c.http.until(lambda s: s["output"]["bytes"] >= held)["output"]
    assert output["bytes"] == held > 1000 * 100
    metrics = c.http.metrics()
    assert metrics.sum("arancini_journal_written_bytes_total") == held
    assert metrics.sum("arancini_output_bytes_total") == 0


def test_lost_and_too_long_messages_are_counted(watched):
    """Gaps in the numbers of draft-ietf-grow-bmp-tlv-20, and mirroring."""
    peer = Peer("192.0.2.10", 65001)
    update = peer.announce("198.51.100.0/24")

    def numbered(n):
        tlvs = b"".join(struct.pack(">HHH", kind, len(value), 0) + value
                        for kind, value in ((1, struct.pack(">I", n)),
                                            (7, update[48:])))
        return message(0, peer.header() + tlvs, version=4)

    c = watched("--bmp-v4", "tlv20", "--publish-mirroring")
    with connect(c) as sock:
        sock.sendall(initiation() + peer.up()
                     + b"".join(map(numbered, (1, 2, 6, 9)))
                     + message(6, peer.header() + tlv(0, b"x" * 60000) * 3))
    c.until_said("event=session_close")
    metrics = c.http.metrics()
    assert metrics.sum("arancini_router_messages_lost_total") == 5
    assert metrics.sum("arancini_mirroring_too_long_total") == 1
