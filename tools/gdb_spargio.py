"""gdb commands for programs that use spargio.

    (gdb) source tools/gdb_spargio.py
    (gdb) sp fibers             every fiber: id, name, state, what it waits for
    (gdb) sp bt ID              its backtrace; a name will do if it is unique
    (gdb) sp switch ID          look around in it: bt, up, info locals, print
    (gdb) sp restore            back to the thread's own stack

Works on a live program and on a core. Nothing in the program is changed, no
register is written: a parked fiber is shown by telling gdb's unwinder that the
thread's innermost frame was called from it. So frame #0 is still the thread's
own, and the fiber's begin with #1 or, if functions were inlined there, later.

Needs the debug information of the runtime. A core must be the kernel's: gdb's
generate-core-file stops at the guards and leaves the stacks out.
"""

import gdb
import gdb.unwinder

# What sp__context_swap() leaves on the stack it parks, from the stack pointer
# up, in units of 8 bytes, and how many of them; see context_*.S.
LAYOUTS = {
    "i386:x86-64": {
        "slots": {"r15": 0, "r14": 1, "r13": 2, "r12": 3, "rbx": 4, "rbp": 5,
                  "rip": 6},
        "sp": "rsp", "pc": "rip", "size": 7,
    },
    "aarch64": {
        "slots": {**{f"x{19 + i}": i for i in range(10)}, "x29": 10,
                  "x30": 11, "pc": 11},
        "sp": "sp", "pc": "pc", "size": 20,
    },
}

# enum sp__fiber_state
STATES = ("free", "new", "ready", "running", "waiting", "done")
# The thread's shard, in the library and in the runtime as one file.
SHARD_SELF = ("'src/spargio/sched/current.c'::self", "'spargio.c'::self")


def shard_self():
    """The shard of the selected thread."""
    for name in SHARD_SELF:
        try:
            return gdb.parse_and_eval(name)
        except gdb.error as error:
            missing = error
    raise missing


def text(value):
    """A char *, or - for NULL."""
    return value.string(errors="replace") if int(value) else "-"


class Fiber:
    def __init__(self, pointer):
        fields = pointer.dereference()
        self.pointer = pointer
        self.id = int(fields["id"])
        self.name = text(fields["name"])
        state = int(fields["state"])
        self.state = STATES[state] if state < len(STATES) else "?"
        self.shard = int(fields["shard"]["index"])
        self.sp = int(fields["ctx"]["sp"])
        self.waits_for = "-"
        if self.state == "waiting":
            self.waits_for = text(fields["waits_for"])


def runtimes():
    """The addresses of all runtimes that have a thread."""
    if gdb.selected_thread() is None:
        raise gdb.GdbError("no program is being debugged")
    selected = gdb.selected_thread()
    frame = gdb.selected_frame()
    found = {}
    try:
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            shard = shard_self()
            if int(shard):
                found[int(shard["rt"])] = shard["rt"]
    except gdb.error as error:
        raise gdb.GdbError(f"cannot find the runtime: {error}")
    finally:
        selected.switch()
        frame.select()
    return [found[address] for address in sorted(found)]


def fibers():
    pointer = gdb.lookup_type("struct sp_fiber").pointer()
    for rt in runtimes():
        header = int(rt["stacks"]["header_size"])
        slab = rt["stacks"]["slabs"]
        while int(slab):
            size = int(slab["slot_size"])
            for i in range(int(slab["carved"])):
                top = int(slab["base"]) + (i + 1) * size
                fiber = Fiber(gdb.Value(top - header).cast(pointer))
                if fiber.id != 0:
                    yield fiber
            slab = slab["next"]


def find(argument):
    wanted = argument.strip()
    if not wanted:
        raise gdb.GdbError("which fiber? 'sp fibers' lists them")
    matches = [f for f in fibers() if wanted in (f"{f.id:x}", f.name)]
    if len(matches) != 1:
        raise gdb.GdbError(f"{len(matches) or 'no'} fibers are '{wanted}'")
    return matches[0]


