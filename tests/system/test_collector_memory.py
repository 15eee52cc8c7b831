"""No memory for what is to be published: consumers get it later."""

import pytest

from bmp import Peer, initiation
from collecting import connect, consumer_tables

A = Peer("192.0.2.10", 64510)
PREFIXES = [f"10.1.{n}.0/24" for n in range(200)]
# A batch for so many routes; nothing else is that large here.
STARVE_FROM = "50000"


def dump(c):
    with connect(c) as sock:
        sock.sendall(initiation() + A.up() + A.announce("10.0.0.0/24")
                     + A.announce(*PREFIXES))
    c.until_said("event=session_close")


@pytest.fixture
def starving(watched, arancini, tmp_path):
    """start(*options) -> collector, which lost some of an announcement."""
    hunger = tmp_path / "hunger"
    library = arancini.parent / "tests" / "libstarve.so"

    def start(*options):
        c = watched("--batch-max-bytes", "1M", *options, env={
            "LD_PRELOAD": str(library), "STARVE_FILE": str(hunger),
            "STARVE_FROM": STARVE_FROM})
        hunger.touch()
        dump(c)
        hunger.unlink()
        assert c.http.metrics().sum("arancini_batch_lost_total") > 0
        return c
    return start


def published(c):
    return {f"{route[-3]}/{route[-2]}"
            for table in consumer_tables(c.published()).values()
            for route in table}


def test_what_was_lost_is_published_again(starving):
    c = starving("--snapshot-interval", "1s")
    c.until_said("event=resync .*for want of memory.* routers=1")
    c.server.wait_until(lambda _: len(published(c)) == 1 + len(PREFIXES), 30)
    c.stop()
    assert published(c) == {"10.0.0.0/24", *PREFIXES}


def test_what_was_lost_is_not_held_for_published_by_the_next_run(starving,
                                                                 watched):
    c = starving("--snapshot-interval", "1h")
    c.stop()
    assert len(published(c)) < 1 + len(PREFIXES)
    c = watched()
    dump(c)
    c.stop()
    assert published(c) == {"10.0.0.0/24", *PREFIXES}
