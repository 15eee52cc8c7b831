"""Our lines as "bgpdump -m" writes them."""

import socket


# RFC 1997's well-known communities, in bgpdump's words.
WELL_KNOWN = {"65535:65281": "no-export", "65535:65282": "no-advertise",
              "65535:65283": "local-AS"}

# It knows no others.
FAMILIES = {(1, 1), (1, 2), (2, 1), (2, 2)}

SEGMENTS = {"asSequence": ("", " ", ""), "asSet": ("{", ",", "}"),
            "confedSequence": ("(", " ", ")"), "confedSet": ("[", ",", "]")}


def as_path(line):
    if "asPathSegments" not in line:
        return " ".join(map(str, line.get("asPath", [])))
    parts = []
    for segment in line["asPathSegments"]:
        opening, between, closing = SEGMENTS[segment["type"]]
        parts.append(opening + between.join(map(str, segment["asns"])) +
                     closing)
    return " ".join(parts)


def record_name(line):
    name = line["recordType"].replace("DUMP_V2", "DUMP2")
    # RFC 8050's subtypes have the same numbers in both kinds of record.
    add_path = name != "TABLE_DUMP" and line["recordSubtype"] >= 8
    return f"{name}_AP" if add_path and "pathId" in line else name


def time(line):
    seconds, rest = divmod(line["timeReceivedNs"], 10**9)
    if line["recordType"] == "BGP4MP_ET":
        return f"{seconds}.{rest // 1000:06d}"
    return str(seconds)


def prefix(line):
    text = f"{line['prefixAddr']}/{line['prefixLen']}"
    return f"{text}|{line['pathId']}" if "pathId" in line else text


def communities(line):
    return " ".join(WELL_KNOWN.get(c, c) for c in line.get("communities", []))


def attributes(line):
    aggregator = ""
    if "aggregatorAsn" in line:
        aggregator = f"{line['aggregatorAsn']} {line['aggregatorBgpId']}"
    return [
        as_path(line),
        line.get("origin", "INCOMPLETE"),
        line.get("nextHop", "255.255.255.255"),
        str(line.get("localPreference", 0)),
        str(line.get("multiExitDisc", 0)),
        communities(line),
        "AG" if line.get("atomicAggregate") else "NAG",
        aggregator,
        "",
    ]


def address(field):
    """An IPv6 address or prefix as RFC 5952 spells it, all else as it is."""
    if field.count(":") < 2 or " " in field:
        return field
    host, slash, length = field.partition("/")
    try:
        packed = socket.inet_pton(socket.AF_INET6, host)
    except OSError:
        return field
    text = socket.inet_ntop(socket.AF_INET6, packed)
    # A next hop that is an IPv4-mapped address is written as IPv4 by us.
    if not slash:
        text = text.removeprefix("::ffff:") if "." in text else text
    return text + slash + length


def one_spelling(line):
    """bgpdump shortens even a single group of zeros; nobody else does."""
    return "|".join(map(address, line.split("|")))


def line_of(line):
    """The line that bgpdump prints, or None if it prints none."""
    who = [record_name(line), time(line)]
    if line["kind"] in ("peerUp", "peerDown"):
        return "|".join(who + ["STATE", line["peerAddr"],
                               str(line["peerAsn"]), str(line["oldState"]),
                               str(line["newState"])])
    if line["kind"] != "update" or (line["afi"], line["safi"]) not in FAMILIES:
        return None
    table = line["recordType"].startswith("TABLE_DUMP")
    action = "B" if table else "A" if line["announced"] else "W"
    who += [action, line["peerAddr"], str(line["peerAsn"]), prefix(line)]
    if line["announced"]:
        who += attributes(line)
    return "|".join(who)
