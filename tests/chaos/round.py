"""One round: a configuration and some faults drawn from a seed, traffic, and in
the end the comparison of what consumers have with what the routers hold."""

import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess

import nats

import faults
from actors import RouterActor
from consumer import (JournalConsumer, StreamConsumer, late_journal_reader,
                      late_stream_reader)
from model import Router
from relay import Relay
from servers import Broker, Clock, Collector, Failure, make_cluster

# Publishing goes on within 5 s of a fault's end; a busy machine gets six
# times that.
RESUMES_WITHIN = 30
# What waited in the spool has arrived by then: a consumer in Python reads some
# thousand updates a second, or hundreds if the machine is busy.
CATCHES_UP_WITHIN = 120
LONG_CATCHES_UP_WITHIN = 480
AGREES_WITHIN = 40
DISK_BYTES = 8 << 20


class Config:
    """What a seed chooses beside the faults."""

    def __init__(self, rng, main, long):
        self.output = rng.choice(["nats"] * 3 + ["journal"])
        self.state = "kv" if rng.random() < 0.15 else "folder"
        self.nodes = 1
        self.disk = False       # the state is on a small tmpfs
        self.clock = False      # the collector's clock can be set
        for need in main.needs:
            if need in ("nats", "journal"):
                self.output = need
            elif need in ("kv", "folder"):
                self.state = need
            elif need == "cluster":
                self.output, self.nodes = "nats", 3
            elif need in ("disk", "clock"):
                setattr(self, need, True)
        if self.state == "kv":
            if "journal" in main.needs:
                self.state = "folder"
            else:
                self.output = "nats"
        if self.disk:
            self.state = "folder"
        self.window = 120 if long else rng.choice([2, 3, 3, 3])
        self.workers = rng.randrange(1, 4)
        self.compress = rng.choice(["none", "zstd", "packed"])
        self.batch = rng.choice(["2K", "8K", "32K"])
        self.ack_timeout = rng.choice(["1s", "5s"])
        self.stale_hold = rng.choice([1, 3, 600])
        self.routers = rng.randrange(2, 5)
        self.prefixes = rng.choice([30, 100, 300])
        self.pace = rng.choice([0.01, 0.03, 0.1])
        if long:
            # A million updates wait behind three minutes at the fastest pace:
            # more than a consumer in Python reads in the time of a round.
            self.pace = max(self.pace, 0.03)

    def offers(self, need):
        return {"nats": self.output == "nats" and self.nodes == 1,
                "journal": self.output == "journal",
                "kv": self.state == "kv",
                "folder": self.state == "folder",
                "cluster": self.nodes == 3,
                "disk": self.disk, "clock": self.clock,
                "root": os.geteuid() == 0}[need]

    def __str__(self):
        return (f"output={self.output} nodes={self.nodes} state={self.state} "
                f"window={self.window}s workers={self.workers} "
                f"compress={self.compress} batch={self.batch} "
                f"ack-timeout={self.ack_timeout} "
                f"stale-hold={self.stale_hold}s routers={self.routers} "
                f"prefixes={self.prefixes} pace={self.pace}"
                + (" disk" if self.disk else "")
                + (" clock" if self.clock else ""))


def draw(seed, allowed, long):
    """(rng, config, groups of faults) of a seed. The faults of a group happen
    at the same time. Neighbouring seeds have different main faults, so that
    some tens of rounds have all."""
    rng = random.Random(seed)
    main = allowed[seed % len(allowed)]
    config = Config(rng, main, long)
    fitting = [f for f in allowed if not f.alone and not f.slow
               and all(config.offers(need) for need in f.needs)]
    chosen = [main]
    if not main.alone and fitting:
        chosen += rng.sample(fitting, min(rng.randrange(1, 4), len(fitting)))
        chosen = list(dict.fromkeys(chosen))
        rng.shuffle(chosen)
    groups = []
    for fault in chosen:
        together = groups and rng.random() < 0.35 and \
            not any(fault.touches & other.touches for other in groups[-1])
        if together:
            groups[-1].append(fault)
        else:
            groups.append([fault])
    return rng, config, groups


