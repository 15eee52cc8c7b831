"""What "arancini decode" promises on the command line."""

import bz2
import gzip
import json
import lzma
import os
import pty
import shutil
import struct
import subprocess

import pytest

import packets
from bmp import message, messages, tlv
from decoding import BINARY, TREE, lines, run_decode
from packets import flow, mrt

FRR = TREE / "tests" / "captures" / "frr.bmp"
GOBGP = TREE / "tests" / "captures" / "gobgp.bmp"

ROUTER, OTHER = ("192.0.2.1", 40001), ("2001:db8::2", 40002)
COLLECTOR, COLLECTOR6 = ("192.0.2.9", 11019), ("2001:db8::9", 11019)


def zstd(data):
    if shutil.which("zstd") is None:
        pytest.skip("zstd is not installed")
    return subprocess.run(["zstd", "-c"], input=data, capture_output=True,
                          check=True).stdout


def whole(path):
    run = run_decode(path)
    assert run.returncode == 0
    return run.stdout


def damaged(run):
    """One clear line, and the exit status of failure."""
    assert run.returncode == 1
    assert run.stderr.startswith(b"arancini decode: ")
    assert run.stderr.count(b"\n") == 1
    return run.stderr.decode()


# Usage


@pytest.mark.parametrize("args, word", [
    ([], "which file"),
    (["--walk", "x"], "--walk"),
    (["--bmp-v4"], "--bmp-v4"),
    (["--bmp-v4", "5", "x"], "tlv20"),
    (["--add-path"], "--add-path"),
    (["--add-path", "ipv4-vpn,ipv4", "x"], "names as ipv4-unicast"),
    (["--no-add-path", "", "x"], "names as ipv4-unicast"),
    (["--add-path", "all", "--no-add-path", "ipv4-vpn", "x"], "not in both"),
    (["--as-width", "3", "x"], "--as-width '3': allowed is one of 2, 4"),
])
def test_wrong_usage_is_named_in_one_line(args, word):
    run = run_decode(*args)
    assert run.returncode == 2
    assert run.stdout == b""
    assert word in run.stderr.decode()
    assert run.stderr.count(b"\n") == 1


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help(flag):
    run = run_decode(flag)
    assert run.returncode == 0
    assert run.stderr == b""
    for word in (b"--summary", b"--bmp-v4", b"standard input",
                 b"--add-path FAMILIES", b"--no-add-path FAMILIES",
                 b"--as-width 2|4"):
        assert word in run.stdout


# Inputs


def test_standard_input():
    assert run_decode("-", stdin=FRR.read_bytes()).stdout == whole(FRR)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress,
                                  zstd])
def test_compression_by_content(pack, tmp_path):
    path = tmp_path / "without-a-suffix"
    path.write_bytes(pack(FRR.read_bytes()))
    assert whole(path) == whole(FRR)


def test_several_files_are_named_in_their_lines():
    run = run_decode(FRR, GOBGP)
    assert run.returncode == 0
    assert {l["file"] for l in lines(run)} == {str(FRR), str(GOBGP)}
    assert len(lines(run)) == len(whole(FRR).splitlines()) + len(
        whole(GOBGP).splitlines())


def test_a_missing_file_does_not_hide_the_others(tmp_path):
    run = run_decode(tmp_path / "nowhere", FRR)
    assert "No such file" in damaged(run)
    assert {l["file"] for l in lines(run)} == {str(FRR)}


# Damage: everything readable, then one line


def test_a_stream_cut_in_a_message(tmp_path):
    data = FRR.read_bytes()
    for cut in (1, 5, 100, len(data) // 2, len(data) - 1):
        path = tmp_path / "cut"
        path.write_bytes(data[:cut])
        run = run_decode(path)
        if cut > 1:
            assert "the last message is cut" in damaged(run)
        assert whole(FRR).startswith(run.stdout)
    assert run.stdout.count(b"\n") == whole(FRR).count(b"\n") - 1


def test_a_stream_with_garbage_in_it(tmp_path):
    path = tmp_path / "garbage"
    path.write_bytes(FRR.read_bytes() + b"GET / HTTP/1.1\r\n\r\n")
    run = run_decode(path)
    assert f"at byte {FRR.stat().st_size}" in damaged(run)
    assert run.stdout == whole(FRR)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress,
                                  zstd])
