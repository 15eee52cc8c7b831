"""The faults. Each is a coroutine that does something to a running round and
lifts it again; the round then sees that publishing goes on.

A fault says what it needs of the configuration (`needs`), which parts it takes
for itself (`touches`: two faults that share none may happen at the same time)
and whether it is alone in its round."""

import asyncio
import contextlib
import os
import random
import shutil
import signal
import subprocess

import nats.errors
import nats.js.errors

from actors import RouterActor
from consumer import STREAM
from model import Router
from relay import DOWN, UP
from servers import Collector, Ended, Failure, free_port

# Faults and rules (consumer.RULES) that show a bug of the collector which is
# not fixed yet, each with the point of issue 17. `make chaos` leaves them out
# unless KNOWN_OPEN=yes. Take an entry out when its fix lands.
KNOWN_OPEN = {}

BUCKET = "KV_arancini-state"


class Fault:
    def __init__(self, run, needs, touches, alone, slow, long):
        self.name = run.__name__
        self.run = run
        self.needs = needs.split()
        self.touches = set(touches.split())
        self.alone = alone
        self.slow = slow        # only as the main fault of a round
        self.long = long        # minutes: only in the long form


FAULTS = []
BY_NAME = {}


def fault(needs="", touches="", alone=False, slow=False, long=False):
    def register(run):
        one = Fault(run, needs, touches, alone, slow, long)
        FAULTS.append(one)
        BY_NAME[one.name] = one
        return run
    return register


# The broker.

async def broker_returns(r, how):
    await r.broker.end(how)
    await r.pause(0, 1.5)
    await r.broker.start()


@fault(needs="nats", touches="broker")
async def broker_killed(r):
    await broker_returns(r, signal.SIGKILL)


@fault(needs="nats", touches="broker")
async def broker_restarted(r):
    await broker_returns(r, signal.SIGTERM)


@fault(needs="nats", touches="broker")
async def broker_killed_in_a_row(r):
    """It is killed again while it and the collector recover."""
    for _ in range(3):
        await r.broker.end(signal.SIGKILL)
        await r.broker.start(wait=False)
        await r.pause(0.02, 0.5)
    await r.broker.until_said("Server is ready")


@fault(needs="nats", touches="broker")
async def broker_stopped(r):
    r.broker.pause()
    await r.pause(0.1, 2.5)
    r.broker.go_on()


@fault(needs="nats", touches="broker collector", slow=True)
async def broker_restarted_after_silence(r):
    """The newest message is older than the duplicate window when the server
    restarts, so it has forgotten its id."""
    await r.quiesce()
    await asyncio.sleep(r.config.window + 1)
    await r.broker.end(r.rng.choice([signal.SIGTERM, signal.SIGKILL]))
    await r.broker.start()
    r.resume_traffic()


@fault(needs="nats", touches="broker", slow=True)
async def broker_away_beyond_window(r):
    await r.broker.end(r.rng.choice([signal.SIGTERM, signal.SIGKILL]))
    await asyncio.sleep(r.config.window + 1.5)
    await r.broker.start()


@fault(needs="nats", touches="broker collector", alone=True, long=True)
async def broker_restarted_after_130_s(r):
    await r.quiesce()
    await asyncio.sleep(130)
    await r.broker.end(r.rng.choice([signal.SIGTERM, signal.SIGKILL]))
    await r.broker.start()
    r.resume_traffic()


@fault(needs="nats", touches="broker", alone=True, long=True)
async def broker_away_for_3_minutes(r):
    await r.broker.end(signal.SIGKILL)
    await asyncio.sleep(180)
    await r.broker.start()


@fault(needs="nats", touches="broker collector")
async def store_put_back(r):
    """As after a power cut: what was acknowledged last is gone."""
    r.repeats_allowed = True    # the acknowledged tail may be sent again
    copy = r.folder / "store-copy"
    shutil.rmtree(copy, ignore_errors=True)
    r.broker.pause()
    shutil.copytree(r.broker.store, copy)
    r.broker.go_on()
    await r.pause(0.3, 1.5)
    await r.broker.end(signal.SIGKILL)
    shutil.rmtree(r.broker.store)
    copy.rename(r.broker.store)
    await r.broker.start()


async def stream_will_be_lost(r):
    """Once every router has a snapshot: see stream_deleted_early."""
    if r.config.state == "folder":
        await r.until(lambda: all(
            (r.state / "snapshots" / f"{actor.router.token}.snap").exists()
            for actor in r.actors), 30, "not every router has a snapshot")
    else:
        await asyncio.sleep(3)
    r.stream_lost()


@fault(needs="nats", touches="broker collector")
async def store_lost(r):
    await stream_will_be_lost(r)
    await r.broker.end(signal.SIGKILL)
    shutil.rmtree(r.broker.store)
    await r.broker.start()


@fault(needs="nats", touches="broker")
async def server_takes_short_messages(r):
    """max_payload below the length of a batch, for a while."""
    for settings in ("max_payload: 17000\n", ""):
        r.broker.settings = settings
        await r.broker.end(signal.SIGTERM)
        await r.broker.start()
        await r.pause(0.2, 1)


