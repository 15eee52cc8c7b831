"""The journal on a disk that is full, and the journal as the output."""

import subprocess

import pytest

from broker import Broker, Driver, check_exactly

HASTY = ["--ack-ms", 1000, "--spool-after-ms", 100, "--write-ms", 500,
         "--wait-ms", 1500, "--max-bytes", 1 << 30]


@pytest.fixture
def drive(tmp_path):
    started = []

    def start(*argv):
        one = Driver(tmp_path / "drivers", list(argv))
        started.append(one)
        return one

    yield start
    for one in started:
        one.kill()


@pytest.mark.parametrize("segment", [1 << 20, 64 << 20])
def test_disk_full(server, tmp_path, free_port, drive, small_disk, segment):
    broker = Broker(server, tmp_path, free_port())
    driver = drive("--server", broker.url, "--journal", small_disk / "spool",
                   "--segment", segment, "--count", 20000, "--size", 1000,
                   "--window", 128, "--bridge", 128, *HASTY)
    driver.wait_for(lambda s: s["disk_full"])
    # Pressure: the driver cannot push more than fits into memory.
    driver.wait_for(lambda s: s["pushed"] > s["safe"])
    status = driver.status
    assert 2000 < status["safe"] < 4300
    assert status["pushed"] - status["safe"] < 1000
    broker.start()
    driver.wait_published()
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 20000)


@pytest.mark.parametrize("segment", [1 << 18, 1 << 20])
def test_spool_limit(server, tmp_path, free_port, drive, segment):
    broker = Broker(server, tmp_path, free_port())
    driver = drive("--server", broker.url, "--journal", tmp_path / "spool",
                   "--segment", segment, "--spool-max", 1 << 20, "--count",
                   9000, "--window", 128, "--bridge", 128, *HASTY)
    driver.wait_for(lambda s: s["disk_full"])
    files = (tmp_path / "spool").glob("*.seg")
    assert sum(f.stat().st_size for f in files) <= 1 << 20
    broker.start()
    driver.wait_published()
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 9000)


def test_batches_longer_than_a_part_of_the_spool(server, tmp_path, free_port,
                                                 drive):
    """Each has a segment to itself, and of the spool only one fits."""
    broker = Broker(server, tmp_path, free_port())
    driver = drive("--server", broker.url, "--journal", tmp_path / "spool",
                   "--spool-max", 1 << 20, "--count", 40, "--size", 600 << 10,
                   "--window", 8, "--bridge", 8, *HASTY)
    driver.wait_for(lambda s: s["disk_full"])
    broker.start()
    driver.wait_published()
    driver.stop()
    with broker.client() as client:
        check_exactly(client, 40)


def test_journal_as_output_survives_a_full_disk(drive, small_disk):
    driver = drive("--journal", small_disk / "journal", "--segment", 1 << 20,
                   "--count", 20000, "--size", 1000, "--bridge", 128,
                   "--window", 128)
    driver.wait_for(lambda s: s["disk_full"])
    driver.wait_for(lambda s: s["pushed"] > s["safe"])
    assert driver.status["state"] == "journal"
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk],
                   check=True)
    driver.wait_safe(20000)
    assert driver.stop()["safe"] == 20000
