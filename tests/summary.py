"""Read the JUnit files of a run; say what failed and what was skipped, close
with "N passed, N failed, N skipped". Exits 1 on a failure or on no test."""

import pathlib
import sys
import xml.etree.ElementTree as ET


def cases(folder):
    for path in sorted(folder.glob("*.xml")):
        for case in ET.parse(path).iter("testcase"):
            name = ".".join(filter(None, (case.get("classname"),
                                          case.get("name"))))
            yield name, case


def reason(node):
    return (node.get("message") or node.text or "no reason given").strip()


def main():
    folder = pathlib.Path(sys.argv[1])
    passed = failed = skipped = 0
    for name, case in cases(folder):
        bad = [n for tag in ("failure", "error") for n in case.findall(tag)]
        skip = case.find("skipped")
        if bad:
            failed += 1
            print(f"FAILED  {name}: {reason(bad[0])[:2000]}")
        elif skip is not None:
            skipped += 1
            print(f"skipped {name}: {reason(skip)[:200]}")
        else:
            passed += 1
    if failed or not passed:
        print(f"logs: {folder}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


sys.exit(main())