@fault(needs="nats", touches="broker")
async def max_payload_reloaded(r):
    """Lowered and put back without a restart: the server tells nobody."""
    for settings in ("max_payload: 17000\n", ""):
        r.broker.settings = settings
        r.broker.reload()
        await r.pause(0.3, 2)


@fault(needs="nats", touches="broker", slow=True)
async def server_storage_lowered(r):
    """Below what the stream may have: the server does not load the stream,
    and has no room for another one."""
    for max_file in ("100MB", "2GB"):
        r.broker.max_file = max_file
        await r.broker.end(signal.SIGTERM)
        await r.broker.start()
        await r.pause(0.5, 4)


@fault(needs="nats", touches="broker")
async def rights_taken_away(r):
    """The collector may not publish, for a while."""
    user = ("no_auth_user: u\nauthorization { users: [ { user: u, password: "
            'p, permissions: { publish: { deny: ["arancini.updates.>"] } } '
            "} ] }\n")
    for settings in (user, ""):
        r.broker.settings = settings
        await r.broker.end(signal.SIGTERM)
        await r.broker.start()
        await r.pause(0.3, 1.5)


# The stream.

async def change_stream(js, **settings):
    config = (await js.stream_info(STREAM)).config
    await js.update_stream(config.evolve(**settings))


@fault(needs="nats", touches="broker collector")
async def stream_deleted(r):
    await stream_will_be_lost(r)
    async with r.jetstream() as js:
        await js.delete_stream(STREAM)


@fault(needs="nats", touches="broker collector")
async def stream_deleted_early(r):
    """While routers have no snapshot yet: here, after a start without any."""
    await r.end_collector()
    shutil.rmtree(r.state / "snapshots", ignore_errors=True)
    await r.start_collector()
    await r.pause(0.1, 0.5)
    r.stream_lost()
    async with r.jetstream() as js:
        await js.delete_stream(STREAM)


@fault(needs="nats", touches="broker collector")
async def stream_deleted_behind_its_back(r):
    """While the collector is cut off."""
    await stream_will_be_lost(r)
    r.broker_relay.reset_all()
    r.broker_relay.stall()
    async with r.jetstream() as js:
        await js.delete_stream(STREAM)
    await r.pause(0, 0.5)
    r.broker_relay.go_on()


@fault(needs="nats", touches="broker collector")
async def stream_remade_by_others(r):
    """Deleted and made again with the same subjects in one go."""
    await stream_will_be_lost(r)
    async with r.jetstream() as js:
        config = (await js.stream_info(STREAM)).config
        await js.delete_stream(STREAM)
        await js.add_stream(config)


@fault(needs="nats", touches="broker collector")
async def stream_remade_with_fewer_messages(r):
    """By somebody who puts some of the messages back, with their ids."""
    await stream_will_be_lost(r)
    r.messages_lost()
    r.consumer.put_back = True
    async with r.jetstream() as js:
        info = await js.stream_info(STREAM)
        kept = []
        for number in range(info.state.first_seq, info.state.last_seq + 1):
            if len(kept) == 30:
                break
            with contextlib.suppress(nats.js.errors.NotFoundError):
                kept.append(await js.get_msg(STREAM, number))
        await js.delete_stream(STREAM)
        with contextlib.suppress(nats.js.errors.BadRequestError):
            await js.add_stream(info.config)    # unless the collector was first
        for message in kept:
            with contextlib.suppress(nats.errors.Error):
                await js.publish(message.subject, message.data or b"",
                                 headers={
                                     name: value for name, value
                                     in (message.headers or {}).items()
                                     if not name.startswith("Nats-Expected")})


@fault(needs="nats", touches="broker collector")
async def stream_purged(r):
    r.beginning_lost = True
    r.messages_lost()
    r.consumer.paused = r.rng.random() < 0.5
    await r.pause(0, 0.5)
    async with r.jetstream() as js:
        await js.purge_stream(STREAM)


async def purge_while_away(r, all_read):
    r.trimmed = True
    await r.end_collector()
    async with r.jetstream() as js:
        if all_read:
            last = (await js.stream_info(STREAM)).state.last_seq
            await r.until(lambda: r.consumer.position >= last, 60,
                          "the consumer does not read on")
        await js.purge_stream(STREAM)
    await r.start_collector()


@fault(needs="nats", touches="broker collector")
async def stream_purged_while_away(r):
    """The collector starts behind a purge; consumers had read all."""
    await purge_while_away(r, all_read=True)


@fault(needs="nats", touches="broker collector")
async def stream_purged_while_away_unread(r):
    r.beginning_lost = True
    r.messages_lost()
    r.consumer.paused = True
    await r.pause(0.2, 0.5)
    await purge_while_away(r, all_read=False)


