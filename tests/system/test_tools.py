"""The guards at the door do refuse. A check that cannot fail is not one."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest


def sh(*argv, **kwargs):
    return subprocess.run([str(a) for a in argv], timeout=120, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          **kwargs)


@pytest.fixture
def copy(tree, tmp_path):
    """The sources alone, to be broken at will."""
    to = tmp_path / "copy"
    for name in ("src", "include", "tools", "tests"):
        shutil.copytree(tree / name, to / name,
                        ignore=shutil.ignore_patterns("corpus", "__pycache__"))
    shutil.copy(tree / ".clang-format", to)
    return to


def prepend(path, text):
    path.write_text(text + path.read_text())


# Layers

def test_layers_hold(copy):
    got = sh(copy / "tools/check-layers.sh")
    assert (got.returncode, got.stderr) == (0, "")


@pytest.mark.parametrize("file, line, complaint", [
    ("src/bmp/frame.c", '#include "egress/subject.h"',
     'src/bmp may not include "egress/subject.h"'),
    ("src/rib/peer.h", '#include "collector/policy/acl.h"',
     'src/rib may not include "collector/policy/acl.h"'),
    ("src/load/table.h", '#include "capture/source.h"',
     'src/load may not include "capture/source.h"'),
    ("src/load/router.c", "#include <spargio/time.h>",
     "src/load may not use the runtime"),
    ("src/egress/subject.c", '#include "rib/peer.h"',
     'src/egress may not include "rib/peer.h"'),
    ("src/capture/format.c", '  #  include "rib/peer.h"',
     'src/capture may not include "rib/peer.h"'),
    ("src/spargio/sync/spsc.c", '#include "bmp/wire.h"',
     'src/spargio may not include "bmp/wire.h"'),
    ("src/spargio/sched/wait.c", '#include "spargio/io/op.h"',
     'src/spargio/sched/wait.c may not include "spargio/io/op.h", which comes '
     "later"),
    ("src/spargio/net/net.h", '# include "spargio/fs/dir.h"',
     'src/spargio/net/net.h may not include "spargio/fs/dir.h", which comes '
     "later"),
    ("src/collector/base/log.h", '#include "collector/config/config.h"',
     'src/collector/base/log.h may not include "collector/config/config.h", '
     "which comes later"),
    ("src/bmp/frame.h", '#include "bmp/message.h"',
     "src/bmp: modules include each other in a circle:"),
    ("src/collector/policy/acl.c", '#include "cli/command.h"',
     'src/collector may not include "cli/command.h"'),
    ("src/rib/peer.c", "#include <spargio/spsc.h>",
     "src/rib may not use the runtime"),
    ("src/collector/policy/acl.c", "#include <liburing.h>",
     "src/collector may not use liburing; use <spargio/...>"),
    ("src/capture/format.c", "# include <spargio/spsc.h>",
     "src/capture may not use the runtime"),
    ("include/spargio/spsc.h", '#include "bmp/wire.h"',
     "include/spargio may include only C, POSIX and itself"),
    ("src/bmp/frame.c", "#include <stdio.h>",
     "src/bmp may not do I/O, wait or tell time"),
    ("src/bmp/frame.c", "void *f(void) { return malloc(1); }",
     "src/bmp may not allocate"),
    ("include/spargio/spsc.h", "#include <liburing.h>",
     "include/spargio may include only C, POSIX and itself"),
])
def test_layers_refuse_the_wrong_direction(copy, file, line, complaint):
    prepend(copy / file, line + "\n")
    got = sh(copy / "tools/check-layers.sh")
    assert got.returncode == 1
    assert complaint in got.stderr.splitlines()


def test_a_header_may_not_pull_in_too_many(copy):
    prepend(copy / "src/bmp/wire.h", "".join(
        f'#include "bmp/made_up_{n}.h"\n' for n in range(26)))
    got = sh(copy / "tools/check-layers.sh")
    assert got.returncode == 1
    assert re.search(r"src/bmp/wire\.h pulls in \d+ headers, 25 at most",
                     got.stderr)


# Style

def append(path, text):
    path.write_text((path.read_text() if path.exists() else "") + text)


def function(head, *body):
    return "\n".join((head, "{", *(f"\t{line}" for line in body), "}", ""))


def test_style_holds(copy):
    got = sh(copy / "tools/check-style.sh")
    assert (got.returncode, got.stderr) == (0, "")


BREAKS = [
    ("src/rib/peer.c", function("static int find(void)", "return 0;"),
     "find() has one word, no noun"),
    ("src/bmp/frame.c",
     function("__attribute__((cold)) static inline int\nfind(int a,\n\tint b)",
              "return a + b;"),
     "find() has one word, no noun"),
    ("src/spargio/net/socket.c", function("int socket_make(void)", "return 0;"),
     "socket_make() of the runtime lacks sp_"),
    ("src/rib/peer.c", function("int rib_long(void)", *61 * [";"]),
     "rib_long() has 61 lines, 60 at most"),
    ("src/rib/peer.c", function("int rib_f(int a)", "if (a)", "\tgoto end;")
     .replace("}", "end:\n\treturn 0;\n}"),
     "goto end: fail and out are the labels"),
    ("src/rib/peer.c", "int rib_f(int a)\n{\nout:\n\tif (a--)\n\t\tgoto out;\n"
     "\treturn 0;\n}\n", "goto goes backwards"),
    ("src/rib/peer.c", "static int counter;\n",
     "a global variable that is not const"),
    ("src/rib/peer.c", "uint64_t rib_counter = 1; /* of all */\n",
     "a global variable that is not const"),
    ("src/egress/subject.c", "static const char *names[2];\n",
     "a global variable that is not const"),
    ("src/egress/subject.c", "static struct subject\n\tsubjects[2] = {\n};\n",
     "a global variable that is not const"),
    ("src/collector/policy/acl.c", "static int (*hook)(void);\n",
     "a global variable that is not const"),
    ("src/cli/main.c", "static _Thread_local bool once;\n",
     "a global variable that is not const"),
    ("src/rib/peer.c", function("int rib_f(void)", "static int n;", "return n;"),
     "a static variable that is not const"),
    ("src/rib/peer.c", "// why\n", "a comment is /* */"),
    ("src/rib/peer.h", "typedef struct rib_peer rib_peer_t;\n",
     "a struct, union or enum has no typedef"),
    ("src/rib/peer.c", function("int rib_f(void)", "return -1;"),
     "an error is -errno; another -1 is explained on its line"),
    ("src/rib/peer.c", function("void rib_f(void)", 'printf("peer\\n");'),
     "src/collector logs and src/cli prints, nothing else"),
    ("src/collector/policy/acl.c",
     function("void acl_f(void)", 'fprintf(stderr, "no\\n");'),
     "the collector logs through collector/base/log.h"),
    ("src/rib/peer.c", "#define TRY(x) \\\n\tif ((x) < 0) \\\n\t\treturn -EINVAL\n",
     "a macro hides a jump"),
    ("src/rib/peer.h", "int rib_peer_shelf(void);\n",
     "a word that was replaced: docs/glossary.md"),
    ("src/rib/peer.h", "void rib_peer_destroy(struct rib_peer *peer);\n",
     "a destructor is fini, free, put or close"),
    ("src/rib/made_up.c", 701 * "\n", "700 lines at most"),
    ("src/rib/long.h", 401 * "\n", "400 lines at most"),
    ("src/rib/peer.c", '#include <stdio.h>\n#include "rib/event.h"\n',
     "includes are in the order own header, layers, runtime, system"),
    ("src/rib/untitled.h", "/*\n * a header\n */\n",
     'a header begins with "rib/untitled.h - what it is"'),
    ("src/rib/made_up.h", "/*\n * rib/made_up.h - a header\n */\n#ifndef MADE_UP_H\n",
     "the guard is RIB_MADE_UP_H"),
    ("tests/unit/test_rib_made_up.c", function("void f(void)", "sleep(1);"),
     "a unit test does not sleep for seconds"),
    ("tools/made-up.sh", "#!/bin/sh\necho\n", "a script begins with set -eu"),
    ("tools/made-up-bash.sh", "#!/bin/bash\nset -eu\n", "a script is for /bin/sh"),
    ("tools/made_up.py", "#!/usr/bin/python3\n", "a tool is a shell script"),
    ("made-up.md", "\n" + "word " * 23 + "words\n",
     "a line of prose has 120 columns, 119 at most"),
]


def test_style_refuses(copy):
    """All at once: what is appended to a file is complained of where it is."""
    places = []
    for file, text, complaint in BREAKS:
        path = copy / file
        before = path.read_text().count("\n") if path.exists() else 0
        append(path, text)
        places.append((file, range(before + 1, before + text.count("\n") + 1),
                       complaint))
    got = sh(copy / "tools/check-style.sh")
    assert got.returncode == 1
    said = []
    for line in got.stderr.splitlines():
        file, number, complaint = line.split(":", 2)
        said.append((file, int(number), complaint.removeprefix(" ")))
    for file, lines, complaint in places:
        assert any((file, n, complaint) in said for n in lines), (
            file, complaint, got.stderr)


def test_style_accepts_what_looks_alike(copy):
    append(copy / "src/rib/peer.c", """
