"""The model of a broker (tests/sim/broker*.c) does what a real nats-server
does: random requests to both, and their answers compared.

    BROKER_SEEDS=1..500     run these seeds instead of the few of every day
    NATS_SERVER=PATH        compare with another server than Debian's

A seed that fails prints its operations, after those that it does not need were
left out."""

import difflib
import json
import os
import pathlib
import random
import subprocess
import time

import pytest

from broker import Broker
from nats_client import Client

SEEDS = os.environ.get("BROKER_SEEDS", "1..6")
OPERATIONS = 60
SHRINKS = 60
NS = 1_000_000_000
# Windows in which ids are known: for the whole test, or not even for the time
# between two operations that need it to be over.
LONG, SHORT = 120 * NS, NS // 10
EXPIRED_S = 0.4
TIMEOUT_S = 2

SUBJECTS = ["a.x", "a.y", "a.z.1", "b.x", "$KV.b.k1", "$KV.b.k2", "none.x"]
FILTERS = ["a.>", "a.*", "a.x", ">", "b.x", "$KV.b.>"]
STREAMS = {"A": ["a.>"], "B": ["b.>", "c"], "KV_b": ["$KV.b.>"],
           "OVER": ["a.x", "d"]}
HEADER_TIMES = ("Nats-Time-Stamp",)
UNEQUAL = {"created", "first_ts", "last_ts", "ts", "time", "name", "did_create",
           "deleted"}


def model_binary():
    build = pathlib.Path(os.environ.get(
        "ARANCINI_BUILD", pathlib.Path(__file__).resolve().parents[2]
        / "build"))
    return build / "tests" / "sim" / "broker_server"


