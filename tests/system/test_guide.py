"""docs/runtime.md shows only code that is compiled and run, and names only
what exists."""

import re

import pytest


@pytest.fixture(scope="module")
def guide(tree):
    return (tree / "docs/runtime.md").read_text()


@pytest.fixture(scope="module")
def examples(tree):
    return {path.stem: path.read_text()
            for path in (tree / "examples").glob("*.c")}


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


def contains(program, snippet):
    length = len(snippet)
    return any(program[i:i + length] == snippet
               for i in range(len(program) - length + 1))


def test_every_snippet_is_from_an_example(guide, examples):
    programs = [lines(text) for text in examples.values()]
    snippets = re.findall(r"^```c\n(.*?)^```", guide, re.M | re.S)
    assert len(snippets) > 10
    strangers = [s for s in snippets
                 if not any(contains(p, lines(s)) for p in programs)]
    assert strangers == []


def test_every_header_and_example_is_named(tree, guide, examples):
    headers = {p.name for p in (tree / "include/spargio").iterdir()}
    # Parts to build with, not ways to use the runtime.
    parts = {"spsc.h", "waiters.h"}
    assert sorted(h for h in headers - parts
                  if f"`{h}`" not in guide) == []
    assert sorted(e for e in examples if f"`{e}.c`" not in guide) == []


def test_every_header_has_one_row(guide):
    rows = re.findall(r"^\| ([^|]*\.h`[^|]*) \|", guide, re.M)
    named = [h for row in rows for h in re.findall(r"`(\w+\.h)`", row)]
    assert len(named) > 20
    assert sorted(h for h in set(named) if named.count(h) > 1) == []


def test_every_example_named_is_built(arancini, guide):
    named = set(re.findall(r"\bexample_(\w+)", guide))
    built = {p.name.removeprefix("example_")
             for p in (arancini.parent / "examples").glob("example_*")
             if p.is_file()}
    assert len(named) > 5
    assert sorted(named - built) == []


def test_every_function_named_exists(tree, guide):
    headers = "".join(p.read_text()
                      for p in (tree / "include/spargio").iterdir())
    named = set(re.findall(r"\bsp_\w+(?=\()", guide))
    assert sorted(n for n in named
                  if not re.search(rf"\b{n}\(", headers)) == []


def test_every_target_and_file_named_exists(tree, guide):
    makefile = (tree / "Makefile").read_text()
    targets = set(re.findall(r"`make ([a-z-]+)", guide))
    assert sorted(t for t in targets
                  if not re.search(rf"^{t}:", makefile, re.M)) == []
    files = set(re.findall(r"`((?:tests|tools|examples)/[\w/]+\.\w+)", guide))
    assert sorted(f for f in files if not (tree / f).exists()) == []