static const char *const words[] = { "return -1;", "printf(" };
static int (*const hooks[])(void) = { NULL };
int rib_declared(int (*each)(void *arg), void *arg);

/* A static int counter; typedef struct x y; // none of them is code. */
static int find_word(const char *word)
{
	static const char quote = '"';

	for (int i = 0; i < 2; i++)
		if (words[i] == word)
			goto out;
	return *word == quote ? 0 : -1;
out:
	return -1; /* not found */
}
""")
    got = sh(copy / "tools/check-style.sh")
    assert (got.returncode, got.stderr) == (0, "")


# Format

def test_format_refuses_and_mends(copy):
    if shutil.which("clang-format") is None:
        pytest.skip("clang-format is not installed")
    check = copy / "tools/check-format.sh"
    assert sh(check).returncode == 0
    broken = copy / "src/cli/main.c"
    before = broken.read_text()
    broken.write_text(before.replace("\tconst struct command *command;",
                                     "  const struct command * command;"))
    assert broken.read_text() != before
    got = sh(check)
    assert got.returncode not in (0, 77)
    assert "src/cli/main.c" in got.stderr
    assert sh(check, "--fix").returncode == 0
    assert broken.read_text() == before


# Packages

def test_deps_lists_without_installing(tree):
    got = sh(tree / "tools/deps.sh", "--list", "build", "test")
    packages = got.stdout.split()
    assert got.returncode == 0
    assert {"gcc", "meson", "python3-pytest"} <= set(packages)
    assert packages == sorted(set(packages))


@pytest.mark.parametrize("argv", [["no-such-group"],
                                  ["--list", "build", "no-such-group"]])
def test_deps_refuses_an_unknown_group(tree, argv):
    got = sh(tree / "tools/deps.sh", *argv)
    assert got.returncode == 2
    assert "unknown group 'no-such-group'" in got.stderr
    assert got.stdout == ""


def test_deps_without_a_group_is_wrong_usage(tree):
    got = sh(tree / "tools/deps.sh")
    assert got.returncode == 2
    assert "usage" in got.stderr


def test_every_package_has_its_reason(tree):
    script = (tree / "tools/deps.sh").read_text()
    groups = re.findall(r"^\t(\w+)\)\s*echo '", script, re.M)
    assert {"build", "test", "lint", "interop"} <= set(groups)
    packages = sh(tree / "tools/deps.sh", "--list", *groups).stdout.split()
    reasons = (tree / "docs/dependencies.md").read_text()
    assert [p for p in packages if f"`{p}`" not in reasons] == []


def fake_path(tmp_path, **programs):
    """A PATH with only these scripts and what a shell script cannot miss."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "mktemp", "rm", "tail", "env", "cat"):
        (folder / name).symlink_to(shutil.which(name))
    for name, body in programs.items():
        script = folder / name.replace("_", "-")
        script.write_text(f"#!/bin/sh\n{body}\n")
        script.chmod(0o755)
    return {**os.environ, "PATH": str(folder), "OUT": str(tmp_path / "out")}


