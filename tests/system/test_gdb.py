"""tools/gdb_spargio.py shows parked fibers, on a live program and on a core."""

import re
import resource
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.skipif(shutil.which("gdb") is None,
                                reason="gdb is not installed")


@pytest.fixture(scope="module")
def program(arancini):
    """An example with a fiber called "sleeper", parked for ever."""
    return arancini.parent / "examples" / "example_observe"


@pytest.fixture
def gdb(tree, program, tmp_path):
    def run(*commands, options=()):
        argv = ["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off",
                "-ex", f"source {tree}/tools/gdb_spargio.py"]
        for command in commands:
            argv += ["-ex", command]
        return subprocess.run(
            [*argv, *options, str(program)], cwd=tmp_path, timeout=60,
            text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT).stdout
    return run


# When it dumps its fibers the sleeper sleeps and the first fiber runs.
STOP = ("break sp_dump", "run")


def test_lists_fibers_with_what_they_wait_for(gdb):
    said = gdb(*STOP, "sp fibers")
    assert re.search(r"^ +id +name +state +shard +waits for$", said, re.M)
    assert re.search(r"^ +[0-9a-f]+ sleeper +waiting +1 +sleep$", said, re.M)
    assert re.search(r"^ +[0-9a-f]+ - +running +0 +-$", said, re.M)


def test_backtrace_of_a_parked_fiber(gdb):
    said = gdb(*STOP, "sp bt sleeper")
    frames = re.findall(r"^#(\d+) .*? in (\w+) \(", said, re.M)
    names = [name for _, name in frames]
    assert "wait_for_the_end" in names
    # It ends where the fiber began, and not somewhere beyond.
    assert names[-1] == "sp__context_start"
    # The thread's own are left out.
    assert "sp_dump" not in names


def test_fiber_is_found_by_its_id(gdb):
    said = gdb(*STOP, "sp fibers")
    fiber = re.search(r"^ +([0-9a-f]+) sleeper ", said, re.M)[1]
    assert "wait_for_the_end" in gdb(*STOP, f"sp bt {fiber}")


def test_switch_and_back_changes_nothing(gdb):
    said = gdb(*STOP, "info registers rip", "sp switch sleeper",
               "backtrace", "sp restore", "backtrace 1", "info registers rip",
               "delete", "continue")
    before, after = re.findall(r"^rip +(\w+)", said, re.M)
    assert before == after
    assert "wait_for_the_end" in said
    restored = said[said.rindex("#0 "):]
    assert "sp_dump" in restored
    assert "watchdog: blocked shard seen" in said
    assert "exited normally" in said


def test_continuing_forgets_the_switch(gdb):
    said = gdb(*STOP, "sp switch sleeper", "delete", "continue")
    assert "exited normally" in said


@pytest.mark.parametrize("command, answer", [
    ("sp bt", "which fiber?"),
    ("sp bt nobody", "no fibers are 'nobody'"),
    ("sp switch nobody", "no fibers are 'nobody'"),
])
def test_wrong_use_is_answered(gdb, command, answer):
    assert answer in gdb(*STOP, command)


def test_running_fiber_is_said_to_run(gdb):
    said = gdb(*STOP, "sp fibers")
    fiber = re.search(r"^ +([0-9a-f]+) - +running", said, re.M)[1]
    assert re.search(r"it is running: 'thread apply \d+ bt'",
                     gdb(*STOP, f"sp bt {fiber}"))


def test_without_a_program(gdb):
    assert "no program is being debugged" in gdb("sp fibers")


@pytest.fixture
def cores_allowed():
    before = resource.getrlimit(resource.RLIMIT_CORE)
    if before[1] != resource.RLIM_INFINITY:
        pytest.skip("core files are limited here")
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_CORE, before)


def test_core_file(gdb, tmp_path, cores_allowed):
    # The kernel's, not gdb's own: that one gives up at guard pages.
    gdb(*STOP, "signal SIGABRT")
    cores = list(tmp_path.glob("core*"))
    if not cores:
        pytest.skip("the kernel writes core files elsewhere")
    said = gdb("sp fibers", "sp bt sleeper", options=("-c", str(cores[0])))
    assert re.search(r" sleeper +waiting +1 +sleep$", said, re.M)
    assert "wait_for_the_end" in said

