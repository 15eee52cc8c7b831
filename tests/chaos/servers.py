"""The processes under test: the collector, and one nats-server or three."""

import asyncio
import contextlib
import ctypes
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import urllib.error
import urllib.request

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)
STARTS_WITHIN = 60


class Failure(Exception):
    """What the round was made to find."""


class Ended(Failure):
    """A process ended that should not have."""


def nats_server():
    path = shutil.which("nats-server", path=os.environ["PATH"] + ":/usr/sbin")
    if path is None:
        raise SystemExit("nats-server is not installed")
    return path


def free_port():
    """Below the ports of outgoing connections, so that a server that stops
    finds it free when it starts again."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        outgoing = int(file.read().split()[0])
    number = os.getpid()
    for _ in range(5000):
        number = (number * 1103515245 + 12345) % (1 << 31)
        port = 10000 + number // 7 % max(outgoing - 10000, 10000)
        if port in free_port.taken:
            continue
        with contextlib.suppress(OSError), socket.socket() as sock:
            sock.bind(("127.0.0.1", port))
            free_port.taken.add(port)
            return port
    raise SystemExit("there is no free port")


free_port.taken = set()


class Process:
    """A child in a group of its own, its output in a file."""

    def __init__(self, log):
        self.log = log
        self.child = None
        self.mark = 0           # where the log of this start begins
        self.stopped = False    # by SIGSTOP

    @property
    def running(self):
        return self.child is not None and self.child.poll() is None

    def spawn(self, argv, env=None):
        with open(self.log, "ab") as out:
            self.mark = out.tell()
            self.child = subprocess.Popen(
                [str(a) for a in argv], stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, env={**os.environ, **(env or {})},
                start_new_session=True,
                preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG,
                                              signal.SIGKILL))
        self.stopped = False

    def output(self):
        """What it said since its last start."""
        with open(self.log, "rb") as file:
            file.seek(self.mark)
            return file.read().decode(errors="replace")

    async def until_said(self, pattern, timeout=STARTS_WITHIN):
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        while True:
            found = re.search(pattern, self.output())
            if found:
                return found
            if not self.running:
                raise Ended(f"{self.log.name}: ended with status "
                            f"{self.child.returncode} before "
                            f"'{pattern}' was said")
            if loop.time() > deadline:
                raise Failure(f"{self.log.name}: '{pattern}' was not said "
                              f"within {timeout} s")
            await asyncio.sleep(0.02)

    def pause(self):
        if self.running:
            self.child.send_signal(signal.SIGSTOP)
            self.stopped = True

    def go_on(self):
        if self.running:
            self.child.send_signal(signal.SIGCONT)
        self.stopped = False

    async def end(self, how=signal.SIGKILL, timeout=STARTS_WITHIN):
        """Its exit status."""
        if self.child is None:
            return 0
        if self.running:
            self.child.send_signal(how)
            if how != signal.SIGKILL:
                self.go_on()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        while self.running:
            if loop.time() > deadline:
                raise Failure(f"{self.log.name}: did not end within "
                              f"{timeout} s of {how.name}")
            await asyncio.sleep(0.01)
        return self.child.returncode

    def discard(self):
        """At the end of a round, whatever happened."""
        if self.child is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()


class Broker(Process):
    """A nats-server with a store of its own on a fixed port."""

    def __init__(self, folder, name="n1", cluster=""):
        super().__init__(folder / f"{name}.log")
        self.folder = folder
        self.name = name
        self.cluster = cluster
        self.port = free_port()
        self.settings = ""
        self.max_file = "2GB"
        self.store = folder / name

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"

    def configure(self):
        path = self.folder / f"{self.name}.conf"
        path.write_text(
            f'server_name: {self.name}\nhost: "127.0.0.1"\n'
            f"port: {self.port}\n"
            f'jetstream {{ store_dir: "{self.store}"\n'
            f"  max_mem: 64MB\n  max_file: {self.max_file} }}\n"
            + self.cluster + self.settings)
        return path

    async def start(self, wait=True):
        self.spawn([nats_server(), "-c", self.configure()])
        if wait:
            await self.until_said("Server is ready")

    def reload(self):
        """Its configuration, with other settings."""
        self.configure()
        self.child.send_signal(signal.SIGHUP)


def make_cluster(folder):
    routes = [free_port() for _ in range(3)]
    others = ", ".join(f'"nats://127.0.0.1:{port}"' for port in routes)
    return [Broker(folder, f"n{number + 1}",
                   f'cluster {{ name: chaos, listen: "127.0.0.1:{port}", '
                   f"routes: [ {others} ] }}\n")
            for number, port in enumerate(routes)]


class Clock:
    """The wall clock of the collector; see clock_shim.c."""

    def __init__(self, folder, shim):
        self.path = folder / "clock"
        self.shim = shim
        self.set(0)

    def set(self, seconds):
        data = struct.pack("=q", int(seconds * 1e9))
        if not self.path.exists():
            self.path.write_bytes(data)
        with open(self.path, "r+b") as file:
            file.write(data)

    def environment(self):
        return {"LD_PRELOAD": str(self.shim), "CHAOS_CLOCK": str(self.path)}


class Collector(Process):
    def __init__(self, folder, binary, options, state, name="collector",
                 clock=None):
        super().__init__(folder / f"{name}.log")
        self.binary = binary
        self.options = options          # a function: they may change
        self.state = pathlib.Path(state)
        self.clock = clock
        self.port = None
        self.http = None
        self.starts = 0

    def launch(self):
        self.starts += 1
        self.spawn([self.binary, "run", *self.options()],
                   self.clock.environment() if self.clock else None)

    async def start(self):
        self.launch()
        await self.until_said("event=started")
        self.port = int((await self.until_said(
            r"event=listening at=\S+:(\d+)"))[1])
        self.http = (await self.until_said(
            r"event=http_listening at=(\S+)"))[1]

    def token_file(self):
        return self.state / "http-token"

    async def ask(self, path, post=False, timeout=10):
        """(status, body) of its HTTP."""
        request = urllib.request.Request(f"http://{self.http}{path}",
                                         method="POST" if post else "GET")
        if post:
            request.add_header("Authorization", "Bearer "
                               + self.token_file().read_text().strip())

        def fetch():
            try:
                with urllib.request.urlopen(request, timeout=timeout) as reply:
                    return reply.status, reply.read().decode()
            except urllib.error.HTTPError as error:
                return error.code, error.read().decode()
        return await asyncio.to_thread(fetch)