@fault(needs="nats", touches="broker")
async def stream_full(r):
    async with r.jetstream() as js:
        info = await js.stream_info(STREAM)
        await js.update_stream(info.config.evolve(
            max_msgs=info.state.messages + r.rng.randrange(20, 40),
            discard="new"))
        await r.pause(0.3, 1.5)
        await js.update_stream(info.config)
        # More may have come before the limit was set: the server trims it.
        if (await js.stream_info(STREAM)).state.first_seq \
                != info.state.first_seq:
            r.trimmed = True


@fault(needs="nats", touches="broker collector")
async def stream_trimmed(r):
    """Consumers have read what is trimmed; the collector's state refers to
    it."""
    r.trimmed = True
    await r.quiesce()
    async with r.jetstream() as js:
        config = (await js.stream_info(STREAM)).config
        await js.update_stream(config.evolve(
            max_msgs=r.rng.randrange(1, 4), discard="old"))
        await js.update_stream(config)
    if r.rng.random() < 0.7:
        await r.restart_collector()
    r.resume_traffic()


@fault(needs="nats", touches="broker")
async def stream_takes_short_messages(r):
    async with r.jetstream() as js:
        config = (await js.stream_info(STREAM)).config
        await js.update_stream(config.evolve(max_msg_size=1500))
        await r.pause(0.3, 1)
        await js.update_stream(config)


@fault(needs="nats", touches="broker collector", slow=True)
async def stream_settings_changed(r):
    """To some with which it would lose messages, and put back before or after
    the collector looks at it."""
    settings = r.rng.choice([
        {"max_msgs_per_subject": r.rng.randrange(1, 5)}, {"no_ack": True},
        {"subjects": ["arancini.updates.>"]}])
    r.note(f"settings: {settings}")
    if "max_msgs_per_subject" in settings:
        r.beginning_lost = True
        r.messages_lost()
    async with r.jetstream() as js:
        config = (await js.stream_info(STREAM)).config
        await js.update_stream(config.evolve(**settings))
        await r.pause(0.3, 8)
        # Of these, -1 is what was there; None and False are not sent.
        await js.update_stream(config.evolve(no_ack=False))


@fault(needs="nats", touches="broker", slow=True)
async def stream_limit_lowered_and_raised(r):
    """For longer than the collector takes between two looks."""
    async with r.jetstream() as js:
        config = (await js.stream_info(STREAM)).config
        for size in (r.rng.randrange(16384, 40000), 20000, -1):
            await js.update_stream(config.evolve(max_msg_size=size))
            await r.pause(0.3, 6)


@fault(needs="nats", touches="broker collector", slow=True)
async def many_consumers(r):
    """Readers that hold hundreds of them, also while the collector starts."""
    async with r.jetstream() as js:
        for number in range(300):
            await js.add_consumer(STREAM, name=f"held-{number}",
                                  durable_name=f"held-{number}",
                                  ack_policy="explicit",
                                  deliver_policy="all")
        if r.rng.random() < 0.7:
            await r.restart_collector()
        await r.pause(0.2, 1)
        for number in range(300):
            await js.delete_consumer(STREAM, f"held-{number}")


@fault(needs="nats", touches="broker", slow=True)
async def foreign_writer(r):
    """Somebody publishes to the subjects all the time, with ids of another
    collector or without."""
    async with r.jetstream() as js:
        end = asyncio.get_running_loop().time() + r.rng.uniform(1, 4)
        number = 0
        while asyncio.get_running_loop().time() < end:
            number += 1
            name = {"Nats-Msg-Id": f"other.17.{number}"}
            with contextlib.suppress(nats.errors.Error):
                await js.publish("arancini.updates.v4_127_9_9_9.1.1_1", b"x",
                                 headers=r.rng.choice([None, name]))
            await r.pause(0, 0.02)


@fault(needs="nats", touches="broker collector", slow=True)
async def forged_epoch(r):
    """A message with an id that no collector makes; it is deleted later, which
    consumers cannot tell from a deletion of ours."""
    r.messages_lost()
    async with r.jetstream() as js:
        name = f"chaos.{r.rng.choice([1 << 48, (1 << 64) - 1])}.1"
        subject = r.rng.choice(["arancini.updates.v4_127_9_9_9.1.1_1",
                                "arancini.events.collector.epoch"])
        ack = await js.publish(subject, b"", headers={"Nats-Msg-Id": name})
        await r.pause(0.2, 1)
        if r.rng.random() < 0.5:
            await r.restart_collector()
        await r.pause(0, 2)
        await js.delete_msg(STREAM, ack.seq)


@fault(needs="nats", touches="broker")
async def strange_messages_in_stream(r):
    """Others publish to its subjects: messages without an id of ours."""
    async with r.jetstream() as js:
        for data in (b"", b"\0" * 64, r.rng.randbytes(100)):
            with contextlib.suppress(nats.errors.Error):
                await js.publish("arancini.updates.v4_127_9_9_9.1.1_1", data)


# A cluster.

async def stream_leader(r):
    async with r.jetstream() as js:
        name = (await js.stream_info(STREAM)).cluster.leader
    return next((b for b in r.brokers if b.name == name), None)