class Model:
    """The model in a process of its own."""

    def __init__(self):
        self.process = subprocess.Popen([model_binary()], text=True,
                                        stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def command(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ok\n"

    def restart(self):
        self.command("restart")

    def stop(self):
        self.process.stdin.close()
        assert self.process.wait(20) == 0


class Real:
    def __init__(self, broker):
        self.broker = broker
        self.port = broker.port

    def restart(self):
        self.broker.terminate()
        self.broker.start()

    def stop(self):
        self.broker.terminate()


class Side:
    """One of the two servers, and what is asked of it."""

    def __init__(self, server):
        self.server = server
        self.client = None
        self.connect()

    def connect(self):
        if self.client is not None:
            self.client.socket.close()
        self.client = Client(self.server.port, timeout=TIMEOUT_S)

    def last_seq(self, stream):
        info = self.client.stream_info(stream)
        return info["state"]["last_seq"] if "state" in info else 0

    def clear(self):
        self.connect()
        for stream in STREAMS:
            self.client.api(f"STREAM.DELETE.{stream}")

    def answer(self, kind, args):
        try:
            return getattr(self, kind)(*args)
        except (TimeoutError, ConnectionError) as error:
            self.connect()
            return type(error).__name__

    # Operations: each returns what is compared.

    def create(self, stream, config):
        return self.api(f"STREAM.CREATE.{stream}", config)

    def update(self, stream, config):
        return self.api(f"STREAM.UPDATE.{stream}", config)

    def api(self, what, body=None):
        return plain(self.client.api(what, body))

    def raw(self, what, text):
        message = self.client.request(f"$JS.API.{what}", text.encode())
        if message.headers.get("", "").endswith(" 503"):
            return "no responders"
        return plain(json.loads(message.data))

    def publish(self, subject, headers, data):
        message = self.client.request(subject, data.encode(), headers)
        if message.headers.get("", "").endswith(" 503"):
            return "no responders"
        return plain(json.loads(message.data))

    def publish_unanswered(self, subject, headers, data):
        self.client.publish(subject, data.encode(), "", headers)
        time.sleep(0.1)
        return None

    def direct(self, where, body):
        text = json.dumps(body).encode() if body is not None else b""
        info = self.client.stream_info(where.partition(".")[0])
        if not info.get("config", {}).get("allow_direct"):
            return "nobody answers"
        message = self.client.request(f"$JS.API.DIRECT.GET.{where}", text)
        headers = {k: v for k, v in message.headers.items()
                   if k not in HEADER_TIMES}
        return headers, message.data.decode()

    def read(self, stream, config):
        """All messages that a consumer gets."""
        client = Client(self.server.port, timeout=TIMEOUT_S)
        inbox = client.subscribe()
        answer = client.api(f"CONSUMER.CREATE.{stream}", {
            "stream_name": stream, "config": {
                "deliver_subject": inbox, "ack_policy": "none",
                "replay_policy": "instant", "num_replicas": 1,
                "mem_storage": True, **config}})
        if "error" in answer:
            client.socket.close()
            return answer["error"]
        wanted = answer["num_pending"] + answer["delivered"]["consumer_seq"]
        messages = [m for m in client.early if not client.is_control(m)]
        while len(messages) < wanted:
            message = client.next()
            if not client.is_control(message):
                messages.append(message)
        gone = client.api(f"CONSUMER.DELETE.{stream}.{answer['name']}")
        client.socket.close()
        assert gone.get("success"), gone
        return [(m.subject, m.headers, m.data.decode(), place(m.reply))
                for m in messages]

    def restart(self):
        self.server.restart()
        self.connect()
        for _ in range(500):
            if "error" not in self.client.api("INFO"):
                break
            time.sleep(0.02)

    def sleep(self):
        pass


def place(reply):
    """Delivery, sequences and pending of $JS.ACK.<stream>.<consumer>..."""
    words = reply.split(".")
    return words[2], words[4:7], words[8]


def plain(answer):
    """Without times, names that the server made, and what 2.9.10 leaves out
    of a configuration."""
    if isinstance(answer, list):
        return [plain(a) for a in answer]
    if not isinstance(answer, dict):
        return answer
    return {k: plain(v) for k, v in answer.items() if k not in UNEQUAL}


def only_known(answer, known):
    """What the model knows of a configuration: newer servers have more."""
    if isinstance(answer, dict) and isinstance(known, dict):
        config = answer.get("config")
        if isinstance(config, dict) and isinstance(known.get("config"), dict):
            return {**answer, "config": {k: v for k, v in config.items()
                                         if k in known["config"]}}
    return answer


# What happens, drawn from a seed. It depends on nothing that a server answers.

def draw_config(rng, stream):
    config = {"name": stream, "subjects": STREAMS[stream],
              "retention": "limits", "storage": "file", "num_replicas": 1,
              "duplicate_window": rng.choice([LONG, LONG, SHORT])}
    if stream == "KV_b":
        config.update(max_msgs_per_subject=1, discard="new", deny_delete=True,
                      allow_rollup_hdrs=True, allow_direct=True)
        return config
    for name, values in (("max_msgs", [3, 5, 10]),
                         ("max_bytes", [300, 600]),
                         ("max_msg_size", [40, 200]),
                         ("max_msgs_per_subject", [1, 2]),
                         ("discard", ["new", "old"]),
                         ("deny_purge", [True]),
                         ("deny_delete", [True]),
                         ("allow_direct", [True]),
                         ("allow_rollup_hdrs", [True]),
                         ("no_ack", [False])):
        if rng.random() < 0.25:
            config[name] = rng.choice(values)
    if stream == "B" and rng.random() < 0.3:
        config["storage"] = "memory"
    if rng.random() < 0.05:
        config["max_age"] = NS
        config["duplicate_window"] = 2 * NS
    return config


def draw_headers(rng):
    """Header values; a number with a sign is relative to the last sequence."""
    headers = {}
    if rng.random() < 0.6:
        headers["Nats-Msg-Id"] = f"id{rng.randrange(12)}"
    if rng.random() < 0.2:
        headers["Nats-Expected-Last-Sequence"] = rng.choice(
            ["+0", "+0", "+1", "0", "7"])
    if rng.random() < 0.3:
        headers["Nats-Expected-Last-Msg-Id"] = rng.choice(
            ["last", "last", "last", "id3"])
    if rng.random() < 0.15:
        headers["Nats-Expected-Last-Subject-Sequence"] = rng.choice(
            ["0", "+0", "1"])
    if rng.random() < 0.1:
        headers["Nats-Expected-Stream"] = rng.choice(["A", "B", "KV_b"])
    if rng.random() < 0.1:
        headers["Nats-Rollup"] = rng.choice(["sub", "all"])
    if rng.random() < 0.1:
        headers["KV-Operation"] = rng.choice(["DEL", "PURGE"])
    return headers


def draw_get(rng):
    return rng.choice([{"seq": rng.randrange(12)},
                       {"last_by_subj": rng.choice(SUBJECTS + FILTERS)},
                       {"next_by_subj": rng.choice(SUBJECTS),
                        "seq": rng.randrange(8)},
                       {}])


def draw_purge(rng, stream):
    """2.9.10 forgets to count subjects when it purges memory by sequence:
    that is not in the model, and B is the only stream in memory."""
    body = {}
    if rng.random() < 0.4:
        body["filter"] = rng.choice(FILTERS + SUBJECTS)
    if stream != "B" and rng.random() < 0.3:
        body["seq"] = rng.randrange(12)
    elif rng.random() < 0.3:
        body["keep"] = rng.randrange(4)
    return body or None


def draw_read(rng):
    config = rng.choice([
        {"deliver_policy": "all"}, {"deliver_policy": "new"},
        {"deliver_policy": "by_start_sequence",
         "opt_start_seq": 1 + rng.randrange(8)}])
    if rng.random() < 0.4:
        config["filter_subject"] = rng.choice(FILTERS[:4])
    return config


def draw_publish(rng, _):
    return ("publish", rng.choice(SUBJECTS), draw_headers(rng),
            "." * rng.choice([0, 1, 10, 30, 100]))


def draw_other(rng, stream):
    what = rng.randrange(12)
    if what < 3:
        return ("api", f"STREAM.INFO.{stream}",
                rng.choice([None, {"subjects_filter": rng.choice(FILTERS)}]))
    if what == 3:
        return "api", f"STREAM.MSG.GET.{stream}", draw_get(rng)
    if what == 4:
        return ("api", f"STREAM.MSG.DELETE.{stream}",
                {"seq": rng.randrange(12)})
    if what == 5:
        return "api", f"STREAM.PURGE.{stream}", draw_purge(rng, stream)
    if what == 6:
        return "update", stream, draw_config(rng, stream)
    if what == 7:
        return "create", stream, draw_config(rng, stream)
    if what == 8:
        return "direct", "KV_b", draw_get(rng) or None
    if what == 9:
        return "direct", "KV_b." + rng.choice(SUBJECTS), None
    if what == 10:
        return "read", stream, draw_read(rng)
    return ("raw", rng.choice(["STREAM.CREATE", "STREAM.UPDATE",
                               "STREAM.MSG.GET", "STREAM.PURGE",
                               "STREAM.MSG.DELETE"]) + "." + stream,
            rng.choice(["", "{", "[]", '{"name":"X"}']))


def draw_rare(rng, stream):
    if rng.random() < 0.3:
        return ("restart",)
    if rng.random() < 0.3:
        return ("sleep",)
    if rng.random() < 0.3:
        return "api", f"STREAM.DELETE.{stream}", None
    return ("publish_unanswered", "a.x",
            {"Nats-Rollup": "other", "Nats-Msg-Id": "id11"}, "")


def draw(seed):
    rng = random.Random(seed)
    operations = [("create", stream, draw_config(rng, stream))
                  for stream in ("A", "B", "KV_b")]
    kinds = [draw_publish] * 14 + [draw_other] * 9 + [draw_rare]
    while len(operations) < OPERATIONS:
        operations.append(rng.choice(kinds)(
            rng, rng.choice(["A", "A", "A", "B", "KV_b", "OVER"])))
    return operations


def shown(answer):
    return json.dumps(answer, indent=1, sort_keys=True).splitlines()


def difference(real, model):
    return "\n".join("  " + line for line in difflib.unified_diff(
        real, model, "server", "model", lineterm="", n=1))


class Comparison:
    """Both servers, and the time at which ids were used."""

    def __init__(self, real, model):
        self.sides = [Side(real), Side(model)]
        self.real = self.sides[0]
        self.last_ids = {}
        self.used = {}

    def resolve(self, subject, headers):
        """Headers with the numbers and ids that @headers stands for."""
        stream = next((s for s in ("A", "B", "KV_b") if
                       subject.startswith(STREAMS[s][0][:-1])), "A")
        out = {}
        for name, value in headers.items():
            if value == "last":
                value = self.last_ids.get(stream, "id0")
            elif value.startswith("+"):
                value = str(self.real.last_seq(stream) + int(value))
            out[name] = value
        return stream, out

    def run_one(self, operation):
        kind, *args = operation
        if kind in ("restart", "sleep"):
            for side in self.sides:
                getattr(side, kind)()
            # Ids of a short window are not known now, for either of them.
            time.sleep(EXPIRED_S)
            return None
        if kind.startswith("publish"):
            stream, args[1] = self.resolve(args[0], args[1])
            self.wait_expired(stream, args[1].get("Nats-Msg-Id"))
        got = [side.answer(kind, args) for side in self.sides]
        if kind == "publish" and isinstance(got[0], dict) \
                and "error" not in got[0] and not got[0].get("duplicate"):
            self.last_ids[stream] = args[1].get("Nats-Msg-Id", "id0")
        got[0] = only_known(got[0], got[1])
        if got[0] != got[1]:
            return (f"{operation}\n  sent   {args}\n"
                    + difference(*map(shown, got)))
        return None

    def wait_expired(self, stream, message_id):
        """An id of a short window is not used again before it is certain that
        both have forgotten it."""
        if message_id is None:
            return
        used = self.used.get((stream, message_id), 0)
        self.used[stream, message_id] = time.monotonic()
        info = self.real.client.stream_info(stream)
        left = used + EXPIRED_S - time.monotonic()
        if left > 0 and info.get("config", {}).get("duplicate_window") != LONG:
            time.sleep(left)
            self.used[stream, message_id] = time.monotonic()

    def run(self, operations):
        """The difference, or None."""
        for side in self.sides:
            side.clear()
        self.last_ids = {}
        for i, operation in enumerate(operations):
            text = self.run_one(operation)
            if text is not None:
                return f"operation {i}: {text}"
        for stream in STREAMS:
            text = self.run_one(
                ("read", stream, {"deliver_policy": "all"})) \
                or self.run_one(("api", f"STREAM.INFO.{stream}", None))
            if text is not None:
                return f"at the end: {text}"
        return None

    def shrink(self, operations):
        """Fewer operations with which the two still differ."""
        left = SHRINKS
        size = len(operations) // 2
        while size > 0 and left > 0:
            at = 0
            while at < len(operations) and left > 0:
                fewer = operations[:at] + operations[at + size:]
                left -= 1
                if self.run(fewer) is not None:
                    operations = fewer
                else:
                    at += size
            size //= 2
        return operations


def compare(comparison, seed):
    operations = draw(seed)
    text = comparison.run(operations)
    if text is None:
        return
    operations = comparison.shrink(operations)
    again = comparison.run(operations) or "(not again)"
    pytest.fail(f"seed {seed}: {text}\n\nwith fewer operations: {again}\n"
                + "\n".join(f"  {o}" for o in operations))


@pytest.fixture(scope="module")
def comparison(module_server, tmp_path_factory, free_port):
    folder = tmp_path_factory.mktemp("real")
    real = Real(Broker(module_server, folder, free_port()).start())
    model = Model()
    yield Comparison(real, model)
    model.stop()
    real.stop()


def seeds():
    first, _, last = SEEDS.partition("..")
    return range(int(first), int(last or first) + 1)


@pytest.mark.parametrize("seed", seeds())
def test_model_and_server_answer_alike(comparison, seed):
    compare(comparison, seed)
