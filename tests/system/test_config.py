"""What an operator meets: arancini run --check-config, --help, and mistakes."""

import os
import re
import subprocess

import pytest


@pytest.fixture
def run(arancini, tmp_path):
    """run(*args, env={...}, file="...") in an environment that is ours."""
    def run(*args, env=None, file=None):
        if file is not None:
            (tmp_path / "a.conf").write_text(file)
            args = ("--config", "a.conf", *args)
        clean = {k: v for k, v in os.environ.items()
                 if not k.startswith("ARANCINI_")}
        return subprocess.run([arancini, "run", *args], cwd=tmp_path,
                              timeout=20, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True,
                              env={**clean, **(env or {})})
    return run


def values(text):
    """{(section, key): (value, where from)} of what was printed."""
    found, section, key = {}, None, None
    for line in text.splitlines():
        if m := re.fullmatch(r"\[(.*)\]", line):
            section = m[1]
        elif m := re.fullmatch(r"([a-z0-9-]+) =(?: (.*?))?(?: +; (.*))?", line):
            key = (section, m[1])
            found[key] = [(m[2] or "").strip(), m[3]]
        elif line.startswith("\t"):
            found[key][0] += "," + line.strip()
    return {k: tuple(v) for k, v in found.items()}


def test_defaults_are_shown_as_such(run):
    got = run("--check-config")
    assert got.returncode == 0
    assert got.stderr == ""
    shown = values(got.stdout)
    assert len(shown) > 60
    assert {where for _, where in shown.values()} == {"default"}
    assert shown["limits", "max-sessions"] == ("20000", "default")
    assert shown["listen", "address"] == ("0.0.0.0:4000,[::]:4000", "default")


def test_each_value_says_where_it_is_from(run):
    got = run("--check-config", "--backlog", "3",
              env={"ARANCINI_BACKLOG": "2", "ARANCINI_WORKERS": "2"},
              file="[listen]\nbacklog = 1\nworkers = 1\nmax-frame = 2M\n")
    assert got.returncode == 0
    shown = values(got.stdout)
    assert shown["listen", "backlog"] == ("3", "--backlog")
    assert shown["listen", "workers"] == ("2", "ARANCINI_WORKERS")
    assert shown["listen", "max-frame"] == ("2M", "a.conf:4")


def test_what_is_shown_is_a_file_that_says_the_same(run):
    first = run("--check-config", "--allow", "10.0.0.0/8,192.0.2.0/24",
                "--filter", "drop view=post; store", "--stale-hold", "never",
                file="[router 192.0.2.1]\nalias = core1\n")
    again = run("--check-config", file=first.stdout)
    assert again.returncode == 0

    def plain(text):
        return {k: v for k, (v, _) in values(text).items()}
    assert plain(again.stdout) == plain(first.stdout)


def test_secrets_are_never_shown(run, tmp_path):
    (tmp_path / "password").write_text("hunter2\n")
    (tmp_path / "password").chmod(0o600)
    for got in (run("--check-config", "--nats-user", "u",
                    "--nats-password-file", "password"),
                run("--check-config", "--nats-user", "u",
                    env={"ARANCINI_NATS_PASSWORD": "hunter2"})):
        assert got.returncode == 0, got.stderr
        assert "hunter2" not in got.stdout + got.stderr


def test_every_mistake_is_one_line_with_its_place(run):
    got = run("--check-config", "--workers", "lots",
              env={"ARANCINI_LOG_LEVEL": "loud"},
              file="[limits]\nmax-sesions = 5\nidle-timeout = soon\n")
    assert got.returncode == 2
    assert got.stdout == ""
    assert got.stderr.splitlines() == [
        "arancini run: a.conf:2: [limits] has no key 'max-sesions'; "
        "did you mean 'max-sessions'?",
        "arancini run: a.conf:3: idle-timeout = 'soon': allowed is "
        "a time from 1s to 8760h, or never",
        "arancini run: ARANCINI_LOG_LEVEL 'loud': allowed is "
        "one of error, warning, info, debug",
        "arancini run: --workers 'lots': allowed is "
        "0 or a whole number from 1 to 1024",
    ]


def test_a_mistake_does_not_move_the_cursor(run):
    got = run("--check-config", file="[limits]\nmax-sessions = \x1b[2J\u009b"
              "\u202e5é\n")
    assert got.returncode == 2
    assert "max-sessions = '?[2J?????5é'" in got.stderr


def test_a_mistake_ends_the_run_as_well(run):
    got = run("--workers", "lots")
    assert got.returncode == 2
    assert got.stderr.count("\n") == 1


def test_very_many_mistakes_are_counted(run):
    got = run("--check-config", file="[log]\n" + "foo = 1\n" * 80)
    assert got.returncode == 2
    lines = got.stderr.splitlines()
    assert len(lines) == 51
    assert lines[-1] == "arancini run: and 30 more mistakes"