@fault(needs="cluster", touches="broker", alone=True)
async def cluster_leader_killed(r):
    for how in (signal.SIGKILL, signal.SIGSTOP):
        leader = await r.until(lambda: find_leader(r), 60, "no leader")
        r.note(f"leader {leader.name}: {how.name}")
        if how == signal.SIGKILL:
            await leader.end(how)
            await r.pause(0.5, 2)
            await leader.start()
        else:
            leader.pause()
            await r.pause(0.5, 3)
            leader.go_on()
        await r.resumed(f"leader {how.name}")


async def find_leader(r):
    with contextlib.suppress(OSError, nats.errors.Error, AttributeError,
                             asyncio.TimeoutError):
        return await stream_leader(r)
    return None


@fault(needs="cluster", touches="broker", alone=True)
async def cluster_servers_move(r):
    """Two of three come back at other addresses, one after the other: clients
    hear of them from the servers."""
    for broker in r.rng.sample(r.brokers, 2):
        await broker.end(signal.SIGTERM)
        broker.port = free_port()
        await broker.start()
        await r.until(lambda: find_leader(r), 60, "no leader")
        await r.resumed(f"{broker.name} moved")
    if r.rng.random() < 0.5:
        await r.restart_collector()


@fault(needs="cluster", touches="broker", alone=True)
async def cluster_loses_majority(r):
    two = r.rng.sample(r.brokers, 2)
    for broker in two:
        await broker.end(signal.SIGKILL)
    await r.pause(0.5, 2)
    for broker in two:
        await broker.start(wait=False)
    for broker in two:
        await broker.until_said("Server is ready")
    await r.until(lambda: find_leader(r), 60, "no leader")


# The network between collector and broker.

@fault(needs="nats", touches="broker-network")
async def broker_network_stalls(r):
    r.broker_relay.stall()
    await r.pause(0.2, 2.5)
    r.broker_relay.go_on()


@fault(needs="nats", touches="broker-network")
async def broker_network_resets(r):
    for _ in range(r.rng.randrange(1, 5)):
        r.broker_relay.reset_all()
        await r.pause(0, 0.3)


@fault(needs="nats", touches="broker-network")
async def broker_half_open(r):
    r.broker_relay.lose_all()
    await r.pause(0.3, 2)
    r.broker_relay.heal()


@fault(needs="nats", touches="broker-network")
async def broker_half_closed(r):
    r.broker_relay.half_close_all(r.rng.choice([UP, DOWN]))
    await r.pause(0.1, 0.5)


@fault(needs="nats", touches="broker-network")
async def acknowledgements_lost(r):
    """What the collector sends is stored; nothing comes back."""
    r.broker_relay.lose(DOWN)
    await r.pause(0.2, 1.5)
    r.broker_relay.heal()


@fault(needs="nats", touches="broker-network")
async def publishes_lost(r):
    r.broker_relay.lose(UP)
    await r.pause(0.2, 1.5)
    r.broker_relay.heal()


@fault(needs="nats", touches="broker-network")
async def broker_network_slow(r):
    r.broker_relay.piece = r.rng.choice([7, 100, 1000])
    r.broker_relay.rate = 200000
    await r.pause(0.3, 1.5)
    r.broker_relay.heal()


# The collector.

@fault(touches="collector")
async def collector_killed(r):
    await r.restart_collector(signal.SIGKILL)


@fault(touches="collector")
async def collector_terminated(r):
    await r.restart_collector(signal.SIGTERM)


@fault(touches="collector")
async def collector_killed_in_a_row(r):
    """Also while it starts, restores, and routers come back."""
    for _ in range(3):
        await r.end_collector(signal.SIGKILL)
        r.collector.launch()
        await r.pause(0, 0.6)
    await r.collector.end(signal.SIGKILL)
    await r.start_collector()


@fault(touches="collector")
async def collector_stopped(r):
    r.collector.pause()
    await r.pause(0.1, 2.5)
    r.collector.go_on()


@fault(touches="collector")
async def workers_changed(r):
    await r.end_collector()
    r.config.workers = r.config.workers % 4 + 1
    r.config.compress = r.rng.choice(["none", "zstd", "packed"])
    await r.start_collector()


@fault(needs="nats", touches="collector broker")
async def both_killed(r):
    """Collector and broker, the broker back some time later."""
    await asyncio.gather(r.end_collector(signal.SIGKILL),
                         r.broker.end(signal.SIGKILL))
    if r.config.state == "kv":
        # Its state is where the broker is.
        await r.broker.start()
        await r.start_collector()
        return
    starting = asyncio.create_task(r.start_collector())
    await r.pause(0, 4)
    await r.broker.start()
    await starting


@fault(needs="nats", touches="collector broker")
async def killed_while_spooling(r):
    """The spool of one run is published by another one."""
    await r.broker.end(signal.SIGKILL)
    await r.pause(0.3, 1.2)
    await r.end_collector(signal.SIGKILL)
    await r.broker.start()
    await r.start_collector()