class Round:
    def __init__(self, seed, folder, binary, shim, allowed, rules, long):
        self.seed = seed
        self.rules = rules
        self.folder = folder
        self.rng, self.config, self.groups = draw(seed, allowed, long)
        self.binary = binary
        self.shim = shim
        self.catches_up_within = (LONG_CATCHES_UP_WITHIN if long
                                  else CATCHES_UP_WITHIN)
        self.state = folder / "state"
        self.notes = []
        self.resumed_after = {}     # fault -> seconds
        self.probes = 0
        self.actors = []
        self.brokers = []
        self.relays = []
        self.others = []            # processes that a fault started
        self.collector = None
        self.consumer = None
        self.trimmed = False        # a late consumer cannot have all
        self.beginning_lost = False # or not from the first number on
        self.repeats_allowed = False
        self.mounted = False
        self.clock = None
        self.reload_lines = ""

    def note(self, text):
        now = asyncio.get_running_loop().time() - self.began
        self.notes.append(f"{now:7.3f} {text}")
        with open(self.folder / "notes", "a") as file:
            file.write(self.notes[-1] + "\n")

    # The parts.

    @property
    def broker(self):
        return self.brokers[0]

    def urls(self):
        """Past the relay, for consumers and administrators."""
        return [broker.url for broker in self.brokers]

    def options(self):
        config = self.config
        path = self.folder / "arancini.conf"
        path.write_text("[limits]\nmax-sessions-per-ip = 1000\n"
                        + self.reload_lines)
        options = ["--config", path, "--listen", "127.0.0.1:0", "--http",
                   "127.0.0.1:0", "--collector-id", "chaos",
                   "--sweep-quiet", "1s", "--sweep-max", "1h",
                   "--snapshot-interval", "1s", "--restore-wait", "3s",
                   "--drain-timeout", "10s", "--journal-segment-bytes", "1M",
                   "--workers", config.workers,
                   "--batch-compress", config.compress,
                   "--batch-max-bytes", config.batch]
        if config.output == "nats":
            options += ["--nats", self.collector_urls(), "--nats-max-bytes",
                        "256M", "--nats-duplicate-window",
                        f"{config.window}s", "--nats-ack-timeout",
                        config.ack_timeout, "--nats-replicas", config.nodes]
        if config.state == "kv":
            options += ["--state", self.collector_urls().split(",")[0],
                        "--journal", self.state / "journal",
                        "--http-token-file", self.token_file()]
        else:
            options += ["--state", self.state]
        return options

    def token_file(self):
        path = self.state / "http-token"
        if not path.exists():
            path.write_text("0123456789abcdef0123456789abcdef\n")
            path.chmod(0o600)
        return path

    def collector_urls(self):
        if self.config.nodes > 1:
            # Servers of a cluster tell clients their own addresses, so that a
            # relay before them would not be used for long.
            return ",".join(self.urls())
        return f"nats://127.0.0.1:{self.broker_relay.port}"

    async def set_up(self):
        self.began = asyncio.get_running_loop().time()
        self.note(f"seed {self.seed}: {self.config}")
        self.note("faults: " + ", ".join(
            "+".join(f.name for f in group) for group in self.groups))
        self.state.mkdir()
        if self.config.disk:
            self.mount()
        if self.config.clock:
            self.clock = Clock(self.folder, self.shim)
        self.router_relay = await Relay().start()
        self.broker_relay = await Relay().start()
        self.relays = [self.router_relay, self.broker_relay]
        if self.config.output == "nats":
            self.brokers = make_cluster(self.folder) \
                if self.config.nodes == 3 else [Broker(self.folder)]
            await asyncio.gather(*(b.start() for b in self.brokers))
            self.broker_relay.target = self.broker.port
            if self.config.nodes == 3:
                await self.until_cluster()
        self.collector = Collector(self.folder, self.binary, self.options,
                                   self.state, clock=self.clock)
        self.make_routers()
        await self.start_collector()
        self.consumer = (StreamConsumer(self.urls()) if self.brokers
                         else JournalConsumer(self.state / "journal"))
        self.consumer.start()
        for actor in self.actors:
            actor.start(self.router_relay.port)

    def make_routers(self):
        config = self.config
        for number in range(1, config.routers + 1):
            rng = random.Random(f"{self.seed} {number}")
            self.actors.append(RouterActor(Router(
                rng, f"127.1.0.{number}", peers=rng.randrange(1, 4),
                prefixes=config.prefixes,
                may_vanish=config.stale_hold <= 3,
                end_of_rib=number == 1 or rng.random() < 0.8), rng,
                config.pace, self.folder))
        self.reload_lines = f"[curation]\nstale-hold = {config.stale_hold}s\n"

    def mount(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}",
                        "none", self.state], check=True)
        self.mounted = True

    async def until_cluster(self):
        """Until JetStream of the cluster answers."""
        async def ready():
            with contextlib.suppress(Exception):
                async with self.jetstream() as js:
                    await js.account_info()
                    return True
            return False
        await self.until(ready, 60, "the cluster does not answer")

    async def tear_down(self):
        for actor in self.actors:
            await actor.stop()
        if self.consumer is not None:
            await self.consumer.stop()
        for process in [self.collector, *self.others, *self.brokers]:
            if process is not None:
                process.discard()
        for relay in self.relays:
            with contextlib.suppress(Exception):
                await relay.stop()
        if self.mounted:
            # A copy for whoever looks at a failure.
            shutil.copytree(self.state, self.folder / "state-copy",
                            dirs_exist_ok=True)
            subprocess.run(["umount", "-l", self.state], check=False)

    # What faults use.

    @contextlib.asynccontextmanager
    async def jetstream(self):
        """An administrator's connection, past the relay."""
        client = await nats.connect(self.urls(), allow_reconnect=False,
                                    connect_timeout=5)
        try:
            yield client.jetstream(timeout=5)
        finally:
            await client.close()

    async def until(self, condition, timeout, failure):
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        while True:
            result = condition()
            if asyncio.iscoroutine(result):
                result = await result
            if result:
                return result
            if loop.time() > deadline:
                raise Failure(failure() if callable(failure) else failure)
            await asyncio.sleep(0.05)

    async def until_agreed(self, condition, failure):
        """Until it holds. Time counts while the consumer reads nothing new: it
        may have much to read."""
        loop = asyncio.get_running_loop()
        start = moved = loop.time()
        read = self.consumer.tables.updates
        while not condition():
            now = loop.time()
            if self.consumer.tables.updates != read:
                read, moved = self.consumer.tables.updates, now
            if now > moved + AGREES_WITHIN or \
                    now > start + self.catches_up_within:
                raise Failure(failure(now - start))
            await asyncio.sleep(0.05)

    async def pause(self, low, high):
        await asyncio.sleep(self.rng.uniform(low, high))

    async def start_collector(self):
        self.router_relay.target = None
        await self.collector.start()
        self.router_relay.target = self.collector.port

    async def end_collector(self, how=None):
        """By SIGKILL or SIGTERM; asked to end, it ends well."""
        how = how or self.rng.choice([signal.SIGKILL] * 2 + [signal.SIGTERM])
        if not self.collector.running:
            raise Failure("the collector ended by itself with status "
                          f"{self.collector.child.returncode}")
        status = await self.collector.end(how)
        self.note(f"collector ended by {how.name}: {status}")
        if how == signal.SIGTERM and status != 0:
            raise Failure(f"the collector ended with status {status}")

    async def restart_collector(self, how=None):
        await self.end_collector(how)
        await self.start_collector()

    async def quiesce(self):
        """No changes; the consumer has everything."""
        for actor in self.actors:
            actor.rest()
        await self.agreement("before a fault that needs silence")

    def resume_traffic(self):
        for actor in self.actors:
            actor.go_on()

    async def spread_changes(self, low=0.2, high=0.6):
        """Let routers talk for a moment."""
        await self.pause(low, high)

    def stream_lost(self):
        """The stream will be another one. What was stored in the old one and
        not acknowledged is sent again."""
        self.repeats_allowed = True
        self.beginning_lost = True
        self.consumer.tables.lose_stream()

    def messages_lost(self):
        """Somebody removes messages that a consumer may not have read: there
        may be gaps until the resync, which must come."""
        self.consumer.tables.lossy = True

    # What must hold.

    def heal(self):
        for relay in self.relays:
            relay.heal()
        for broker in self.brokers:
            if broker.stopped:
                broker.go_on()
        if self.collector.stopped:
            self.collector.go_on()
        self.consumer.paused = False
        for actor in self.actors:
            actor.come_back()

    def present_actor(self):
        return self.rng.choice(self.actors)

    async def resumed(self, name):
        """A route that is announced now gets to the consumer."""
        self.heal()
        loop = asyncio.get_running_loop()
        start = loop.time()
        actor = self.present_actor()
        self.probes += 1
        key, message = actor.router.probe(self.probes)
        actor.say(message)

        tables = self.consumer.tables
        progress = tables.updates, start

        # What was spooled comes first: time counts while nothing arrives.
        while key not in tables.routes.get(actor.router.token, {}):
            self.check_collector()
            now = loop.time()
            if tables.updates != progress[0]:
                progress = tables.updates, now
            if now > progress[1] + RESUMES_WITHIN or \
                    now > start + self.catches_up_within:
                raise Failure(f"publishing did not resume within "
                              f"{now - start:.0f} s of {name}; the last "
                              f"update came after {progress[1] - start:.0f} s")
            await asyncio.sleep(0.05)
        self.resumed_after[name] = loop.time() - start
        self.note(f"resumed after {name}: {loop.time() - start:.2f} s")

    def check_collector(self):
        if not self.collector.running:
            raise Failure("the collector ended by itself with status "
                          f"{self.collector.child.returncode}")

    def wanted(self):
        return {key: value for actor in self.actors
                for key, value in actor.router.routes().items()}

    async def agreement(self, when):
        def agrees():
            self.check_collector()
            return all(a.in_sync for a in self.actors) and \
                not self.consumer.tables.pending and \
                self.consumer.tables.all_routes() == self.wanted()
        await self.until_agreed(agrees, lambda seconds: (
            f"{when}: tables differ after {seconds:.0f} s, "
            f"{len(self.consumer.tables.pending)} breaches without a resync: "
            + differences(self.consumer.tables.all_routes(), self.wanted())))

    def check_rules(self, tables, who):
        late = [breach for _, breach in tables.pending]
        breaches = [text for rule, text in tables.breaches + late
                    if rule in self.rules]
        if breaches:
            raise Failure(f"{who}: {len(breaches)} breaches of the rules, the "
                          f"first: {breaches[0]}")
        if tables.repeated and not self.repeats_allowed:
            raise Failure(f"{who}: {tables.repeated} updates came twice")

    async def late_reader(self):
        if self.brokers:
            return await late_stream_reader(self.urls(), self.beginning_lost,
                                            self.consumer.tables.lossy)
        return late_journal_reader(self.state / "journal")

    async def check_late_reader(self):
        """A consumer that begins now has the same. A resync may be under way:
        then it has, some time later."""
        has = {}

        async def agrees():
            self.check_collector()
            tables, twice = await self.late_reader()
            if twice:
                raise Failure(f"{len(twice)} message ids are stored twice, "
                              f"such as {twice[0]}")
            has["tables"] = tables
            return self.trimmed or (not tables.pending and
                                    tables.all_routes() == self.wanted())

        await self.until(agrees, AGREES_WITHIN, lambda: (
            f"a consumer that begins now differs for {AGREES_WITHIN} s: "
            + differences(has["tables"].all_routes(), self.wanted())))
        if not self.trimmed:
            self.check_rules(has["tables"], "a consumer that begins now")

    def write_evidence(self):
        """For whoever looks at a failure: what differs, route by route, and
        which rules were broken."""
        has, wanted = self.consumer.tables.all_routes(), self.wanted()
        with open(self.folder / "differences", "w") as file:
            for key in sorted(has.keys() | wanted.keys(), key=str):
                if has.get(key) != wanted.get(key):
                    file.write(f"{key}\n  router   {wanted.get(key)}\n"
                               f"  consumer {has.get(key)}\n")
        with open(self.folder / "breaches", "w") as file:
            tables = self.consumer.tables
            for rule, text in tables.breaches + [b for _, b in tables.pending]:
                file.write(f"{rule}: {text}\n")

    async def run(self):
        await self.set_up()
        await self.resumed("start")
        for group in self.groups:
            await self.spread_changes()
            name = "+".join(fault.name for fault in group)
            self.note("fault " + name)
            await asyncio.gather(*(fault.run(self) for fault in group))
            self.note("lifted " + name)
            await self.resumed(name)
        await self.finish()

    async def finish(self):
        self.heal()
        for actor in self.actors:
            actor.rest()
        await self.agreement("in the end")
        status, body = await self.collector.ask("/readyz")
        if status != 200:
            raise Failure(f"/readyz says {status}: {body}")
        await self.check_late_reader()
        await self.end_collector()
        await self.until_agreed(
            lambda: self.consumer.tables.all_routes() == self.wanted(),
            lambda _: (
                "what was right changed when the collector ended: "
                + differences(self.consumer.tables.all_routes(),
                              self.wanted())))
        self.check_rules(self.consumer.tables, "the consumer")


