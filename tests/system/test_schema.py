"""Fields @0 to @30 are a contract that other producers share. Their names,
types and places are written down here a second time, so that no edit of the
schema can move them unseen. Fields appended later do not concern this file."""

import re
import subprocess

import pytest

CONTRACT = """
timeReceivedNs UInt64
timeBmpHeaderNs UInt64
routerAddr Data
routerPort UInt16
peerAddr Data
peerBgpId UInt32
peerAsn UInt32
prefixAddr Data
prefixLen UInt8
isPostPolicy Bool
isAdjRibOut Bool
announced Bool
synthetic Bool
origin Text
asPath List(UInt32)
nextHop Data
multiExitDisc UInt32
localPreference UInt32
onlyToCustomer UInt32
atomicAggregate Bool
aggregatorAsn UInt32
aggregatorBgpId UInt32
communities List(Community)
extendedCommunities List(ExtendedCommunity)
largeCommunities List(LargeCommunity)
originatorId UInt32
clusterList List(UInt32)
mpReachAfi UInt16
mpReachSafi UInt8
mpUnreachAfi UInt16
mpUnreachSafi UInt8
""".split("\n")[1:-1]

ELEMENTS = {
    "Community": ["asn UInt32", "value UInt16"],
    "ExtendedCommunity": ["typeHigh UInt8", "typeLow UInt8", "value Data"],
    "LargeCommunity": ["globalAdmin UInt32", "localDataPart1 UInt32",
                       "localDataPart2 UInt32"],
}

# An IPv4 announce with 4 AS numbers, 3 communities, one extended and one
# large community; 16-byte addresses.
ANNOUNCE = """(
  timeReceivedNs = 1, timeBmpHeaderNs = 2, routerAddr = "0123456789abcdef",
  routerPort = 3, peerAddr = "0123456789abcdef", peerBgpId = 4, peerAsn = 5,
  prefixAddr = "0123456789abcdef", prefixLen = 24, announced = true,
  origin = "IGP", asPath = [1, 2, 3, 4], nextHop = "0123456789abcdef",
  communities = [(asn = 1, value = 2), (asn = 3, value = 4),
                 (asn = 5, value = 6)],
  extendedCommunities = [(typeHigh = 0, typeLow = 2, value = "abcdef")],
  largeCommunities = [(globalAdmin = 1, localDataPart1 = 2,
                       localDataPart2 = 3)])"""


def capnp(*argv, **kwargs):
    return subprocess.run(["capnp", *map(str, argv)], check=True, timeout=60,
                          capture_output=True, **kwargs).stdout


@pytest.fixture(scope="module")
def schema(tree):
    return tree / "schema" / "update.capnp"


@pytest.fixture(scope="module")
def printed(schema):
    """The schema as the compiler understood it, with the layout in comments."""
    return capnp("compile", f"--src-prefix={schema.parent}", "-ocapnp",
                 schema).decode()


def fields(printed, struct):
    """number -> ("name Type", its place), in the order of the numbers"""
    body = re.search(rf"^struct {struct} @.*?^}}", printed, re.M | re.S)[0]
    found = re.findall(r"^  (\w+) @(\d+) :([\w()]+)[^;]*;  # (\S+ ?\S*)$", body,
                       re.M)
    return {int(number): (f"{name} {kind}", place)
            for name, number, kind, place in found}


def test_file_id(printed):
    assert "\n@0x83f9299a125b7932;\n" in printed


def test_contract_fields(printed):
    update = fields(printed, "Update")
    assert [update[i][0] for i in range(31)] == CONTRACT


@pytest.mark.parametrize("struct", ELEMENTS)
def test_list_elements(printed, struct):
    got = fields(printed, struct)
    want = ELEMENTS[struct]
    assert [got[i][0] for i in range(len(want))] == want


def test_contract_is_8_words_and_10_pointers(printed):
    places = [place for number, (_, place) in fields(printed, "Update").items()
              if number <= 30]
    ends = [int(end) for place in places
            for end in re.findall(r"bits\[\d+, (\d+)\)", place)]
    pointers = [int(n) for place in places
                for n in re.findall(r"ptr\[(\d+)\]", place)]
    assert len(ends) + len(pointers) == 31
    assert -(-max(ends) // 64) == 8
    assert sorted(pointers) == list(range(10))


def test_contract_alone_is_the_size_consumers_know(schema, tmp_path):
    """The same fields without any appended one, segment table included."""
    text = re.sub(r"^  \w+ @(?:3[1-9]|[4-9]\d) :.*\n", "", schema.read_text(),
                  flags=re.M)
    alone = tmp_path / "contract.capnp"
    alone.write_text(text)
    encoded = capnp("encode", alone, "Update", input=ANNOUNCE.encode())
    assert len(encoded) == 336


def test_a_value_survives_the_way_there_and_back(schema):
    encoded = capnp("encode", schema, "Update", input=ANNOUNCE.encode())
    back = capnp("decode", schema, "Update", input=encoded).decode()
    assert "asPath = [1, 2, 3, 4]" in back
    assert "prefixLen = 24" in back
    assert 'value = "abcdef"' in back
