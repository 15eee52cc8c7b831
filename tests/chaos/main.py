"""The fault driver: rounds of a collector, its broker and its routers under
faults, until the time is over. docs/chaos.md describes it.

    main.py --build DIR [--seed N] [--rounds N] [--seconds N] [--jobs N]
            [--long] [--faults A,B] [--known-open] [--keep]
"""

import argparse
import collections
import contextlib
import ctypes
import json
import logging
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import time

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)
TREE = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
# The short form: fixed seeds, no new round after SHORT_STARTS seconds, all over
# after SHORT_ENDS. The step makes main faults of all kinds come early, since a
# slow machine does not get far.
SHORT_SEED = 1
SHORT_STEP = 17
SHORT_STARTS = 110
SHORT_ENDS = 175
# A round that takes longer hangs: above what its faults wait for, since on a
# busy machine the consumer may need minutes for what five hundred routers say.
ROUND_LIMIT = 420
LONG_ROUND_LIMIT = 900


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=TREE / "build")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--long", action="store_true",
                        help="faults of minutes, duplicate window of 2 minutes")
    parser.add_argument("--short", action="store_true",
                        help="the fixed seeds of CI")
    parser.add_argument("--faults", default="",
                        help="only these as main faults")
    parser.add_argument("--known-open", action="store_true",
                        help="also faults that show bugs which are known")
    parser.add_argument("--keep", action="store_true",
                        help="keep the folders of rounds that went well")
    parser.add_argument("--one", type=pathlib.Path, help=argparse.SUPPRESS)
    return parser.parse_args()


class Driver:
    def __init__(self, args):
        self.args = args
        # A folder for each run: several may go on at the same time.
        self.folder = args.build.resolve() / "chaos" / (
            time.strftime("%Y%m%d-%H%M%S-") + str(os.getpid()))
        self.folder.mkdir(parents=True)
        self.results = []
        self.running = {}       # Popen -> (seed, folder, deadline, start)
        self.began = time.monotonic()
        # What a round mounts is gone with its processes.
        self.namespace = ["unshare", "--mount"] if can_mount() else []
        self.skipped = {}       # fault -> why
        # As tests/run does: what failed runs once more, and is named.
        self.repeat = os.environ.get("REPEAT_FAILED") == "yes"
        self.waiting = []       # seeds to run once more
        self.first = {}         # seed -> why it failed at first

    def names(self):
        from consumer import RULES
        from faults import FAULTS, KNOWN_OPEN
        self.rules = [rule for rule in RULES
                      if rule not in KNOWN_OPEN or self.args.known_open]
        self.skipped |= {rule: KNOWN_OPEN[rule] for rule in RULES
                         if rule not in self.rules}
        wanted = [name for name in self.args.faults.split(",") if name]
        names = []
        for fault in FAULTS:
            if wanted:
                if fault.name in wanted:
                    names.append(fault.name)
            elif fault.name in KNOWN_OPEN and not self.args.known_open:
                self.skipped[fault.name] = KNOWN_OPEN[fault.name]
            elif fault.long and not self.args.long:
                self.skipped[fault.name] = "only with LONG=yes"
            elif "root" in fault.needs and not self.namespace:
                self.skipped[fault.name] = "mounting needs root"
            else:
                names.append(fault.name)
        return names

    def start(self, seed):
        folder = self.folder / f"seed-{seed}"
        folder.mkdir()
        (folder / "allowed").write_text(json.dumps(
            {"faults": self.allowed, "rules": self.rules}))
        with open(folder / "driver.log", "wb") as log:
            child = subprocess.Popen(
                self.namespace
                + [sys.executable, __file__, "--build", self.args.build,
                   "--seed", str(seed), "--one", folder]
                + (["--long"] if self.args.long else []),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                # Nothing outlives a run that is killed.
                preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG,
                                              signal.SIGKILL))
        now = time.monotonic()
        limit = LONG_ROUND_LIMIT if self.args.long else ROUND_LIMIT
        deadline = now + limit
        if self.args.short:
            deadline = min(deadline, self.began + SHORT_ENDS)
        self.running[child] = (seed, folder, deadline, now)

    def reap(self):
        for child, (seed, folder, deadline, began) in \
                list(self.running.items()):
            if child.poll() is None and time.monotonic() < deadline:
                continue
            if child.poll() is None:
                child.kill()
                child.wait()
            del self.running[child]
            self.finish(seed, folder, time.monotonic() - began)

    def finish(self, seed, folder, seconds):
        try:
            result = json.loads((folder / "result").read_text())
        except (OSError, ValueError):
            result = {"seed": seed, "faults": [], "resumed": {}, "updates": 0,
                      "config": "", "window": 0, "resyncs": 0,
                      "failure": "the round hung or its driver crashed: see "
                                 "driver.log"}
        result["seconds"] = seconds
        once_more = self.repeat and result["failure"] is not None and \
            seed not in self.first
        if once_more:
            kept = folder.with_name(f"{folder.name}-at-first")
            folder.rename(kept)
            folder = kept
            self.first[seed] = result["failure"]
            self.waiting.append(seed)
        else:
            self.results.append(result)
        verdict = "ok" if result["failure"] is None else "FAILED"
        print(f"{verdict:6} seed {seed:<12} {seconds:5.1f} s "
              f"{result['updates']:6} updates {result['resyncs']:3} resyncs "
              f"{' '.join(result['faults'])}", flush=True)
        if result["failure"] is not None:
            print(f"       {result['failure']}\n       {result['config']}\n"
                  f"       logs: {folder}\n       again: {self.again(seed)}",
                  flush=True)
            return
        if seed in self.first:
            print(f"flaky   chaos seed {seed}: passed when run again; at "
                  f"first: {self.first[seed]}", flush=True)
        if not self.args.keep:
            shutil.rmtree(folder, ignore_errors=True)

    def again(self, seed):
        words = f"make chaos SEED={seed} ROUNDS=1"
        if self.args.long:
            words += " LONG=yes"
        if self.args.known_open:
            words += " KNOWN_OPEN=yes"
        if self.args.faults:
            words += f" FAULTS={self.args.faults}"
        return words

    def run(self):
        self.allowed = self.names()
        if not self.allowed:
            raise SystemExit("no fault is left")
        seed = self.args.seed
        if seed is None:
            seed = secrets.randbelow(1 << 31)
        print(f"seeds from {seed} on, {len(self.allowed)} kinds of faults",
              flush=True)
        end = None if self.args.seconds is None else \
            self.began + self.args.seconds
        rounds = self.args.rounds
        if end is None and rounds is None:
            rounds = 1
        number = 0
        step = SHORT_STEP if self.args.short else 1
        while True:
            self.reap()
            more = (rounds is None or number < rounds) and \
                (end is None or time.monotonic() < end)
            if self.waiting and len(self.running) < self.args.jobs:
                self.start(self.waiting.pop())
                continue
            if not more and not self.running:
                break
            if more and len(self.running) < self.args.jobs:
                self.start(seed + number * step)
                number += 1
                continue
            time.sleep(0.05)
        return self.report()

    def report(self):
        with contextlib.suppress(OSError):
            self.folder.rmdir()     # unless a round is kept
        counts, slowest = collections.Counter(), collections.Counter()
        for result in self.results:
            counts.update(result["faults"])
            for name, seconds in result["resumed"].items():
                for part in name.split("+"):
                    slowest[part] = max(slowest[part], seconds)
        print(f"\n{'fault':34} | rounds | resumed after, s at most")
        for name in sorted(counts):
            print(f"{name:34} | {counts[name]:6} | {slowest[name]:6.1f}")
        failed = [r for r in self.results if r["failure"] is not None]
        print(f"\n{len(self.results)} rounds, {len(counts)} kinds of faults, "
              f"{sum(r['updates'] for r in self.results)} updates read")
        print("duplicate windows, s: " + ", ".join(
            f"{window} in {count} rounds" for window, count in sorted(
                collections.Counter(r["window"]
                                    for r in self.results).items())))
        for name, why in sorted(self.skipped.items()):
            print(f"skipped {name}: {why}")
        print(f"{len(self.results) - len(failed)} passed, {len(failed)} "
              f"failed, {len(self.skipped)} skipped")
        return 1 if failed or not self.results else 0


