"""A TCP relay that can be a bad network: it stalls, loses, cuts, resets, slows
down, and leaves connections half open. One stands between the collector and its
broker, one between routers and the collector.

It connects to its target from the address that the client came from, so the
collector sees routers under their own addresses."""

import asyncio
import contextlib
import socket
import struct

CHUNK = 16384
UP, DOWN = "up", "down"     # client to target, target to client


class Link:
    """One connection through the relay: two sockets, a pump for each way."""

    def __init__(self, relay, client, target):
        self.relay = relay
        self.client = client
        self.target = target
        self.dead = False       # half open: both ends believe it is there
        self.pumps = []

    async def pump(self, way, source, sink):
        loop = asyncio.get_running_loop()
        while True:
            data = await loop.sock_recv(source, CHUNK)
            if not data:
                with contextlib.suppress(OSError):
                    sink.shutdown(socket.SHUT_WR)
                return
            await self.relay.open.wait()
            if self.dead or way in self.relay.lossy:
                continue
            await self.relay.forward(loop, sink, data)

    async def run(self):
        self.pumps = [
            asyncio.create_task(self.pump(UP, self.client, self.target)),
            asyncio.create_task(self.pump(DOWN, self.target, self.client))]
        try:
            done, _ = await asyncio.wait(
                self.pumps, return_when=asyncio.FIRST_EXCEPTION)
            if any(pump.cancelled() or pump.exception() for pump in done):
                self.send_reset()
        finally:
            for pump in self.pumps:
                pump.cancel()
            await asyncio.gather(*self.pumps, return_exceptions=True)
            self.client.close()
            self.target.close()

    def send_reset(self):
        """Closing sends RST to both ends."""
        for sock in (self.client, self.target):
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                struct.pack("ii", 1, 0))

    def reset(self):
        for pump in self.pumps:
            pump.cancel()

    def half_close(self, way):
        sock = self.target if way == UP else self.client
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_WR)


class Relay:
    def __init__(self, target=None):
        self.target = target    # a port of 127.0.0.1; None: refuse
        self.links = {}         # Link -> task
        self.open = asyncio.Event()
        self.open.set()
        self.lossy = set()
        self.rate = None        # bytes a second
        self.piece = CHUNK
        self.socket = None
        self.task = None

    async def start(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.socket.setblocking(False)
        self.task = asyncio.create_task(self.accept())
        return self

    @property
    def port(self):
        return self.socket.getsockname()[1]

    async def stop(self):
        self.task.cancel()
        self.reset_all()
        await asyncio.gather(self.task, *self.links.values(),
                             return_exceptions=True)
        self.socket.close()

    async def accept(self):
        loop = asyncio.get_running_loop()
        waiting = set()
        while True:
            client, address = await loop.sock_accept(self.socket)
            client.setblocking(False)
            one = asyncio.create_task(self.connect(client, address[0]))
            waiting.add(one)
            one.add_done_callback(waiting.discard)

    async def connect(self, client, source):
        loop = asyncio.get_running_loop()
        target = socket.socket()
        target.setblocking(False)
        try:
            await self.open.wait()
            if self.target is None:
                raise ConnectionRefusedError
            if source != "127.0.0.1":
                target.bind((source, 0))
            await loop.sock_connect(target, ("127.0.0.1", self.target))
        except OSError:
            target.close()
            client.close()
            return
        for sock in (client, target):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link = Link(self, client, target)
        self.links[link] = asyncio.current_task()
        try:
            await link.run()
        finally:
            self.links.pop(link, None)

    async def forward(self, loop, sink, data):
        for at in range(0, len(data), self.piece):
            part = data[at:at + self.piece]
            await loop.sock_sendall(sink, part)
            if self.rate is not None:
                await asyncio.sleep(len(part) / self.rate)

    # What a network does.

    def stall(self):
        """Nothing passes, nothing is lost, nobody is told."""
        self.open.clear()

    def go_on(self):
        self.open.set()

    def reset_all(self):
        for link in list(self.links):
            link.reset()

    def half_close_all(self, way):
        for link in list(self.links):
            link.half_close(way)

    def lose_all(self):
        """Connections there are become half open: bytes vanish. New ones are
        good."""
        for link in self.links:
            link.dead = True

    def lose(self, way):
        """Bytes of this way vanish, which no TCP survives: reset the
        connections in the end."""
        self.lossy.add(way)

    def heal(self):
        if self.lossy:
            self.lossy.clear()
            self.reset_all()
        for link in list(self.links):
            if link.dead:
                link.reset()
        self.rate = None
        self.piece = CHUNK
        self.go_on()
