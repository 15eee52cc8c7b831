"""What a person types first."""

import re
import subprocess

import pytest


@pytest.fixture
def run(arancini, tmp_path):
    def run(*args):
        return subprocess.run([arancini, *args], cwd=tmp_path, timeout=20,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True)
    return run


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_lists_the_commands(run, flag):
    got = run(flag)
    assert got.returncode == 0
    assert got.stderr == ""
    assert got.stdout.startswith("Usage: arancini COMMAND")
    assert re.search(r"^  run +\S", got.stdout, re.M)


def test_every_listed_command_has_help(run):
    listed = run("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
    names = [line.split()[0] for line in listed.splitlines()]
    assert "run" in names
    for name in names:
        got = run(name, "--help")
        assert got.returncode == 0, name
        assert got.stdout.startswith(f"Usage: arancini {name}"), name
        assert got.stderr == "", name
        # Of "run" it is in arancini(1).
        assert name == "run" or "exit status:" in " ".join(
            got.stdout.lower().split()), name


def test_version_is_the_one_of_the_build(run, tree):
    version = re.search(r"version : '([^']+)'",
                        (tree / "meson.build").read_text())[1]
    got = run("--version")
    assert got.returncode == 0
    assert got.stdout == f"arancini {version}\n"


def test_no_command_is_wrong_usage(run):
    got = run()
    assert got.returncode == 2
    assert got.stdout == ""
    assert got.stderr.startswith("Usage: arancini")


@pytest.mark.parametrize("name", ["walk", "", "--walk", "RUN"])
def test_unknown_command_is_named_in_one_line(run, name):
    got = run(name)
    assert got.returncode == 2
    assert got.stdout == ""
    assert got.stderr == (f"arancini: there is no command '{name}'; "
                          "'arancini --help' lists them\n")


def test_unknown_argument_of_run_is_wrong_usage(run):
    got = run("run", "--no-such-flag")
    assert got.returncode == 2
    assert got.stdout == ""
    assert "--no-such-flag" in got.stderr
    assert got.stderr.count("\n") == 1
