"""A server that speaks NATS and answers JetStream's requests with whatever a
test wants. The real server never sends such answers; whoever may publish to
the inbox of a client can."""

import json
import socket
import threading

CREATED = "2026-01-02T03:04:05.678901234Z"


def stream_info(name, subjects, **state):
    return {
        "type": "io.nats.jetstream.api.v1.stream_info_response",
        "config": {"name": name, "subjects": subjects, "retention": "limits",
                   "max_msgs_per_subject": 1 if name.startswith("KV_") else -1,
                   "storage": "file",
                   "num_replicas": 1, "allow_direct": True},
        "created": CREATED,
        "state": {"messages": 0, "bytes": 0, "first_seq": 0, "last_seq": 0,
                  **state}}


class HostileServer:
    """answer(subject, body) -> bytes, (headers, bytes), or None for silence."""

    def __init__(self, answer, max_payload=1 << 20):
        self.answer = answer
        self.max_payload = max_payload
        self.asked = []  # subjects of requests, all connections
        self.inboxes = set()
        self.connections = 0
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(client,),
                             daemon=True).start()

    def serve(self, client):
        info = {"server_id": "HOSTILE", "server_name": "hostile",
                "version": "2.9.10", "proto": 1, "headers": True,
                "jetstream": True, "max_payload": self.max_payload}
        try:
            client.sendall(b"INFO " + json.dumps(info).encode() + b"\r\n")
            with client, client.makefile("rb") as file:
                self.converse(client, file)
        except OSError:
            pass

    def converse(self, client, file):
        subscriptions = []
        for line in file:
            words = line.split()
            if not words:
                continue
            if words[0] == b"PING":
                client.sendall(b"PONG\r\n")
            elif words[0] == b"SUB":
                subscriptions.append((words[1].decode(), words[-1].decode()))
            elif words[0] in (b"PUB", b"HPUB"):
                payload = file.read(int(words[-1]) + 2)[:-2]
                sizes = 1 if words[0] == b"PUB" else 2
                reply = words[2].decode() if len(words) == 3 + sizes else ""
                if sizes == 2:
                    payload = payload[int(words[-2]):]
                self.handle(client, subscriptions, words[1].decode(), reply,
                            payload)

    def handle(self, client, subscriptions, subject, reply, payload):
        with self.lock:
            self.asked.append(subject)
            if reply:
                self.inboxes.add(reply)
        answer = self.answer(subject, payload) if reply else None
        if answer is None:
            return
        headers, data = answer if isinstance(answer, tuple) else (b"", answer)
        for pattern, sid in subscriptions:
            if not covers(pattern, reply):
                continue
            if headers:
                head = (f"HMSG {reply} {sid} {len(headers)} "
                        f"{len(headers) + len(data)}\r\n")
            else:
                head = f"MSG {reply} {sid} {len(data)}\r\n"
            client.sendall(head.encode() + headers + data + b"\r\n")

    def asked_for(self, what):
        with self.lock:
            return sum(what in subject for subject in self.asked)


def covers(pattern, subject):
    pattern, subject = pattern.split("."), subject.split(".")
    for i, word in enumerate(pattern):
        if word == ">":
            return len(subject) > i
        if i >= len(subject) or word not in ("*", subject[i]):
            return False
    return len(pattern) == len(subject)
