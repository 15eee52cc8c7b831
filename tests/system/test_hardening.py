"""The release binary is built the way the README says: a flag that a compiler
does not know is left out in silence, so look at what came out."""

import json
import platform
import re
import subprocess

import pytest


@pytest.fixture
def readelf(arancini):
    def read(*options):
        return subprocess.run(["readelf", "-W", *options, arancini],
                              check=True, capture_output=True, text=True,
                              timeout=60).stdout
    return read


def segment(headers, name):
    return re.search(rf"^ +{name} .*$", headers, re.M)


def test_position_independent(readelf):
    assert re.search(r"Type: +DYN .*Position-Independent", readelf("-h"))


def test_relocations_are_read_only_before_main(readelf):
    assert segment(readelf("-l"), "GNU_RELRO")
    assert re.search(r"FLAGS_1\).*\bNOW\b", readelf("-d"))


def test_stack_is_not_executable(readelf):
    assert " RW " in segment(readelf("-l"), "GNU_STACK")[0]


def test_functions_are_compiled_with_protection(arancini):
    """Not every one needs it, so the object need not show it; meson does."""
    commands = json.loads((arancini.parent / "compile_commands.json")
                          .read_text())
    command = next(c["command"] for c in commands
                   if c["file"].endswith("src/cli/main.c"))
    for flag in ("-fstack-protector-strong", "-fstack-clash-protection",
                 "-D_FORTIFY_SOURCE=2"):
        assert f" {flag} " in command


@pytest.mark.skipif(platform.machine() != "x86_64",
                    reason="-fcf-protection is for x86")
def test_main_begins_with_a_landing_pad(arancini):
    """Debian's start files have none, so the binary as a whole cannot claim
    it in its notes; our own code can."""
    code = subprocess.run(["objdump", "-d", "--disassemble=main", arancini],
                          check=True, capture_output=True, text=True,
                          timeout=60).stdout
    assert "endbr64" in code