def test_compressed_data_that_is_cut(pack, tmp_path):
    packed = pack(FRR.read_bytes())
    path = tmp_path / "cut"
    path.write_bytes(packed[:len(packed) - 6])
    run = run_decode(path)
    assert "ends too early" in damaged(run)
    assert whole(FRR).startswith(run.stdout)


@pytest.mark.parametrize("content, word", [
    (b"", "empty"), (b"hello, world\n", "neither"), (b"\x1f\x8b", "early")])
def test_what_is_no_capture(content, word, tmp_path):
    path = tmp_path / "nothing"
    path.write_bytes(content)
    run = run_decode(path)
    assert word in damaged(run)
    assert run.stdout == b""


def test_a_full_disk_is_an_error():
    with open("/dev/full", "wb") as full:
        run = subprocess.run([BINARY, "decode", FRR], stdout=full,
                             stderr=subprocess.PIPE, timeout=60)
    assert run.returncode == 1
    assert b"No space left" in run.stderr


# Packet captures


def without_session(line):
    return {k: v for k, v in line.items()
            if k not in ("session", "routerAddr", "routerPort",
                         "timeReceivedNs")}


@pytest.mark.parametrize("make", [packets.pcap, packets.pcapng])
def test_two_sessions_side_by_side(make, tmp_path):
    """One in order, one over IPv6 with every pair of segments swapped and
    sent twice; each reads as if it were alone."""
    one = list(flow(ROUTER, COLLECTOR, FRR.read_bytes()))
    two = list(flow(OTHER, COLLECTOR6, GOBGP.read_bytes(), base=0xffffff00,
                    size=100))
    swapped = two[:1] + [p for i in range(1, len(two), 2)
                         for p in two[i:i + 2][::-1] * 2]
    mixed = [p for pair in zip(one, swapped) for p in pair]
    mixed += one[len(swapped):] + swapped[len(one):]
    path = tmp_path / "two"
    path.write_bytes(make(mixed))
    run = run_decode(path)
    assert run.returncode == 0, run.stderr
    got = lines(run)
    for session, router, source in ((1, ROUTER, FRR), (2, OTHER, GOBGP)):
        ours = [l for l in got if l["session"] == session]
        assert {(l["routerAddr"], l["routerPort"]) for l in ours} == {router}
        assert all(1700000000 * 10**9 < l["timeReceivedNs"] for l in ours)
        assert [without_session(l) for l in ours] == [
            json.loads(line) for line in whole(source).splitlines()]


def test_a_lost_segment_is_said_and_reading_goes_on(tmp_path):
    # A segment a message, so that reading can go on after the lost one.
    sent, at = list(messages(FRR.read_bytes())), 1000
    session = [packets.segment(ROUTER, COLLECTOR, at - 1, flags=packets.SYN)]
    for number, one in enumerate(sent):
        if number != 5:
            session.append(packets.segment(ROUTER, COLLECTOR, at, one))
        at += len(one)
    path = tmp_path / "gap.pcap"
    path.write_bytes(packets.pcap(session))
    run = run_decode(path)
    assert "missing" in damaged(run)
    got = lines(run)
    error, = [l for l in got if l["kind"] == "error"]
    assert error["missingBytes"] == len(sent[5])
    assert len(got) >= len(sent) - 1


def test_a_capture_without_bmp_says_so(tmp_path):
    path = tmp_path / "http.pcap"
    path.write_bytes(packets.pcap(
        flow(ROUTER, COLLECTOR, b"GET / HTTP/1.1\r\n\r\n" * 50)))
    run = run_decode(path)
    assert "no BMP session" in damaged(run)
    assert run.stdout == b""


def test_a_cut_pcap(tmp_path):
    data = packets.pcap(flow(ROUTER, COLLECTOR, FRR.read_bytes()))
    path = tmp_path / "cut.pcap"
    path.write_bytes(data[:-10])
    run = run_decode(path)
    assert "truncated" in damaged(run)
    assert len(lines(run)) > 0


# What lines say


