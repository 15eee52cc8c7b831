"""How "arancini decode" reads routes where it is told how: --add-path,
--no-add-path, --as-width."""

import struct

import pytest

import packets
from bmp import Peer, messages
from decoding import data_files, lines, run_decode

ROUTER, COLLECTOR = ("192.0.2.1", 40001), ("192.0.2.9", 11019)
PEER_UP = 3
A = Peer("192.0.2.10", 64510)
B = Peer("2001:db8::11", 64511)
LOC_RIB = Peer("0.0.0.0", 64510, kind=3)


def routes(run):
    """Of each peer, in order; the prefix, and the path identifier if any."""
    assert run.returncode == 0, run.stderr
    return [(line["peerAddr"], line["prefixAddr"], line["prefixLen"],
             line.get("pathId"))
            for line in lines(run) if line["type"] == "update"]


@pytest.mark.parametrize("packed", [
    lambda data: data,
    lambda data: packets.pcap(packets.flow(ROUTER, COLLECTOR, data)),
], ids=["stream", "pcap"])
def test_path_identifiers_without_a_peer_up(packed, tmp_path):
    """Of all peers of all files, and of the families that are named."""
    data = A.announce("10.0.0.0/8", path_id=0)
    data += LOC_RIB.announce("10.1.0.0/16", path_id=7)
    data += B.announce("2001:db8:1::/48")
    files = [tmp_path / name for name in ("one", "two")]
    for file in files:
        file.write_bytes(packed(data))
    # Unless told: an identifier of zero is four default routes.
    plain = run_decode(files[0])
    assert routes(plain)[0] == ("192.0.2.10", "0.0.0.0", 0, None)
    assert "error" in {line["type"] for line in lines(plain)}
    told = run_decode("--add-path", "ipv4-unicast", *files)
    assert routes(told) == 2 * [
        ("192.0.2.10", "10.0.0.0", 8, 0),
        ("0.0.0.0", "10.1.0.0", 16, 7),
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
    # Two segments, whether a number has two bytes or four.
    path = struct.pack(">BBHBBHHH", 2, 1, 64500, 2, 3, 0x0201, 64501, 64502)
    two = [64500, 0x0201, 64501, 64502]
    four = [64500 << 16 | 0x0203, 64501 << 16 | 64502]

    def paths(*how):
        # The flag A says that a number has two bytes.
        data = A.announce("10.0.0.0/8", as_path=path)
        data += A.announce("10.0.0.0/8", as_path=path, flags=0x20)
        return [line["asPath"]
                for line in lines(run_decode(*how, "-", stdin=data))]

    assert paths() == [four, two]
    assert paths("--as-width", "2") == [two, two]
    assert paths("--as-width", "4") == [four, four]
    # The last one counts, as of other flags.
    assert paths("--as-width", "4", "--as-width", "2") == [two, two]


@pytest.mark.parametrize("path", data_files("multi14-r23.bmp"))
def test_a_capture_that_lost_its_peer_ups(path):
    """A Huawei router with path identifiers in most families: told of them,
    it is read as with its Peer Ups, and nothing is guessed any more."""
    without = b"".join(one for one in messages(path.read_bytes())
                       if one[5] != PEER_UP)

    def of_these(run):
        return [{k: v for k, v in line.items()
                 if k not in ("message", "tableName", "addPathGuessed")}
                for line in lines(run) if line["type"] == "update"
                and line["safi"] in (4, 128)]

    whole = of_these(run_decode(path))
    assert len(whole) == 52 + 65 + 45 + 34
    assert of_these(run_decode("-", stdin=without)) != whole
    told = run_decode("--add-path",
                      "ipv4-vpn,ipv6-vpn,ipv4-labeled-unicast,"
                      "ipv6-labeled-unicast", "-",
                      stdin=without)
    assert of_these(told) == whole
    assert not any("addPathGuessed" in line for line in lines(told))


def test_summary_counts_what_is_read_as_told():
    data = A.announce("10.0.0.0/8", path_id=0)
    for how, count in ([], 5), (["--add-path", "all"], 1):
        summary, = lines(run_decode("--summary", *how, "-", stdin=data))
        assert summary["announced"] == {"1/1": count}
