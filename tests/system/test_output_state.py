"""Whether updates get out: every cause is driven, and /readyz, /api/v1/status,
/metrics and the log must agree on it, also that it is over."""

import contextlib
import json
import os
import pathlib
import re
import subprocess

import pytest

import journal_file
from broker import Driver, check_exactly, nats_server
from hostile_broker import HostileServer, stream_info
from test_publish_limits import SUBJECTS, make_stream
from test_publish_rights import users
from watching import WatchedCollector

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/operations.md"
STATUS = {"ok": 0, "degraded": 1, "stopped": 2}
SMALL = ["--peers", "1", "--prefixes", "200", "--seed", "3"]
# About 12 MB of updates.
LARGE = ["--peers", "1", "--prefixes", "60000", "--seed", "3"]


@pytest.fixture
def collect(server, arancini, tmp_path):
    def start(url, *options, folder="state"):
        return WatchedCollector(
            server, arancini, tmp_path / folder, "--workers", "1", "--nats",
            url, "--nats-max-bytes", "512M", "--collector-id", "c1",
            *options)
    return start


def check(c, status, cause, words=""):
    """All places say that the output is so, and why."""
    output = c.http.until(lambda s: s["output"]["cause"] == cause)["output"]
    assert output["status"] == status
    metrics = c.http.metrics()
    assert metrics.sum("arancini_output_status") == STATUS[status]
    ready = c.http.ask("GET", "/readyz")
    assert ready.status == (503 if status == "stopped" else 200)
    assert ready.json["ready"] == (status != "stopped")
    assert metrics.sum("arancini_ready") == (status != "stopped")
    assert (ready.json["output"] == "blocked") == (status == "stopped")
    if status == "ok":
        assert metrics.by("arancini_output_cause", "cause") == {}
        for member in ("cause", "why", "action"):
            assert output[member] is None
        for member in ("degraded", "why", "action"):
            assert ready.json[member] is None
        return
    assert metrics.by("arancini_output_cause", "cause") == {cause: 1}
    assert re.search(words, output["why"]), output["why"]
    assert ready.json["degraded"] == (
        cause if status == "degraded" else None)
    assert re.search(words, ready.json["why"])
    assert output["action"] == ready.json["action"] != ""
    level = "error" if status == "stopped" else "warning"
    c.until_said(f"level={level} event=output status={status} cause={cause} "
                 f"why=.*{words}.*action=")


def check_over(c):
    check(c, "ok", None)
    c.until_said("level=info event=output status=ok")


def test_a_start_without_trouble(collect, broker):
    broker.start()
    c = collect(broker.url)
    c.send("generate", *SMALL)
    c.http.until(lambda s: s["output"]["updates"] >= 200)
    check(c, "ok", None)
    c.stop()
    assert not c.said("level=(warning|error)"), c.server.output
    assert not c.said("event=output")


def test_broker_away(collect, broker):
    c = collect(broker.url)
    check(c, "degraded", "broker_away")
    c.send("generate", *SMALL)
    c.until_said("event=session_close")
    broker.start()
    check_over(c)
    broker.kill()
    check(c, "degraded", "broker_away")
    c.stop()


def test_no_jetstream(collect, broker, server, free_port):
    port = free_port()
    server([nats_server(), "-a", "127.0.0.1", "-p", str(port)],
           ready="Server is ready", timeout=60)
    c = collect(f"nats://127.0.0.1:{port}")
    check(c, "degraded", "no_jetstream", "no JetStream answers")
    c.stop()


def test_state_in_a_server_without_jetstream(server, arancini, tmp_path,
                                             free_port):
    port = free_port()
    server([nats_server(), "-a", "127.0.0.1", "-p", str(port)],
           ready="Server is ready", timeout=60)
    run = subprocess.run(
        [arancini, "run", "--listen", "127.0.0.1:0", "--http", "off",
         "--state", f"nats://127.0.0.1:{port}", "--journal",
         tmp_path / "journal", "--restore-wait", "1s"],
        capture_output=True, text=True, timeout=120)
    assert run.returncode != 0
    assert re.search("event=state_store_failed .*no JetStream answers",
                     run.stdout + run.stderr), run
    assert "endpoint" not in run.stdout + run.stderr


def test_refused(collect, broker):
    broker.start()
    with broker.client() as client:
        make_stream(client, max_msgs_per_subject=1)
        c = collect(broker.url)
        check(c, "stopped", "refused", "max_msgs_per_subject")
        make_stream(client, "UPDATE", max_msgs_per_subject=-1)
    check_over(c)
    c.stop()


def test_stream_full(collect, broker):
    broker.start()
    with broker.client() as client:
        make_stream(client, max_bytes=20000, discard="new")
        c = collect(broker.url)
        c.send("generate", *SMALL)
        check(c, "degraded", "stream_full", "10077")
        make_stream(client, "UPDATE", max_bytes=1 << 28, discard="new")
    check_over(c)
    c.stop()


def test_no_room_for_the_stream(collect, broker):
    broker.start()
    c = collect(broker.url, "--nats-max-bytes", "100G")
    check(c, "degraded", "stream_full", "--nats-max-bytes")
    c.stop()


def test_no_rights(collect, broker, tmp_path):
    (tmp_path / "secret").write_text("s3cret\n")
    broker.start(users("arancini.updates.>"))
    c = collect(broker.url, "--nats-user", "c", "--nats-password-file",
                tmp_path / "secret")
    check(c, "ok", None)
    c.send("generate", *SMALL)
    check(c, "degraded", "no_rights", r"arancini\.updates\.v4_127_0_0_1")
    broker.terminate()
    broker.start(users())
    check_over(c)
    c.stop()


