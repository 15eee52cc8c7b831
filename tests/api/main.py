"""Schemathesis over docs/openapi.yaml against a running collector that has
routers, peers and routes: no 5xx, no answer that the file does not describe.

    main.py --build DIR [--seed N] [--examples N]

Once without a token and once with it. Tokens of routers and ids of peers that
are there are given as examples, so that requests reach the handlers; the rest
is made up by Schemathesis, valid and invalid. Actions are among the requests:
sessions end, tables are purged, and the routers come back.

/api/v1/events has no end and is left to tests/system/test_http_openapi.py."""

import argparse
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import yaml

TREE = pathlib.Path(__file__).resolve().parents[2]
CHECKS = ["not_a_server_error", "status_code_conformance",
          "content_type_conformance", "response_headers_conformance",
          "response_schema_conformance", "unsupported_method",
          "negative_data_rejection", "ignored_auth"]
# Hypothesis reads all modules that are not in a folder of this name.
PACKAGES = "api/site-packages"
# Two routers: 127.0.0.1 and 127.1.0.1.
LOADS = [["--peers", "3", "--prefixes", "300"],
         ["--peers", "1", "--prefixes", "50", "--spread-sources"]]


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=TREE / "build")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--examples", default="15",
                        help="requests made up for each operation")
    return parser.parse_args()


class Collector:
    def __init__(self, binary, folder):
        self.binary = binary
        self.log = folder / "collector.log"
        self.token_file = folder / "state" / "http-token"
        with open(self.log, "wb") as out:
            self.process = subprocess.Popen(
                [binary, "run", "--listen", "127.0.0.1:0", "--http",
                 "127.0.0.1:0", "--state", folder / "state", "--workers", "2"],
                stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT)
        self.port = self.until(r"event=listening at=\S+:(\d+)")
        self.url = "http://127.0.0.1:" + self.until(
            r"event=http_listening at=\S+:(\d+)")
        self.until(r"event=(started)")

    def until(self, pattern):
        deadline = time.monotonic() + 60
        while True:
            found = re.search(pattern, self.log.read_text())
            if found:
                return found[1]
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit("the collector did not start:\n"
                         + self.log.read_text())
            time.sleep(0.02)

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return yaml.safe_load(answer.read())

    def until_peers(self, count):
        deadline = time.monotonic() + 60
        while True:
            peers = self.get("/api/v1/peers")["peers"]
            if len(peers) == count and all(p["routes"] for p in peers):
                return peers
            if time.monotonic() > deadline:
                sys.exit(f"{len(peers)} of {count} peers have come")
            time.sleep(0.1)

    def stop(self):
        """Its exit status: one that was killed by a request has failed."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class Router(threading.Thread):
    """A router that connects again whenever its session is ended."""

    def __init__(self, collector, load):
        super().__init__(daemon=True)
        self.argv = [collector.binary, "generate", "--to",
                     f"127.0.0.1:{collector.port}", "--hold", *load]
        self.child = None
        self.ending = False
        self.lock = threading.Lock()

    def run(self):
        while True:
            with self.lock:
                if self.ending:
                    return
                self.child = subprocess.Popen(
                    self.argv, stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.child.wait()
            time.sleep(0.2)

    def stop(self):
        with self.lock:
            self.ending = True
            if self.child is not None and self.child.poll() is None:
                self.child.terminate()
        self.join(20)


def document(peers):
    """docs/openapi.yaml with examples that are there, without what never
    ends."""
    text = yaml.safe_load((TREE / "docs" / "openapi.yaml").read_text())
    del text["paths"]["/api/v1/events"]
    schemas = text["components"]["schemas"]
    schemas["RouterToken"]["examples"] = sorted({p["router"] for p in peers})
    schemas["PeerId"].pop("example", None)
    schemas["PeerId"]["examples"] = sorted({p["id"] for p in peers})
    for name in ("RouterPath", "RouterQuery", "PeerPath"):
        parameter = text["components"]["parameters"][name]
        key = "PeerId" if name == "PeerPath" else "RouterToken"
        parameter["example"] = schemas[key]["examples"][0]
    return text


def schemathesis(args, folder, collector, token):
    argv = [sys.executable, "-m", "schemathesis.cli", "run",
            folder / "openapi.yaml", "--url", collector.url,
            "--checks", ",".join(CHECKS), "--phases",
            "examples,coverage,fuzzing", "--seed", args.seed,
            "--max-examples", args.examples, "--generation-database", "none",
            "--no-color", "--request-timeout", "20"]
    if token is not None:
        argv += ["--header", f"Authorization: Bearer {token}"]
    return subprocess.run(argv, cwd=folder, env={
        **os.environ, "PYTHONPATH": str(args.build / PACKAGES)}).returncode


def main():
    args = arguments()
    args.build = args.build.resolve()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        collector = Collector(args.build / "arancini", folder)
        stack.callback(lambda: collector.process.poll() is None
                       and collector.stop())
        for load in LOADS:
            router = Router(collector, load)
            router.start()
            stack.callback(router.stop)
        peers = collector.until_peers(4)
        (folder / "openapi.yaml").write_text(yaml.safe_dump(document(peers)))
        for token in None, collector.token_file.read_text().strip():
            began = time.monotonic()
            good = schemathesis(args, folder, collector, token) == 0
            print(f"{'with' if token else 'without'} the token: "
                  f"{'ok' if good else 'FAILED'}, "
                  f"{time.monotonic() - began:.0f} s", flush=True)
            passed, failed = passed + good, failed + (not good)
        status = collector.stop()
        if status != 0:
            print(f"the collector ended with {status}:\n"
                  + collector.log.read_text()[-4000:])
        passed, failed = passed + (status == 0), failed + (status != 0)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
