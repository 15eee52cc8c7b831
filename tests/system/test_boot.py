"""A host that booted a second ago: monotonic time is near 0, and a variable
that holds "not yet" as 0 looks like a recent time."""

import shutil
import subprocess
from pathlib import Path

import pytest

SECONDS_SINCE_BOOT = 1

# What these count depends on who else uses the machine, not on the clock.
COUNTING = {"test_collector_allocations"}


def since_boot(seconds):
    """A command that runs another one with clocks of a host that has just
    booted."""
    up = int(float(Path("/proc/uptime").read_text().split()[0]))
    offset = seconds - up
    return ["unshare", "--time", "--fork", "--kill-child",
            f"--monotonic={offset}", f"--boottime={offset}", "--"]


@pytest.fixture(scope="module")
def booted():
    if shutil.which("unshare") is None:
        pytest.skip("no unshare")
    run = subprocess.run([*since_boot(SECONDS_SINCE_BOOT), "cat",
                          "/proc/uptime"], capture_output=True, text=True)
    if run.returncode != 0:
        pytest.skip(f"no time namespace: {run.stderr.strip()}")
    assert float(run.stdout.split()[0]) < SECONDS_SINCE_BOOT + 5
    return since_boot(SECONDS_SINCE_BOOT)


@pytest.mark.parametrize("layer", ["egress", "collector"])
def test_unit_tests_soon_after_boot(layer, booted, arancini):
    unit = Path(arancini).parent / "tests" / "unit"
    tests = sorted(path for path in unit.glob(f"test_{layer}_*")
                   if path.is_file() and path.name not in COUNTING)
    assert tests
    for test in tests:
        run = subprocess.run([*booted, test], capture_output=True, text=True,
                             timeout=120)
        assert run.returncode in (0, 77), f"{test.name}\n{run.stderr[-2000:]}"
