"""The rights on the broker that docs/operations.md calls the least are enough:
for a collector that makes its stream and its bucket and comes back, and for who
reads."""

import pathlib
import re

from collecting import Collector, tail

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/operations.md"
CHURN = ["--peers", "1", "--prefixes", "200", "--seed", "3"]


def rights():
    """name of the row -> (publish, subscribe)"""
    section = PAGE.read_text().split("## Rights on the broker")[1]
    rows = {}
    for line in section.split("\n## ")[0].splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) == 3:
            rows[cells[0]] = [re.findall(r"`([^`]+)`", c) for c in cells[1:]]
    return rows


def user(name, rows):
    publish = [s for row in rows for s in row[0]]
    subscribe = [s for row in rows for s in row[1]]

    def listed(subjects):
        return "[" + ", ".join(f'"{s}"' for s in subjects) + "]"
    return (f'{{ user: {name}, password: "s3cret", permissions: {{ publish: '
            f"{listed(publish)}, subscribe: {listed(subscribe)} }} }}")


def test_least_rights(server, arancini, broker, tmp_path):
    rows = rights()
    reader = rows.pop("`arancini tail`, consumers")
    ours = [row for name, row in rows.items() if name and row[0]]
    assert len(ours) == 4
    broker.start("authorization { users: [ "
                 f"{user('collector', ours)}, {user('reader', [reader])} ] }}")
    secret = tmp_path / "secret"
    secret.write_text("s3cret\n")
    for run in (1, 2):
        c = Collector(server, arancini, tmp_path / "state", "--nats",
                      broker.url, "--state", broker.url, "--journal",
                      tmp_path / "journal", "--nats-max-bytes", "256M",
                      "--nats-user", "collector", "--nats-password-file",
                      secret)
        c.until_said("event=publisher state=ready")
        c.send("generate", *CHURN)
        c.until_said("event=session_close")
        c.stop()
        assert "ermission" not in c.server.output
    assert "ermissions Violation" not in broker.process.output
    lines = tail(arancini, "--nats", broker.url, "--user", "reader",
                 "--password-file", secret, idle=2)
    assert lines
    assert "ermissions Violation" not in broker.process.output
