"""Documents: decisions and their index, links between pages, the functions
that docs/architecture.md names."""

import re
import subprocess


def slug(title):
    return re.sub(r"[^a-z0-9]+", "-", title.lower().replace("'", "")).strip("-")


def decisions(tree):
    """{number: (file name, title)}"""
    found = {}
    for path in (tree / "docs/decisions").glob("[0-9]*.md"):
        head = path.read_text().splitlines()[0]
        number, title = re.fullmatch(r"# (\d{4}): (.+)", head).groups()
        found[number] = (path.name, title)
    return found


def test_a_decision_is_named_after_its_title(tree):
    wrong = [(name, title) for number, (name, title) in decisions(tree).items()
             if name != f"{number}-{slug(title)}.md"]
    assert wrong == []


def test_the_index_lists_every_decision(tree):
    page = (tree / "docs/decisions/README.md").read_text()
    rows = re.findall(r"^\| \[(\d{4})\]\((\S+)\) \| (.+?) \| .+ \| .+ \|$", page,
                      re.M)
    assert {number: (file, title) for number, file, title in rows} == \
        decisions(tree)


def test_a_merged_decision_has_no_file(tree):
    page = (tree / "docs/decisions/README.md").read_text()
    merged = dict(re.findall(r"^\| (\d{4}) \| .+merged into \[(\d{4})\]", page,
                             re.M))
    known = decisions(tree)
    assert merged
    assert not merged.keys() & known.keys()
    assert set(merged.values()) <= known.keys()


def test_links_between_pages_resolve(tree):
    broken = []
    for path in [*tree.glob("*.md"), *(tree / "docs").rglob("*.md")]:
        text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)", text):
            if "://" not in target and not (path.parent / target).exists():
                broken.append((str(path.relative_to(tree)), target))
    assert broken == []


def test_architecture_names_functions_that_exist(tree):
    page = (tree / "docs/architecture.md").read_text()
    named = set(re.findall(r"\b([a-z_][a-z_0-9]*_[a-z_0-9]+)\(\)", page))
    sources = "\n".join(path.read_text()
                        for top in ("src", "include")
                        for path in (tree / top).rglob("*.[ch]"))
    defined = set(re.findall(r"\b([a-z_][a-z_0-9]*)\(", sources))
    assert len(named) >= 40
    assert sorted(named - defined) == []


def test_the_tests_of_protocol_rules_exist(tree):
    """`test_bmp_peer`: `rule_05_…`, `test_other`; a file, then functions of
    it, of which an ellipsis leaves out the end."""
    page = (tree / "docs" / "protocol-tests.md").read_text()
    source, checked, missing = None, 0, []
    for name in re.findall(r"(?<!fuzz )`(\w+…?|[\w/]+\.py)`", page):
        if name.startswith("tests/"):
            path = tree / name
        elif name.endswith(".py"):
            path = tree / "tests" / "system" / name
        else:
            path = tree / "tests" / "unit" / (name + ".c")
        if path.is_file():
            source = path.read_text()
        elif re.match(r"test_(bmp|rib|collector|egress|spargio)_", name):
            missing.append(name)
        else:
            function = name.removeprefix("test_").removesuffix("…")
            end = "" if name.endswith("…") else r"\b"
            if not re.search(rf"\btest_{function}{end}", source):
                missing.append(name)
            checked += 1
    assert missing == [] and checked > 40


def test_the_attributes_follow_the_table(arancini, tree):
    page = (tree / "docs/attributes.md").read_text()
    tables = page.split("<!-- from the table -->\n")[1] \
                 .split("\n<!-- end of it -->")[0]
    made = subprocess.run([arancini.parent / "attribute_doc"], check=True,
                          capture_output=True, text=True, timeout=20).stdout
    assert tables == made, "run tools/attribute-docs.sh build"
