"""The runtime can be used from outside the tree: what is installed is enough,
through pkg-config, and does not need liburing."""

import os
import shlex
import signal
import subprocess

import pytest

PROGRAM = r"""
#include <spargio/fiber.h>
#include <spargio/runtime.h>

#include <stdio.h>

static int answer(void *arg)
{
	(void)arg;
	return 42;
}

static int body(int argc, char **argv)
{
	struct sp_task task;
	int ret = 0;

	(void)argc;
	(void)argv;
	if (sp_go(answer, NULL, &task) == 0 && sp_join(task, &ret) == 0)
		printf("the fiber says %d\n", ret);
	return 0;
}

SP_MAIN(body)
"""


# The far end of the buffer is past the guard, in the stack of the neighbour.
LARGE_FRAME = r"""
#include <spargio/fiber.h>
#include <spargio/runtime.h>
#include <spargio/time.h>

static int neighbour(void *arg)
{
	(void)arg;
	return sp_sleep_until(SP_NEVER);
}

static int large_frame(void *arg)
{
	volatile char buffer[180 * 1024];

	(void)arg;
	for (int i = 0; i < 1500; i++)
		buffer[i] = 1;
	return buffer[0];
}

static int body(int argc, char **argv)
{
	static const struct sp_attr attr = { .name = "large" };
	struct sp_task task;

	(void)argc;
	(void)argv;
	(void)sp_go(neighbour, NULL, NULL);
	(void)sp_go(neighbour, NULL, NULL);
	(void)sp_go_attr(NULL, &attr, large_frame, NULL, &task);
	return sp_join(task, NULL);
}

SP_MAIN(body)
"""


def sh(*argv, **kwargs):
    return subprocess.run([str(a) for a in argv], check=True, timeout=120,
                          text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, **kwargs).stdout


@pytest.fixture(scope="module")
def installed(arancini, tmp_path_factory):
    """The folder that is / for what was installed."""
    to = tmp_path_factory.mktemp("installed")
    sh("meson", "install", "-C", arancini.parent, "--no-rebuild", "--quiet",
       "--destdir", to)
    return to


@pytest.fixture(scope="module")
def pkg_config(installed):
    (pc,) = installed.rglob("spargio.pc")
    env = {**os.environ, "PKG_CONFIG_LIBDIR": str(pc.parent),
           "PKG_CONFIG_SYSROOT_DIR": str(installed)}

    def ask(*options):
        return shlex.split(sh("pkg-config", *options, "spargio", env=env))
    return ask


@pytest.fixture(scope="module")
def loading(installed):
    """The environment of a program that loads the shared library."""
    (library,) = installed.rglob("libspargio.so")
    return {**os.environ, "LD_LIBRARY_PATH": str(library.parent)}


def test_a_program_from_outside_builds_and_runs(pkg_config, loading, tmp_path):
    source = tmp_path / "program.c"
    source.write_text(PROGRAM)
    sh("cc", "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source,
       *pkg_config("--cflags", "--libs", "--static"),
       "-o", tmp_path / "program")
    assert sh(tmp_path / "program", env=loading) == "the fiber says 42\n"
    assert "liburing" not in sh("ldd", tmp_path / "program", env=loading)


def test_a_large_frame_meets_the_guard(pkg_config, loading, tmp_path):
    source = tmp_path / "large.c"
    source.write_text(LARGE_FRAME)
    sh("cc", "-O1", source, *pkg_config("--cflags", "--libs", "--static"),
       "-o", tmp_path / "large")
    done = subprocess.run([str(tmp_path / "large")], timeout=60, text=True,
                          env=loading, stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE)
    assert done.returncode == -signal.SIGSEGV
    assert "'large' overran its stack" in done.stderr


def test_every_header_is_installed(installed, tree):
    (folder,) = installed.rglob("include/spargio")
    assert ({p.name: p.read_text() for p in folder.iterdir()} ==
            {p.name: p.read_text()
             for p in (tree / "include/spargio").iterdir()})


def test_the_gdb_script_is_there(installed, tree):
    (script,) = installed.rglob("share/spargio/gdb_spargio.py")
    assert script.read_text() == (tree / "tools/gdb_spargio.py").read_text()


def test_the_version_is_the_tree_s(arancini, pkg_config):
    version = sh(arancini, "--version").split()[1]
    assert pkg_config("--modversion") == [version]
