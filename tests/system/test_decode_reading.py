"""How "arancini decode" reads routes where it is told how: --add-path,
--no-add-path, --as-width."""

import struct

import pytest

from bmp import Peer, announce, attribute, messages
from decoding import data_files, lines, run_decode
from packets import flow, mrt, pcap

ROUTER, COLLECTOR = ("192.0.2.1", 40001), ("192.0.2.9", 11019)
PEER_UP = 3
A = Peer("192.0.2.10", 64510)
B = Peer("2001:db8::11", 64511)
LOC_RIB = Peer("0.0.0.0", 64510, kind=3)

# An AS path of two segments, whether a number has two bytes or four.
PATH = struct.pack(">BBHBBHHH", 2, 1, 64500, 2, 3, 0x0201, 64501, 64502)
TWO = [64500, 0x0201, 64501, 64502]
FOUR = [64500 << 16 | 0x0203, 64501 << 16 | 64502]


def routes(run):
    """Of each peer, in order; the prefix, and the path identifier if any."""
    assert run.returncode == 0, run.stderr
    return [(line["peerAddr"], line["prefixAddr"], line["prefixLen"],
             line.get("pathId"))
            for line in lines(run) if line["kind"] == "update"]


@pytest.mark.parametrize("packed", [
    lambda data: data,
    lambda data: pcap(flow(ROUTER, COLLECTOR, data)),
], ids=["stream", "pcap"])
def test_path_identifiers_without_a_peer_up(packed, tmp_path):
    """Of all peers of all files, and of the families that are named."""
    data = A.announce("10.0.0.0/8", path_id=0)
    data += LOC_RIB.announce("10.1.0.0/16", path_id=7)
    data += B.announce("2001:db8:1::/48")
    files = [tmp_path / name for name in ("one", "two")]
    for file in files:
        file.write_bytes(packed(data))
    # Unless told: an identifier of zero is four default routes. One of 7 is
    # nothing that could be read without.
    plain = run_decode(files[0])
    assert routes(plain)[0] == ("192.0.2.10", "0.0.0.0", 0, None)
    assert [line["prefixAddr"] for line in lines(plain)
            if "addPathGuessed" in line] == ["10.1.0.0"]
    told = run_decode("--add-path", "ipv4-unicast", *files)
    assert routes(told) == 2 * [
        ("192.0.2.10", "10.0.0.0", 8, 0),
        ("::", "10.1.0.0", 16, 7),
        ("2001:db8::11", "2001:db8:1::", 48, None)]
    assert len(lines(told)) == 6


def test_lists_of_families_grow():
    data = A.announce("10.0.0.0/8", path_id=1)
    data += B.announce("2001:db8:1::/48", path_id=2)
    want = [("192.0.2.10", "10.0.0.0", 8, 1),
            ("2001:db8::11", "2001:db8:1::", 48, 2)]
    for families in (["all"], ["ipv4-unicast, ipv6-unicast"],
                     ["ipv4-unicast", "ipv6-unicast"]):
        how = [word for f in families for word in ("--add-path", f)]
        assert routes(run_decode(*how, "-", stdin=data)) == want


def test_path_identifiers_that_are_not_there():
    """The OPENs speak of some, and none are sent."""
    data = A.up(add_path=True) + A.announce("10.1.2.0/24", "10.1.3.0/24")
    want = [("192.0.2.10", "10.1.2.0", 24, None),
            ("192.0.2.10", "10.1.3.0", 24, None)]
    assert routes(run_decode("-", stdin=data)) != want
    assert routes(run_decode("--no-add-path", "ipv6-unicast", "-",
                             stdin=data)) != want
    assert routes(run_decode("--no-add-path", "all", "-",
                             stdin=data)) == want


def test_as_width_is_as_told():
    def paths(*how):
        # The flag A says that a number has two bytes.
        data = A.announce("10.0.0.0/8", as_path=PATH)
        data += A.announce("10.0.0.0/8", as_path=PATH, flags=0x20)
        return [line["asPath"]
                for line in lines(run_decode(*how, "-", stdin=data))]

    assert paths() == [FOUR, TWO]
    assert paths("--as-width", "2") == [TWO, TWO]
    assert paths("--as-width", "4") == [FOUR, FOUR]
    # The last one counts, as of other flags.
    assert paths("--as-width", "4", "--as-width", "2") == [TWO, TWO]


@pytest.mark.parametrize("path", data_files("multi14-r23.bmp"))
def test_a_capture_that_lost_its_peer_ups(path):
    """A Huawei router with path identifiers in most families: its messages
    show them, and it is read as with its Peer Ups. Told of them, nothing is
    guessed any more."""
    without = b"".join(one for one in messages(path.read_bytes())
                       if one[5] != PEER_UP)

    def of_these(run):
        return [{k: v for k, v in line.items()
                 if k not in ("message", "tableName", "addPathGuessed")}
                for line in lines(run) if line["kind"] == "update"
                and line["safi"] in (4, 128)]

    whole = of_these(run_decode(path))
    assert len(whole) == 52 + 65 + 45 + 34
    guessed = run_decode("-", stdin=without)
    assert of_these(guessed) == whole
    assert any("addPathGuessed" in line for line in lines(guessed))
    told = run_decode("--add-path",
                      "ipv4-vpn,ipv6-vpn,ipv4-labeled-unicast,"
                      "ipv6-labeled-unicast", "-",
                      stdin=without)
    assert of_these(told) == whole
    assert not any("addPathGuessed" in line for line in lines(told))