def test_deps_on_another_system_names_the_packages_and_the_way_out(tree,
                                                                   tmp_path):
    got = sh(tree / "tools/deps.sh", "format", env=fake_path(tmp_path))
    assert got.returncode == 1
    assert "not a Debian system" in got.stderr
    assert "clang-format" in got.stderr
    assert "DEPS=no" in got.stderr
    assert got.stderr.count("\n") == 1


def test_deps_asks_sudo_when_not_root(tree, tmp_path):
    env = fake_path(tmp_path, dpkg_query="exit 1", id="echo 1000",
                    apt_get="echo \"$DEBIAN_FRONTEND $*\" >>$OUT",
                    sudo="echo sudo >>$OUT; exec \"$@\"")
    got = sh(tree / "tools/deps.sh", "format", env=env)
    assert got.returncode == 0, got.stderr
    assert got.stdout == "installing: clang-format \n"
    said = (tmp_path / "out").read_text().splitlines()
    assert said[0] == said[2] == "sudo"
    assert said[1].startswith("noninteractive ") and "update" in said[1]
    assert said[3].startswith("noninteractive ") and \
        said[3].endswith("install --no-install-recommends clang-format")


def test_deps_without_root_or_sudo_says_what_to_run(tree, tmp_path):
    env = fake_path(tmp_path, dpkg_query="exit 1", id="echo 1000",
                    apt_get="exit 9")
    got = sh(tree / "tools/deps.sh", "format", env=env)
    assert got.returncode == 1
    assert "as root, run: apt-get install clang-format" in got.stderr