class Parked(gdb.unwinder.Unwinder):
    """While it has a fiber, the thread's innermost frame was called from it."""

    def __init__(self):
        super().__init__("spargio")
        self.fiber = None
        self.first = 0  # the number of the fiber's innermost frame
        self.at = None  # thread, pc and sp of the frame to be unwound

    def show(self, fiber):
        self.fiber = None
        gdb.invalidate_cached_frames()
        if fiber is None:
            return
        frame = gdb.newest_frame()
        layout = layout_of(frame.architecture())
        self.at = (gdb.selected_thread().ptid,
                   int(frame.read_register(layout["pc"])),
                   int(frame.read_register(layout["sp"])))
        self.first = 1
        # Inlined functions have frames of their own and no registers.
        while frame.type() == gdb.INLINE_FRAME:
            frame = frame.older()
            self.first += 1
        self.fiber = fiber
        gdb.invalidate_cached_frames()

    def __call__(self, frame):
        if self.fiber is None:
            return None
        layout = layout_of(frame.architecture())
        pc = frame.read_register(layout["pc"])
        if self.at != (gdb.selected_thread().ptid, int(pc),
                       int(frame.read_register(layout["sp"]))):
            return None
        word = gdb.lookup_type("unsigned long")
        saved = gdb.Value(self.fiber.sp).cast(word.pointer())
        # An id below the fiber's frames, or gdb would say that the stack
        # grows the wrong way.
        info = frame.create_unwind_info(FrameId(saved, pc))
        for register, slot in layout["slots"].items():
            info.add_saved_register(register, saved[slot])
        info.add_saved_register(
            layout["sp"],
            gdb.Value(self.fiber.sp + 8 * layout["size"]).cast(word))
        return info


class FrameId:
    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


def layout_of(architecture):
    layout = LAYOUTS.get(architecture.name())
    if layout is None:
        raise gdb.GdbError(f"no fibers on {architecture.name()}")
    return layout


parked = Parked()
gdb.unwinder.register_unwinder(None, parked, replace=True)


def thread_of(fiber):
    """The number of the thread that runs it, or None."""
    selected = gdb.selected_thread()
    frame = gdb.selected_frame()
    try:
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            shard = shard_self()
            if int(shard) and int(shard["current"]) == int(fiber.pointer):
                return thread.num
    finally:
        selected.switch()
        frame.select()
    return None


def find_parked(argument):
    """A fiber whose registers are on its stack."""
    fiber = find(argument)
    if fiber.state == "done":
        raise gdb.GdbError("it has ended and has no stack any more")
    thread = thread_of(fiber)
    if thread is not None:
        raise gdb.GdbError(f"it is running: 'thread apply {thread} bt'")
    return fiber


class Prefix(gdb.Command):
    """Look at the fibers of spargio."""

    def __init__(self):
        super().__init__("sp", gdb.COMMAND_STACK, prefix=True)


class Fibers(gdb.Command):
    """List all fibers: id, name, state, shard and what each waits for."""

    def __init__(self):
        super().__init__("sp fibers", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        line = "{:>18} {:<20} {:<8} {:>5}  {}"
        print(line.format("id", "name", "state", "shard", "waits for"))
        for f in fibers():
            print(line.format(f"{f.id:x}", f.name, f.state, f.shard,
                              f.waits_for))


class Backtrace(gdb.Command):
    """sp bt ID: the backtrace of a fiber that is not running."""

    def __init__(self):
        super().__init__("sp bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        fiber = find_parked(argument)
        before = parked.fiber
        parked.show(fiber)
        try:
            lines = gdb.execute("backtrace", to_string=True).splitlines()
        finally:
            parked.show(before)
        # Leave out the thread's own; a frame may take several lines.
        while lines and not lines[0].startswith(f"#{parked.first} "):
            lines.pop(0)
        print("\n".join(lines))


class Switch(gdb.Command):
    """sp switch ID: show a parked fiber's stack below the present frame."""

    def __init__(self):
        super().__init__("sp switch", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        parked.show(find_parked(argument))
        gdb.execute(f"frame {parked.first}")


class Restore(gdb.Command):
    """sp restore: show the thread's own stack again."""

    def __init__(self):
        super().__init__("sp restore", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        parked.show(None)
        gdb.execute("frame 0")


def restore_on_continue(event):
    parked.show(None)


gdb.events.cont.connect(restore_on_continue)
for command in (Prefix, Fibers, Backtrace, Switch, Restore):
    command()
