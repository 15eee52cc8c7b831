"""What a person types first."""

import re
import subprocess

import pytest

from decoding import TREE


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


def test_readme_and_man_page_have_every_command(run, arancini, tree):
    listed = run("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
    names = {line.split()[0] for line in listed.splitlines()}
    table = (tree / "README.md").read_text().split("## What works")[1] \
        .split("\n## ")[0]
    said = set()
    for row in re.findall(r"^\| (`arancini .*?) \|", table, re.M):
        said.update(re.findall(r"`(?:arancini )?([a-z]+)`", row.split(":")[0]))
    assert said == names
    page = (arancini.parent / "deploy" / "arancini.1").read_text()
    synopsis = page.split(".Sh SYNOPSIS\n")[1].split(".Sh ")[0]
    assert set(re.findall(r"^\.Nm arancini Cm (\w+)", synopsis, re.M)) == names
    described = page.split("@commands@")[0].split(".Sh DESCRIPTION\n")[1]
    assert set(re.findall(r"^\.It Cm (\w+)$", described, re.M)) >= names


# Of "run" the options are in arancini(1), see test_config.py.
COMMANDS = [name for name in re.findall(
    r"^\tX\((\w+),", (TREE / "src/cli/command.h").read_text(), re.M)
    if name != "run"]


def test_these_are_the_commands_of_the_help(run):
    listed = run("--help").stdout.split("Commands:\n")[1].split("\n\n")[0]
    names = {line.split()[0] for line in listed.splitlines()}
    assert names == {*COMMANDS, "run"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_in_the_help_is_one(run, command):
    text = run(command, "--help").stdout
    options = re.findall(r"(?<=[ ,])--([a-z0-9-]+)( [A-Z0-9a-z|:]+)?(?=,|\n|  )",
                         "\n".join(line for line in text.splitlines()
                                   if line.startswith("  -")) + "\n")
    assert ("help", "") in options
    for name, argument in options:
        if argument:
            got = run(command, f"--{name}")
            assert got.stderr == (
                f"arancini {command}: a value is missing after --{name}; "
                f"see 'arancini {command} --help'\n")
        else:
            got = run(command, f"--{name}=x")
            assert got.stderr == (
                f"arancini {command}: unknown option --{name}=x; "
                f"see 'arancini {command} --help'\n")
        assert got.returncode == 2
        assert got.stdout == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_the_command_where_it_stands(run, command):
    text = run(command, "--help").stdout
    for args in (["-h"], ["--hel"], ["--help", "--no-such"], ["x", "--help"]):
        got = run(command, *args)
        assert (got.returncode, got.stdout, got.stderr) == (0, text, "")
    for args in (["--no-such", "--help"], ["--help=x"], ["-x", "-h"]):
        got = run(command, *args)
        assert got.returncode == 2
        assert got.stdout == ""
        assert got.stderr == (f"arancini {command}: unknown option {args[0]}; "
                              f"see 'arancini {command} --help'\n")


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
