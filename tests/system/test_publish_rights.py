"""Rights that a user lacks on the broker are named with the subject, wherever
one is missing; with the right given, everything is published."""

import pytest

from collecting import Collector, tail

LIMIT = ["--nats-max-bytes", "256M"]
CHURN = ["--peers", "1", "--prefixes", "200", "--seed", "3"]
RIGHTS = {"publish": ["arancini.updates.>", "arancini.events.>",
                      "$JS.API.>", "$JS.FC.>"],
          "subscribe": ["_ARANCINI.>", "_INBOX.>"]}
PUBLISHING = "event=publisher state=ready spooling=false"


def users(lacking=""):
    """A collector without the right @lacking, and somebody who may read."""
    def listed(subjects):
        return "[" + ", ".join(f'"{s}"' for s in subjects
                               if s != lacking) + "]"
    return ('authorization { users: [ { user: c, password: "s3cret", '
            f'permissions: {{ publish: {listed(RIGHTS["publish"])}, '
            f'subscribe: {listed(RIGHTS["subscribe"])} }} }}, '
            '{ user: reader, password: "s3cret" } ] }\n')


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret"
    path.write_text("s3cret\n")
    return path


@pytest.mark.parametrize("lacking, named", [
    ("arancini.updates.>", r"Publish to \S*arancini\.updates\.v4_127_0_0_1"),
    ("arancini.events.>", r"Publish to \S*arancini\.events\.collector\.epoch"),
    ("$JS.API.>", r"Publish to \S*\$JS\.API\.STREAM\.INFO\.ARANCINI"),
    ("_ARANCINI.>", r"Subscription to \S*_ARANCINI\."),
])
def test_a_missing_right_is_named(server, arancini, broker, tmp_path, secret,
                                  lacking, named):
    broker.start(users(lacking))
    c = Collector(server, arancini, tmp_path / "state", "--nats", broker.url,
                  *LIMIT, "--nats-user", "c", "--nats-password-file", secret)
    c.send("generate", *CHURN)
    c.until_said("event=session_close")
    c.until_said(f"event=publisher .*ermissions Violation for {named}",
                 timeout=60)
    broker.terminate()
    before = len(c.said(PUBLISHING))
    broker.start(users())
    c.until_said(PUBLISHING, before + 1, timeout=60)
    c.stop()
    updates = [line for line in tail(arancini, "--nats", broker.url, "--user",
                                     "reader", "--password-file", secret,
                                     idle=2) if line["kind"] == "update"]
    assert len(updates) == 200
