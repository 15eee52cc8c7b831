"""docs/chaos.md has a table of what README and docs promise about outages, each
with the tests that back it. The words are there, and so are the tests."""

import re

import pytest


@pytest.fixture(scope="module")
def claims(tree):
    """[(file, words, [test])]"""
    page = (tree / "docs" / "chaos.md").read_text()
    section = page.split("\n## What is promised, and the test of it\n")[1]
    rows = re.findall(r"^\| `(\S+)` \| (.+) \| (.+) \|$",
                      section.split("\n## ")[0], re.M)
    return [(file, words, re.findall(r"`([^`]+)`", tests))
            for file, words, tests in rows]


def one_line(text):
    return " ".join(text.split())


def test_there_are_claims(claims):
    assert len(claims) >= 20
    assert all(tests for _, _, tests in claims)


def test_words_are_where_the_table_says(tree, claims):
    missing = [(file, words) for file, words, _ in claims
               if one_line(words) not in one_line((tree / file).read_text())]
    assert missing == []


def test_tests_exist(tree, claims):
    missing = []
    for name in {name for _, _, tests in claims for name in tests}:
        file, test = name.split("::")
        path = tree / "tests" / "system" / file
        if not path.exists() or not re.search(rf"^def {test}\(",
                                              path.read_text(), re.M):
            missing.append(name)
    assert missing == []