def test_deps_shows_why_apt_failed(tree, tmp_path):
    env = fake_path(tmp_path, dpkg_query="exit 1", id="echo 0",
                    apt_get="echo E: no network; exit 100")
    got = sh(tree / "tools/deps.sh", "format", env=env)
    assert got.returncode == 1
    assert "E: no network" in got.stderr
    assert "could not install: clang-format" in got.stderr


def test_deps_is_quiet_when_nothing_is_missing(tree, tmp_path):
    env = fake_path(tmp_path, dpkg_query="echo installed", apt_get="exit 9")
    got = sh(tree / "tools/deps.sh", "build", "test", env=env)
    assert (got.returncode, got.stdout, got.stderr) == (0, "", "")


# The closing line

CASE = '<testcase classname="arancini" name="arancini:tree / {}">{}</testcase>'


def summary(tree, folder, *failed_suites):
    return sh(sys.executable, tree / "tests/summary.py", folder,
              *failed_suites)


def junit(folder, name, *cases):
    (folder / f"{name}.xml").write_text(
        f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")


def test_summary_counts_over_all_suites(tree, tmp_path):
    junit(tmp_path, "unit", CASE.format("a", ""), CASE.format("b", ""))
    junit(tmp_path, "system", CASE.format("c", ""),
          CASE.format("d", '<skipped message="no captures"/>'))
    got = summary(tree, tmp_path)
    assert got.returncode == 0
    assert got.stdout == ("skipped tree/d: no captures\n"
                          "3 passed, 0 failed, 1 skipped\n")


@pytest.mark.parametrize("tag", ["failure", "error"])
def test_summary_names_what_failed(tree, tmp_path, tag):
    junit(tmp_path, "unit", CASE.format("a", ""),
          CASE.format("b", f"<{tag}/><system-err>two is not one</system-err>"))
    got = summary(tree, tmp_path, "unit")
    assert got.returncode == 1
    assert "FAILED  tree/b: two is not one\n" in got.stdout
    assert got.stdout.endswith("\n1 passed, 1 failed, 0 skipped\n")


def test_summary_of_nothing_is_a_failure(tree, tmp_path):
    got = summary(tree, tmp_path)
    assert got.returncode == 1
    assert got.stdout.endswith("0 passed, 0 failed, 0 skipped\n")


def test_summary_of_only_skips_is_a_failure(tree, tmp_path):
    junit(tmp_path, "unit", CASE.format("a", "<skipped/>"))
    assert summary(tree, tmp_path).returncode == 1


def test_summary_counts_a_program_that_leaks_at_its_end(tree, tmp_path):
    junit(tmp_path, "unit", '<testcase name="1 - test_a" '
          'classname="arancini.arancini:unit / test_x"/>')
    (tmp_path / "unit.json").write_text(
        '{"name": "arancini:unit / test_x", "result": "ERROR", '
        '"returncode": 23, "stderr": "detected memory leaks"}\n')
    got = summary(tree, tmp_path, "unit")
    assert got.returncode == 1
    assert "FAILED  unit/test_x: status 23" in got.stdout
    assert "detected memory leaks" in got.stdout
    assert got.stdout.endswith("\n1 passed, 1 failed, 0 skipped\n")


def test_summary_counts_a_suite_that_could_not_report(tree, tmp_path):
    junit(tmp_path, "unit", CASE.format("a", ""))
    (tmp_path / "system.out").write_text("no module named pytest\n")
    got = summary(tree, tmp_path, "system")
    assert got.returncode == 1
    assert "no module named pytest" in got.stdout
    assert got.stdout.endswith("\n1 passed, 1 failed, 0 skipped\n")


# Tests that fail once

UNSTABLE = """
import pathlib


def test_stable():
    pass


def test_fails_the_first_time():
    seen = pathlib.Path(__file__).with_name("seen")
    if not seen.exists():
        seen.touch()
        assert False, "not yet"
"""


def run_suite(tree, tmp_path, source, **env):
    """tests/run over one file of tests, in a tree of its own."""
    copy = tmp_path / "tree"
    (copy / "tests/interop").mkdir(parents=True)
    (copy / "build").mkdir()
    for name in ("run", "summary.py"):
        shutil.copy(tree / "tests" / name, copy / "tests")
    (copy / "tests/interop/test_it.py").write_text(source)
    # The workers of pytest-xdist leave word of themselves in the environment.
    rest = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    return subprocess.run(
        ["sh", copy / "tests/run", copy / "build", "--only-interop"],
        capture_output=True, text=True, timeout=100, env=rest | env)


def test_a_test_that_fails_once_is_named_as_flaky(tree, tmp_path):
    got = run_suite(tree, tmp_path, UNSTABLE, REPEAT_FAILED="yes")
    assert got.returncode == 0, got.stdout
    assert "flaky   test_it.test_fails_the_first_time: passed" in got.stdout
    assert got.stdout.endswith("2 passed, 0 failed, 0 skipped\n")


def test_a_test_that_fails_twice_fails(tree, tmp_path):
    got = run_suite(tree, tmp_path, UNSTABLE.replace("seen.touch()", "pass"),
                    REPEAT_FAILED="yes")
    assert got.returncode == 1
    assert "FAILED  test_it.test_fails_the_first_time" in got.stdout
    assert got.stdout.endswith("1 passed, 1 failed, 0 skipped\n")


def test_nothing_is_repeated_unasked(tree, tmp_path):
    got = run_suite(tree, tmp_path, UNSTABLE, REPEAT_FAILED="no")
    assert got.returncode == 1
    assert got.stdout.endswith("1 passed, 1 failed, 0 skipped\n")


def test_a_program_that_meson_saw_fail_once_is_flaky(tree, tmp_path):
    for name, result, status in (("unit.json", "FAIL", 1),
                                 ("unit.repeated.json", "OK", 0)):
        (tmp_path / name).write_text(json.dumps(
            {"name": "arancini:unit / test_x", "result": result,
             "returncode": status, "stdout": "", "stderr": "oops"}) + "\n")
    for name in ("unit.xml", "unit.repeated.xml"):
        (tmp_path / name).write_text(
            '<testsuites><testsuite name="arancini">'
            '<testcase classname="arancini:unit / test_x" name="1 - a"/>'
            "</testsuite></testsuites>")
    summary = [sys.executable, tree / "tests/summary.py"]
    got = subprocess.run([*summary, "--failed", tmp_path],
                         capture_output=True, text=True)
    assert got.stdout == "test_x\n"
    got = subprocess.run([*summary, tmp_path, "unit"], capture_output=True,
                         text=True)
    assert "flaky   unit/test_x: passed" in got.stdout
    assert (got.returncode, got.stdout.splitlines()[-1]) == (
        0, "2 passed, 0 failed, 0 skipped")
