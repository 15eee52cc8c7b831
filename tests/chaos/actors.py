"""The routers at work: each keeps a session to the collector, sends its dump
and then changes, and begins again whenever it is cut off."""

import asyncio
import contextlib
import socket
import struct


def forget_exception(task):
    """A reset is what sessions end with."""
    if not task.cancelled():
        task.exception()


async def end_task(task):
    """Cancel it until it is gone: one that is about to end a wait by itself
    may swallow the first."""
    while task is not None and not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=0.2)


class RouterActor:
    def __init__(self, router, rng, pace, folder=None):
        self.router = router
        self.folder = folder        # keeps what was sent, session by session
        self.rng = rng
        self.pace = pace            # seconds between changes, on average
        self.port = None
        self.busy = True            # changes by itself
        self.present = True         # wants a session
        self.pending = []           # messages that follow the dump
        self.outdated = False       # the session cannot know all
        self.in_sync = False        # the session has everything of the model
        self.sessions = 0
        self.wake = asyncio.Event()
        self.writer = None
        self.task = None

    def start(self, port):
        self.port = port
        self.task = asyncio.create_task(self.run())

    async def stop(self):
        await end_task(self.task)

    def say(self, *messages):
        """Messages that tell a change that the model has made."""
        self.in_sync = False
        self.pending += messages
        self.wake.set()

    async def run(self):
        while True:
            if not self.present:
                self.wake.clear()
                await self.wake.wait()
                continue
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                await self.session()
            self.in_sync = False
            await asyncio.sleep(self.rng.uniform(0.05, 0.2))

    async def session(self):
        # From its own address: that is what the collector knows it by.
        _, writer = streams = await asyncio.wait_for(asyncio.open_connection(
            "127.0.0.1", self.port, local_addr=(self.router.address, 0)), 10)
        self.writer = writer
        self.sessions += 1
        watch = asyncio.create_task(self.watch(streams[0]))
        watch.add_done_callback(lambda _: self.wake.set())
        try:
            await self.talk(writer, watch)
        finally:
            self.writer = None
            watch.cancel()
            watch.add_done_callback(forget_exception)
            writer.transport.abort()

    @staticmethod
    async def watch(reader):
        """Until the collector ends the session."""
        while await reader.read(1024):
            pass

    async def talk(self, writer, watch):
        # The dump says all that was pending.
        self.pending.clear()
        self.outdated = False
        for message in list(self.router.dump()):
            if watch.done():
                return
            self.write(writer, message)
            if writer.transport.get_write_buffer_size() > 65536:
                await writer.drain()
        while self.present and not self.outdated and not watch.done():
            # Before the look at what there is: nothing is missed.
            self.wake.clear()
            messages, self.pending = self.pending, []
            for message in messages:
                self.write(writer, message)
            await writer.drain()
            self.in_sync = not self.pending
            await self.pause()
            if self.busy and not self.pending:
                self.in_sync = False
                self.pending += self.router.change()
        if not self.present:
            writer.write_eof()
            await asyncio.wait({watch}, timeout=10)

    def write(self, writer, message):
        writer.write(message)
        if self.folder is not None:
            path = self.folder / f"{self.router.token}-{self.sessions}.bmp"
            with open(path, "ab") as file:
                file.write(message)

    async def pause(self):
        """Until the next change, or until something happens. Five hundred
        routers that look again every moment keep this process busy."""
        if not self.busy:
            await self.wake.wait()
            return
        delay = self.rng.expovariate(1 / self.pace)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.wake.wait(), min(delay, 0.2))

    # What routers do to their sessions.

    def abort_inside_frame(self):
        """Half of a message, then RST."""
        if self.writer is None:
            return
        message = self.router.peers[1].announce(self.rng, 10)
        self.in_sync = False
        self.writer.write(message[:self.rng.randrange(1, len(message))])
        sock = self.writer.get_extra_info("socket")
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                            struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    def write_garbage(self):
        """Bytes that are no BMP; the collector ends the session."""
        if self.writer is not None:
            self.in_sync = False
            self.writer.write(self.rng.randbytes(64) + b"\xff" * 64)

    def change_unheard(self):
        """The tables change and no session tells: the next one's dump does."""
        self.router.change_unheard()
        self.outdated = True
        self.in_sync = False
        self.wake.set()

    def rest(self):
        self.busy = False

    def go_on(self):
        """To change by itself, after rest()."""
        self.busy = True
        self.wake.set()

    def go_away(self):
        self.present = False
        self.wake.set()

    def come_back(self):
        self.present = True
        self.wake.set()
