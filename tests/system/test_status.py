"""arancini status, rib and resync at a real collector, and where there is
none: what they print, on a terminal and elsewhere, and how they end."""

import contextlib
import fcntl
import http.server
import json
import os
import pty
import re
import signal
import socket
import struct
import subprocess
import termios
import threading
import time

import pytest

from watching import WatchedCollector

COMMANDS = [("status",), ("rib", "192.0.2.0/24"), ("resync",)]


@pytest.fixture
def run(arancini, tmp_path):
    def run(*words, env=None):
        clean = {k: v for k, v in os.environ.items()
                 if not k.startswith("ARANCINI_")}
        return subprocess.run([arancini, *map(str, words)], cwd=tmp_path,
                              timeout=60, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True,
                              env={**clean, **(env or {})})
    return run


@pytest.fixture
def filled(watched):
    c = watched()
    c.send("generate", "--routers", "2", "--spread-sources", "--peers", "2",
           "--prefixes", "500")
    c.http.until(lambda s: s["totals"]["routes"] == 2000
                 and s["totals"]["sessions"] == 0)
    return c


def one_line(done, code):
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr


# Where there is no collector, or a wrong word


@pytest.mark.parametrize("words", COMMANDS)
def test_nobody_there(run, words, free_port):
    url = f"http://127.0.0.1:{free_port()}"
    assert one_line(run(*words, "--url", url), 1) == (
        f"arancini {words[0]}: no collector answers at {url}; is it running, "
        "and is --url its --http address?\n")


@pytest.mark.parametrize("words", COMMANDS)
def test_password_is_not_repeated(run, words, free_port):
    host = f"127.0.0.1:{free_port()}"
    said = one_line(run(*words, "--url", f"http://noc:secret@{host}"), 1)
    assert f"no collector answers at {host};" in said and "secret" not in said


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("more, says", [
    (("--url", "ftp://x"), "'ftp://x' is no URL"),
    (("--url", "http://[::1"), "is no URL"),
    (("--timeout", "0"), "no time in seconds: 0"),
    (("--timeout", "soon"), "no time in seconds: soon"),
    (("--no-such",), "unknown option --no-such"),
    (("--url",), "a value is missing after --url"),
])
def test_wrong_usage(run, words, more, says):
    line = one_line(run(*words, *more), 2)
    assert line.startswith(f"arancini {words[0]}: ") and says in line


@pytest.mark.parametrize("words, says", [
    (("rib",), "one prefix is wanted"),
    (("rib", "10.0.0.0/8", "11.0.0.0/8"), "one prefix is wanted"),
    (("rib", "10.0.0.0/33"), "no prefix such as"),
    (("rib", "ten"), "no prefix such as"),
    (("rib", "10.0.0.0/"), "no prefix such as"),
    (("rib", "10.1.0.0/8"), "did you mean 10.0.0.0/8?"),
    (("rib", "2001:db8::1/32"), "did you mean 2001:db8::/32?"),
    (("rib", "10.0.0.0/8", "--limit", "0"), "no number above 0"),
    (("rib", "10.0.0.0/8", "--exact", "--longest"), "only one kind of match"),
    (("rib", "10.0.0.0/8", "--router", "a b"), "no router: a b"),
    (("rib", "10.0.0.0/8", "--peer", "0-0-::"), "--router as well"),
    (("status", "now"), "what is now"),
    (("resync", "a", "b"), "what is b"),
    (("resync", "a/b"), "no router: a/b"),
])
def test_wrong_words(run, words, says):
    assert says in one_line(run(*words), 2)


@pytest.mark.parametrize("words", COMMANDS)
def test_a_token_file_that_cannot_be_used(run, words, tmp_path):
    (tmp_path / "token").write_text("\n")
    for file, says in (("token", "there is no token in 'token'"),
                       ("nowhere", "cannot read the token 'nowhere': No such")):
        assert says in one_line(run(*words, "--token-file", file), 1)


