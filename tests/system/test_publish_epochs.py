"""An epoch beyond 48 bits is forged or damaged: it is refused by name, wherever
it is read, and nothing is derived from it."""

import struct

import pytest

import journal_file
from broker import EPOCHS, STREAM, Driver

BEYOND = 1 << 48
LARGEST = 2**64 - 1
HASTY = ["--ack-ms", 2000, "--spool-after-ms", 200, "--wait-ms", 3000,
         "--max-bytes", 1 << 28]


@pytest.fixture
def drive(tmp_path):
    started = []

    def start(*argv):
        one = Driver(tmp_path / "drivers",
                     ["--journal", tmp_path / "spool", *HASTY, *argv])
        started.append(one)
        return one

    yield start
    for one in started:
        one.kill()


def forge(client, subject, name):
    answer = client.request(subject, b"x", headers={"Nats-Msg-Id": name})
    return int(answer.data.split(b'"seq":')[1].split(b"}")[0].split(b",")[0])


@pytest.mark.parametrize("subject, name, said", [
    ("arancini.updates.x", f"test.{BEYOND}.1", "beyond 48 bits"),
    ("arancini.updates.x", f"test.1.{LARGEST}.1", "beyond 48 bits"),
    ("arancini.updates.x", f"other.{LARGEST}.1", "beyond 48 bits"),
    (EPOCHS, f"test.{LARGEST}.0", "beyond 48 bits"),
    (EPOCHS, f"test.{BEYOND - 1}.0", "no epoch is left")])
def test_in_a_message_id(broker, drive, subject, name, said):
    broker.start()
    first = drive("--server", broker.url, "--count", 100)
    before = first.wait_published()["epoch"]
    first.stop()
    with broker.client() as client:
        seq = forge(client, subject, name)
        driver = drive("--server", broker.url, "--count", 100)
        driver.wait_for(lambda s: s["state"] == "refused")
        text = driver.err.read_text()
        assert said in text
        assert name in text or said == "no epoch is left"
        client.api(f"STREAM.MSG.DELETE.{STREAM}", {"seq": seq})
        driver.wait_published()
        assert before < driver.status["epoch"] < BEYOND
        driver.stop()
        subjects = [m.subject for m in client.read_stream(STREAM)]
    assert len(subjects) - subjects.count(EPOCHS) == 200


def test_in_a_message_id_while_it_runs(broker, drive):
    """It is no other process of this collector: that would be final."""
    broker.start()
    driver = drive("--server", broker.url, "--count", 100, "--hold-at", 50)
    driver.wait_safe(48)
    with broker.client() as client:
        seq = forge(client, "arancini.updates.x", f"test.{LARGEST}.1")
        driver.release()
        driver.wait_for(lambda s: s["state"] == "refused")
        client.api(f"STREAM.MSG.DELETE.{STREAM}", {"seq": seq})
        driver.wait_published()
        driver.stop()


@pytest.mark.parametrize("text", [
    f"{LARGEST:020}\n{LARGEST:020}\n", f"{BEYOND - 1:020}\n{1:020}\n"])
def test_in_the_file_of_epochs(broker, drive, tmp_path, text):
    broker.start()
    first = drive("--server", broker.url, "--count", 100)
    before = first.wait_published()["epoch"]
    first.stop()
    (tmp_path / "spool" / "epoch").write_text(text)
    driver = drive("--server", broker.url, "--count", 100)
    driver.wait_published()
    assert "spool/epoch: an epoch beyond 48 bits" in driver.err.read_text()
    assert before < driver.status["epoch"] < BEYOND
    driver.stop()


def test_in_a_record_of_the_spool(broker, drive, tmp_path):
    """A record is damaged that has one, whatever its checksum says."""
    spooling = drive("--server", broker.url, "--count", 100)
    spooling.wait_safe(96)
    spooling.kill()
    path = next(path for path in journal_file.segments(tmp_path / "spool")
                if list(journal_file.records(path.read_bytes())))
    data = bytearray(path.read_bytes())
    at, size = list(journal_file.records(data))[-1]
    epoch = data.index(struct.pack("<Q", spooling.status["epoch"]), at)
    struct.pack_into("<Q", data, epoch, LARGEST)
    struct.pack_into("<Q", data, at, journal_file.checksum(
        data[at + 8:at + size]))
    path.write_bytes(data)
    broker.start()
    driver = drive("--server", broker.url, "--count", 100)
    driver.wait_published()
    assert path.name in driver.err.read_text()
    assert spooling.status["epoch"] < driver.status["epoch"] < BEYOND
    driver.stop()