def test_too_small(collect, broker):
    broker.start("max_payload: 4096\n")
    c = collect(broker.url)
    check(c, "stopped", "too_small", "max_payload is 4096")
    broker.terminate()
    broker.start("")
    check_over(c)
    c.stop()


def test_superseded(collect, broker):
    broker.start()
    c = collect(broker.url)
    c.until_said("event=publisher state=ready")
    other = collect(broker.url, folder="other")
    other.until_said("event=publisher state=ready")
    c.send("generate", *SMALL)
    check(c, "stopped", "superseded", "another process")
    check(other, "ok", None)
    c.server.stop(timeout=60)
    other.stop()


@pytest.fixture
def small_disk(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    folder = tmp_path / "small"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none",
                           folder], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"cannot mount: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def check_full(c, broker, cause):
    load = c.start_sending("generate", *LARGE)
    check(c, "stopped", cause)
    broker.start()
    assert load.wait(120) == 0
    c.until_said("event=session_close")
    c.http.until(lambda s: not s["output"]["spooling"]
                 and s["output"]["waiting"] + s["output"]["inFlight"] == 0)
    check_over(c)
    c.stop()


def test_disk_full(collect, broker, small_disk):
    """So small that what waits in memory does not fit at once."""
    c = collect(broker.url, "--journal", small_disk / "spool")
    check_full(c, broker, "disk_full")


def fill_disk(folder):
    filler = folder / "filler"
    with open(filler, "wb", buffering=0) as file:
        for size in (65536, 4096):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * size)
    return filler


@pytest.mark.parametrize("known", [True, False], ids=["again", "first"])
def test_started_on_a_full_disk(server, arancini, tmp_path, small_disk, known):
    """The journal is the output: nothing can be kept until there is room."""
    journal = small_disk / "journal"
    argv = (server, arancini, tmp_path / "state", "--workers", "1",
            "--journal", journal)
    if known:
        c = WatchedCollector(*argv)
        c.stop()
        (journal / "epoch").unlink()
    else:
        journal.mkdir()
    filler = fill_disk(small_disk)
    c = WatchedCollector(*argv)
    check(c, "stopped", "disk_full", "No space left on device")
    load = c.start_sending("generate", *SMALL)
    filler.unlink()
    assert load.wait(60) == 0
    c.until_said("event=session_close")
    check_over(c)
    c.stop()
    opens = []
    for segment in journal_file.segments(journal):
        data = segment.read_bytes()
        opens += [b"collector.epoch" in data[at:at + size]
                  for at, size in journal_file.records(data)]
    # One event opens each run, before what the run published.
    assert opens[:1 + known] == [True] * (1 + known)
    assert len(opens) > 1 + known and not any(opens[1 + known:])


def test_spool_full(collect, broker):
    c = collect(broker.url, "--spool-max", "1M", "--journal-segment-bytes",
                "1M")
    check_full(c, broker, "spool_full")


def hostile_answer(update):
    """Of a server whose stream is always empty, and answers @update to what is
    not an epoch."""
    def answer(subject, _):
        if "STREAM.INFO" in subject:
            return json.dumps(stream_info("ARANCINI", SUBJECTS)).encode()
        if "MSG.GET" in subject:
            return (b'{"error":{"code":404,"err_code":10037,'
                    b'"description":"no message found"}}')
        if subject.endswith("collector.epoch"):
            return b'{"stream":"ARANCINI","seq":1}'
        return update
    return answer


def test_no_progress(collect):
    """It answers, and stores nothing."""
    hostile = HostileServer(hostile_answer(None))
    try:
        c = collect(hostile.url, "--drain-timeout", "2s")
        check(c, "ok", None)
        c.send("generate", *SMALL)
        check(c, "degraded", "no_progress")
        c.server.stop(timeout=60)
    finally:
        hostile.close()


def test_not_stored(collect):
    hostile = HostileServer(hostile_answer(
        b'{"error":{"code":500,"err_code":10109,"description":"not today"}}'))
    try:
        c = collect(hostile.url, "--drain-timeout", "2s")
        c.send("generate", *SMALL)
        check(c, "degraded", "not_stored", "10109 not today")
        c.server.stop(timeout=60)
    finally:
        hostile.close()


def test_starts_over_without_progress(broker, tmp_path):
    """A minute, which is shorter here: a new connection, a new epoch."""
    broker.start(users("arancini.updates.>"))
    driver = Driver(tmp_path / "drivers", [
        "--server", broker.url, "--journal", tmp_path / "spool", "--count",
        100, "--user", "c", "--password", "s3cret", "--stuck-ms", 1000,
        "--max-bytes", 1 << 28])
    try:
        first = driver.wait_for(lambda s: s["epoch"] and s["safe"] >= 96)
        driver.wait_for(lambda s: s["epoch"] > first["epoch"])
        assert "starting over" in driver.err.read_text()
        broker.terminate()
        broker.start(users())
        driver.wait_published()
        driver.stop()
    finally:
        driver.kill()
    with broker.client(user="reader", password="s3cret") as client:
        check_exactly(client, 100)


def test_causes_are_described(collect, broker):
    """docs/operations.md has a row for each, and no other."""
    c = collect(broker.url)
    causes = {labels["cause"] for labels, _ in
              c.http.metrics().samples["arancini_output_cause"]}
    section = PAGE.read_text().split("### Output")[1].split("\n### ")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", section, re.M))
    assert set(rows) == causes
    assert set(rows.values()) == {"degraded", "stopped"}
    c.stop()