class Listener(http.server.BaseHTTPRequestHandler):
    """Not a collector: notes what it is told, and says what it was told to."""

    seen, status = [], 200

    def do_GET(self):
        type(self).seen.append(self.headers.get("Authorization"))
        given = self.headers.get("Authorization") is not None
        body = b"{}"
        self.send_response(200 if given else self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def listening(**members):
    """The class of a Listener with these members, and its URL."""
    handler = type("Handler", (Listener,), {"seen": [], **members})
    with http.server.HTTPServer(("127.0.0.1", 0), handler) as listener:
        thread = threading.Thread(target=listener.serve_forever)
        thread.start()
        try:
            yield handler, f"http://127.0.0.1:{listener.server_port}"
        finally:
            listener.shutdown()
            thread.join()


TOKEN = "5e5a3e" + 58 * "0"


@pytest.mark.parametrize("status, sent", [
    (200, [None]), (401, [None, f"Bearer {TOKEN}"])])
@pytest.mark.parametrize("named", [False, True])
def test_the_token_is_sent_to_who_asks(run, tmp_path, status, sent, named):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "http-token").write_text(TOKEN + "\n")
    with listening(status=status) as (handler, url):
        run("status", "--url", url,
            *(("--token-file", "data/http-token") if named else ()))
    assert handler.seen[:len(sent)] == sent
    assert set(handler.seen) == set(sent)


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("kind", ["link", "other text", "fifo"])
def test_a_file_that_nobody_named_is_not_shown(run, words, tmp_path, kind):
    """./data may be of somebody else, who wants to see what we may read."""
    (tmp_path / "data").mkdir()
    token = tmp_path / "data" / "http-token"
    if kind == "link":
        (tmp_path / "private").write_text(TOKEN + "\n")
        token.symlink_to(tmp_path / "private")
    elif kind == "fifo":
        os.mkfifo(token)
    else:
        token.write_text("sesame\n")
    with listening(status=401) as (handler, url):
        run(*words, "--url", url)
    assert handler.seen and set(handler.seen) == {None}


def answering(answer, status=200):
    """Whatever is asked is answered with the same."""
    def answer_it(handler):
        body = json.dumps(answer, ensure_ascii=False).encode()
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        with contextlib.suppress(OSError):      # the client gave up
            handler.wfile.write(body)
    return listening(do_GET=answer_it, do_POST=answer_it)


@pytest.mark.parametrize("words", COMMANDS)
def test_an_error_does_not_move_the_cursor(run, words):
    text = "a\x1b]0;b\x07c\x9bd\u202ee\nf"
    with answering({"error": text, "hint": text}, 404) as (_, url):
        done = run(*words, "--url", url)
    assert "a?]0;b?c" in done.stderr
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", done.stderr)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [("status",), ("rib", "192.0.2.0/24")])
def test_a_list_without_an_end(run, words):
    with answering({"routers": [{}], "routes": [], "next": "more"}) as (_,
                                                                        url):
        line = one_line(run(*words, "--url", url), 1)
    assert "leads to itself" in line


def test_an_answer_that_is_too_long(run):
    with answering({"collector": "x" * (9 << 20)}) as (_, url):
        line = one_line(run("status", "--url", url), 1)
    assert "asking 127.0.0.1" in line or "asking http://127.0.0.1" in line


def test_a_page_of_too_many_rows(run):
    """A row of two bytes would become a kilobyte on the screen."""
    with answering({"routers": [0] * 500000}) as (_, url):
        done = run("status", "--url", url)
    assert done.returncode == 0 and done.stdout.count("\n") < 1100


def test_numbers_that_are_too_large(run):
    """Under UBSan, sums and casts of them would end the program."""
    big = {"difference": 2 ** 63 - 1}
    with answering({"uptimeSeconds": 1e300, "output": {
            "safeSecondsP50": 1e300, "safeSecondsP99": -1e300,
            "journalBytes": 1e308}, "routers": [], "peers": [
                {"tables": [big, big, big]}]}) as (_, url):
        done = run("status", "--peers", "--url", url)
    assert done.returncode == 0 and done.stderr == ""


def test_a_long_name_is_shown_in_time(run):
    """Not by a square of its length."""
    with answering({"routers": [{"sysName": "é" * (3 << 20)}]}) as (_, url):
        done = run("status", "--url", url)
    assert done.returncode == 0 and len(done.stdout) > 3 << 20


@pytest.mark.parametrize("words", [
    ("run", "--http", "off", "--nats"), ("tail", "--nats"),
    ("doctor", "--nats"), ("status", "--url")])
