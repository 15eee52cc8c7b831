"""Every MRT file, line by line against bgpdump.

"decode --bgpdump" against the output stored beside a file, and against
Debian's "bgpdump -m" run now; and the same lines made of our JSON. Where they differ, bgpdump_differences.json says line by line why bgpdump
is wrong and which bytes prove it; a difference that is not listed fails, and
so does a listed one that is gone.
"""

import gzip
import json
import pathlib
import shutil
import subprocess

import pytest

import bgpdump
import bmp
from decoding import DATA, data_files, decode, run_decode, unpack

FILES = [p for p in data_files("mrt/*")
         if not str(p.values[0]).endswith(".txt.gz")]
DIFFERENCES = pathlib.Path(__file__).with_name("bgpdump_differences.json")


def listed(path):
    name = str(path.relative_to(DATA))
    return [entry
            for entry in json.loads(DIFFERENCES.read_text())["differences"]
            if entry["file"] == name]


def our_lines(path):
    return run_decode("--bgpdump", path).stdout.decode().splitlines()


def lines_of_json(path):
    return [text for text in map(bgpdump.line_of, decode(path)) if text]


def without(lines, entries, side):
    """The lines but those listed, which must be where the list has them."""
    gone = {number: text for entry in entries for number, text in entry[side]}
    for number, text in gone.items():
        assert lines[number] == text, f"{side} line {number} is not as listed"
    return [text for number, text in enumerate(lines) if number not in gone]


def compare(ours, theirs, entries):
    theirs = without([bgpdump.one_spelling(text) for text in theirs],
                     entries, "bgpdump")
    ours = without(ours, entries, "ours")
    for number, (our, their) in enumerate(zip(ours, theirs)):
        assert our == their, f"line {number}, the listed ones not counted"
    assert len(ours) == len(theirs)


def stored(path):
    """bgpdump's output kept beside the file, if there is any."""
    beside = path.with_name(f"{path.stem}.bgpdump.txt.gz")
    if not beside.exists():
        return None
    with gzip.open(beside, "rt") as file:
        return file.read().splitlines()


def live(path):
    """What Debian's bgpdump says now; it may stop early at a cut file."""
    run = subprocess.run(["bgpdump", "-m", path], capture_output=True,
                         timeout=120)
    return run.stdout.decode(errors="replace").splitlines()


@pytest.mark.parametrize("path", FILES)
def test_as_bgpdump_says_it(path):
    if shutil.which("bgpdump") is None:
        pytest.skip("bgpdump is not installed")
    entries, ours = listed(path), our_lines(path)
    compare(ours, live(path), entries)
    if (then := stored(path)) is not None:
        compare(ours, then, entries)


@pytest.mark.parametrize("path", FILES)
def test_json_says_the_same(path):
    assert our_lines(path) == lines_of_json(path)


def test_bgpdump_lines_of_bmp():
    """Of BMP, too: the record is BGP4MP, the time the router's."""
    peer = bmp.Peer("192.0.2.10", 64510)
    attributes = (bmp.attribute(0x40, 1, b"\0") +
                  bmp.attribute(0x40, 2, bytes([2, 1, 0, 0, 0xfb, 0xfe])) +
                  bmp.attribute(0x40, 3, bytes([192, 0, 2, 1])) +
                  bmp.attribute(0xc0, 8, bytes.fromhex("ffffff01fdea0001")) +
                  bmp.attribute(0xc0, 7, bytes.fromhex("0000fbfe0a000001")))
    prefix = bytes([24, 203, 0, 113])
    stream = (bmp.initiation() + peer.up() +
              peer.monitor(bmp.update(b"", attributes, prefix)) +
              peer.monitor(bmp.update(prefix, b"", b"")) + b"\3\0\0\0\x06\0")
    run = run_decode("-m", "-", stdin=stream)
    lines = [line.split("|") for line in run.stdout.decode().splitlines()]
    assert [line[0] for line in lines] == ["BGP4MP", "BGP4MP"]
    assert lines[0][2:] == [
        "A", "192.0.2.10", "64510", "203.0.113.0/24", "64510", "IGP",
        "192.0.2.1", "0", "0", "no-export 65002:1", "NAG",
        "64510 10.0.0.1", ""]
    assert lines[1][2:] == ["W", "192.0.2.10", "64510", "203.0.113.0/24"]
    assert b"1 messages could not be read" in run.stderr


def test_all_stored_outputs_are_used():
    beside = [path.values[0] for path in FILES if path.values[0]]
    assert sum(stored(path) is not None for path in beside) == len(
        list(DATA.glob("mrt/*.bgpdump.txt.gz")))


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no captures in {DATA}")
def test_differences_are_proved():
    """Every entry has a reason and quotes bytes that are in the file."""
    content = json.loads(DIFFERENCES.read_text())
    for entry in content["differences"]:
        raw = unpack(DATA / entry["file"])
        proof = bytes.fromhex(entry["bytes"])
        where = f"{entry['file']} record {entry['record']}"
        assert proof and raw[entry["offset"]:].startswith(proof), where
        assert entry["reason"] in content["reasons"], where
        assert entry["bgpdump"] != entry["ours"], where
    used = {entry["reason"] for entry in content["differences"]}
    assert used == set(content["reasons"])
