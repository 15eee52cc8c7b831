"""Every public header of the runtime compiles alone and with all others, in
the versions of C and C++ that programs use, with both compilers."""

import concurrent.futures
import os
import shutil
import subprocess

import pytest

C = ["c11", "gnu11", "c17", "c2x"]
CXX = ["c++11", "c++14", "c++17", "c++20", "c++2b"]
# An include that is missing is missing in every version: the strictest, the
# oldest and the newest are enough for single headers.
ALONE = {"c11", "c++11", "c++2b"}
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# Also for what a header defines and nobody has used.
USES = """
struct sp_opts options(void);
struct sp_opts options(void)
{
	struct sp_opts opts = SP_OPTS_INIT;
	struct sp_mutex mutex = SP_MUTEX_INIT;
	struct sp_cond cond = SP_COND_INIT;
	struct sp_sem sem = SP_SEM_INIT(2);
	struct sp_rwlock rwlock = SP_RWLOCK_INIT;
	struct sp_wg wg = SP_WG_INIT;
	struct sp_once once = SP_ONCE_INIT;
	struct sp_barrier barrier = SP_BARRIER_INIT(2);

	(void)mutex;
	(void)cond;
	(void)sem;
	(void)rwlock;
	(void)wg;
	(void)once;
	(void)barrier;
	return opts;
}

static int body(int argc, char **argv)
{
	return argc > 0 && argv ? 0 : 1;
}

int configure(struct sp_opts *opts, int argc, char **argv);
int configure(struct sp_opts *opts, int argc, char **argv)
{
	opts->shards = 2;
	return argc > 0 && argv ? 0 : 1;
}
"""
MAINS = ["SP_MAIN(body)\n", "SP_MAIN_WITH(configure, body)\n"]


@pytest.fixture(scope="module")
def sources(tree, tmp_path_factory):
    """A file for each header, and one for all; the same for C and C++."""
    folder = tmp_path_factory.mktemp("headers")
    names = sorted(p.name for p in (tree / "include/spargio").iterdir())
    assert {"fiber.h", "runtime.h", "signal.h", "sync.h"} <= set(names)
    texts = {name: f"#include <spargio/{name}>\n" * 2 for name in names}
    every = "".join(texts.values())
    for i, main in enumerate(MAINS):
        texts[f"all{i}.h"] = every + USES + main
    for name, text in texts.items():
        (folder / name.replace(".h", ".c")).write_text(text)
    return sorted(folder.iterdir())


def compile_all(tree, sources, compiler, language, standard):
    """What the compiler says to them."""
    if standard not in ALONE:
        sources = [s for s in sources if s.name.startswith("all")]
    done = subprocess.run(
        [compiler, "-x", language, f"-std={standard}", *WARNINGS,
         "-fsyntax-only", f"-I{tree / 'include'}", *map(str, sources)],
        timeout=300, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout if done.returncode else ""


def test_the_umbrella_header_has_all(tree):
    folder = tree / "include/spargio"
    text = (folder / "spargio.h").read_text()
    assert [p.name for p in folder.iterdir() if p.name != "spargio.h"
            and f"#include <spargio/{p.name}>\n" not in text] == []


@pytest.mark.parametrize("c, cxx", [("gcc", "g++"), ("clang", "clang++")])
def test_headers_compile_alone_and_together(tree, sources, c, cxx):
    if not shutil.which(c) or not shutil.which(cxx):
        pytest.skip(f"no {cxx}")
    runs = [(c, "c", s) for s in C] + [(cxx, "c++", s) for s in CXX]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = list(pool.map(
            lambda run: compile_all(tree, sources, *run), runs))
    assert {run: text for run, text in zip(runs, said) if text} == {}
