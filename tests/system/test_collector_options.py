"""Options of "arancini run" that nothing else tries from end to end: given to
the collector itself, with a real server, and their effect read back."""

import json
import subprocess

import pytest

from access import (credentials, make_ca, make_cert, operator_server,
                    tls_server, user_nkey, verifying_server)
from broker import Broker

# The test broker has no more.
LIMIT = ["--nats-max-bytes", "1G"]

LOAD = ["generate", "--peers", "2", "--prefixes", "50", "--seed", "3"]
UPDATES = 100


@pytest.fixture
def broker(server, tmp_path, free_port):
    return Broker(server, tmp_path, free_port())


def tail(arancini, broker, *options):
    """What the stream holds, as objects."""
    run = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--since", "all",
         "--idle-exit", "1", "--json", *map(str, options)],
        capture_output=True, text=True, timeout=60, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


# Who is let in. Each gives the lines of the server, options of a stranger and
# of one who may, and the latter's for "arancini tail".

def secret(folder, name, text):
    file = folder / name
    file.write_text(text + "\n")
    return file


def password(folder):
    wrong = secret(folder, "wrong", "not it")
    right = secret(folder, "right", "s3cret")
    return ('authorization { user: "u", password: "s3cret" }\n',
            ["--nats-user", "u", "--nats-password-file", wrong],
            ["--nats-user", "u", "--nats-password-file", right],
            ["--user", "u", "--password-file", right])


def token(folder):
    wrong = secret(folder, "wrong", "not it")
    right = secret(folder, "right", "t0ken")
    return ('authorization { token: "t0ken" }\n',
            ["--nats-token-file", wrong], ["--nats-token-file", right],
            ["--token-file", right])


def nkey(folder):
    key, seed = user_nkey(folder)
    (folder / "other").mkdir()
    stranger, stranger_seed = user_nkey(folder / "other")
    return (f"authorization {{ users: [ {{ nkey: {key} }} ] }}\n",
            ["--nats-nkey", stranger, "--nats-nkey-seed", stranger_seed],
            ["--nats-nkey", key, "--nats-nkey-seed", seed],
            ["--nkey", key, "--nkey-seed", seed])


def creds(folder):
    lines, account, stranger = operator_server(folder)
    right = credentials(folder, "right", account)
    return (lines,
            ["--nats-creds", credentials(folder, "wrong", stranger)],
            ["--nats-creds", right], ["--creds", right])


def authority(folder):
    ca, other = make_ca(folder, "ca"), make_ca(folder, "other")
    return (tls_server(folder, ca), ["--nats-tls-ca", other[1]],
            ["--nats-tls-ca", ca[1]], ["--tls-ca", ca[1]])


def certificate(folder):
    ca, other = make_ca(folder, "ca"), make_ca(folder, "other")
    mine, stranger = (make_cert(folder, "mine", ca),
                      make_cert(folder, "stranger", other))

    def options(prefix, pair):
        return [f"--{prefix}tls-ca", ca[1], f"--{prefix}tls-cert", pair[1],
                f"--{prefix}tls-key", pair[0]]
    return (verifying_server(folder, ca), options("nats-", stranger),
            options("nats-", mine), options("", mine))


@pytest.mark.parametrize("way", [password, token, nkey, creds, authority,
                                 certificate])
def test_login(way, arancini, broker, collector, tmp_path):
    """Nothing is published for a stranger, and all of it once let in."""
    lines, wrong, right, reader = way(tmp_path)
    broker.start(lines)
    c = collector("--nats", broker.url, *LIMIT, *wrong)
    c.until_said('event=publisher state=connecting .*text="connect: ')
    c.send(*LOAD)
    c.until_said("event=session_close")
    assert not c.said("event=publisher state=ready")
    c.stop()
    c = collector("--nats", broker.url, *LIMIT, *right)
    c.until_said("event=publisher state=ready spooling=false")
    c.stop()
    got = tail(arancini, broker, *reader)
    assert sum(line["type"] == "update" for line in got) == UPDATES
