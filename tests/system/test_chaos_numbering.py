"""What the fault driver's consumer takes for a breach of the rule of sequences
(docs/schema.md, field 43) and what not."""

import importlib.util

import pytest

ANNOUNCE, WITHDRAW = object(), None


@pytest.fixture
def numbering(tree):
    path = tree / "tests" / "chaos" / "numbering.py"
    spec = importlib.util.spec_from_file_location("numbering", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    one = module.Numbering()
    assert says(one, 1, 2, 3) == []
    return one


def says(one, *numbers, value=ANNOUNCE):
    """The rules that updates with these numbers break."""
    rules = [one.accept(number, (f"route {number}", value))[1]
             for number in numbers]
    return [rule for rule in rules if rule is not None]


def test_a_gap(numbering):
    assert says(numbering, 5) == ["sequence"]
    assert says(numbering, 6, 7) == []


def test_another_update_of_a_number_that_was_there(numbering):
    assert says(numbering, 3) == []
    assert says(numbering, 3, value=WITHDRAW) == ["sequence"]


def test_a_gap_behind_a_resync(numbering):
    numbering.resync(new_collector=False)
    assert says(numbering, 9, 10) == []
    assert says(numbering, 12) == ["sequence"]


def test_a_peer_that_is_removed_and_returns(numbering):
    numbering.remove_peer()
    assert says(numbering, 4, 5, value=WITHDRAW) == []
    assert says(numbering, 9, 10) == []
    assert says(numbering, 12) == ["sequence"]


def test_a_gap_within_the_withdraws_of_a_removed_peer(numbering):
    numbering.remove_peer()
    assert says(numbering, 4, value=WITHDRAW) == []
    assert says(numbering, 6, value=WITHDRAW) == []
    assert says(numbering, 8, value=WITHDRAW) == ["sequence"]


@pytest.mark.parametrize("seen", [True, False])
def test_a_peer_that_is_removed_behind_a_resync(numbering, seen):
    """The stream was lost with what the consumer had not read of it, maybe the
    Peer Down as well: a gap, the withdraws, and another gap (seed 80238)."""
    numbering.resync(new_collector=False)
    if seen:
        numbering.remove_peer()
    assert says(numbering, 319, 320, 321, value=WITHDRAW) == []
    assert says(numbering, 448, 449) == []
    assert says(numbering, 451) == ["sequence"]


def test_a_number_that_falls_back(numbering):
    assert says(numbering, 4) == []
    numbering.resync(new_collector=False)
    assert says(numbering, 1) == ["sequence-falls-back"]
    numbering.resync(new_collector=True)
    assert says(numbering, 1, 2) == []
