"""What "arancini run" tells a person at a terminal, and only there."""

import json
import os
import pty
import re
import shlex
import signal
import subprocess


def run_on_terminal(command, cwd, *until):
    """Run it on a terminal of its own until all of @until was said, then stop
    it."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL,
                               stdout=theirs, stderr=theirs)
    os.close(theirs)
    text = ""
    try:
        while not all(words in text for words in until):
            text += os.read(ours, 4096).decode()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return text.replace("\r\n", "\n")


def test_a_person_is_told_where_and_what_next(arancini, tmp_path):
    text = run_on_terminal(
        [arancini, "run", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"],
        tmp_path, "--since all")
    port = re.search(r"event=listening at=127\.0\.0\.1:(\d+)", text)[1]
    http = re.search(r"event=http_listening at=127\.0\.0\.1:(\d+)", text)[1]

    assert f"  routers    127.0.0.1:{port}\n" in text
    assert f"  dashboard  http://127.0.0.1:{http}/\n" in text
    assert "  state      ./data\n" in text
    assert f"generate --to 127.0.0.1:{port} " in text
    assert f"replay FILE --to 127.0.0.1:{port}\n" in text
    assert "tail --journal ./data/journal --since all" in text


def test_what_is_next_can_be_typed_as_it_stands(arancini, broker, tmp_path):
    password = tmp_path / "password"
    password.write_text("s3cret\n")
    password.chmod(0o600)
    broker.start('authorization { user: "u", password: "s3cret" }\n')
    text = run_on_terminal(
        [arancini, "run", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
         "--nats", broker.url, "--nats-stream", "BMP_{collector}",
         "--collector-id", "ams1", "--nats-max-bytes", "1G", "--nats-user",
         "u", "--nats-password-file", password],
        tmp_path, "--since all", "event=publisher state=ready")
    assert "  output     JetStream, stream BMP_ams1\n" in text
    command = re.search(r"and watch:\n  (.*)\n", text)[1]
    got = subprocess.run(
        [*shlex.split(command), "--idle-exit", "1", "--json"], timeout=60,
        capture_output=True, text=True, cwd=tmp_path)
    assert got.returncode == 0, got.stderr
    assert json.loads(got.stdout.splitlines()[0])["kind"] == "epoch"


def test_a_log_file_has_only_lines_of_the_log(collector):
    c = collector("--workers", "1")
    c.stop()
    assert all(line.startswith("time=")
               for line in c.server.output.splitlines() if line)
