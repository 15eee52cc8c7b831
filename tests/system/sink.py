"""A collector as simple as can be: takes connections on 127.0.0.1 and keeps
what each sent. Or breaks, the way a test wants it to."""

import socket
import struct
import threading
import time

PATIENCE = 120


class Session:
    """One connection: where it came from, what it sent, how it ended."""

    def __init__(self, peer):
        self.peer = peer
        self.data = bytearray()
        self.ended = False


class Sink:
    """limit: close after so many bytes, the rest unread, as a collector does
    that does not like what it gets. keep: False counts without keeping."""

    def __init__(self, limit=None):
        self.limit = limit
        self.sessions = []
        self.changed = threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port = self.listener.getsockname()[1]
        self.to = f"127.0.0.1:{self.port}"
        self.threads = [threading.Thread(target=self.accept, daemon=True)]
        self.threads[0].start()

    def accept(self):
        while True:
            try:
                connection, peer = self.listener.accept()
            except OSError:
                return
            session = Session(peer)
            with self.changed:
                self.sessions.append(session)
                self.changed.notify_all()
            thread = threading.Thread(target=self.read, daemon=True,
                                      args=(connection, session))
            self.threads.append(thread)
            thread.start()

    def read(self, connection, session):
        connection.settimeout(PATIENCE)
        with connection:
            while self.limit is None or len(session.data) < self.limit:
                size = 1 << 16
                if self.limit is not None:
                    size = min(size, self.limit - len(session.data))
                try:
                    data = connection.recv(size)
                except OSError:
                    break
                if not data:
                    break
                with self.changed:
                    session.data += data
                    self.changed.notify_all()
            else:
                # A reset, not an end: what is unread is lost.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                      struct.pack("ii", 1, 0))
        with self.changed:
            session.ended = True
            self.changed.notify_all()

    def wait(self, what, timeout=PATIENCE):
        """Until what(sessions) holds."""
        deadline = time.monotonic() + timeout
        with self.changed:
            while not what(self.sessions):
                left = deadline - time.monotonic()
                assert left > 0, "the sink waited in vain"
                self.changed.wait(left)

    def wait_ended(self, count):
        self.wait(lambda all: len(all) >= count and
                  all_ended(all))
        return self.sessions

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def all_ended(sessions):
    return all(session.ended for session in sessions)