def test_hostile_names_are_still_json():
    name = b'quo"te \\ \n \x00 \xff\xfe \xc3\xa9 \xed\xa0\x80'
    run = run_decode("-", stdin=message(4, tlv(1, b"") + tlv(2, name)))
    line, = lines(run)
    assert line["sysDescr"] == ""
    assert line["sysName"].startswith('quo"te \\ \n \x00 \ufffd\ufffd \u00e9 ')


def test_unknown_message_type_is_an_error_line_not_a_damaged_file():
    run = run_decode("-", stdin=message(99, b"abc") + message(4, b""))
    assert run.returncode == 0
    assert [l["kind"] for l in lines(run)] == ["error", "initiation"]
    assert lines(run)[0]["error"] == "unknown-type"


PEER = bytes([0, 0]) + bytes(8) + bytes(12) + bytes([192, 0, 2, 7]) + \
    struct.pack(">IIII", 65001, 0x0a000001, 1700000000, 500000)

def bgp_update():
    attributes = bytes.fromhex("40010100" "40020602010000fde9"
                               "400304c0000207")
    body = struct.pack(">HH", 0, len(attributes)) + attributes + bytes(
        [24, 198, 51, 100])
    return b"\xff" * 16 + struct.pack(">HB", 19 + len(body), 2) + body


@pytest.mark.parametrize("how, index_of_message", [("tlv20", 7),
                                                   ("legacy", 4)])
def test_version_4_only_as_told(how, index_of_message):
    pdu = bgp_update()
    body = PEER + struct.pack(">HHH", index_of_message, len(pdu), 0) + pdu
    data = message(0, body, version=4)
    off, = lines(run_decode("-", stdin=data))
    assert off["kind"] == "error"
    line, = lines(run_decode("--bmp-v4", how, "-", stdin=data))
    assert line["kind"] == "update"
    assert line["prefixAddr"] == "198.51.100.0"
    assert line["asPath"] == [65001]


def bgp_open(add_path):
    capabilities = bytes.fromhex("010400010001" "41040000fde9")
    if add_path:
        capabilities += bytes.fromhex("450400010103")
    parameters = bytes([2, len(capabilities)]) + capabilities
    body = struct.pack(">BHHIB", 4, 65001, 180, 0x0a000001,
                       len(parameters)) + parameters
    return b"\xff" * 16 + struct.pack(">HB", 19 + len(body), 1) + body


def test_peers_of_one_address_are_told_apart_by_their_distinguisher():
    """Two VRFs with the same peer address, only one of them with add-path."""
    def peer(vrf):
        return bytes([1, 0]) + struct.pack(">HHI", 0, 65000, vrf) + PEER[10:]

    def up(vrf, add_path):
        return message(3, peer(vrf) + bytes(20) + 2 * bgp_open(add_path))

    plain = bgp_update()
    with_path_id = bytearray(plain[:-4] + bytes([0, 0, 0, 9]) + plain[-4:])
    with_path_id[17] += 4
    data = up(1, True) + up(2, False) + message(
        0, peer(1) + bytes(with_path_id)) + message(0, peer(2) + plain)
    one, two = lines(run_decode("-", stdin=data))[2:]
    assert (one["peerDistinguisher"], one["pathId"]) == ("65000:1", 9)
    assert two["peerDistinguisher"] == "65000:2"
    assert "pathId" not in two
    assert one["prefixAddr"] == two["prefixAddr"] == "198.51.100.0"


def test_treat_as_withdraw_has_its_reason():
    pdu = bytearray(bgp_update())
    pdu[26] = 9  # there is no such ORIGIN
    line, = lines(run_decode("-", stdin=message(0, PEER + bytes(pdu))))
    assert line["announced"] is False
    assert line["reason"] == "treatAsWithdraw"
    assert line["faultAttribute"] == 1


def test_summary_of_a_stream():
    run = run_decode("--summary", FRR)
    summary, = lines(run)
    assert summary["format"] == "BMP stream"
    assert summary["messages"]["initiation"] == 1
    assert summary["messages"]["peerUp"] == 2
    assert summary["errors"] == 0
    per_peer = sum(p["announced"].get("1/1", 0) for p in summary["peers"])
    assert per_peer == summary["announced"]["1/1"]


