"""Asking a running collector over HTTP in tests: keep-alive connections,
answers held against docs/openapi.yaml, metrics as numbers."""

import http.client
import json
import pathlib
import re
import time
import urllib.parse

import pytest

from collecting import Collector
from openapi import Api

API = Api()


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = {k.lower(): v for k, v in response.getheaders()}
        self.type = self.headers.get("content-type", "")
        self.bytes = body

    @property
    def json(self):
        return json.loads(self.bytes)

    @property
    def body(self):
        """As OpenAPI means it: an object for JSON, else text."""
        if self.type.startswith("application/json"):
            return self.json
        return self.bytes.decode()


class Http:
    """One connection to a collector, kept open and made again if need be."""

    def __init__(self, port, token=None, timeout=60):
        self.port = port
        self.token = token
        self.connection = http.client.HTTPConnection("127.0.0.1", port,
                                                     timeout=timeout)

    def close(self):
        self.connection.close()

    def ask(self, method, path, headers=None, check=True, **parameters):
        """The answer, which must be one that the OpenAPI file knows."""
        if parameters:
            path += "?" + urllib.parse.urlencode(parameters)
        headers = dict(headers or {})
        if self.token is not None:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        try:
            self.connection.request(method, path, headers=headers)
            response = self.connection.getresponse()
            answer = Answer(response, response.read())
        except (http.client.HTTPException, OSError):
            self.connection.close()
            raise
        if check:
            API.check(method, path.partition("?")[0], answer.status,
                      answer.type, answer.body)
        return answer

    def get(self, path, **parameters):
        answer = self.ask("GET", path, **parameters)
        assert answer.status == 200, answer.bytes
        return answer.body

    def post(self, path, **parameters):
        return self.ask("POST", path, **parameters)

    def status(self):
        return self.get("/api/v1/status")

    def list(self, name, limit=1000, **parameters):
        """All pages of a list in one."""
        found, cursor = [], {}
        while True:
            page = self.get(f"/api/v1/{name}", limit=limit, **parameters,
                            **cursor)
            found += page["routes" if name == "rib" else name]
            if page.get("next") is None:
                return found
            cursor = {"cursor": page["next"]}

    def metrics(self):
        return Metrics(self.get("/metrics"))

    def until(self, what, seconds=60):
        """Wait until what(status) is true; the status it was true of."""
        deadline = time.monotonic() + seconds
        while True:
            status = self.status()
            if what(status):
                return status
            if time.monotonic() > deadline:
                pytest.fail(f"not after {seconds} s: {json.dumps(status)}")
            time.sleep(0.05)


SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')


class Metrics:
    """What /metrics said: {name: [(labels, value)]}."""

    def __init__(self, text):
        self.text = text
        self.samples = {}
        self.types = {}
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                name, kind = line.split()[2:]
                self.types[name] = kind
            elif line and not line.startswith("#"):
                name, labels, value = SAMPLE.fullmatch(line).groups()
                self.samples.setdefault(name, []).append(
                    (dict(LABEL.findall(labels or "")), float(value)))

    def sum(self, name, **labels):
        """Over all samples of that name with these labels."""
        assert name in self.samples, f"there is no metric {name}"
        return sum(value for have, value in self.samples[name]
                   if labels.items() <= have.items())

    def by(self, name, label):
        """{value of the label: sum}, zeros left out."""
        out = {}
        for labels, value in self.samples.get(name, []):
            out[labels[label]] = out.get(labels[label], 0) + value
        return {k: v for k, v in out.items() if v}


class WatchedCollector(Collector):
    """A collector with HTTP on a free port."""

    def __init__(self, server, arancini, folder, *options, **others):
        self.state = pathlib.Path(folder)
        super().__init__(server, arancini, folder, "--http", "127.0.0.1:0",
                         *options, **others)
        self.until_said("event=http_listening")
        self.http_port = int(self.said(
            r"event=http_listening at=127\.0\.0\.1:(\d+)")[0])
        self.url = f"http://127.0.0.1:{self.http_port}"
        self.http = Http(self.http_port)

    @property
    def token(self):
        return (self.state / "http-token").read_text().strip()

    def memory(self):
        """Resident, in bytes."""
        status = pathlib.Path(f"/proc/{self.server.pid}/status").read_text()
        line = [line for line in status.splitlines() if "VmRSS" in line][0]
        return int(line.split()[1]) * 1024

    def with_token(self):
        return Http(self.http_port, self.token)