@pytest.mark.parametrize("url", [
    "nats://u:sesame@127.0.0.1:99999", "nats://u:sesame@", "x://u:sesame@h",
    "nats://u:sesame@[::", "u:sesame@h"])
def test_a_password_is_not_printed(run, words, url):
    done = run(*words, url)
    assert done.returncode != 0
    assert "sesame" not in done.stdout + done.stderr


def test_something_else_answers(run, server, free_port):
    port = free_port()
    server(["/usr/bin/python3", "-m", "http.server", port, "--bind",
            "127.0.0.1"], ready=port)
    line = one_line(run("status", "--url", f"http://127.0.0.1:{port}"), 1)
    assert "not as a collector does; is --url right?" in line


def test_a_silent_server_is_not_waited_for(run):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        url = f"http://127.0.0.1:{s.getsockname()[1]}"
        line = one_line(run("status", "--url", url, "--timeout", "0.3"), 1)
    assert "did not answer in 0.3 s; give it longer with --timeout" in line


# What they print


def test_status_as_json_is_what_http_says(filled, run):
    done = run("status", "--url", filled.url, "--peers", "--json")
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    assert got["status"]["totals"]["routes"] == 2000
    assert got["routers"] == filled.http.list("routers")
    assert got["peers"] == filled.http.list("peers")
    assert got["status"]["output"]["epoch"] == \
        filled.http.status()["output"]["epoch"]


