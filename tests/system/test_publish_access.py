"""Credentials and TLS: who is wrong gets in nowhere and loses nothing."""

import base64
import hashlib
import json
import shutil
import subprocess

import pytest

from broker import Broker, Driver, check_exactly

HASTY = ["--ack-ms", 1000, "--spool-after-ms", 100, "--wait-ms", 1500,
         "--max-bytes", 1 << 30]


@pytest.fixture
def broker(server, tmp_path, free_port):
    return Broker(server, tmp_path, free_port())


@pytest.fixture
def drive(tmp_path):
    started = []

    def start(url, *argv):
        one = Driver(tmp_path / "drivers",
                     ["--server", url, "--journal", tmp_path / "spool",
                      *HASTY, *argv])
        started.append(one)
        return one

    yield start
    for one in started:
        one.kill()


def openssl(*argv, **how):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    return subprocess.run(["openssl", *map(str, argv)], check=True,
                          capture_output=True, **how).stdout


def nkey(prefix, raw):
    """The text of a key: prefix, bytes and CRC-16 in base 32."""
    data = bytes(prefix) + raw
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xffff
    return base64.b32encode(data + crc.to_bytes(2, "little")).decode(
        ).rstrip("=")


class Key:
    """A new key of an operator, an account or a user: 'O', 'A' or 'U'."""

    def __init__(self, kind):
        self.der = openssl("genpkey", "-algorithm", "ed25519", "-outform",
                           "DER")
        public = openssl("pkey", "-inform", "DER", "-pubout", "-outform",
                         "DER", input=self.der)
        seed, kind = 18 << 3, (ord(kind) - ord("A")) << 3
        self.public = nkey([kind], public[-32:])
        self.seed = nkey([seed | kind >> 5, (kind & 31) << 3],
                         self.der[-32:])

    def sign(self, folder, text):
        (folder / "key.der").write_bytes(self.der)
        (folder / "signed").write_text(text)
        return openssl("pkeyutl", "-sign", "-rawin", "-keyform", "DER",
                       "-inkey", folder / "key.der", "-in", folder / "signed")


def user_nkey(folder):
    """A new user: its public key, and a file with its seed."""
    key = Key("U")
    file = folder / "user.nk"
    file.write_text(key.seed)
    return key.public, file


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def jwt(folder, issuer, subject, what):
    """What @issuer says of @subject, signed."""
    claims = {"iat": 1700000000, "iss": issuer.public, "sub": subject.public,
              "name": what["type"], "nats": {"version": 2, **what}}
    claims["jti"] = base64.b32encode(hashlib.sha256(
        json.dumps(claims).encode()).digest()).decode().rstrip("=")
    text = ".".join(base64url(json.dumps(part).encode()) for part in (
        {"typ": "JWT", "alg": "ed25519-nkey"}, claims))
    return f"{text}.{base64url(issuer.sign(folder, text))}"


def credentials(folder, name, account):
    """The file of a new user of @account."""
    user = Key("U")
    token = jwt(folder, account, user, {"type": "user", "subs": -1,
                                        "data": -1, "payload": -1})
    file = folder / f"{name}.creds"
    file.write_text(
        f"-----BEGIN NATS USER JWT-----\n{token}\n"
        "------END NATS USER JWT------\n\n"
        f"-----BEGIN USER NKEY SEED-----\n{user.seed}\n"
        "------END USER NKEY SEED------\n")
    return file


def refuse_then_accept(broker, drive, wrong, right, **client):
    """Nothing is published under @wrong, all of it under @right."""
    bad = drive(broker.url, "--count", 300, *wrong)
    bad.wait_safe(300)  # in the spool
    bad.wait_for(lambda s: "connect: " in bad.err.read_text())
    assert bad.status["messages"] == 0 and bad.status["connects"] == 0
    bad.stop()
    good = drive(broker.url, "--count", 0, "--rate", 1, *right)
    good.wait_for(lambda s: s["state"] == "ready" and s["spool_left"] == 0
                  and s["messages"] >= 300)
    good.stop()
    with broker.client(**client) as reader:
        messages = reader.read_stream("ARANCINI")
    return [int(m.data[:20]) for m in messages
            if m.subject.startswith("arancini.updates")][:300]


