"""Our lines as tshark 4.0 shows them (the *.nlri.tsv files beside captures).

tshark shows what is on the wire; it does not apply RFC 7606, so a route that
is treated as withdrawn counts as announced here.
"""

import ipaddress
import re
import struct


def distinguisher(hex_digits):
    """Eight bytes as our decoder writes a route distinguisher."""
    raw = bytes.fromhex(hex_digits)
    kind, = struct.unpack_from(">H", raw)
    if kind == 0:
        return "%d:%d" % struct.unpack_from(">HI", raw, 2)
    if kind == 1:
        return "%s:%d" % (ipaddress.ip_address(raw[2:6]),
                          struct.unpack_from(">H", raw, 6)[0])
    if kind == 2:
        return "%d:%d" % struct.unpack_from(">IH", raw, 2)
    return hex_digits


def action(line):
    on_the_wire = line["announced"] or line.get("reason") == "treatAsWithdraw"
    return "A" if on_the_wire else "W"


def labels(line):
    """"16 32 (bottom)"; "*" for a withdrawal, whose labels mean nothing."""
    if action(line) == "W":
        return "*"
    return " ".join(map(str, line["labels"])) + " (bottom)"


def total_bits(line):
    """The length octet of a VPN route: labels and distinguisher count."""
    if action(line) == "W":
        return "*"
    return line["prefixLen"] + 64 + 24 * len(line["labels"])


def without_labels(text):
    """tshark's text of a withdrawal (RFC 8277 2.4: ignore its labels)."""
    text = re.sub(r"^\d+ \| [^|]+ \((bottom|withdrawn)\)", "* | *", text)
    return re.sub(r"(?<![\w/:.])[\d ]+ \((bottom|withdrawn)\)", "*", text)


def texts(line):
    """All forms in which tshark may show the route of this line."""
    family = f"{line['afi']}/{line['safi']}"
    if "prefixAddr" not in line:
        return typed_texts(family, line)
    address, length = line["prefixAddr"], line["prefixLen"]
    prefix = f"{address}/{length}"
    path_id = f" PathId {line['pathId']}" if "pathId" in line else ""
    if family in ("1/1", "2/1", "1/2", "2/2"):
        return [prefix + path_id]
    if family == "1/4":
        # tshark spells it differently here.
        path_id = path_id.replace("PathId", "PathID")
        return [f"Label Stack={labels(line)} IPv4={prefix}{path_id}"]
    if family == "2/4":
        return [f"Label Stack={labels(line)}, IPv6={prefix}{path_id}"]
    rd = line["routeDistinguisher"]
    if family == "1/128":
        return [f"{total_bits(line)} | {labels(line)} | {rd} | {address}"]
    if family == "2/128":
        return [f"Label Stack={labels(line)} RD={rd}, IPv6={prefix}",
                labels(line)]
    return [f"? {family} {prefix}"]


def typed_texts(family, line):
    raw = bytes.fromhex(line["nlri"])
    if family == "25/70":
        return [evpn(raw)]
    if family in ("1/133", "2/133", "1/134", "2/134"):
        return [flowspec(raw, vpn=family.endswith("134"),
                         ipv6=family.startswith("2"))]
    if family == "1/132":
        return [route_target(raw)]
    return [f"? {family} {raw.hex()}"]


def route_target(raw):
    asn, kind = struct.unpack_from(">IH", raw, 1)
    if kind == 0x0102:
        target = "%s:%d" % (ipaddress.ip_address(raw[7:11]),
                            struct.unpack_from(">H", raw, 11)[0])
    else:
        target = "%d:%d" % struct.unpack_from(">HI", raw, 7)
    return f"MP Reach NLRI {asn}:{target}/{raw[0]}"


def colons(raw):
    return ":".join(f"{byte:02x}" for byte in raw)


def esi(raw):
    """An Ethernet segment identifier: its type, then by type its parts."""
    kind, rest = raw[0], raw[1:]
    if kind == 0:
        parts = [colons(rest)]
    elif kind in (1, 2):
        parts = [colons(rest[:6]), str(int.from_bytes(rest[6:8], "big")),
                 colons(rest[8:])]
    elif kind == 3:
        parts = [colons(rest[:6]), colons(rest[6:8]), colons(rest[8:])]
    elif kind == 4:
        parts = [str(ipaddress.ip_address(rest[:4])), colons(rest[4:8]),
                 colons(rest[8:])]
    elif kind == 5:
        parts = [str(int.from_bytes(rest[:4], "big")), colons(rest[4:8]),
                 colons(rest[8:])]
    else:
        parts = [colons(rest)]
    return [str(kind), colons(rest), *parts]