def test_what_a_message_shows_holds_for_those_behind_it():
    """Two of /24 can be read both ways; of another view nothing is known."""
    pair = "10.1.2.0/24", "10.1.3.0/24"
    data = A.up(add_path=True) + A.announce("198.51.100.0/24")
    data += A.announce(*pair) + A.announce(*pair, flags=0x40)
    assert routes(run_decode("-", stdin=data)) == [
        ("192.0.2.10", "198.51.100.0", 24, None),
        ("192.0.2.10", "10.1.2.0", 24, None),
        ("192.0.2.10", "10.1.3.0", 24, None),
        ("192.0.2.10", "10.1.3.0", 24, 0x180a0102)]
    assert routes(run_decode("--no-add-path", "in-post:ipv4-unicast", "-",
                             stdin=data))[3:] == [
        ("192.0.2.10", "10.1.2.0", 24, None),
        ("192.0.2.10", "10.1.3.0", 24, None)]
    assert len(routes(run_decode("--add-path", "in-pre:ipv4-unicast", "-",
                                 stdin=data))) == 2


def test_summary_counts_what_is_read_as_told():
    data = A.announce("10.0.0.0/8", path_id=0)
    for how, count in ([], 5), (["--add-path", "all"], 1):
        summary, = lines(run_decode("--summary", *how, "-", stdin=data))
        assert summary["announced"] == {"1/1": count}


# MRT


def mrt_message(subtype, update):
    """A record of 64510 at 192.0.2.10, with AS numbers of four bytes."""
    return mrt(16, subtype, struct.pack(
        ">IIHHII", 64510, 65002, 0, 1, 0xc000020a, 0xc0000209) + update)


def test_messages_in_mrt_of_the_wrong_subtype():
    """MESSAGE_AS4 and MESSAGE_AS4_ADDPATH, each with routes of the other."""
    ids = mrt_message(4, announce("10.0.0.0/8", path_id=7))
    plain = mrt_message(9, announce("10.1.2.0/24", "10.1.3.0/24"))
    for data, how, want in (
            (ids, "--add-path", [("192.0.2.10", "10.0.0.0", 8, 7)]),
            (plain, "--no-add-path", [("192.0.2.10", "10.1.2.0", 24, None),
                                      ("192.0.2.10", "10.1.3.0", 24, None)])):
        assert routes(run_decode("-", stdin=data)) != want
        assert routes(run_decode(how, "ipv6-unicast", "-",
                                 stdin=data)) != want
        assert routes(run_decode(how, "ipv4-unicast", "-",
                                 stdin=data)) == want


def test_as_width_of_messages_in_mrt():
    data = mrt_message(4, announce("10.0.0.0/8", as_path=PATH))
    for how, want in ([], FOUR), (["--as-width", "2"], TWO):
        line, = lines(run_decode(*how, "-", stdin=data))
        assert (line["peerAsn"], line["asPath"]) == (64510, want)


def test_tables_in_mrt_are_read_as_they_say():
    """One route, of RIB_IPV4_UNICAST and of the same with ADDPATH."""
    attributes = attribute(0x40, 1, b"\0") + attribute(0x40, 2, PATH)
    peers = mrt(13, 1, struct.pack(">IHHBIII", 9, 0, 1, 2, 0x0a000001,
                                   0xc000020a, 64510))

    def table(subtype, path_id):
        return mrt(13, subtype, struct.pack(">IBBHHI", 1, 8, 10, 1, 0, 0)
                   + path_id + struct.pack(">H", len(attributes))
                   + attributes)

    data = peers + table(2, b"") + table(8, bytes([0, 0, 0, 7]))
    for how in [], ["--add-path", "all"], ["--no-add-path", "all"], [
            "--as-width", "2"]:
        run = run_decode(*how, "-", stdin=data)
        assert routes(run) == [("192.0.2.10", "10.0.0.0", 8, None),
                               ("192.0.2.10", "10.0.0.0", 8, 7)]
        assert [line["asPath"] for line in lines(run)] == [FOUR, FOUR]


@pytest.mark.parametrize("path", data_files("mrt/mrtparse-bird_bgp.mrt"))
def test_an_archive_of_bird_without_the_subtypes_of_add_path(path):
    assert "error" in {line["kind"] for line in lines(run_decode(path))}
    run = run_decode("--add-path", "ipv4-unicast", path)
    assert "error" not in {line["kind"] for line in lines(run)}
    assert ("192.168.0.10", "172.17.0.0", 24, 2) in routes(run)
    assert all(path_id for *_, path_id in routes(run))
