"""A bucket with limits of its own: values are cut by what it takes, and a
limit that is in the way is named."""

import re
import subprocess

import pytest

from test_restore_kv import (BUCKET, broker, collector, keys,  # noqa: F401
                             until_filed)

LARGE = ["generate", "--prefixes", "30000", "--attr-sets", "1", "--seed", "4",
         "--nlri-per-update", "1"]


def set_bucket(broker, what="UPDATE", **settings):
    with broker.client() as client:
        answer = client.api(f"STREAM.{what}.{BUCKET}", {
            "name": BUCKET, "subjects": ["$KV.arancini-state.>"],
            "retention": "limits", "max_msgs_per_subject": 1,
            "discard": "new", "storage": "file", "allow_direct": True,
            "allow_rollup_hdrs": True, "deny_delete": True, **settings})
    assert "error" not in answer, answer


def longest(broker):
    return max(len(value) for value in keys(broker).values())


def check_restored(collector):
    c = collector()
    assert c.said("event=restored routers=1 routes=..... .*resyncs=0")
    c.stop()


def test_values_are_cut_by_max_value_size(collector, broker):
    set_bucket(broker, "CREATE", max_msg_size=16384)
    c = collector()
    c.send(*LARGE)
    c.until_said("event=session_close")
    c.stop()
    assert not c.said("event=(snapshot|manifest|final_snapshot)_failed")
    assert 4096 < longest(broker) <= 16384
    check_restored(collector)


def test_who_only_reads_takes_any_bucket(collector, broker, arancini):
    c = collector()
    c.send(*LARGE)
    c.until_said("event=session_close")
    c.stop()
    set_bucket(broker, max_age=3600 * 10**9)
    run = subprocess.run([arancini, "snapshot", "ls", broker.url],
                         capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run


def test_max_value_size_is_lowered_while_it_runs(collector, broker):
    c = collector()
    c.send(*LARGE)
    c.until_said("event=session_close")
    until_filed(c, broker)
    assert longest(broker) > 16384
    set_bucket(broker, max_msg_size=16384)
    c.send(*LARGE[:2], "31000", *LARGE[3:])
    c.until_said("event=snapshot_failed .*max_value_size was lowered")
    c.stop()
    assert not c.said("event=final_snapshot_failed")
    check_restored(collector)


def test_max_payload_is_lowered_while_it_runs(collector, broker):
    c = collector()
    c.send(*LARGE)
    c.until_said("event=session_close")
    until_filed(c, broker)
    assert longest(broker) > 20000
    broker.terminate()
    broker.start("max_payload: 20000\n")
    c.until_said("event=publisher state=ready spooling=false", 2)
    c.send(*LARGE[:2], "31000", *LARGE[3:])
    c.until_said("event=session_close", 2)
    c.stop()
    assert not c.said("event=final_snapshot_failed")
    check_restored(collector)


def test_a_full_bucket(collector, broker):
    """It is said, the files that are there stay, and it goes on with room."""
    set_bucket(broker, "CREATE", max_bytes=20000)
    c = collector()
    c.send(*LARGE[:2], "10", *LARGE[3:])
    until_filed(c, broker)
    c.send(*LARGE)
    c.until_said("event=snapshot_failed .*No space left.*max_bytes")
    set_bucket(broker, max_bytes=-1)
    c.stop()
    assert not c.said("event=final_snapshot_failed")
    check_restored(collector)


@pytest.mark.parametrize("settings, said", [
    ({"max_msg_size": 1024}, "max_value_size.*1024"),
    ({"max_age": 3600 * 10**9}, "a ttl .max_age"),
    ({"max_bytes": 1 << 20, "discard": "old"}, "discard old")])
def test_a_setting_that_cannot_work(broker, arancini, tmp_path, settings,
                                    said):
    set_bucket(broker, "CREATE", **settings)
    run = subprocess.run(
        [arancini, "run", "--listen", "127.0.0.1:0", "--http", "off",
         "--state", broker.url, "--journal", tmp_path / "journal", "--nats",
         broker.url], capture_output=True, text=True, timeout=60)
    assert run.returncode != 0
    assert re.search(f"event=state_store_failed .*{said}", run.stderr), run
