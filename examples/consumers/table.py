#!/usr/bin/env python3
"""Builds the tables of routers from what "arancini tail" prints:

    arancini tail --nats URL --since all --idle-exit 1 --json | table.py

One line for each route that is there at the end: peer, prefix, next hop and
AS path. Works the same from a journal (--journal DIR), and whatever way the
batches are compressed.
"""
import json
import sys


def router(line):
    return line.get("routerId", line.get("routerAddr"))


def key(update):
    """What identifies a route: see docs/schema.md."""
    return (update.get("collector"), router(update), update["peerType"],
            update.get("peerDistinguisher", ""), update.get("peerAddr", ""),
            update.get("isPostPolicy", False),
            update.get("isAdjRibOut", False), update["afi"], update["safi"],
            update.get("pathId"), update.get("routeDistinguisher", ""),
            update.get("nlriKey") or update.get("nlri")
            or (update["prefixAddr"], update["prefixLen"]))


def main():
    table = {}
    for line in sys.stdin:
        update = json.loads(line)
        if update["kind"] == "resync":
            # Whatever we have of this router from this collector: its table
            # comes again.
            table = {k: u for k, u in table.items()
                     if (u.get("collector"), router(u))
                     != (update.get("collector"), router(update))}
        if update["kind"] != "update":
            continue
        if update["announced"]:
            table[key(update)] = update
        else:
            table.pop(key(update), None)
    for update in sorted(table.values(), key=lambda u: str(key(u))):
        what = update.get("nlriText") or (f"{update['prefixAddr']}/"
                                          f"{update['prefixLen']}")
        path = " ".join(str(asn) for asn in update.get("asPath", []))
        print(update.get("peerAddr", "-"), what, update.get("nextHop", "-"),
              path)


if __name__ == "__main__":
    main()