def tail_is_let_in(arancini, broker, *access):
    """"arancini tail" sees the epoch event, and not without @access."""
    for words, code in ((access, 0), ((), 1)):
        tail = subprocess.run(
            [arancini, "tail", "--nats", broker.url, *map(str, words),
             "--since", "all", "--subject", "arancini.events.>", "--count",
             "1", "--idle-exit", "20"], capture_output=True, text=True,
            timeout=60)
        assert tail.returncode == code, tail.stderr
        assert len(tail.stdout.splitlines()) == 1 - code


def test_password(arancini, broker, drive, tmp_path):
    broker.start('authorization { user: "u", password: "right" }\n')
    got = refuse_then_accept(
        broker, drive, ["--user", "u", "--password", "wrong"],
        ["--user", "u", "--password", "right"], user="u", password="right")
    assert got == list(range(1, 301))
    (tmp_path / "password").write_text("right\n")
    tail_is_let_in(arancini, broker, "--user", "u", "--password-file",
                   tmp_path / "password")


def test_token(arancini, broker, drive, tmp_path):
    broker.start('authorization { token: "t0ken" }\n')
    bad = drive(broker.url, "--count", 10, "--token", "other")
    bad.wait_for(lambda s: "connect: " in bad.err.read_text())
    bad.kill()
    good = drive(broker.url, "--count", 10, "--token", "t0ken")
    good.wait_published()
    good.stop()
    (tmp_path / "token").write_text("t0ken\n")
    tail_is_let_in(arancini, broker, "--token-file", tmp_path / "token")


def test_nkey(arancini, broker, drive, tmp_path):
    public, seed = user_nkey(tmp_path)
    (tmp_path / "other").mkdir()
    stranger, stranger_seed = user_nkey(tmp_path / "other")
    broker.start(f"authorization {{ users: [ {{ nkey: {public} }} ] }}\n")
    bad = drive(broker.url, "--count", 10, "--nkey", stranger, "--nkey-seed",
                stranger_seed)
    bad.wait_for(lambda s: "connect: " in bad.err.read_text())
    bad.kill()
    good = drive(broker.url, "--count", 10, "--nkey", public, "--nkey-seed",
                 seed)
    good.wait_published()
    good.stop()
    tail_is_let_in(arancini, broker, "--nkey", public, "--nkey-seed", seed)


def test_creds(arancini, broker, drive, tmp_path):
    """An operator, its account with JetStream, and users with files."""
    operator, system = Key("O"), Key("A")
    account, stranger = Key("A"), Key("A")
    limits = dict.fromkeys(("subs", "data", "payload", "imports", "exports",
                            "conn", "leaf"), -1) | {"wildcards": True}
    store = dict.fromkeys(("mem_storage", "disk_storage", "streams",
                           "consumer"), -1)
    accounts = {one.public: jwt(tmp_path, operator, one,
                                {"type": "account", "limits": what})
                for one, what in ((system, limits), (account, limits | store))}
    broker.start(
        f"operator: {jwt(tmp_path, operator, operator, {'type': 'operator'})}"
        f"\nsystem_account: {system.public}\nresolver: MEMORY\n"
        "resolver_preload: {\n"
        + "".join(f"{key}: {text}\n" for key, text in accounts.items())
        + "}\n")
    right = credentials(tmp_path, "right", account)
    bad = drive(broker.url, "--count", 300, "--creds",
                credentials(tmp_path, "wrong", stranger))
    bad.wait_safe(300)  # in the spool
    bad.wait_for(lambda s: "connect: " in bad.err.read_text())
    assert bad.status["messages"] == 0 and bad.status["connects"] == 0
    bad.stop()
    good = drive(broker.url, "--count", 10, "--encode", "none", "--creds",
                 right)
    good.wait_published()
    good.stop()
    tail = subprocess.run(
        [arancini, "tail", "--nats", broker.url, "--creds", right, "--since",
         "all", "--subject", "arancini.updates.>", "--idle-exit", "2"],
        capture_output=True, text=True, timeout=60)
    assert tail.returncode == 0, tail.stderr
    # The first 300 are numbers, not updates.
    got = [json.loads(line) for line in tail.stdout.splitlines()]
    assert [u["sequence"] for u in got] == list(range(1, 101))