def on_a_terminal(*args, stderr):
    """What the command writes to a terminal; stdout may be elsewhere."""
    ours, its = pty.openpty()
    elsewhere = subprocess.DEVNULL
    process = subprocess.Popen([BINARY, "decode", *map(str, args)],
                               stdout=elsewhere if stderr else its,
                               stderr=its if stderr else elsewhere)
    os.close(its)
    said = b""
    try:
        while chunk := os.read(ours, 65536):
            said += chunk
    except OSError:
        pass  # the other end is closed
    os.close(ours)
    process.wait(timeout=60)
    return said.decode()


def test_summary_is_a_table_on_a_terminal():
    said = on_a_terminal("--summary", FRR, stderr=False)
    assert "ipv4-unicast" in said
    assert "peer 127.0.10.2 global AS 65002 id 10.0.0.2" in said
    assert "{" not in said


def test_progress_shows_on_a_terminal_and_goes_away(tmp_path):
    path = tmp_path / "long"
    path.write_bytes(FRR.read_bytes() * 20000)
    said = on_a_terminal(path, stderr=True)
    assert "%" in said
    assert said.endswith("\r\x1b[K")
    assert on_a_terminal(FRR, stderr=True) == ""


# MRT


PEER_TABLE = mrt(13, 1, struct.pack(">IHHBIIH", 9, 0, 1, 0, 0x0a000001,
                                    0xc0000201, 65001))


def rib_entry(attributes):
    """One route of 2001:db8::/32 with these attributes."""
    raw = bytes.fromhex(attributes)
    return mrt(13, 4, struct.pack(">I", 1) + bytes.fromhex("2020010db8") +
               struct.pack(">HHIH", 1, 0, 1600000000, len(raw)) + raw)


@pytest.mark.parametrize("reach", [
    # RFC 6396 4.3.4: only the next hop ...
    "800e1110" "20010db8000000000000000000000009",
    # ... and what some write instead, the whole attribute.
    "800e1a00020110" "20010db8000000000000000000000009" "00" "2020010db8",
])
def test_both_forms_of_mp_reach_in_a_rib(reach):
    data = PEER_TABLE + rib_entry("40010100" "40020602010000fde9" + reach)
    line, = lines(run_decode("-", stdin=data))
    assert line["announced"] is True
    assert (line["prefixAddr"], line["prefixLen"]) == ("2001:db8::", 32)
    assert line["nextHop"] == "2001:db8::9"
    assert line["peerAddr"] == "192.0.2.1"
    assert line["asPath"] == [65001]
    assert line["originatedAt"] == "2020-09-13T12:26:40.000Z"


def test_a_rib_entry_that_cannot_be_read_is_not_silent():
    # MP_REACH twice: nobody can say which (RFC 7606 3g).
    reach = "800e1110" "20010db8000000000000000000000009"
    data = PEER_TABLE + rib_entry("40010100" + reach + reach)
    line, = lines(run_decode("-", stdin=data))
    assert line["kind"] == "error"


def test_a_rib_without_its_peers_is_an_error_line():
    run = run_decode("-", stdin=rib_entry("40010100"))
    assert run.returncode == 0
    assert [l["kind"] for l in lines(run)] == ["error"]


def test_states_become_peer_events():
    def change(old, new):
        return mrt(16, 5, struct.pack(">IIHHIIHH", 65001, 65002, 0, 1,
                                      0xc0000201, 0xc0000202, old, new))
    got = lines(run_decode("-", stdin=change(5, 6) + change(6, 1)))
    assert [(l["kind"], l["oldState"], l["newState"]) for l in got] == [
        ("peerUp", 5, 6), ("peerDown", 6, 1)]


def test_other_bgp_messages_are_shown_as_such():
    notification = b"\xff" * 16 + bytes([0, 21, 3, 6, 2])
    data = mrt(16, 4, struct.pack(">IIHHII", 65001, 65002, 0, 1, 0xc0000201,
                                  0xc0000202) + notification)
    line, = lines(run_decode("-", stdin=data))
    assert line["kind"] == "mirror"
    assert line["notification"]["errorCode"] == 6
    assert line["notification"]["errorSubcode"] == 2
