"""What counting for /metrics costs on the way of an update.

    python3 tests/system/metrics_cost.py [BUILD]

Runs ingest_memory of bench/collector under callgrind: a table comes in and
changes, one route a message, so that what is counted for each message weighs
most. Callgrind tells how many instructions ran at each line of the sources.
The lines that count are found by what they say, the conditions in front of
them included; those of the session, which this bench does without, are counted
in the program's code and taken as if all of them ran for each message. (Its
bytes are counted once a read.) The whole is what ran in src/bmp, src/rib and
src/egress, without libc, sockets, fibers and the kernel: so the share is an
upper bound. Instructions do not depend on how busy the machine is. One JSON
object on standard output.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]
LAYERS = ("bmp", "rib", "egress")
COUNTS = re.compile(r"RIB_COUNT\(|stats\.\w+(\[\w+\])? ?(\+\+|\+=)")
SESSION = re.compile(r"(all->\w+\[.*\]|s->(messages|errors)) ?(\+\+|\+=)")
HEAD = re.compile(r"^\s+(else )?(if|for) \(.*\)$")
DECODE = "bmp_message_decode"    # once for each message
PER_MESSAGE = TREE / "src/collector/ingest/session_messages.c"


def statements(path, pattern):
    """Numbers of the lines with such a statement, from the conditions in front
    of it to its end."""
    found, inside, heads = set(), False, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        inside = inside or pattern.search(line) is not None
        if inside:
            found.update([number, *heads])
        inside = inside and ";" not in line
        heads = heads + [number] if HEAD.search(line) else []
    return found


def counting_lines():
    return {path.resolve(): statements(path, COUNTS)
            for layer in LAYERS
            for path in (TREE / "src" / layer).rglob("*.c")}


class Profile:
    """A file of callgrind: instructions by source file and line."""

    def __init__(self, path, build):
        self.names, self.spent, self.messages = {}, {}, 0
        self.functions, self.build = {}, build
        file, line, skip, called = None, 0, False, None
        for row in path.read_text().splitlines():
            head, _, rest = row.partition("=")
            if head in ("fl", "fi", "fe"):
                file = self.name(rest)
            elif head in ("cfl", "cfi"):
                self.name(rest)
            elif head == "fn":
                self.function(rest)
            elif head == "calls":
                skip = True     # the next row is what that took
                if called == DECODE:
                    self.messages += int(rest.split()[0])
            elif head == "cfn":
                called = self.function(rest)
            elif row[:1] in "+-*0123456789" and row:
                place, *cost = row.split()
                line = (line if place == "*" else line + int(place)
                        if place[0] in "+-" else int(place))
                if not skip:
                    self.add(file, line, int(cost[0]) if cost else 0)
                skip = False

    def name(self, text):
        number, _, name = text.partition(" ")
        if name:
            self.names[number] = (self.build / name).resolve()
        return self.names[number]

    def function(self, text):
        number, _, name = text.partition(" ")
        if name:
            self.functions[number] = name
        return self.functions[number]

    def add(self, file, line, cost):
        self.spent[file, line] = self.spent.get((file, line), 0) + cost


def session_instructions(build):
    """Of the lines of the session that count, in its code."""
    wanted = statements(PER_MESSAGE, SESSION)
    code = subprocess.run(
        ["objdump", "-dl", "--no-show-raw-insn", build / "arancini"],
        check=True, capture_output=True, text=True).stdout
    here, count = None, 0
    for row in code.splitlines():
        place = re.match(r"(\S+\.[ch]):(\d+)", row)
        if place is not None:
            here = place[1].endswith("ingest/session_messages.c") and \
                int(place[2]) in wanted
        elif here and re.match(r"\s+[0-9a-f]+:\t", row):
            count += 1
    return count


def run(build, folder):
    """The part of the bench that is wanted is its first."""
    out = folder / "callgrind.out"
    # Lines are those of the sources as they are.
    subprocess.run(["ninja", "-C", build, "bench/collector", "arancini"],
                   check=True, stdout=subprocess.DEVNULL)
    with subprocess.Popen(
            ["valgrind", "--tool=callgrind", "--dump-line=yes",
             f"--callgrind-out-file={out}", build / "bench" / "collector",
             "--quick"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True) as bench:
        said = json.loads(bench.stdout.readline())
        bench.terminate()
        bench.stdout.read()
    assert said["variant"] == "prefixes=1", said
    return Profile(out, build)


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1
                         else TREE / "build").resolve()
    with tempfile.TemporaryDirectory() as folder:
        profile = run(build, pathlib.Path(folder))
    lines = counting_lines()
    ran = {(file, line): cost / profile.messages
           for (file, line), cost in profile.spent.items() if file in lines}
    counted = {f"{file.name}:{line}": cost for (file, line), cost
               in ran.items() if line in lines[file]}
    session = session_instructions(build)
    whole, each = sum(ran.values()) + session, sum(counted.values()) + session
    print(json.dumps({
        "messages": profile.messages, "instructions_per_update": round(whole),
        "counting": round(each, 1), "of_these_in_the_session": session,
        "share": round(each / whole, 4),
        "most": {k: round(v, 1) for k, v in sorted(
            counted.items(), key=lambda at: -at[1])[:8]}}))


if __name__ == "__main__":
    main()