def can_mount():
    return os.geteuid() == 0 and subprocess.run(
        ["unshare", "--mount", "true"], capture_output=True).returncode == 0


def build_shim(build):
    """The clock that can be set; made here, since only this driver uses it."""
    shim = build.resolve() / "chaos" / "clock_shim.so"
    source = HERE / "clock_shim.c"
    if not shim.exists() or shim.stat().st_mtime < source.stat().st_mtime:
        shim.parent.mkdir(parents=True, exist_ok=True)
        made = shim.with_suffix(f".{os.getpid()}")
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC",
                        "-shared", "-o", made, source, "-ldl", "-pthread"],
                       check=True)
        made.rename(shim)
    return shim


def main():
    args = arguments()
    binary = args.build.resolve() / "arancini"
    if not binary.exists():
        raise SystemExit(f"{binary} does not exist; run make first")
    # Next to the build: tools/deps.sh puts them there.
    sys.path.insert(0, str(args.build.resolve() / "chaos-python"))
    if args.one is not None:
        # A write to a connection that was just reset is no news here.
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)
        from round import run_in_process
        allowed = json.loads((args.one / "allowed").read_text())
        run_in_process(args.seed, args.one, binary, build_shim(args.build),
                       allowed["faults"], allowed["rules"], args.long)
        return 0
    if args.short:
        args.seed, args.seconds, args.rounds = SHORT_SEED, SHORT_STARTS, None
        args.jobs = max(2, os.cpu_count() or 2)
    driver = Driver(args)
    build_shim(args.build)
    return driver.run()


if __name__ == "__main__":
    sys.exit(main())
