"""Metrics, alerts and the Grafana dashboard: Prometheus' own tool judges them,
and every name that alerts and dashboard use is one that is exported."""

import json
import re
import shutil
import subprocess

import pytest
import yaml

from watching import WatchedCollector

# Prometheus itself makes these.
FOREIGN = {"up", "ALERTS"}
NAME = re.compile(r"\b(?:arancini|spargio|process)_[a-z0-9_]+\b")


@pytest.fixture(scope="module")
def export(module_server, arancini, tmp_path_factory):
    """What a collector with these options exports."""
    def export(*options):
        c = WatchedCollector(module_server, arancini,
                             tmp_path_factory.mktemp("state"), "--workers",
                             "2", *options)
        c.send("generate", "--peers", "2", "--prefixes", "300")
        c.http.until(lambda s: s["totals"]["routes"] == 600)
        return c.http.metrics()
    return export


@pytest.fixture(scope="module")
def metrics(export):
    return export()


@pytest.fixture(scope="module")
def described(tree):
    """What docs/http.md says: tables by the sentence above them, each
    {name: (type, labels, meaning)}."""
    page = (tree / "docs" / "http.md").read_text()
    section = page.split("\n## Metrics\n")[1].split("\n## ")[0]
    tables, above = {}, None
    for line in section.splitlines():
        if m := re.fullmatch(r"\| `(\w+)` \| (\w+) \| (.*?) \| (.*) \|", line):
            name, kind, labels, meaning = m.groups()
            tables.setdefault(above, {})[name] = (
                kind, frozenset(re.findall(r"`(\w+)`", labels)), meaning)
        elif line and not line.startswith("|"):
            above = line
    return tables


@pytest.fixture(scope="module")
def alerts(tree):
    return yaml.safe_load(
        (tree / "deploy" / "prometheus" / "alerts.yml").read_text())


@pytest.fixture(scope="module")
def dashboard(tree):
    return json.loads(
        (tree / "deploy" / "grafana" / "arancini.json").read_text())


def promtool(*words, **others):
    done = subprocess.run(["promtool", *map(str, words)], timeout=60,
                          capture_output=True, text=True, **others)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_promtool_likes_the_metrics(metrics):
    assert promtool("check", "metrics", input=metrics.text).stderr == ""


def test_every_metric_is_explained_and_ours(metrics):
    explained = set(re.findall(r"^# HELP (\S+) \S", metrics.text, re.M))
    assert explained == set(metrics.types)
    assert all(NAME.fullmatch(name) for name in explained), explained


def families(metrics):
    """{name: (type, labels, meaning)} of what is exported."""
    meanings = dict(re.findall(r"^# HELP (\S+) (.*)$", metrics.text, re.M))
    found = {}
    for name, kind in metrics.types.items():
        samples = metrics.samples.get(
            name + "_bucket" if kind == "histogram" else name, [])
        labels = frozenset(label for have, _ in samples for label in have)
        found[name] = (kind, labels, meanings[name])
    return found


def test_the_page_describes_every_metric_and_no_other(described, metrics,
                                                      export):
    (asked_for,) = [names for above, names in described.items()
                    if "--metrics-per-peer" in above]
    everything = {name: row for names in described.values()
                  for name, row in names.items()}
    assert sum(map(len, described.values())) == len(everything) > 100
    assert families(export("--metrics-per-peer")) == everything
    assert families(metrics) == {name: row for name, row in everything.items()
                                 if name not in asked_for}


def test_promtool_likes_the_alerts(tree, tmp_path):
    shutil.copy(tree / "deploy" / "prometheus" / "alerts.yml", tmp_path)
    shutil.copy(tree / "tests" / "system" / "alerts_cases.yml", tmp_path)
    promtool("check", "rules", tmp_path / "alerts.yml")
    promtool("test", "rules", tmp_path / "alerts_cases.yml")


def rules(alerts):
    return [rule for group in alerts["groups"] for rule in group["rules"]]


def used_names(expressions):
    return {name for e in expressions for name in NAME.findall(e)} - FOREIGN


def test_alerts_use_metrics_that_are_there(alerts, metrics):
    names = used_names(rule["expr"] for rule in rules(alerts))
    assert len(names) >= 8
    assert names <= set(metrics.samples), names - set(metrics.samples)


def expressions(dashboard):
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["query"]["query"]


def test_the_dashboard_uses_metrics_that_are_there(dashboard, metrics):
    names = used_names(expressions(dashboard))
    assert len(names) >= 20
    assert names <= set(metrics.samples), names - set(metrics.samples)


def labels_used(expression):
    """(name, label) for selectors and groupings of one metric each."""
    for name, selector in re.findall(r"([a-z_]+)\{([^}]*)\}", expression):
        for label in re.findall(r"([a-z_]+)\s*!?=", selector):
            yield name, label
    grouped = re.search(r"by \(([a-z_, ]+)\)", expression)
    for name in NAME.findall(expression):
        for label in grouped[1].split(",") if grouped else []:
            yield name, label.strip()


def test_labels_that_are_used_are_there(alerts, dashboard, metrics):
    """A label that nothing has makes an expression that is always empty."""
    everything = [rule["expr"] for rule in rules(alerts)]
    everything += [e for e in expressions(dashboard) if "label_values" not in e]
    for expression in everything:
        for name, label in labels_used(expression):
            if label in ("job", "instance") or name in FOREIGN:
                continue
            have = {k for labels, _ in metrics.samples[name] for k in labels}
            assert label in have, (name, label, expression)


def test_values_of_labels_that_are_named_are_there(alerts, dashboard,
                                                   metrics):
    everything = [rule["expr"] for rule in rules(alerts)]
    everything += list(expressions(dashboard))
    found = 0
    for expression in everything:
        for name, selector in re.findall(r"([a-z_]+)\{([^}]*)\}", expression):
            for label, value in re.findall(r'(status|verdict)!="([a-z]+)"',
                                           selector):
                assert any(labels.get(label) == value
                           for labels, _ in metrics.samples[name]), expression
                found += 1
    assert found


def test_each_alert_has_a_case_and_a_section(alerts, tree):
    cases = (tree / "tests" / "system" / "alerts_cases.yml").read_text()
    headings = {re.sub(r"[^a-z0-9 -]", "", line[4:].lower()).replace(" ", "-")
                for line in (tree / "docs" / "operations.md").read_text()
                .splitlines() if line.startswith("### ")}
    for rule in rules(alerts):
        assert rule["alert"] in cases, rule["alert"]
        url = rule["annotations"]["runbook_url"]
        page, anchor = url.split("#")
        assert page == "docs/operations.md"
        assert anchor == rule["alert"].lower() and anchor in headings, url


def test_panels_do_not_overlap(dashboard):
    taken = set()
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids))
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"])
                 for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells
