"""Consumers: tables rebuilt from the stream, or from the journal, by the rules
of docs/schema.md and nothing else. They use nats-py and pycapnp, so neither
client nor decoder is the collector's."""

import asyncio
import contextlib
import ctypes
import ctypes.util
import pathlib
import re

import capnp
import nats
import nats.errors
import nats.js.api as js_api
import nats.js.errors

from actors import end_task
from journal_reader import Record, headers, read_journal
from model import Table, Value
from numbering import Numbering

TREE = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = capnp.load(str(TREE / "schema" / "update.capnp"))
STREAM = "ARANCINI"
# The rules that a Tables object watches over:
#
# sequence		numbers of a table without a gap, none twice
# sequence-falls-back	behind a resync they go on above those of before
# resync-late		where the stream was lost, the resync is before any update
# synthetic-withdraw	only of a route that consumers have; of one that was in a
#			stream that was lost it is the resync that is late
RULES = ("sequence", "sequence-falls-back", "resync-late",
         "synthetic-withdraw")
# The id of a resync that opens an epoch: the tables follow behind another one.
OPENING = re.compile(r"\.0-\d+$")
EPOCH_MAX = (1 << 48) - 1


def is_ours(message_id):
    """Of the collector under test, and not forged."""
    return message_id is not None and message_id.startswith("chaos.") and \
        int(message_id.split(".")[1]) <= EPOCH_MAX


ORIGINS = {"IGP": 0, "EGP": 1, "INCOMPLETE": 2}
DECONFIGURED = 5
MAX_BATCH = 8 << 20

zstd = ctypes.CDLL(ctypes.util.find_library("zstd"))
zstd.ZSTD_decompress.restype = ctypes.c_size_t
zstd.ZSTD_isError.argtypes = [ctypes.c_size_t]
plain = ctypes.create_string_buffer(MAX_BATCH)


def decompress(data):
    size = zstd.ZSTD_decompress(plain, ctypes.c_size_t(MAX_BATCH), data,
                                ctypes.c_size_t(len(data)))
    if zstd.ZSTD_isError(size):
        raise ValueError("a batch that is not zstd")
    return ctypes.string_at(plain, size)


def batch_messages(struct, encoding, payload):
    if encoding == "packed":
        return struct.read_multiple_bytes_packed(payload)
    if encoding == "zstd":
        payload = decompress(payload)
    return struct.read_multiple_bytes(payload)


def router_token(subject):
    return subject.split(".")[2]


def table_of(token, update):
    return Table(token, update.peerType, update.peerDistinguisher,
                 bytes(update.peerAddr), update.isPostPolicy,
                 update.isAdjRibOut, update.isLocRib, update.afi, update.safi)


def route_of(update):
    return (update.pathId if update.hasPathId else None,
            bytes(update.prefixAddr), update.prefixLen)


def value_of(update):
    return Value(
        origin=ORIGINS[update.origin],
        as_path=tuple(update.asPath),
        next_hop=bytes(update.nextHop),
        med=update.multiExitDisc if update.hasMultiExitDisc else None,
        local_pref=(update.localPreference if update.hasLocalPreference
                    else None),
        communities=tuple(sorted((c.asn, c.value)
                                 for c in update.communities)),
        large=tuple(sorted((c.globalAdmin, c.localDataPart1, c.localDataPart2)
                           for c in update.largeCommunities)))


class Tables:
    """What a consumer has, and every breach of the documented rules."""

    def __init__(self):
        self.routes = {}        # token -> {key of the route: Value}
        self.numbering = {}     # Table -> Numbering
        self.resynced = set()   # tokens of routers
        self.opening = False    # this message is a resync that opens an epoch
        self.partial = set()    # tokens: their tables are still to follow
        self.stream_lost = False    # with what was acknowledged
        self.made_good = set()  # tokens: a resync came since
        self.new_collector = False  # it lost all state: 1 may come again
        self.any_start = False  # the first numbers are not in the stream
        self.breaches = []      # (name of a rule, what broke it)
        self.lossy = False      # messages were removed: a resync follows
        self.pending = []       # (token, breach) that it makes good
        self.updates = 0
        self.repeated = 0
        self.resyncs = 0
        self.epochs = 0

    def apply(self, subject, encoding, payload, message_id=""):
        token = router_token(subject)
        self.opening = OPENING.search(message_id) is not None
        if subject.startswith("arancini.events."):
            for event in batch_messages(SCHEMA.Event, encoding, payload):
                self.apply_event(token, event)
        else:
            for update in batch_messages(SCHEMA.Update, encoding, payload):
                self.apply_update(token, update)

    def apply_update(self, token, update):
        table = table_of(token, update)
        key = (table,) + route_of(update)
        value = value_of(update) if update.announced else None
        self.updates += 1
        numbering = self.numbering.get(table)
        if numbering is None:
            numbering = self.numbering[table] = Numbering()
        last = numbering.last
        new, broken = numbering.accept(update.sequence, (key, value))
        if broken == "sequence" and self.awaits_resync(token):
            broken = "resync-late"
        if broken is not None:
            self.breach(token, broken, update.sequence > last,
                        f"sequence {update.sequence} behind {last}; "
                        f"reason={update.reason} announced="
                        f"{update.announced} table={table}")
        if not new:
            self.repeated += 1
            return
        routes = self.routes.setdefault(token, {})
        if value is not None:
            routes[key] = value
        elif routes.pop(key, None) is None and update.synthetic and \
                token not in self.partial and \
                (token in self.resynced or not self.any_start):
            # Its announcement may have been in the stream that was lost.
            self.breach(token, "resync-late" if self.awaits_resync(token)
                        else "synthetic-withdraw", True,
                        f"synthetic withdraw ({update.reason}) of a route "
                        f"that consumers do not have: {key}")

    def lose_stream(self):
        self.stream_lost = True
        self.made_good.clear()

    def awaits_resync(self, token):
        return self.stream_lost and token not in self.made_good

    def breach(self, token, rule, lost, text):
        """One of messages that are missing is none if they were removed, and
        a resync of the router follows."""
        if self.lossy and lost and rule != "resync-late":
            self.pending.append((token, (rule, text)))
        else:
            self.breaches.append((rule, text))

    def apply_event(self, token, event):
        if event.kind == "resync":
            self.resyncs += 1
            self.routes.pop(token, None)
            self.pending = [(of, breach) for of, breach in self.pending
                            if of != token]
            for table, numbering in self.numbering.items():
                if table.router == token:
                    numbering.resync(self.new_collector)
            self.resynced.add(token)
            self.made_good.add(token)
            if self.opening:
                self.partial.add(token)
            else:
                self.partial.discard(token)
        elif event.kind == "epoch":
            self.epochs += 1
        elif event.kind == "peerDown" and event.reason == DECONFIGURED:
            peer = (token, event.peerType, event.peerDistinguisher,
                    bytes(event.peerAddr))
            for table, numbering in self.numbering.items():
                if table[:4] == peer:
                    numbering.remove_peer()

    def begin_again(self):
        """All that was published comes once more."""
        self.routes.clear()
        self.numbering.clear()
        self.resynced.clear()
        self.partial.clear()
        self.pending = []

    def all_routes(self):
        return {key: value for routes in self.routes.values()
                for key, value in routes.items()}


