# An operator, an account and a user of NATS, as the tool nsc makes them: keys of Ed25519 in the encoding of nkeys
# (github.com/nats-io/nkeys), and JSON Web Tokens that each signs for the next (github.com/nats-io/jwt, version 2).
# openssl does the arithmetic.
import base64
import json
import os
import subprocess
import time

# What a name of the kind begins with, times eight.
OPERATOR, ACCOUNT, USER, SEED = 14 << 3, 0, 20 << 3, 18 << 3
NO_LIMITS = {name: -1 for name in ("subs", "conn", "leaf", "imports", "exports", "data", "payload", "mem_storage",
                                   "disk_storage", "streams", "consumer")}


def check_sum(content):
    """CRC-16 with the polynomial 0x1021, beginning with 0."""
    total = 0
    for byte in content:
        total ^= byte << 8
        for _ in range(8):
            total = ((total << 1) ^ (0x1021 if total & 0x8000 else 0)) & 0xffff
    return total.to_bytes(2, "little")


def in_letters(content):
    return base64.b32encode(content + check_sum(content)).decode().rstrip("=")


def in_token(content):
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


class Key:
    def __init__(self, folder, name, kind):
        self.file = os.path.join(folder, name + ".der")
        self.kind = kind
        self.openssl("genpkey", "-algorithm", "ed25519", "-outform", "DER", "-out", self.file)
        public = self.openssl("pkey", "-inform", "DER", "-in", self.file, "-pubout", "-outform", "DER")
        self.name = in_letters(bytes([kind]) + public[-32:])

    @staticmethod
    def openssl(*words):
        return subprocess.run(["openssl", *words], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def seed(self):
        with open(self.file, "rb") as file:
            secret = file.read()[-32:]
        return in_letters(bytes([SEED | self.kind >> 5, (self.kind & 31) << 3]) + secret)

    def token(self, other, name, rest):
        """Says that this key vouches for the other."""
        claims = {"jti": name, "iat": int(time.time()), "iss": self.name, "name": name, "sub": other.name,
                  "nats": dict(rest, version=2)}
        text = ".".join(in_token(json.dumps(part).encode()) for part in
                        ({"typ": "JWT", "alg": "ed25519-nkey"}, claims))
        with open(self.file + ".text", "w", encoding="ascii") as file:
            file.write(text)
        signature = self.openssl("pkeyutl", "-sign", "-rawin", "-keyform", "DER", "-inkey", self.file, "-in",
                                 self.file + ".text")
        return text + "." + in_token(signature)


def make_user(folder):
    """Lines for the configuration of a server that knows one account, and a file with the credentials of a user."""
    operator, system, account, user = (Key(folder, name, kind) for name, kind in
                                       (("operator", OPERATOR), ("system", ACCOUNT), ("account", ACCOUNT),
                                        ("user", USER)))
    of_operator = operator.token(operator, "operator", {"type": "operator", "system_account": system.name})
    limits = dict(NO_LIMITS, wildcards=True)
    of_account = operator.token(account, "account", {"type": "account", "limits": limits})
    # The server's own account has no streams.
    limits = {name: limit for name, limit in limits.items() if name not in ("mem_storage", "disk_storage")}
    of_system = operator.token(system, "system", {"type": "account", "limits": limits})
    of_user = account.token(user, "user", {"type": "user", "subs": -1, "data": -1, "payload": -1, "pub": {}, "sub": {}})
    credentials = os.path.join(folder, "user.creds")
    with open(credentials, "w", encoding="ascii") as file:
        file.write(f"-----BEGIN NATS USER JWT-----\n{of_user}\n------END NATS USER JWT------\n\n"
                   f"-----BEGIN USER NKEY SEED-----\n{user.seed()}\n------END USER NKEY SEED------\n")
    return (f"operator: {of_operator}\nresolver: MEMORY\nresolver_preload: {{\n  {system.name}: {of_system}\n"
            f"  {account.name}: {of_account}\n}}\n", credentials)