@fault(needs="nats folder", touches="collector broker")
async def two_collectors_with_one_id(r):
    """A second one takes the stream over, then the first is started again."""
    await other_takes_over(r)


@fault(needs="nats kv", touches="collector broker")
async def two_collectors_with_one_bucket(r):
    """And takes the state over as well."""
    await other_takes_over(r)


@fault(needs="nats folder", touches="collector broker")
async def state_copied_to_second_host(r):
    """A collector is started there with the copy, while the first one runs."""
    state = r.folder / f"copy-of-state-{len(r.others)}"
    await copy_state(r, state)
    await r.pause(0, 1)
    await other_takes_over(r, state)


async def copy_state(r, state):
    """Of a folder in use: files are replaced while they are copied."""
    for _ in range(20):
        with contextlib.suppress(shutil.Error, FileNotFoundError):
            shutil.rmtree(state, ignore_errors=True)
            shutil.copytree(r.state, state)
            return
        await r.pause(0.05, 0.2)
    raise Failure("the state could not be copied")


@fault(needs="nats folder", touches="collector broker")
async def state_moved_and_back(r):
    """To a second host while updates are in the spool; it publishes them. Then
    the first one is started again, with a spool that is of before."""
    await r.broker.end(signal.SIGKILL)
    await r.pause(1.2, 2)
    await r.end_collector(signal.SIGKILL)
    state = r.folder / f"moved-state-{len(r.others)}"
    shutil.copytree(r.state, state)
    await r.broker.start()
    other = other_collector(r, state)
    await other.start()
    await other.until_said("event=publisher state=ready")
    await r.pause(0.2, 1)
    await other.end(r.rng.choice([signal.SIGKILL, signal.SIGTERM]))
    await r.start_collector()


@fault(needs="folder", touches="collector broker")
async def collector_id_changed(r):
    """As after a change of the host's name: the state is another collector's,
    and refused."""
    await until_snapshot(r)
    await r.end_collector()
    other = other_collector(r, r.state, "--collector-id", "renamed")
    other.launch()
    await r.until(lambda: not other.running, 60,
                  "it started with another collector's state")
    if "is of another collector" not in other.output():
        raise Failure("it does not say that the state is another collector's")
    await r.start_collector()


def other_collector(r, state, *more):
    def options():
        words = [str(word) for word in r.options()]
        for flag, path in (("--state", state), ("--journal",
                                                state / "journal")):
            if flag in words and not words[
                    words.index(flag) + 1].startswith("nats://"):
                words[words.index(flag) + 1] = str(path)
        return words + list(more)
    other = Collector(r.folder, r.binary, options, state,
                      name=f"collector-other-{len(r.others)}")
    r.others.append(other)
    return other


async def other_takes_over(r, state=None):
    if state is None:
        state = r.folder / f"other-{len(r.others)}"
        state.mkdir()
    other = other_collector(r, state)
    await other.start()
    await other.until_said("event=publisher state=ready")
    await r.pause(0.2, 1)
    await other.end(r.rng.choice([signal.SIGKILL, signal.SIGTERM]))
    await r.restart_collector(signal.SIGKILL)


@fault(touches="collector")
async def reloads_under_load(r):
    lines = r.reload_lines
    for _ in range(r.rng.randrange(2, 6)):
        r.reload_lines = lines + r.rng.choice([
            "", "filter = store view=post\n", "filter = store view=in-pre\n",
            "filter = store family=ipv6-unicast\n"]) + r.rng.choice([
                "", "[log]\nlevel = debug\n",
                "[limits]\nidle-timeout = 100s\n"])
        r.options()     # writes the file
        r.collector.child.send_signal(signal.SIGHUP)
        await r.pause(0.02, 0.3)
    r.reload_lines = lines
    r.options()
    r.collector.child.send_signal(signal.SIGHUP)


@fault(touches="collector")
async def operator_resyncs(r):
    status, body = await r.collector.ask("/api/v1/resync", post=True)
    if status != 202:
        raise Failure(f"a resync was answered {status}: {body}")
    if r.rng.random() < 0.5:
        await r.pause(0, 0.2)
        await r.restart_collector(signal.SIGKILL)


@fault(touches="collector routers")
async def operator_disconnects(r):
    for actor in r.actors:
        status, body = await r.collector.ask(
            f"/api/v1/routers/{actor.router.token}/disconnect", post=True)
        if status not in (202, 404, 409):
            raise Failure(f"a disconnect was answered {status}: {body}")


@fault(needs="clock", touches="collector")
async def clock_stepped(r):
    for _ in range(3):
        r.clock.set(r.rng.choice([-7200, -60, -3, 3, 60, 7200, 86400 * 400]))
        await r.pause(0.1, 0.6)
        if r.rng.random() < 0.4:
            await r.restart_collector()
    r.clock.set(0)


# State and disk.