def test_a_misspelt_variable_is_noted_and_nothing_more(run):
    got = run("--check-config", env={"ARANCINI_MAX_SESIONS": "5"})
    assert got.returncode == 0
    assert got.stderr == ("arancini run: note: ARANCINI_MAX_SESIONS is set "
                          "but is no option; did you mean "
                          "ARANCINI_MAX_SESSIONS?\n")


def options_of_help(run):
    return re.findall(r"^  --([a-z0-9-]+)", run("--help").stdout, re.M)


def test_each_option_has_a_variable_and_a_place_in_the_file(run):
    """The three names of an option are one option: what one of them sets is
    shown under its place in the file."""
    shown = values(run("--check-config").stdout)
    flags = [f for f in options_of_help(run)
             if f not in ("config", "check-config", "help")]
    assert len(flags) == len(shown)
    for flag in flags:
        variable = "ARANCINI_" + flag.upper().replace("-", "_")
        got = run("--check-config", env={variable: "no such value; ever"})
        if got.returncode == 0:  # names of files are taken as they are
            taken = [k for k, v in values(got.stdout).items()
                     if v[1] == variable]
            assert len(taken) == 1, flag
        else:
            assert variable in got.stderr or f"--{flag}" in got.stderr, flag


def test_the_sample_file_is_made_of_the_defaults(run, tree):
    sample = (tree / "deploy/arancini.conf").read_text()
    plain = run("--check-config", file=sample)
    assert plain.returncode == 0, plain.stderr
    assert {w for _, w in values(plain.stdout).values()} == {"default"}
    # Without the "#" in front, it sets everything, and to the defaults.
    lines = sample.split("\n# Routers that are", 1)[0].splitlines()
    given = "\n".join(line[1:] if re.match(r"#[a-z0-9-]+ =", line) else line
                      for line in lines)
    whole = run("--check-config", file=given)
    assert whole.returncode == 0, whole.stderr
    shown, defaults = values(whole.stdout), values(plain.stdout)
    assert {k: v for k, (v, _) in shown.items()} == \
        {k: v for k, (v, _) in defaults.items()}
    unset = [k for k, (_, where) in shown.items()
             if not where.startswith("a.conf:")]
    assert unset == []


@pytest.fixture
def config_doc(arancini):
    def write(kind):
        return subprocess.run([arancini.parent / "config_doc", kind],
                              check=True, capture_output=True, text=True,
                              timeout=20).stdout
    return write


def test_the_sample_file_follows_the_table(config_doc, tree):
    assert (tree / "deploy/arancini.conf").read_text() == config_doc("conf"), \
        "run tools/config-docs.sh build"


def test_the_documentation_follows_the_table(config_doc, tree):
    page = (tree / "docs/configuration.md").read_text()
    tables = page.split("<!-- from the table -->\n")[1] \
                 .split("\n<!-- end of it -->")[0]
    assert tables == config_doc("markdown"), "run tools/config-docs.sh build"


MAN_PAGES = ["arancini.1", "arancini.conf.5"]


@pytest.mark.parametrize("page", MAN_PAGES)
def test_man_pages_are_well_formed(arancini, page):
    got = subprocess.run(["mandoc", "-T", "lint",
                          arancini.parent / "deploy" / page],
                         capture_output=True, text=True, timeout=20)
    # They name each other, and are not installed here.
    complaints = [line for line in got.stdout.splitlines()
                  if "referenced manual not found" not in line]
    assert complaints == []


def as_text(arancini, page):
    text = subprocess.run(["mandoc", "-T", "ascii", "-O", "width=200",
                           arancini.parent / "deploy" / page],
                          check=True, capture_output=True, text=True,
                          timeout=20).stdout
    return re.sub(r".\x08", "", text)  # bold and underlined


def test_man_pages_have_every_option_and_command(run, arancini):
    flags = as_text(arancini, "arancini.1")
    for flag in options_of_help(run):
        assert re.search(rf"^ +--{flag}( |$)", flags, re.M), flag
    file = as_text(arancini, "arancini.conf.5")
    for section, key in values(run("--check-config").stdout):
        assert f"Section {section}\n" in file
        assert re.search(rf"^ +{key} = ", file, re.M), key
    commands = subprocess.run([arancini, "--help"], check=True, text=True,
                              capture_output=True, timeout=20).stdout
    listed = commands.split("Commands:\n")[1].split("\n\n")[0].splitlines()
    for name, summary in (line.split(None, 1) for line in listed):
        assert re.search(rf"^ +{name} +{re.escape(summary)}\.$", flags,
                         re.M), name


def test_many_sections_of_routers(run, tmp_path):
    """With a walk over the sections for each of them it takes minutes."""
    with open(tmp_path / "a.conf", "w", encoding="ascii") as file:
        for i in range(200000):
            file.write(f"[router 10.{i >> 16}.{i >> 8 & 255}.{i & 255}]\n")
    got = run("--check-config", "--config", "a.conf")
    assert got.returncode == 0, got.stderr
    assert got.stdout.count("[router ") == 200000
