"""A few candidates of the search for messages that cost too much, always the
same ones; "make hostile-search" looks for others."""

from neighbour import is_sanitized
from search import OPTIONS, Search
from watching import WatchedCollector

CANDIDATES = 10


def test_candidates_of_one_seed(server, arancini, tmp_path):
    c = WatchedCollector(server, arancini, tmp_path / "state", *OPTIONS)
    # Short paths: it is about the number of things that can happen, and a
    # turn is cut a thousand times in a second, too.
    search = Search(c, seed=18, longest=200)
    try:
        for _ in range(CANDIDATES):
            steps, cost, over = search.step()
            if is_sanitized(c):
                over = [what for what in over if what in ("turn", "routes")]
            assert not over, f"{over}: {cost}, {steps}"
    finally:
        search.stop()
    c.stop()
