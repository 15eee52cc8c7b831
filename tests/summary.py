"""Read what a run's suites left in a folder; say what failed and what was
skipped, close with "N passed, N failed, N skipped".

    summary.py FOLDER [FAILED-SUITE...]

NAME.xml is JUnit, from meson or pytest. NAME.json is meson's own log: JUnit
holds the cases of a TAP test but not how its program ended, so a leak found
at exit, or a crash after the last case, is only in there. A suite named on the
command line ended badly; if none of its cases says so, that is a failure too.

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


def results(folder, failed_suites):
    for name in sorted({p.stem for p in folder.glob("*.xml")}
                       | set(failed_suites)):
        told = set()
        xml, log = folder / f"{name}.xml", folder / f"{name}.json"
        if xml.exists():
            for program, case, what, why in cases(xml):
                if what == "failed":
                    told.add(program)
                yield case, what, why
        if log.exists():
            for program, why in ended_badly(log, told):
                told.add(program)
                yield program, "failed", why
        if name in failed_suites and not told:
            out = folder / f"{name}.out"
            yield (name, "failed", "the suite itself broke\n"
                   + (tail(out.read_text(errors="replace"))
                      if out.exists() else "it left no output"))


def main():
    folder = pathlib.Path(sys.argv[1])
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for name, what, why in results(folder, sys.argv[2:]):
        count[what] += 1
        if what == "failed":
            print(f"FAILED  {name}: {why[:4000]}")
        elif what == "skipped":
            print(f"skipped {name}: {' '.join(why.split())[:200]}")
    bad = count["failed"] or not count["passed"]
    if bad:
        print(f"logs: {folder}")
    print("{passed} passed, {failed} failed, {skipped} skipped"
          .format(**count))
    return 1 if bad else 0


sys.exit(main())