def differences(has, wanted):
    missing = [k for k in wanted if k not in has]
    ghosts = [k for k in has if k not in wanted]
    other = [k for k in has if k in wanted and has[k] != wanted[k]]
    first = (missing + ghosts + other)[:1]
    return (f"{len(missing)} missing, {len(ghosts)} ghosts, {len(other)} "
            f"other of {len(wanted)}, such as {first}")


async def run_round(one):
    """Its result, as an object for JSON."""
    failure = None
    try:
        await one.run()
    except Failure as error:
        failure = str(error)
    except Exception as error:      # the driver's own, or a server's
        failure = f"{type(error).__name__}: {error}"
        with open(one.folder / "traceback", "w") as file:
            import traceback
            traceback.print_exc(file=file)
    finally:
        if failure is not None:
            with contextlib.suppress(Exception):
                one.note("FAILED " + failure)
                one.write_evidence()
        await one.tear_down()
    tables = one.consumer.tables if one.consumer else None
    return {"seed": one.seed, "failure": failure,
            "config": str(one.config), "window": one.config.window,
            "faults": [f.name for group in one.groups for f in group],
            "resumed": one.resumed_after,
            "updates": tables.updates if tables else 0,
            "resyncs": tables.resyncs if tables else 0}


def run_in_process(seed, folder, binary, shim, names, rules, long):
    """The entry of a child process: one round, its result in a file."""
    allowed = [faults.BY_NAME[name] for name in names]

    async def go():
        return await run_round(Round(seed, folder, binary, shim, allowed,
                                     rules, long))
    result = asyncio.run(go())
    (folder / "result").write_text(json.dumps(result))
    return result
