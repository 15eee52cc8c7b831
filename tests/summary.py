"""Read what a run's suites left in a folder; say what failed and what was
skipped, close with "N passed, N failed, N skipped".

    summary.py FOLDER [FAILED-SUITE...]
    summary.py --failed FOLDER		names of the programs meson saw fail

NAME.xml is JUnit, from meson or pytest. NAME.json is meson's own log: JUnit
holds the cases of a TAP test but not how its program ended, so a leak found
at exit, or a crash after the last case, is only in there. A suite named on the
command line ended badly; if none of its cases says so, that is a failure too.

NAME.repeated.xml and .json are of the tests that failed and were run once more.
One that passed then is not stable: it counts as passed, and a line names it.

Exits 1 on a failure and when nothing passed: no test at all is no good news.
"""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

GOOD = ("OK", "SKIP", "EXPECTEDFAIL")


def plain(name):
    """meson's "arancini.arancini:unit / test_x" is unit/test_x to a person."""
    name = re.sub(r"^arancini\.?(?=arancini:|$)", "", name or "")
    return name.replace("arancini:", "").replace(" / ", "/")


def tail(text, lines=40):
    return "\n".join(text.strip().splitlines()[-lines:])


def text_of(node, *tags):
    found = (node.findtext(tag) for tag in tags)
    return "\n".join(text.strip() for text in found if text and text.strip())


def said_by_tap(output, case):
    """The comments after "not ok", up to the next case."""
    said = []
    here = False
    for line in output.splitlines():
        if re.match(r"(not )?ok ", line):
            here = line.endswith(case)
        elif here and line.startswith("#"):
            said.append(line[1:].strip())
    return "\n".join(said)


def reason(suite, case, node):
    return (node.get("message") or (node.text or "").strip()
            or text_of(case, "system-err", "system-out")
            or said_by_tap(suite.findtext("system-out") or "",
                           case.get("name"))
            or text_of(suite, "system-err") or "no reason given")


def cases(path):
    """(the program's name, the case's name, what happened, why)"""
    for suite in ET.parse(path).iter("testsuite"):
        for case in suite.findall("testcase"):
            program = plain(case.get("classname"))
            name = re.sub(r"^\d+ - ", "", plain(case.get("name")))
            full = f"{program}.{name}" if program else name
            bad = case.find("failure")
            bad = case.find("error") if bad is None else bad
            skip = case.find("skipped")
            if bad is not None:
                yield program or name, full, "failed", reason(suite, case, bad)
            elif skip is not None:
                yield program or name, full, "skipped", reason(suite, case,
                                                               skip)
            else:
                yield program or name, full, "passed", ""


def ended_badly(path, told):
    """Programs that meson saw fail although every case of theirs passed."""
    for line in path.read_text().splitlines():
        run = json.loads(line)
        name = plain(run["name"])
        if run["result"] not in GOOD and name not in told:
            said = run.get("stderr") or run.get("stdout") or "no output"
            yield name, f"status {run['returncode']} at its end\n{tail(said)}"


def passed_repeated(folder, name):
    """Programs and cases of a suite that passed when they were run again."""
    xml = folder / f"{name}.repeated.xml"
    log = folder / f"{name}.repeated.json"
    passed = set()
    if xml.exists():
        passed = {case for _, case, what, _ in cases(xml) if what == "passed"}
    if log.exists():
        runs = [json.loads(line) for line in log.read_text().splitlines()]
        good = {plain(r["name"]) for r in runs if r["result"] in GOOD}
        bad = {plain(r["name"]) for r in runs} - good
        passed = {c for c in passed if c.partition(".")[0] not in bad} | good
    return passed


def results(folder, failed_suites):
    for name in sorted({p.stem for p in folder.glob("*.xml")
                        if not p.stem.endswith(".repeated")}
                       | set(failed_suites)):
        told = set()
        again = passed_repeated(folder, name)
        xml, log = folder / f"{name}.xml", folder / f"{name}.json"
        if xml.exists():
            for program, case, what, why in cases(xml):
                if what == "failed":
                    told.add(program)
                    what = "flaky" if case in again else what
                yield case, what, why
        if log.exists():
            for program, why in ended_badly(log, told):
                told.add(program)
                yield program, "flaky" if program in again else "failed", why
        if name in failed_suites and not told:
            out = folder / f"{name}.out"
            yield (name, "failed", "the suite itself broke\n"
                   + (tail(out.read_text(errors="replace"))
                      if out.exists() else "it left no output"))


def print_failed(folder):
    log = folder / "unit.json"
    if log.exists():
        for line in log.read_text().splitlines():
            run = json.loads(line)
            if run["result"] not in GOOD:
                print(plain(run["name"]).rpartition("/")[2])


def main():
    if sys.argv[1] == "--failed":
        print_failed(pathlib.Path(sys.argv[2]))
        return 0
    folder = pathlib.Path(sys.argv[1])
    count = {"passed": 0, "failed": 0, "skipped": 0, "flaky": 0}
    for name, what, why in results(folder, sys.argv[2:]):
        count[what] += 1
        if what == "failed":
            print(f"FAILED  {name}: {why[:4000]}")
        elif what == "flaky":
            print(f"flaky   {name}: passed when run again alone; at first: "
                  f"{' '.join(why.split())[:600]}")
        elif what == "skipped":
            print(f"skipped {name}: {' '.join(why.split())[:200]}")
    count["passed"] += count["flaky"]
    bad = count["failed"] or not count["passed"]
    if bad:
        print(f"logs: {folder}")
    print("{passed} passed, {failed} failed, {skipped} skipped"
          .format(**count))
    return 1 if bad else 0


sys.exit(main())
