"""What a router calls itself goes to terminals, logs and pages, and must
neither command them nor turn a line round."""

import subprocess

from bmp import Peer, initiation
from collecting import connect

NAME = ("core\u009b31m\u0085\u202eevil\u2066\u2069\u200e\u200f\u061c\u202a"
        "Zürich")
UNSAFE = {chr(c) for c in [*range(0x20), *range(0x7f, 0xa0), 0x61c, 0x200e,
                           0x200f, *range(0x202a, 0x202f),
                           *range(0x2066, 0x206a)]} - {"\n"}


def clean(text, *words):
    assert not UNSAFE & set(text), ascii(text)
    for word in words:
        assert word in text, ascii(text)


def run(*argv):
    return subprocess.run(argv, capture_output=True, check=True,
                          timeout=60).stdout.decode()


def test_names_are_escaped_everywhere(collector):
    c = collector
    with connect(c, "127.0.0.2") as sock:
        sock.sendall(initiation(NAME.encode()) + Peer("10.0.0.1", 64500).up()
                     + Peer("10.0.0.1", 64500).announce("10.0.0.0/24"))
        c.http.until(lambda s: s["totals"]["routes"] == 1)
        clean(c.server.output, r"core\u009b31m\u0085\u202eevil", "Zürich")
        answer = c.http.ask("GET", "/api/v1/routers")
        clean(answer.bytes.decode(), r"core\u009b31m", "Zürich")
        assert answer.json["routers"][0]["sysName"] == NAME
        to = ["--url", c.url]
        clean(run(c.arancini, "status", *to), "Zürich")
        clean(run(c.arancini, "status", "--json", *to),
              r"core\u009b31m\u0085\u202eevil\u2066\u2069", "Zürich")
        journal = ["--journal", c.journal, "--since", "all", "--idle-exit",
                   "1"]
        clean(run(c.arancini, "tail", *journal, "--json"),
              r"core\u009b31m\u0085\u202eevil")
        clean(run(c.arancini, "tail", *journal), "evil", "Zürich")