def columns(text, first):
    """{heading: cell} of the rows of a table."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines)
              if line.split()[:1] == [first])
    names = re.split(r"  +", lines[at].strip())
    rows = []
    for line in lines[at + 1:]:
        if not line.strip():
            break
        rows.append(dict(zip(names, re.split(r"  +", line.strip()))))
    return rows


def test_status_for_people(filled, run):
    done = run("status", "--url", filled.url, "--peers")
    assert done.returncode == 0, done.stderr
    assert "\033" not in done.stdout
    assert re.search(r"^collector  \S+, version \S+, up .*, ready$",
                     done.stdout, re.M)
    assert "2,000 routes of 4 peers (0 up, 4 stale) at 2 routers" in done.stdout
    routers = columns(done.stdout, "ROUTER")
    assert [r["ROUTER"] for r in sorted(routers, key=lambda r: r["ROUTER"])] \
        == ["v4_127_1_0_1", "v4_127_1_0_2"]
    assert {r["STATE"] for r in routers} == {"stale"}
    assert {r["ROUTES"] for r in routers} == {"1,000"}
    assert len(columns(done.stdout, "WORKER")) == 2
    one = run("status", "--url", filled.url, "--router", "127.1.0.2")
    assert one.returncode == 0, one.stderr
    assert [r["ROUTER"] for r in columns(one.stdout, "ROUTER")] == \
        ["v4_127_1_0_2"]
    assert one.stdout.count("v4_127_1_0_2") == 3


def test_an_unknown_router(filled, run):
    for words in (("status", "--router", "192.0.2.9"),
                  ("rib", "10.0.0.0/8", "--router", "id_nobody"),
                  ("resync", "192.0.2.9", "--token-file",
                   filled.state / "http-token")):
        one_line(run(*words, "--url", filled.url), 1)


def test_resync_publishes_again(filled, run):
    token = filled.state / "http-token"
    before = filled.http.status()["counters"]["published"]
    done = run("resync", "127.1.0.1", "--url", filled.url, "--token-file",
               token)
    assert (done.returncode, done.stdout) == (
        0, "publishing the tables of 1 router again\n"), done.stderr
    done = run("resync", "--url", filled.url, "--json",
               env={"ARANCINI_STATE": str(filled.state)})
    assert (done.returncode, json.loads(done.stdout)) == (0, {"routers": 2})
    filled.stop()
    lines = filled.published("--idle-exit", "5")
    updates = [line for line in lines if line["kind"] == "update"]
    assert before == 2000 and len(updates) == 2000 + 1000 + 2000
    # One of each router when it came first, then those that were asked for.
    assert [line["kind"] for line in lines].count("resync") == 2 + 3


def test_the_token_is_wanted(filled, run, tmp_path):
    line = one_line(run("resync", "--url", filled.url), 1)
    assert "wants a token; name its file with --token-file" in line
    assert "'http-token' in its --state folder" in line
    (tmp_path / "other").write_text("0123456789abcdef0123456789abcdef\n")
    line = one_line(run("resync", "--url", filled.url, "--token-file",
                        "other"), 1)
    assert "the token in 'other' is not the one of the collector" in line


def test_a_name_that_the_collector_does_not_take(filled, run):
    """It is asked for by a stranger's name, as by DNS rebinding: that is
    refused, and no mistake in what was typed."""
    url = f"http://bmp.localhost:{filled.http_port}"
    line = one_line(run("status", "--url", url, env={"no_proxy": "*"}), 1)
    assert "ask for localhost or 127.0.0.1" in line


# On a terminal


class Screen:
    """A command on a terminal of its own."""

    def __init__(self, argv, env=None, rows=60, columns=200):
        self.text = ""
        pid, self.fd = pty.fork()
        if pid == 0:
            os.environ.pop("NO_COLOR", None)
            os.environ.update({"TERM": "xterm", **(env or {})})
            os.execv(argv[0], [str(a) for a in argv])
        self.pid = pid
        self.status = None
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))
        os.set_blocking(self.fd, False)

    def read(self):
        """What came; False at the end."""
        try:
            chunk = os.read(self.fd, 65536)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.text += chunk.decode()
        return bool(chunk)

    def until(self, pattern, seconds=60):
        """Wait for it, and forget all up to its end."""
        deadline = time.monotonic() + seconds
        while not (m := re.search(pattern, self.text, re.S)):
            if not self.read() or time.monotonic() > deadline:
                pytest.fail(f"no {pattern!r} in {self.text[-3000:]!r}")
            time.sleep(0.02)
        self.text = self.text[m.end():]

    def end(self, with_signal=None, seconds=30):
        if with_signal is not None:
            os.kill(self.pid, with_signal)
        deadline = time.monotonic() + seconds
        while self.read():
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
                break
            time.sleep(0.02)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_colours_on_a_terminal_only(filled, arancini):
    words = [arancini, "status", "--url", filled.url]
    screen = Screen(words)
    assert screen.end() == 0 and "\033[33mstale" in screen.text
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        screen = Screen(words, env)
        assert screen.end() == 0 and "\033" not in screen.text


def test_rib_is_a_table_on_a_terminal(filled, arancini):
    words = [arancini, "rib", "0.0.0.0/0", "--more-specific", "--limit", "3",
             "--url", filled.url]
    screen = Screen(words)
    assert screen.end() == 0
    assert "PREFIX" in screen.text and "{" not in screen.text
    assert "there are more; --limit ended this" in screen.text
    screen = Screen([*words, "--json"])
    assert screen.end() == 0 and '"prefixAddr"' in screen.text


def test_watch_survives_a_restart(server, arancini, tmp_path, free_port):
    port = free_port()

    def start():
        return WatchedCollector(server, arancini, tmp_path / "state",
                                "--workers", "1", "--http",
                                f"127.0.0.1:{port}")
    c = start()
    screen = Screen([arancini, "status", "--watch", "--url", c.url])
    screen.until(re.escape("\033[?1049h"))
    screen.until("0 routes of 0 peers")
    c.send("generate", "--peers", "1", "--prefixes", "700")
    screen.until("700 routes of 1 peers")
    c.stop()
    screen.until("no collector answers at .*; trying again")
    screen.until("700 routes of 1 peers")   # what was known last
    c = start()
    screen.until(re.escape("\033[H") + "(?:\033\\[1m)?collector")
    screen.until("700 routes of 1 peers")   # it was restored
    assert screen.end(signal.SIGINT) == 0
    assert screen.text.endswith("\033[?7h\033[?25h\033[?1049l")
    c.stop()


def test_watch_elsewhere_is_a_line_each(filled, arancini):
    process = subprocess.Popen([arancini, "status", "--watch", "--json",
                                "--url", filled.url], stdout=subprocess.PIPE)
    try:
        for _ in range(2):
            got = json.loads(process.stdout.readline())
            assert got["status"]["totals"]["routes"] == 2000
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