def damage(r, path):
    """Cut, flip a bit, empty or remove a file; in words."""
    how = r.rng.choice(["cut", "flip", "empty", "remove"])
    size = path.stat().st_size
    if how == "remove" or size == 0:
        path.unlink()
    elif how == "empty":
        os.truncate(path, 0)
    elif how == "cut":
        os.truncate(path, r.rng.randrange(size))
    else:
        with open(path, "r+b") as file:
            at = r.rng.randrange(used_bytes(file, size))
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1 << r.rng.randrange(8)]))
            how = f"flip a bit of byte {at}"
    r.note(f"{path.name} of {size} bytes: {how}")


def used_bytes(file, size):
    """Without the zeroes that a segment is made with."""
    return max(len(file.read(size).rstrip(b"\0")), 1)


async def start_or_discard_journal(r):
    """A collector whose journal is damaged refuses to start and says what to
    do: move the folder away."""
    try:
        await r.start_collector()
    except Ended as error:
        said = r.collector.output()
        if "journal" not in said:
            raise
        r.note(f"journal moved aside: {error}")
        r.journals_aside = getattr(r, "journals_aside", 0) + 1
        (r.state / "journal").rename(
            r.folder / f"journal-aside-{r.journals_aside}")
        await r.start_collector()


async def damage_state(r, pattern):
    await r.end_collector()
    files = sorted(p for p in r.state.glob(pattern) if p.is_file())
    if files:
        damage(r, r.rng.choice(files))
    await start_or_discard_journal(r)


async def until_snapshot(r):
    await r.until(lambda: any(r.state.glob("snapshots/*.snap")), 30,
                  "no snapshot was written")


@fault(needs="folder", touches="collector")
async def manifest_damaged(r):
    await until_snapshot(r)
    await damage_state(r, "snapshots/manifest")


@fault(needs="folder", touches="collector")
async def snapshot_damaged(r):
    await until_snapshot(r)
    await damage_state(r, "snapshots/*.snap")


@fault(needs="folder nats", touches="collector")
async def spool_file_damaged(r):
    """While nothing waits in it."""
    await damage_state(r, "journal/*")


@fault(needs="journal", touches="collector")
async def journal_file_damaged(r):
    """Of the output itself."""
    await until_snapshot(r)
    r.trimmed = True    # a late consumer has not what was cut
    await damage_state(r, "journal/*")


@fault(needs="folder", touches="collector")
async def token_damaged(r):
    await damage_state(r, "http-token")


@fault(needs="folder nats", touches="collector broker")
async def spool_damaged_while_needed(r):
    """It holds what the broker has not seen."""
    await until_snapshot(r)
    await r.broker.end(signal.SIGKILL)
    await r.pause(1.2, 2)
    await r.end_collector(signal.SIGKILL)
    r.messages_lost()
    segments = sorted(r.state.glob("journal/*.seg"))
    if segments:
        damage(r, r.rng.choice(segments))
    await r.broker.start()
    await start_or_discard_journal(r)


@fault(needs="folder nats", touches="collector broker")
async def spool_removed_while_needed(r):
    await until_snapshot(r)
    await r.broker.end(signal.SIGKILL)
    await r.pause(1.2, 2)
    await r.end_collector(signal.SIGKILL)
    r.messages_lost()
    shutil.rmtree(r.state / "journal")
    await r.broker.start()
    await r.start_collector()


async def several_segments(r):
    """Each start begins one."""
    for _ in range(3):
        await r.restart_collector(signal.SIGKILL)
        await r.pause(1, 1.5)


def remove_middle_segment(r):
    segments = sorted(r.state.glob("journal/*.seg"))
    if len(segments) > 2:
        path = r.rng.choice(segments[1:-1])
        r.note(f"{path.name} of {path.stat().st_size} bytes removed")
        path.unlink()


@fault(needs="journal folder", touches="collector", slow=True)
async def journal_segment_missing(r):
    await until_snapshot(r)
    await several_segments(r)
    await r.quiesce()
    await r.end_collector()
    r.trimmed = True    # a late consumer cannot read on there
    remove_middle_segment(r)
    await r.start_collector()
    r.resume_traffic()


@fault(needs="journal folder", touches="collector", slow=True)
async def newest_segment_removed(r):
    """By somebody who makes room, while it is written to."""
    await until_snapshot(r)
    r.trimmed = True
    r.messages_lost()
    for path in sorted(r.state.glob("journal/*.seg"))[-1:]:
        path.unlink()
    await r.pause(0, 2)
    if r.rng.random() < 0.5:
        await r.restart_collector()


@fault(needs="folder nats", touches="collector broker", slow=True)
async def spool_segment_missing(r):
    await until_snapshot(r)
    await r.broker.end(signal.SIGKILL)
    await several_segments(r)
    await r.end_collector(signal.SIGKILL)
    r.messages_lost()
    remove_middle_segment(r)
    await r.broker.start()
    await start_or_discard_journal(r)


@fault(needs="folder", touches="collector")
async def snapshots_moved_aside(r):
    """As the chapter on going back to an older version says."""
    await until_snapshot(r)
    await r.end_collector()
    aside = r.folder / f"snapshots-{r.collector.starts}"
    shutil.move(r.state / "snapshots", aside)
    await r.start_collector()