def evpn(raw):
    kind, length = raw[0], raw[1]
    body = raw[2:2 + length]
    rd, rest = colons(body[:8]), body[8:]
    number = lambda part: str(int.from_bytes(part, "big"))
    label = lambda part: str(int.from_bytes(part, "big") >> 4)
    out = [str(kind), str(length), rd]
    if kind == 1:
        name = "Ethernet AD Route"
        out += esi(rest[:10]) + [number(rest[10:14]), label(rest[14:17])]
    elif kind == 2:
        name = "MAC Advertisement Route"
        out += esi(rest[:10]) + [number(rest[10:14]), str(rest[14]),
                                 colons(rest[15:21]), str(rest[21])]
        octets, rest = rest[21] // 8, rest[22:]
        if octets:
            out.append(str(ipaddress.ip_address(rest[:octets])))
        else:
            # The two numbers are tshark's own remark that it is not there.
            out += ["", "IP Address: NOT INCLUDED", "4194304", "150994944"]
        rest = rest[octets:]
        while rest:
            out.append(label(rest[:3]))
            rest = rest[3:]
    elif kind == 3:
        name = "Inclusive Multicast Route"
        out += [number(rest[:4]), str(rest[4]),
                str(ipaddress.ip_address(rest[5:5 + rest[4] // 8]))]
    elif kind == 4:
        name = "Ethernet Segment Route"
        out += esi(rest[:10]) + [str(rest[10]), str(
            ipaddress.ip_address(rest[11:11 + rest[10] // 8]))]
    elif kind == 5:
        name = "IP Prefix route"
        width = 4 if length == 34 else 16
        out += esi(rest[:10]) + [number(rest[10:14]), str(rest[14])]
        rest = rest[15:]
        out += [str(ipaddress.ip_address(rest[:width])),
                str(ipaddress.ip_address(rest[width:2 * width])),
                label(rest[2 * width:2 * width + 3])]
    else:
        name = "?"
    return f"EVPN NLRI: {name} " + " | ".join(out)


def flow_prefix(raw, at, ipv6):
    """A destination or source prefix; IPv6 has an offset, too."""
    bits, at = raw[at], at + 1
    out = [str(bits)]
    skip = 0
    if ipv6:
        skip, at = raw[at], at + 1
        out.append(str(skip))
    width = 16 if ipv6 else 4
    # tshark reads the whole address; RFC 8956 leaves the skipped bits out.
    octets = (bits + 7) // 8
    address = raw[at:at + octets].ljust(width, b"\0")
    out.append(str(ipaddress.ip_address(address)))
    return out, at + octets


def flow_operators(raw, at, kind):
    """Operator and value, up to the one that is marked as the last."""
    out = []
    while True:
        op = raw[at]
        width = 1 << (op >> 4 & 3)
        value = int.from_bytes(raw[at + 1:at + 1 + width], "big")
        out += [op >> 7, op >> 6 & 1, op >> 4 & 3, op >> 3 & 1, op >> 2 & 1,
                op >> 1 & 1, op & 1]
        if kind == 9:  # TCP flags
            out += [value >> bit & 1 for bit in range(8 * width - 1, -1, -1)]
        elif kind == 12:  # fragments
            out += [value >> bit & 1 for bit in range(3, -1, -1)]
        elif kind == 11:  # DSCP
            out.append(f"0x{value & 0x3f:02x}")
        else:
            out.append(value)
        at += 1 + width
        if op & 0x80:
            return [str(part) for part in out], at


def flowspec(raw, vpn, ipv6):
    at = 2 if raw[0] >= 0xf0 else 1
    length = raw[0] if at == 1 else (raw[0] & 0x0f) << 8 | raw[1]
    out = [str(length)]
    if vpn:
        out += ["0", str(int.from_bytes(raw[at + 2:at + 4], "big")),
                f"0x{int.from_bytes(raw[at + 4:at + 8], 'big'):08x}"]
        at += 8
    while at < len(raw):
        kind, at = raw[at], at + 1
        out.append(str(kind))
        try:
            if kind in (1, 2):
                part, at = flow_prefix(raw, at, ipv6)
            elif kind == 13:  # flow label: tshark stops here
                part, at = [], len(raw)
            else:
                part, at = flow_operators(raw, at, kind)
        except IndexError:
            part, at = ["cut"], len(raw)
        out += part
    return f"FLOW_SPEC_NLRI ({len(raw)} bytes) " + " | ".join(out)
