"""Who may use a server: keys, credentials and certificates, and the lines of a
server's configuration that ask for them. Made with openssl, so that what the
collector shows is not made by the library that shows it."""

import base64
import hashlib
import json
import shutil
import subprocess

import pytest


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


def operator_server(folder):
    """The lines of a server that an operator's keys guard; an account of it
    with JetStream, and one that it does not know."""
    operator, system = Key("O"), Key("A")
    account, stranger = Key("A"), Key("A")
    limits = dict.fromkeys(("subs", "data", "payload", "imports", "exports",
                            "conn", "leaf"), -1) | {"wildcards": True}
    store = dict.fromkeys(("mem_storage", "disk_storage", "streams",
                           "consumer"), -1)
    accounts = {one.public: jwt(folder, operator, one,
                                {"type": "account", "limits": what})
                for one, what in ((system, limits), (account, limits | store))}
    lines = (
        f"operator: {jwt(folder, operator, operator, {'type': 'operator'})}"
        f"\nsystem_account: {system.public}\nresolver: MEMORY\n"
        "resolver_preload: {\n"
        + "".join(f"{key}: {text}\n" for key, text in accounts.items())
        + "}\n")
    return lines, account, stranger


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


def tls_server(folder, ca, verify=""):
    """The lines of a server with a certificate of @ca."""
    key, cert = make_cert(folder, "server", ca)
    return f'tls {{ cert_file: "{cert}", key_file: "{key}"{verify} }}\n'


def verifying_server(folder, ca):
    """The same, and it wants one of the client, too."""
    return tls_server(folder, ca,
                      verify=f', ca_file: "{ca[1]}", verify: true')
