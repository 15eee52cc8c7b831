"""Our encoder against the tool of Cap'n Proto. build/tests/unit/encode_random
draws updates and writes them twice: encoded by us, and as text that the tool
encodes. Both must be the same bytes, and read back as the same values, also
by a consumer that only knows the fields every producer shares."""

import itertools
import os
import re
import struct
import subprocess

import pytest

COUNT = 100_000
EVENTS = 5_000
# To print values takes longer than all the rest, and equal bytes are equal
# values: read back are the first of them, or as many as this variable says.
VALUES = int(os.environ.get("ARANCINI_ENCODE_VALUES", 10_000))


def capnp(*argv, **kwargs):
    return subprocess.run(["capnp", *map(str, argv)], check=True, timeout=600,
                          capture_output=True, **kwargs).stdout


def messages(data):
    """The messages of a batch, without their segment tables."""
    at = 0
    while at < len(data):
        more, words = struct.unpack_from("<II", data, at)
        assert more == 0, "more than one segment"
        at += 8
        yield data[at:at + 8 * words]
        at += 8 * words
    assert at == len(data)


def first_messages(data, count):
    """The bytes of the first messages, tables included."""
    at = 0
    for message in itertools.islice(messages(data), count):
        at += 8 + len(message)
    return data[:at]


def first_difference(got, want):
    for number, (a, b) in enumerate(zip(got.splitlines(), want.splitlines())):
        if a != b:
            return f"message {number}: {a!r} is not {b!r}"
    return f"{len(got)} bytes, not {len(want)}"


@pytest.fixture(scope="module")
def schema(tree):
    return tree / "schema" / "update.capnp"


@pytest.fixture(scope="module")
def contract(schema, tmp_path_factory):
    """The schema of a consumer that knows fields @0 to @30 only."""
    text = re.sub(r"^  \w+ @(?:3[1-9]|[4-9]\d) :.*\n", "", schema.read_text(),
                  flags=re.M)
    path = tmp_path_factory.mktemp("contract") / "update.capnp"
    path.write_text(text)
    return path


def draw(arancini, folder, what, count):
    """[encoded by us, the same as text, the same packed by us]"""
    program = arancini.parent / "tests" / "unit" / "encode_random"
    paths = [folder / name for name in ("bytes", "text", "packed")]
    subprocess.run([program, what, str(count), "1", *paths], check=True,
                   timeout=600)
    return [path.read_bytes() for path in paths]


@pytest.fixture(scope="module")
def updates(arancini, tmp_path_factory):
    return draw(arancini, tmp_path_factory.mktemp("updates"), "updates", COUNT)


@pytest.fixture(scope="module")
def tool(updates, schema):
    """The text, encoded by the tool: plain, not canonical."""
    return capnp("convert", "text:binary", schema, "Update", input=updates[1])


def same_bytes(ours, want):
    if ours != want:
        at = next((i for i in range(0, len(want), 8)
                   if ours[i:i + 8] != want[i:i + 8]), len(want))
        pytest.fail(f"differs at byte {at}")


def test_bytes_are_those_of_the_tool(updates, tool):
    assert sum(1 for _ in messages(updates[0])) == COUNT
    same_bytes(b"".join(messages(updates[0])),
               capnp("convert", "binary:canonical", input=tool))


@pytest.mark.parametrize("fields", ["all", "contract"])
def test_values_are_those_of_the_text(updates, tool, schema, contract, fields):
    path = schema if fields == "all" else contract
    got = capnp("convert", "--short", "binary:text", path, "Update",
                input=first_messages(updates[0], VALUES))
    want = capnp("convert", "--short", "binary:text", path, "Update",
                 input=first_messages(tool, VALUES))
    assert got.count(b"\n") == VALUES
    if got != want:
        pytest.fail(first_difference(got, want))


def test_packing_is_that_of_the_tool(updates):
    want = capnp("convert", "binary:packed", input=updates[0])
    same = updates[2] == want
    assert same, f"{len(updates[2])} bytes, not these {len(want)}"


def test_events_are_those_of_the_tool(arancini, schema, tmp_path):
    ours, text, _ = draw(arancini, tmp_path, "events", EVENTS)
    assert sum(1 for _ in messages(ours)) == EVENTS
    same_bytes(b"".join(messages(ours)),
               capnp("convert", "text:canonical", schema, "Event", input=text))