def make_ca(folder, name):
    key, cert = folder / f"{name}.key", folder / f"{name}.pem"
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            "-subj", f"/CN={name}", "-keyout", key, "-out", cert)
    return key, cert


def make_cert(folder, name, ca):
    key, request = folder / f"{name}.key", folder / f"{name}.csr"
    cert, extensions = folder / f"{name}.pem", folder / f"{name}.ext"
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}",
            "-keyout", key, "-out", request)
    extensions.write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    openssl("x509", "-req", "-in", request, "-CA", ca[1], "-CAkey", ca[0],
            "-CAcreateserial", "-days", "2", "-extfile", extensions, "-out",
            cert)
    return key, cert


def test_tls(broker, drive, tmp_path):
    ca, other = make_ca(tmp_path, "ca"), make_ca(tmp_path, "other")
    key, cert = make_cert(tmp_path, "server", ca)
    broker.start(f'tls {{ cert_file: "{cert}", key_file: "{key}" }}\n')
    got = refuse_then_accept(broker, drive, ["--ca", other[1]],
                             ["--ca", ca[1]], ca=str(ca[1]))
    assert got == list(range(1, 301))


def test_tls_and_more_to_send_than_sockets_hold(broker, drive, tmp_path):
    ca = make_ca(tmp_path, "ca")
    key, cert = make_cert(tmp_path, "server", ca)
    broker.start(f'tls {{ cert_file: "{cert}", key_file: "{key}" }}\n')
    driver = drive(broker.url, "--count", 1200, "--rate", 600, "--size", 65536,
                   "--window", 512, "--bridge", 64, "--ack-ms", 30000,
                   "--write-ms", 30000, "--spool-after-ms", 60000, "--ca",
                   ca[1])
    driver.wait_safe(16)
    broker.pause()
    try:
        driver.wait_for(lambda s: s["pushed"] >= s["messages"] + 120)
    finally:
        broker.go_on()
    driver.wait_published()
    final = driver.status
    assert (final["timeouts"], final["connects"]) == (0, 1)
    driver.stop()
    with broker.client(ca=str(ca[1])) as client:
        check_exactly(client, 1200)


def test_client_certificate(arancini, broker, drive, tmp_path):
    ca, other = make_ca(tmp_path, "ca"), make_ca(tmp_path, "other")
    key, cert = make_cert(tmp_path, "server", ca)
    mine, stranger = (make_cert(tmp_path, "mine", ca),
                      make_cert(tmp_path, "stranger", other))
    broker.start(f'tls {{ cert_file: "{cert}", key_file: "{key}", '
                 f'ca_file: "{ca[1]}", verify: true }}\n')
    bad = drive(broker.url, "--count", 10, "--ca", ca[1], "--cert",
                stranger[1], "--key", stranger[0])
    bad.wait_for(lambda s: "connect: " in bad.err.read_text())
    assert bad.status["connects"] == 0
    bad.kill()
    good = drive(broker.url, "--count", 10, "--ca", ca[1], "--cert", mine[1],
                 "--key", mine[0])
    good.wait_published()
    good.stop()
    tail_is_let_in(arancini, broker, "--tls-ca", ca[1], "--tls-cert", mine[1],
                   "--tls-key", mine[0])