class StreamConsumer:
    """Follows the stream, whatever happens to the broker. Whenever it has to
    connect again, and when the stream is another one or shorter than before, it
    reads from the beginning and skips what it has seen under the same sequence
    of the stream and the same message id."""

    IDLE = 0.25

    def __init__(self, urls):
        self.urls = urls
        self.tables = Tables()
        self.seen = {}          # sequence of the stream -> message id
        self.ids = set()        # of all that was read
        self.put_back = False   # by others, under any sequence of the stream
        self.paused = False
        self.position = 0
        self.created = None
        self.caught_up = 0.0
        self.errors = []
        self.task = None

    def start(self):
        self.task = asyncio.create_task(self.run())

    async def stop(self):
        await end_task(self.task)

    async def run(self):
        while True:
            try:
                client = await nats.connect(
                    self.urls, allow_reconnect=False, connect_timeout=2,
                    error_cb=self.ignore, max_reconnect_attempts=1)
            except (OSError, nats.errors.Error, asyncio.TimeoutError):
                await asyncio.sleep(0.1)
                continue
            try:
                await self.follow(client)
            except (OSError, nats.errors.Error, asyncio.TimeoutError) as error:
                self.errors.append(repr(error))
                await asyncio.sleep(0.1)
            finally:
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(client.close(), 2)

    async def ignore(self, _):
        pass

    async def follow(self, client):
        js = client.jetstream(timeout=2)
        self.position = 0
        idle = self.IDLE
        while True:
            info = await js.stream_info(STREAM)
            if info.created != self.created or \
                    info.state.last_seq < self.position:
                self.position = 0
                self.created = info.created
            before = self.position
            await self.read(js, idle)
            # On a busy machine the broker may need longer for a first message.
            waiting = self.position == before < info.state.last_seq
            idle = min(2 * idle, 5) if waiting else self.IDLE

    async def read(self, js, idle):
        """From the position on until nothing more comes for @idle seconds."""
        pull = await js.pull_subscribe(
            "", stream=STREAM, config=js_api.ConsumerConfig(
                deliver_policy=js_api.DeliverPolicy.BY_START_SEQUENCE,
                opt_start_seq=self.position + 1,
                ack_policy=js_api.AckPolicy.NONE, inactive_threshold=30))
        try:
            while True:
                while self.paused:
                    await asyncio.sleep(0.05)
                try:
                    messages = await pull.fetch(256, timeout=idle)
                except asyncio.TimeoutError:
                    return
                for message in messages:
                    self.take(message)
                    # The relays are on the same loop.
                    await asyncio.sleep(0)
        finally:
            with contextlib.suppress(Exception):
                await pull.unsubscribe()

    def take(self, message):
        sequence = message.metadata.sequence.stream
        headers = message.headers or {}
        message_id = headers.get("Nats-Msg-Id")
        self.position = sequence
        if message.metadata.num_pending == 0:
            self.caught_up = asyncio.get_running_loop().time()
        if message_id is not None and self.seen.get(sequence) == message_id:
            return
        self.seen[sequence] = message_id
        if not is_ours(message_id) or \
                self.put_back and message_id in self.ids:
            return      # somebody else's message
        self.ids.add(message_id)
        self.tables.apply(message.subject, headers.get("Content-Encoding"),
                          message.data, message_id)


class JournalConsumer:
    """Follows a journal folder in the same way. What it has read and the journal
    no longer has must not stay: then it begins again."""

    def __init__(self, folder):
        self.folder = folder
        self.tables = Tables()
        self.seen = {}          # position -> message id
        self.journal = None     # its identity
        self.position = 0
        self.paused = False
        self.errors = []
        self.task = None

    def start(self):
        self.task = asyncio.create_task(self.run())

    async def stop(self):
        await end_task(self.task)

    async def run(self):
        while True:
            await asyncio.sleep(0.05)
            if not self.paused:
                self.read()

    def read(self):
        for base, journal, previous in headers(self.folder):
            cut = base > self.position > previous
            if cut or self.journal not in (None, journal):
                self.tables.begin_again()
                self.seen.clear()
                self.position = 0
            self.journal = journal
        for one in read_journal(self.folder, self.position):
            if not isinstance(one, Record):
                self.position = one
                continue
            if self.seen.get(one.position) == one.message_id:
                continue
            self.seen[one.position] = one.message_id
            self.tables.apply(one.subject, one.encoding, one.payload)


def repeated(ids):
    """Those that come more than once."""
    seen, twice = set(), []
    for one in ids:
        if one in seen:
            twice.append(one)
        seen.add(one)
    return twice


async def late_stream_reader(urls, beginning_lost, lossy):
    """A consumer that begins now: its tables, and the ids that the stream has
    more than once."""
    consumer = StreamConsumer(urls)
    consumer.tables.any_start = beginning_lost
    consumer.tables.lossy = lossy
    client = await nats.connect(urls, allow_reconnect=False, connect_timeout=5)
    try:
        js = client.jetstream(timeout=5)
        info = await js.stream_info(STREAM)
        while consumer.position < info.state.last_seq:
            await consumer.read(js, consumer.IDLE)
            info = await js.stream_info(STREAM)
    finally:
        await client.close()
    return consumer.tables, repeated(
        i for i in consumer.seen.values() if is_ours(i))


def late_journal_reader(folder):
    consumer = JournalConsumer(folder)
    consumer.read()
    return consumer.tables, repeated(consumer.seen.values())
