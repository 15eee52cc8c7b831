"""Running "arancini run" in tests, and keeping a table of what it publishes."""

import json
import re
import signal
import socket
import subprocess
import tempfile

from decoding import decode

QUIET = ["--http", "off", "--sweep-quiet", "1h", "--sweep-max", "1h"]


class Collector:
    """A collector on a free port with its journal under a folder."""

    def __init__(self, server, arancini, folder, *options, env=None,
                 listen="127.0.0.1", wrap=()):
        self.arancini = arancini
        self.journal = folder / "journal"
        self.server = server(
            [*wrap, arancini, "run", "--listen", f"{listen}:0", "--state",
             folder, *QUIET, *options], ready="event=started", timeout=30,
            env=env)
        self.port = int(re.search(r"event=listening at=\S+:(\d+)",
                                  self.server.output)[1])
        self.to = f"{listen}:{self.port}"

    def said(self, pattern):
        return re.findall(pattern, self.server.output)

    def until_said(self, pattern, count=1, timeout=60):
        self.server.wait_until(
            lambda s: len(re.findall(pattern, s.output)) >= count, timeout)

    def send(self, *words, timeout=120):
        """Run "arancini generate" or "replay" against it."""
        return subprocess.run(
            [self.arancini, *map(str, words), "--to", self.to], check=True,
            capture_output=True, text=True, timeout=timeout)

    def start_sending(self, *words):
        """The same without waiting for its end."""
        return subprocess.Popen(
            [self.arancini, *map(str, words), "--to", self.to],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def reload(self, count=1):
        """Have it read its configuration again; how often it did so far."""
        self.server.process.send_signal(signal.SIGHUP)
        self.until_said("event=reload(ed|_failed)", count)

    def kill(self):
        self.server.stop(with_signal=signal.SIGKILL)

    def stop(self):
        assert self.server.stop(timeout=60) == 0, self.server.output

    def said_lines(self, *patterns):
        """How many lines of its log say each of these, without having all of
        the log in memory."""
        counts = [0] * len(patterns)
        with open(self.server.log, errors="replace") as log:
            for line in log:
                for n, pattern in enumerate(patterns):
                    counts[n] += pattern in line
        return counts

    def stream(self, *options, timeout=120):
        """The lines of the journal one by one, as objects."""
        return tail(self.arancini, "--journal", self.journal, *options,
                    timeout=timeout)

    def published(self, *options):
        """All lines of the journal, as objects."""
        return list(self.stream(*options))


def tail(arancini, *options, idle=1, timeout=120):
    """What "arancini tail" prints from the beginning on, one line after the
    other, as objects; whoever wants more than fits into memory keeps none."""
    with (tempfile.TemporaryFile("w+") as complaints,
          subprocess.Popen(
              ["timeout", str(timeout), arancini, "tail", *options, "--since",
               "all", "--idle-exit", str(idle), "--json"],
              stdout=subprocess.PIPE, stderr=complaints) as process):
        for line in process.stdout:
            yield json.loads(line)
        status = process.wait()
        complaints.seek(0)
        assert (status, complaints.read()) == (0, "")


def connect(c, source=None, host="127.0.0.1"):
    """A router's connection to it."""
    return socket.create_connection(
        (host, c.port), timeout=20,
        source_address=(source, 0) if source else None)


def closed_by_collector(sock, seconds=20):
    sock.settimeout(seconds)
    try:
        return sock.recv(1) == b""
    except ConnectionResetError:
        return True


def come_and_go(c, data=b"", source=None):
    """A connection that the collector has ended when this returns."""
    with connect(c, source) as sock:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        assert closed_by_collector(sock)


def peer_key(line):
    return (line.get("peerType"), line.get("peerDistinguisher"),
            line.get("peerAddr"))


def table_key(line):
    return peer_key(line) + (
        bool(line.get("isPostPolicy")), bool(line.get("isAdjRibOut")),
        bool(line.get("isLocRib")), line.get("afi"), line.get("safi"))


def route_key(line):
    return table_key(line) + (
        line.get("pathId"), line.get("routeDistinguisher"),
        line.get("prefixAddr"), line.get("prefixLen"), line.get("nlriText"))


def route_value(line):
    return (tuple(line.get("asPath", ())), line.get("nextHop"),
            line.get("multiExitDisc"), line.get("localPreference"),
            tuple(sorted(map(str, line.get("communities", ())))),
            tuple(sorted(map(str, line.get("largeCommunities", ())))))


def consumer_table(lines):
    """What a consumer ends with that applies the updates and nothing else."""
    table = {}
    for line in lines:
        if line["kind"] != "update":
            continue
        if line.get("announced"):
            table[route_key(line)] = route_value(line)
        else:
            table.pop(route_key(line), None)
    return table


def router_of(line):
    """The token of a router in a subject, of an update or an event."""
    words = line["subject"].split(".")
    return words[2]


class Tables:
    """The tables by router of a consumer that also listens to "resync", which
    says to forget what one has of the router."""

    def __init__(self):
        self.tables = {}

    def apply(self, line):
        if line["kind"] == "resync":
            self.tables.pop(router_of(line), None)
        if line["kind"] != "update":
            return
        table = self.tables.setdefault(router_of(line), {})
        if line.get("announced"):
            table[route_key(line)] = route_value(line)
        else:
            table.pop(route_key(line), None)

    def routers(self):
        return {router: table for router, table in self.tables.items()
                if table}


def consumer_tables(lines):
    tables = Tables()
    for line in lines:
        tables.apply(line)
    return tables.routers()


class Sequences:
    """Sees that the updates of each table are numbered from 1, none twice and
    none left out."""

    def __init__(self):
        self.last = {}

    def apply(self, line):
        table = (router_of(line),) + table_key(line)
        want = self.last.get(table, 0) + 1
        assert line["sequence"] == want, (
            f"update {line['sequence']} where {want} comes next: {line}")
        self.last[table] = want


def numbered_tables(lines):
    """The tables by router of a consumer that applies the updates and nothing
    else, and looks at their numbers. It keeps no line."""
    tables, sequences = Tables(), Sequences()
    for line in lines:
        if line["kind"] == "update":
            sequences.apply(line)
            tables.apply(line)
    return tables.routers()


def differences(has, wanted):
    """Of two tables, in few words; nothing if there are none."""
    missing = [key for key in wanted if key not in has]
    ghosts = [key for key in has if key not in wanted]
    other = [key for key in has if key in wanted and has[key] != wanted[key]]
    if not (missing or ghosts or other):
        return ""
    return (f"missing {len(missing)}, ghosts {len(ghosts)}, other "
            f"{len(other)} of {len(wanted)}, such as "
            f"{(missing + ghosts + other)[0]}")


def check_one_router(lines, wanted):
    """The updates are numbered without a gap and leave this table behind."""
    (table,) = numbered_tables(lines).values()
    assert not differences(table, wanted), differences(table, wanted)


class RouterTable:
    """What a router's messages mean, by the rules of COLLECTOR.md section 4:
    written from the rules, over what "arancini decode" prints."""

    def __init__(self):
        self.routes = {}     # route key -> value, table key, generation
        self.generation = {}
        self.up = {}

    def apply(self, line):
        apply = getattr(self, "on_" + line["kind"], None)
        if apply is not None:
            apply(line)

    def generation_of(self, line):
        return (self.generation.get(peer_key(line), 0),
                self.generation.get(table_key(line), 0))

    def on_update(self, line):
        self.up.setdefault(peer_key(line), None)
        if line.get("announced"):
            self.routes[route_key(line)] = (
                route_value(line), table_key(line), self.generation_of(line))
        else:
            self.routes.pop(route_key(line), None)

    def on_peerUp(self, line):
        peer = peer_key(line)
        session = json.dumps([line.get(k) for k in (
            "localPort", "remotePort", "sentOpen", "receivedOpen")])
        loc_rib = line.get("peerType") == "loc-rib"
        if peer not in self.up or (self.up[peer] != session and not loc_rib):
            self.generation[peer] = self.generation.get(peer, 0) + 1
        self.up[peer] = session

    def on_peerDown(self, line):
        peer = peer_key(line)
        self.up.pop(peer, None)
        self.routes = {k: v for k, v in self.routes.items()
                       if k[:3] != peer}

    def on_endOfRib(self, line):
        table, now = table_key(line), self.generation_of(line)
        self.routes = {k: v for k, v in self.routes.items()
                       if v[1] != table or v[2] == now}

    def table(self):
        return {k: v[0] for k, v in self.routes.items()}


def router_table(path):
    """What one router that plays this file leaves behind."""
    router = RouterTable()
    for line in decode(path):
        router.apply(line)
    return router.table()


def true_table(arancini, folder, *load):
    """What the router of "generate" with these options really held: the same
    seed makes the same bytes."""
    path = folder / "same.bmp"
    subprocess.run([arancini, "generate", *load, "-o", path], check=True,
                   capture_output=True, timeout=120)
    return router_table(path)
