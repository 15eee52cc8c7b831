"""As much of a NATS client as the tests need, written from the protocol, so
that what the publisher stored is not read back by the library that wrote it."""

import json
import socket
import ssl
import time


class Message:
    def __init__(self, subject, reply, headers, data):
        self.subject = subject
        self.reply = reply
        self.headers = headers
        self.data = data

    def __repr__(self):
        return f"{self.subject} {self.headers} {self.data[:40]!r}"


class Client:
    def __init__(self, port, timeout=20, user=None, password=None, ca=None):
        self.timeout = timeout
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        # A request is two writes: the second must not wait for an ACK.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        self.info = json.loads(self.file.readline().split(b" ", 1)[1])
        if ca is not None:
            context = ssl.create_default_context(cafile=ca)
            self.socket = context.wrap_socket(self.socket,
                                              server_hostname="127.0.0.1")
            self.file = self.socket.makefile("rb")
        options = {"verbose": False, "headers": True, "no_responders": True,
                   "lang": "test", "version": "0", "protocol": 1}
        if user is not None:
            options.update(user=user, pass_=password)
            options["pass"] = options.pop("pass_")
        self.send(b"CONNECT " + json.dumps(options).encode() + b"\r\n")
        self.inboxes = 0
        self.early = []
        self.name = f"_INBOX.t{time.monotonic_ns():x}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def subscribe(self):
        """A new inbox."""
        self.inboxes += 1
        inbox = f"{self.name}.{self.inboxes}"
        self.send(f"SUB {inbox} {self.inboxes}\r\n".encode())
        return inbox

    def publish(self, subject, data=b"", reply="", headers=None):
        if headers:
            block = b"NATS/1.0\r\n" + b"".join(
                f"{k}: {v}\r\n".encode() for k, v in headers.items()) + b"\r\n"
            self.send(f"HPUB {subject} {reply} {len(block)} "
                      f"{len(block) + len(data)}\r\n".encode()
                      + block + data + b"\r\n")
        else:
            self.send(f"PUB {subject} {reply} {len(data)}\r\n".encode()
                      + data + b"\r\n")

    def next(self):
        """The next message, whatever inbox it is for."""
        while True:
            line = self.file.readline()
            if not line:
                raise ConnectionError("closed by the server")
            words = line.split()
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
            elif words[0] in (b"MSG", b"HMSG"):
                return self.take(words)
            elif words[0] == b"-ERR":
                raise ConnectionError(line.decode())

    def take(self, words):
        with_headers = words[0] == b"HMSG"
        sizes = 2 if with_headers else 1
        subject = words[1].decode()
        reply = words[3].decode() if len(words) == 4 + sizes else ""
        total = int(words[-1])
        data = self.file.read(total + 2)[:-2]
        headers = {}
        if with_headers:
            block, data = data[:int(words[-2])], data[int(words[-2]):]
            lines = block.decode().split("\r\n")
            headers[""] = lines[0]
            for line in lines[1:]:
                if line:
                    key, value = line.split(":", 1)
                    headers[key.strip()] = value.strip()
        return Message(subject, reply, headers, data)

    def request(self, subject, data=b"", headers=None):
        inbox = self.subscribe()
        self.publish(subject, data, inbox, headers)
        while True:
            message = self.next()
            if message.subject == inbox:
                return message
            # What a consumer delivers may overtake the answer to its making.
            self.early.append(message)

    def api(self, what, request=None):
        """A JetStream request; its answer as a dictionary."""
        body = json.dumps(request).encode() if request is not None else b""
        message = self.request(f"$JS.API.{what}", body)
        if message.headers.get("", "").endswith(" 503"):
            return {"error": {"code": 503, "description": "no responders"}}
        return json.loads(message.data)

    def stream_info(self, stream):
        return self.api(f"STREAM.INFO.{stream}")

    def is_control(self, message):
        """Whether it is none of the stream's. Then it is answered: the server
        sends no more than is read, and hangs up on nobody who is slow."""
        if not message.headers.get("", "").startswith("NATS/1.0 100"):
            return False
        answer_to = (message.reply
                     or message.headers.get("Nats-Consumer-Stalled"))
        if answer_to:
            self.publish(answer_to)
        return True

    def read_stream(self, stream):
        """All messages of a stream, in order."""
        info = self.stream_info(stream)
        if "error" in info:
            raise LookupError(info["error"])
        wanted = info["state"]["messages"]
        if wanted == 0:
            return []
        inbox = self.subscribe()
        answer = self.api(f"CONSUMER.CREATE.{stream}", {
            "stream_name": stream,
            "config": {"deliver_subject": inbox, "deliver_policy": "all",
                       "ack_policy": "none", "replay_policy": "instant",
                       "flow_control": True, "idle_heartbeat": 2_000_000_000,
                       "num_replicas": 1, "mem_storage": True}})
        if "error" in answer:
            raise LookupError(answer["error"])
        early, self.early = self.early, []
        messages = [m for m in early if not self.is_control(m)]
        heard = time.monotonic()
        while len(messages) < wanted:
            message = self.next()
            if not self.is_control(message):
                messages.append(message)
                heard = time.monotonic()
            elif time.monotonic() > heard + self.timeout:
                raise TimeoutError(f"{len(messages)} messages of {wanted}")
        self.api(f"CONSUMER.DELETE.{stream}.{answer['name']}")
        return messages
