"""A journal or spool that a disk, a crash or a person has changed: what is
lost is named and consumers end with the right tables all the same."""

import json
import shutil
import subprocess

import pytest

from collecting import Collector, consumer_tables
from journal_file import (flip, newest, records, segments, set_version,
                          shift_times)
from router import Router
from test_restore import (paths, resyncs, table, until_filed, until_swept)

TOKEN = "v4_127_0_0_1"
OPTIONS = ["--snapshot-interval", "1s", "--nats-max-bytes", "1G"]


@pytest.fixture
def collector(server, arancini, tmp_path):
    def start(*options):
        return Collector(server, arancini, tmp_path / "state", *OPTIONS,
                         *options)
    return start


def read_stream(arancini, broker):
    run = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--since", "all",
         "--idle-exit", "1", "--json"],
        capture_output=True, text=True, timeout=120, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def start_without_broker(collector, broker, *options):
    """A collector that knows its stream and has lost the broker."""
    broker.start()
    c = collector("--nats", broker.url, *options)
    c.until_said("event=publisher state=ready")
    broker.kill()
    c.until_said("event=publisher state=(settling|backoff)")
    return c


def spool_something(collector, broker, tmp_path, wanted):
    """A spool of two bursts with a snapshot that relies on it."""
    c = start_without_broker(collector, broker)
    with Router(c.port) as router:
        router.dump(dict(list(wanted.items())[:len(wanted) // 2]))
        until_filed(c, tmp_path, TOKEN)
        size = sum(p.stat().st_size for p in segments(c.journal))
        router.dump(wanted)
        c.server.wait_until(lambda _: sum(
            p.stat().st_size for p in segments(c.journal)) > size, 60)
        c.stop()
    return c.journal


def damage_header(journal):
    flip(newest(journal), 24)
    return newest(journal)


def damage_record(journal):
    """The first record of the newest segment that has some."""
    path = [p for p in segments(journal)
            if len(list(records(p.read_bytes()))) > 1][-1]
    flip(path, 64 + 70)
    return path


@pytest.mark.parametrize("damage", [damage_header, damage_record])
def test_a_damaged_segment_of_the_spool(damage, collector, broker, arancini,
                                        tmp_path):
    wanted = table(200)
    journal = spool_something(collector, broker, tmp_path, wanted)
    path = damage(journal)
    size = path.stat().st_size
    broker.start()
    c = collector("--nats", broker.url)
    c.until_said("event=publisher state=ready spooling=false")
    with Router(c.port) as router:
        router.dump(wanted)
        c.server.wait_until(
            lambda _: paths(read_stream(arancini, broker)) == wanted, 60)
    assert c.said(f"event=publisher .*{path.name} is damaged at offset")
    assert c.said(r"event=restored .*resyncs=1")
    assert path.with_suffix(".damaged").stat().st_size == size
    c.stop()


def test_a_damaged_older_segment_of_the_spool(collector, broker, arancini,
                                              tmp_path):
    """It is passed over, named once, and publishing goes on behind it."""
    wanted = table(250)
    c = start_without_broker(collector, broker, "--journal-segment-bytes",
                             "1M", "--batch-compress", "none")
    with Router(c.port) as router:
        for i in range(1, 1000):
            router.dump({p: (65010, i) for p in wanted})
            if len(segments(c.journal)) > 1:
                break
        router.dump(wanted)
        until_filed(c, tmp_path, TOKEN)
        c.stop()
    oldest = segments(c.journal)[0]
    flip(oldest, 64 + 70)
    broker.start()
    c = collector("--nats", broker.url)
    c.until_said("event=publisher state=ready spooling=false")
    with Router(c.port) as router:
        router.dump(wanted)
        c.server.wait_until(
            lambda _: paths(read_stream(arancini, broker)) == wanted, 60)
    assert len(c.said(f"event=publisher .*{oldest.name} is damaged at "
                      "offset 64; the rest of it is passed over")) == 1
    c.stop()


def test_an_older_segment_of_the_spool_that_is_missing(collector, broker,
                                                       arancini, tmp_path):
    """No snapshot relies on it, but what is left comes behind a gap."""
    wanted = table(250)
    broker.start()
    c = collector("--nats", broker.url)
    with Router(c.port) as router:
        router.dump(wanted)
        until_filed(c, tmp_path, TOKEN)
    c.stop()
    c = collector("--nats", broker.url, "--journal-segment-bytes", "1M",
                  "--batch-compress", "none", "--snapshot-interval", "1h")
    c.until_said("event=publisher state=ready")
    broker.kill()

    def spooled():
        return [path for path in segments(c.journal)
                if len(list(records(path.read_bytes()))) > 1]
    with Router(c.port) as router:
        for i in range(1, 1000):
            router.dump({p: (65010, i) for p in wanted})
            if len(spooled()) > 1:
                break
        c.kill()
    spooled()[0].unlink()
    broker.start()
    c = collector("--nats", broker.url)
    assert c.said("event=resync why=\"records are missing in the spool\"")
    with Router(c.port) as router:
        router.dump(wanted)
        c.server.wait_until(
            lambda _: paths(read_stream(arancini, broker)) == wanted, 60)
    c.stop()


def remove(path, _):
    path.unlink()


@pytest.mark.parametrize("damage", [flip, remove])
def test_the_spool_is_damaged_while_it_is_in_use(damage, collector, broker,
                                                 arancini, tmp_path):
    """The newest segment, which is still written to."""
    wanted = table(200)
    c = start_without_broker(collector, broker)
    with Router(c.port) as router:
        router.dump(dict(list(wanted.items())[:100]))
        until_filed(c, tmp_path, TOKEN)
        damage(newest(c.journal), 64 + 70)
        router.dump(wanted)
        broker.start()
        c.server.wait_until(
            lambda _: paths(read_stream(arancini, broker)) == wanted, 60)
        assert len(c.said("all tables are published again")) == 1
        assert TOKEN in resyncs(read_stream(arancini, broker))
        c.stop()


def test_a_segment_of_a_later_version_is_refused(collector, server, arancini,
                                                 tmp_path):
    c = collector()
    c.stop()
    path = newest(c.journal)
    set_version(path, 99)
    content = path.read_bytes()
    run = server([arancini, "run", "--listen", "127.0.0.1:0", "--state",
                  tmp_path / "state", "--http", "off"])
    assert run.wait(timeout=30) == 1
    assert f"{path.name} was written by a later version" in run.output
    assert path.read_bytes() == content
    done = subprocess.run(
        [arancini, "tail", "--journal", c.journal, "--since", "all",
         "--idle-exit", "1"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert f"{path.name} was written by a later version" in done.stderr


@pytest.mark.parametrize("where", ["in a record", "between records"])
def test_a_segment_that_is_cut_to_a_tenth(where, collector, arancini,
                                          tmp_path):
    """The journal is the output. What a snapshot relies on is gone: the router
    is published again; positions of before are refused, and whoever follows is
    told."""
    wanted = table(200)
    c = collector()
    with Router(c.port) as router:
        router.dump(wanted)
        until_swept(c)
        until_filed(c, tmp_path, TOKEN)
        follower = subprocess.Popen(
            [arancini, "tail", "--journal", c.journal, "--since", "all"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        last = None
        while last is None or last["kind"] != "swept":
            last = json.loads(follower.stdout.readline())
        c.stop()
    path = newest(c.journal)
    data = path.read_bytes()
    mark = next(line for line in
                (tmp_path / "state/snapshots/manifest").read_text().split("\n")
                if line.startswith("mark "))[len("mark "):]
    size = len(data) // 10
    if where == "between records":
        size = [at for at, _ in records(data) if at <= max(size, 64)][-1]
    path.write_bytes(data[:size])
    c = collector()
    if where == "in a record":
        assert c.said(f"event=publisher .*{path.name} is truncated: cut at "
                      r"offset \d+")
    assert c.said(r"event=restored .*resyncs=1")
    _, said = follower.communicate(timeout=60)
    assert follower.returncode == 1
    assert "cut off after a crash" in said
    for text in (mark, mark[:-1] + str((int(mark[-1]) + 1) % 10)):
        done = subprocess.run(
            [arancini, "tail", "--journal", c.journal, "--since", text,
             "--idle-exit", "1"], capture_output=True, text=True, timeout=60)
        assert done.returncode == 1
        assert "no record begins at the mark" in done.stderr
    with Router(c.port) as router:
        router.dump(wanted)
        c.server.wait_until(lambda _: paths(c.published()) == wanted, 60)
    c.stop()


def test_a_follower_notices_a_journal_that_was_made_anew(collector, arancini):
    c = collector()
    follower = subprocess.Popen(
        [arancini, "tail", "--journal", c.journal, "--since", "all"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert json.loads(follower.stdout.readline())["kind"] == "epoch"
    c.stop()
    again = c.journal.with_name("made-anew")
    c.journal.rename(again)
    c = collector()
    _, said = follower.communicate(timeout=60)
    assert follower.returncode == 1
    assert "another journal is there now" in said or "was removed" in said
    c.stop()


def test_new_does_not_go_by_the_clock(collector, arancini):
    """The collector's clock was an hour ahead of ours when it wrote this."""
    c = collector()
    c.stop()
    for path in segments(c.journal):
        shift_times(path, 3600)
    done = subprocess.run(
        [arancini, "tail", "--journal", c.journal, "--since", "new",
         "--idle-exit", "1", "--json"],
        capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def fill_segments(c, wanted, count=4):
    """Until so many segments have records; ends with @wanted."""
    def filled():
        return [path for path in segments(c.journal)
                if len(list(records(path.read_bytes()))) > 1]
    with Router(c.port) as router:
        for i in range(1, 3000):
            router.dump({p: (65010, i) for p in wanted})
            if len(filled()) >= count:
                break
        router.dump(wanted)
        until_swept(c)
        c.server.wait_until(lambda _: paths(c.published()) == wanted, 60)
    return filled()


@pytest.mark.parametrize("how", ["removed", "cut"])
def test_a_middle_segment_of_the_journal_that_is_missing(how, collector,
                                                         tmp_path):
    """It is named once, and what late consumers lack comes again."""
    wanted = table(250)
    options = ["--journal-segment-bytes", "1M", "--batch-compress", "none"]
    c = collector(*options)
    filled = fill_segments(c, wanted)
    c.stop()
    if how == "removed":
        filled[1].unlink()
        named = filled[2].name
    else:
        data = filled[1].read_bytes()
        filled[1].write_bytes(data[:[at for at, _ in records(data)][-1]])
        named = filled[2].name
    c = collector(*options)
    c.until_said(f"event=publisher .*lacks records before {named}")
    assert c.said("event=resync why=\"a segment is damaged or missing\"")
    with Router(c.port) as router:
        router.dump(wanted)
        until_filed(c, tmp_path, TOKEN)
    c.stop()
    c = collector(*options)
    assert not c.said("lacks records")
    assert c.said("event=restored .*resyncs=0")
    c.stop()


def test_a_middle_segment_of_the_spool_that_is_missing(collector, broker,
                                                       arancini):
    """It is named, counted, and all tables come again behind it."""
    wanted = table(250)
    c = start_without_broker(collector, broker, "--journal-segment-bytes",
                             "1M", "--batch-compress", "none")
    with Router(c.port) as router:
        for i in range(1, 3000):
            router.dump({p: (65010, i) for p in wanted})
            if len(segments(c.journal)) > 3:
                break
        router.dump(wanted)
        c.kill()
    missing = segments(c.journal)[1]
    missing.unlink()
    broker.start()
    c = collector("--nats", broker.url)
    c.until_said(f"event=publisher .*{missing.name} is missing")
    c.until_said("event=publisher state=ready spooling=false")
    with Router(c.port) as router:
        router.dump(wanted)
        c.server.wait_until(
            lambda _: paths(read_stream(arancini, broker)) == wanted, 60)
    c.stop()


def test_the_newest_segment_of_the_journal_is_removed(collector, tmp_path):
    """While it is written to: nothing more goes to a file that nobody sees."""
    wanted = table(50)
    c = collector()
    with Router(c.port) as router:
        router.dump(table(30))
        until_filed(c, tmp_path, TOKEN)
        removed = newest(c.journal)
        removed.unlink()
        c.until_said("event=publisher .*the newest segment of the journal was removed")
        router.dump(wanted)
        c.server.wait_until(lambda _: paths(c.published()) == wanted, 60)
        assert newest(c.journal).name > removed.name
        c.until_said("event=resync")
        until_filed(c, tmp_path, TOKEN)
    c.stop()
    c = collector()
    assert c.said("event=restored routers=1 routes=50 .*resyncs=0")
    c.stop()


def test_the_folder_of_the_journal_is_removed(collector, tmp_path):
    """It is made again."""
    wanted = table(50)
    c = collector()
    with Router(c.port) as router:
        router.dump(table(30))
        until_filed(c, tmp_path, TOKEN)
        shutil.rmtree(c.journal)
        c.until_said("event=publisher .*the newest segment of the journal was "
                     "removed")
        router.dump(wanted)
        c.server.wait_until(lambda _: paths(c.published()) == wanted, 60)
        until_filed(c, tmp_path, TOKEN)
    c.stop()
    c = collector()
    assert c.said("event=restored routers=1 routes=50 ")
    c.stop()


def test_the_folder_of_the_spool_is_removed(collector, broker, arancini):
    """Publishing goes on when the broker is back, and tables come again."""
    wanted = table(50)
    c = start_without_broker(collector, broker)
    shutil.rmtree(c.journal)
    with Router(c.port) as router:
        router.dump(table(30))
        c.until_said("event=publisher .*spooling to disk")
        broker.start()
        c.until_said("event=publisher .*the segments in .* are gone")
        router.dump(wanted)
        c.server.wait_until(
            lambda _: paths(read_stream(arancini, broker)) == wanted, 60)
    c.stop()