@fault(needs="folder", touches="collector")
async def snapshots_from_old_copy(r):
    """As the chapter on backup allows."""
    await until_snapshot(r)
    copy = r.folder / f"copy-{r.collector.starts}"
    for _ in range(20):
        # Files are replaced while they are copied.
        with contextlib.suppress(shutil.Error, FileNotFoundError):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(r.state / "snapshots", copy)
            break
    await r.pause(0.5, 2)
    await r.end_collector()
    shutil.rmtree(r.state / "snapshots")
    shutil.copytree(copy, r.state / "snapshots")
    await r.start_collector()


@fault(needs="folder nats", touches="collector")
async def state_lost(r):
    """All of it: the collector is a new one (decision 0116)."""
    await r.end_collector()
    r.consumer.tables.new_collector = True
    r.trimmed = True    # a late consumer cannot know that
    for path in r.state.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    await r.start_collector()


@fault(needs="kv", touches="collector")
async def bucket_entry_damaged(r):
    await r.pause(1, 2)
    await r.end_collector()
    async with r.jetstream() as js:
        entries = {}
        info = await js.stream_info(BUCKET)
        for number in range(info.state.first_seq, info.state.last_seq + 1):
            with contextlib.suppress(nats.js.errors.NotFoundError):
                message = await js.get_msg(BUCKET, number)
                entries[message.subject] = message.data or b""
        if entries:
            subject = r.rng.choice(sorted(entries))
            data = bytearray(entries[subject])
            if data and r.rng.random() < 0.5:
                data[r.rng.randrange(len(data))] ^= 1 << r.rng.randrange(8)
                await js.publish(subject, bytes(data))
            elif r.rng.random() < 0.5:
                await js.publish(subject, bytes(data[:len(data) // 2]))
            else:
                await js.purge_stream(BUCKET, subject=subject)
            r.note(f"entry {subject} of {len(data)} bytes damaged")
    await r.start_collector()


@fault(needs="kv", touches="collector broker")
async def bucket_deleted(r):
    if r.rng.random() < 0.5:
        await r.end_collector()
    async with r.jetstream() as js:
        await js.delete_stream(BUCKET)
    if r.collector.running:
        await r.end_collector()
    await r.start_collector()


@fault(needs="kv", touches="collector broker")
async def bucket_lost_while_running(r):
    """Deleted or purged; the collector writes to it again, and is restarted
    some time later."""
    await r.pause(0.5, 2)
    async with r.jetstream() as js:
        if r.rng.random() < 0.5:
            await js.delete_stream(BUCKET)
        else:
            await js.purge_stream(BUCKET)
    await r.pause(0, 3)
    if r.rng.random() < 0.7:
        await r.restart_collector()


@fault(needs="kv", touches="collector broker", slow=True)
async def bucket_takes_short_values(r):
    """max_value_size, for a while or while the collector starts."""
    await r.pause(0.5, 1.5)
    async with r.jetstream() as js:
        config = (await js.stream_info(BUCKET)).config
        await js.update_stream(config.evolve(
            max_msg_size=r.rng.choice([4096, 6000, 20000])))
        await r.pause(0.5, 2.5)
        if r.rng.random() < 0.6:
            await r.restart_collector()
        await r.pause(0, 1.5)
        await js.update_stream(config)


@fault(needs="kv", touches="collector broker", slow=True)
async def bucket_full(r):
    await r.pause(0.5, 1.5)
    async with r.jetstream() as js:
        info = await js.stream_info(BUCKET)
        await js.update_stream(info.config.evolve(
            max_bytes=max(info.state.bytes, 1) + r.rng.randrange(2000)))
        await r.pause(1, 3)
        if r.rng.random() < 0.6:
            await r.restart_collector()
        await r.pause(0, 1.5)
        await js.update_stream(info.config)


@fault(needs="disk root", touches="collector broker")
async def disk_full(r):
    """Nothing can be written to the state; the broker is away, too."""
    if r.brokers:
        await r.broker.end(signal.SIGKILL)
    filler = fill_disk(r)
    await r.pause(0.5, 2)
    filler.unlink()
    if r.brokers:
        await r.broker.start()


@fault(needs="disk root", touches="collector broker")
async def restarted_on_full_disk(r):
    filler = fill_disk(r)
    await r.pause(0.2, 0.6)
    await r.restart_collector(signal.SIGKILL)
    await r.pause(0.2, 1)
    filler.unlink()


def fill_disk(r):
    path = r.state / "filler"
    with open(path, "wb", buffering=0) as file:
        for size in (65536, 4096):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * size)
    return path


@fault(needs="disk root", touches="collector broker")
async def state_read_only(r):
    """An open file keeps a file system from becoming read-only as a whole, so
    another one is mounted over the folders: new files cannot be made."""
    how = r.rng.choice(["remount", "snapshots"])
    target = r.state if how == "remount" else r.state / "snapshots"
    if how == "remount":
        done = subprocess.run(["mount", "-o", "remount,ro", target],
                              capture_output=True)
        if done.returncode != 0:
            how, target = "snapshots", r.state / "snapshots"
    if how == "snapshots":
        subprocess.run(["mount", "--bind", target, target], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", target], check=True)
    r.note(f"read-only by {how}")
    if r.brokers and r.rng.random() < 0.5:
        await r.broker.end(signal.SIGKILL)
        await r.pause(0.3, 1)
        await r.broker.start()
    await r.pause(0.3, 1.2)
    if how == "remount":
        subprocess.run(["mount", "-o", "remount,rw", target], check=True)
    else:
        subprocess.run(["umount", "-l", target], check=True)


# Routers.

@fault(touches="router-network")
async def router_network_stalls(r):
    r.router_relay.stall()
    await r.pause(0.2, 2)
    r.router_relay.go_on()


@fault(touches="router-network")
async def router_network_resets(r):
    for _ in range(r.rng.randrange(1, 5)):
        r.router_relay.reset_all()
        await r.pause(0, 0.3)


@fault(touches="router-network")
async def router_half_open(r):
    """Routers and collector believe in connections that are gone."""
    r.router_relay.lose_all()
    await r.pause(0.3, 1.5)
    for actor in r.actors:
        actor.change_unheard()
    r.router_relay.heal()


@fault(touches="router-network")
async def router_half_closed(r):
    r.router_relay.half_close_all(r.rng.choice([UP, DOWN]))
    await r.pause(0.1, 0.5)
    r.router_relay.reset_all()


@fault(touches="router-network")
async def router_network_slow(r):
    r.router_relay.piece = r.rng.choice([1, 11, 500])
    r.router_relay.rate = 100000
    await r.pause(0.3, 1.5)
    r.router_relay.heal()


@fault(touches="router-network routers")
async def reset_inside_frame(r):
    for _ in range(r.rng.randrange(1, 4)):
        for actor in r.actors:
            actor.abort_inside_frame()
        await r.pause(0.05, 0.4)


@fault(touches="router-network routers")
async def garbage_from_routers(r):
    for actor in r.actors:
        actor.write_garbage()
    await r.pause(0.1, 0.4)


@fault(touches="routers")
async def routers_away(r):
    """Their tables change meanwhile."""
    for actor in r.actors:
        actor.go_away()
    await r.pause(0.1, 1.5 + min(r.config.stale_hold, 2))
    for actor in r.actors:
        actor.change_unheard()
        actor.come_back()


@fault(touches="routers")
async def second_session_of_router(r):
    """Another connection from the same address, which says nothing."""
    for actor in r.actors:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(
                "127.0.0.1", r.router_relay.port,
                local_addr=(actor.router.address, 0))
            if r.rng.random() < 0.5:
                writer.write(next(actor.router.dump()))
            await r.pause(0, 0.3)
            writer.close()


@fault(touches="routers")
async def strangers(r):
    """Clients that are no routers."""
    for data in (b"GET / HTTP/1.1\r\n\r\n", b"", r.rng.randbytes(500)):
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(
                "127.0.0.1", r.router_relay.port,
                local_addr=("127.1.9.9", 0))
            writer.write(data)
            await r.pause(0, 0.2)
            writer.close()


async def crowd_of_routers(r, count, disturb):
    crowd = []
    for number in range(count):
        rng = random.Random(f"{r.seed} crowd {number}")
        crowd.append(RouterActor(Router(
            rng, f"127.2.{number // 200}.{number % 200 + 1}", peers=1,
            prefixes=4), rng, 1.0))
        crowd[-1].rest()
    wanted = {key: value for actor in crowd
              for key, value in actor.router.routes().items()}
    tokens = {actor.router.token for actor in crowd}

    def crowd_has(routes):
        tables = r.consumer.tables.routes
        # Counting is cheap, and must do most of the time.
        if sum(len(tables.get(token, ())) for token in tokens) != len(routes):
            return False
        return routes == {key: value for token in tokens
                          for key, value in tables.get(token, {}).items()}
    try:
        for actor in crowd:
            actor.start(r.router_relay.port)
        await disturb()
        await r.until(lambda: crowd_has(wanted), 120,
                      f"{count} routers did not arrive")
        for actor in crowd:
            actor.say(*actor.router.leave())
        await r.until(lambda: crowd_has({}), 120,
                      f"{count} routers did not leave")
    finally:
        await asyncio.gather(*(actor.stop() for actor in crowd))


@fault(touches="routers router-network collector broker", slow=True)
async def five_hundred_routers(r):
    async def disturb():
        await r.pause(0, 0.5)
        r.router_relay.reset_all()
    await crowd_of_routers(r, 500, disturb)


@fault(touches="routers router-network collector broker", slow=True)
async def crowd_and_collector_killed(r):
    async def disturb():
        await r.pause(0.2, 1)
        await r.restart_collector(signal.SIGKILL)
    await crowd_of_routers(r, 100, disturb)
