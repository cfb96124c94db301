"""Secrets and look-alikes: made from a fixed seed, with valid checksums, and never real.

A case is a text with the secret that it holds, or with none. The kinds: what vendors issue, key
blocks, wallets, passwords. `family` is the template.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import base58
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from mnemonic import Mnemonic
from ruamel.yaml import YAML

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[2]
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE64 = ALNUM + "+/"
URL = ALNUM + "-_"


Make = Callable[[random.Random], str]


class Case(NamedTuple):
    """A text. `secret`: what must be masked; empty for a harmless one. `kind`: what it is."""

    text: str
    secret: str
    kind: str
    family: str
    is_core: bool = False
    is_disguised: bool = False


def _take(rng: random.Random, letters: str, size: int) -> str:
    return "".join(rng.choice(letters) for _ in range(size))


def _wif(rng: random.Random) -> str:
    return base58.b58encode_check(b"\x80" + rng.randbytes(32) + b"\x01").decode()


def _break_end(text: str) -> str:
    """Return a text with another last letter."""
    return text[:-1] + ("y" if text.endswith("x") else "x")


def _xprv(rng: random.Random) -> str:
    return base58.b58encode_check(bytes.fromhex("0488ade4") + rng.randbytes(74)).decode()


def _phrase(rng: random.Random, words: int) -> str:
    return Mnemonic("english").to_mnemonic(rng.randbytes(words * 4 // 3))


def _pem(rng: random.Random, kind: str) -> str:
    body = base64.b64encode(rng.randbytes(240)).decode()
    lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
    return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----"


def _solana(rng: random.Random) -> str:
    key = Ed25519PrivateKey.from_private_bytes(rng.randbytes(32))
    pair = key.private_bytes_raw() + key.public_key().public_bytes_raw()
    return "[" + ",".join(str(byte) for byte in pair) + "]"


def _jwt(rng: random.Random) -> str:
    def part(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    header = json.dumps({"alg": "HS256", "typ": "JWT"}).encode()
    body = json.dumps({"sub": _take(rng, "0123456789", 10)}).encode()
    return ".".join((part(header), part(body), part(rng.randbytes(32))))


# Kind -> how one is made; the first group is what every guard must find.
CORE: dict[str, Make] = {
    "openai": lambda r: "sk-proj-" + _take(r, URL, 48),
    "openai-old": lambda r: "sk-" + _take(r, ALNUM, 48),
    "anthropic": lambda r: "sk-ant-api03-" + _take(r, URL, 80),
    "openrouter": lambda r: "sk-or-v1-" + _take(r, HEX, 64),
    "github": lambda r: "ghp_" + _take(r, ALNUM, 36),
    "github-app": lambda r: "ghs_" + _take(r, ALNUM, 36),
    "github-fine": lambda r: "github_pat_" + _take(r, ALNUM, 22) + "_" + _take(r, ALNUM, 59),
    "gitlab": lambda r: "glpat-" + _take(r, URL, 20),
    "aws-id": lambda r: "AKIA" + _take(r, string.ascii_uppercase + "234567", 16),
    "aws-secret": lambda r: _take(r, BASE64, 40),
    "google": lambda r: "AIza" + _take(r, URL, 35),
    "slack": lambda r: (
        f"xoxb-{_take(r, '0123456789', 12)}-{_take(r, '0123456789', 12)}-{_take(r, ALNUM, 24)}"
    ),
    "slack-hook": lambda r: (
        "https://hooks.slack.com/services/T"
        + _take(r, string.ascii_uppercase, 8)
        + "/B"
        + _take(r, string.ascii_uppercase, 8)
        + "/"
        + _take(r, ALNUM, 24)
    ),
    "stripe": lambda r: "sk_live_" + _take(r, ALNUM, 32),
    "telegram": lambda r: _take(r, "123456789", 10) + ":AA" + _take(r, URL, 33),
    "discord-hook": lambda r: (
        "https://discord.com/api/webhooks/" + _take(r, "123456789", 18) + "/" + _take(r, URL, 68)
    ),
    "pem-rsa": lambda r: _pem(r, "RSA PRIVATE KEY"),
    "pem-ec": lambda r: _pem(r, "EC PRIVATE KEY"),
    "pem-pkcs8": lambda r: _pem(r, "PRIVATE KEY"),
    "pem-encrypted": lambda r: _pem(r, "ENCRYPTED PRIVATE KEY"),
    "pem-openssh": lambda r: _pem(r, "OPENSSH PRIVATE KEY"),
    "pem-pgp": lambda r: _pem(r, "PGP PRIVATE KEY BLOCK"),
    "solana": _solana,
    "evm": lambda r: "0x" + _take(r, HEX, 64),
    "phrase-12": lambda r: _phrase(r, 12),
    "phrase-24": lambda r: _phrase(r, 24),
    "wif": _wif,
    "bearer": lambda r: _take(r, URL, 43),
    "jwt": _jwt,
    "postgres": lambda r: _take(r, ALNUM, 16),
    "huggingface": lambda r: "hf_" + _take(r, string.ascii_letters, 34),
    "npm": lambda r: "npm_" + _take(r, ALNUM, 36),
    "pypi": lambda r: "pypi-AgEIcHlwaS5vcmc" + _take(r, URL, 120),
    "sendgrid": lambda r: f"SG.{_take(r, URL, 22)}.{_take(r, URL, 43)}",
}
MORE: dict[str, Make] = {
    "phrase-15": lambda r: _phrase(r, 15),
    "phrase-18": lambda r: _phrase(r, 18),
    "phrase-21": lambda r: _phrase(r, 21),
    "xprv": _xprv,
    "age": lambda r: "AGE-SECRET-KEY-1" + _take(r, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "nostr": lambda r: "nsec1" + _take(r, "qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58),
    "groq": lambda r: "gsk_" + _take(r, ALNUM, 52),
    "replicate": lambda r: "r8_" + _take(r, ALNUM, 37),
    "digitalocean": lambda r: "dop_v1_" + _take(r, HEX, 64),
    "shopify": lambda r: "shpat_" + _take(r, HEX, 32),
    "mailgun": lambda r: "key-" + _take(r, HEX, 32),
    "mailchimp": lambda r: _take(r, HEX, 32) + "-us12",
    "linear": lambda r: "lin_api_" + _take(r, ALNUM, 40),
    "databricks": lambda r: "dapi" + _take(r, HEX, 32),
    "vault": lambda r: "hvs." + _take(r, URL, 90),
    "terraform": lambda r: _take(r, ALNUM, 14) + ".atlasv1." + _take(r, ALNUM, 67),
    "azure-storage": lambda r: base64.b64encode(r.randbytes(64)).decode(),
    "google-oauth": lambda r: "GOCSPX-" + _take(r, URL, 28),
    "perplexity": lambda r: "pplx-" + _take(r, ALNUM, 48),
    "named": lambda r: _take(r, ALNUM, 32),
    "password": lambda r: (
        _take(r, string.ascii_letters, 7) + _take(r, "!%+?", 1) + _take(r, "0123456789", 3)
    ),
}
# Where a secret stands: kinds that need a name or a place beside them have their own templates.
_PLAIN = {
    "chat": "here is my key: {} please use it for the request",
    "env": "LOG_LEVEL=debug\nSERVICE_API_KEY={}\nPORT=8080",
    "json": '{{"service": {{"token": "{}", "region": "eu-west-1"}}}}',
    "yaml": "service:\n  apiKey: {}\n  retries: 3\n",
    "code": "client = Client(api_key='{}')  # configured",
    "log": "2026-11-02T10:01:22Z INFO connecting with {} to upstream",
}
_OWN = {
    "aws-secret": {"env": "AWS_SECRET_ACCESS_KEY={}", "ini": "aws_secret_access_key = {}"},
    "evm": {
        "env": "PRIVATE_KEY={}",
        "chat": "my wallet's private key is {}",
        "chinese": "我的私钥是 {}",
    },
    "solana": {"plain": "{}", "chat": "load {} please"},
    "wif": {"chat": "import this key into the wallet: {}", "plain": "{}"},
    "bearer": {
        "header": "Authorization: Bearer {}",
        "curl": "curl -H 'authorization: bearer {}' https://api.example.com",
    },
    "postgres": {
        "url": "DATABASE_URL=postgres://app:{}@db.internal:5432/shop",
        "redis": "redis://:{}@cache.internal:6379/0",
    },
    "phrase-12": {"chat": "my seed phrase is {}", "plain": "{}", "chinese": "助记词 {}"},
    "phrase-24": {"chat": "recovery phrase: {}", "plain": "{}"},
    "phrase-15": {"chat": "mnemonic: {}", "plain": "{}"},
    "phrase-18": {"chat": "wallet backup: {}", "plain": "{}"},
    "phrase-21": {"chat": "seed words {}", "plain": "{}"},
    "azure-storage": {
        "string": "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={};Version=2"
    },
    "named": {
        "env": "ENCRYPTION_KEY={}",
        "json": '{{"client_secret": "{}"}}',
        "yaml": "auth_token: {}",
    },
    "password": {
        "env": "DB_PASSWORD={}",
        "prose": "the password is {}",
        "chinese": "密码是 {}",
        "json": '{{"password": "{}"}}',
    },
}
_EACH = 3  # of every kind in every place


def secrets() -> list[Case]:
    """Every kind in every place."""
    rng = random.Random(20_261_126)  # noqa: S311 - cases, not keys
    cases = []
    for kinds, is_core in ((CORE, True), (MORE, False)):
        for kind, make in kinds.items():
            for family, template in _OWN.get(kind, _PLAIN).items():
                for _ in range(_EACH):
                    secret = make(rng)
                    cases.append(Case(template.format(secret), secret, kind, family, is_core))
    return cases


def disguised() -> list[Case]:
    """Secrets with invisible characters, wrapped, escaped, or encoded."""
    rng = random.Random(26_112_026)  # noqa: S311 - as above
    cases = []
    for kind in ("openai", "anthropic", "github", "gitlab", "google", "stripe", "slack", "npm"):
        for _ in range(2):
            secret = CORE[kind](rng)
            at = len(secret) // 2
            for family, written in {
                "zero-width": f"{secret[:at]}\u200b{secret[at:]}",
                "wide": secret[:at]
                + "".join(chr(ord(c) + 0xFEE0) for c in secret[at : at + 4])
                + secret[at + 4 :],
                "wrapped": f"{secret[:at]}\n  {secret[at:]}",
                "base64": base64.b64encode(f"token={secret}".encode()).decode(),
                "unpadded": base64.b64encode(secret.encode()).decode().rstrip("="),
                "hexadecimal": secret.encode().hex(),
                "percent": "".join(f"%{ord(char):02X}" for char in secret[:4]) + secret[4:],
                "continued": f"{secret[:at]}\\\n{secret[at:]}",
                "literals": f'"{secret[:at]}" + "{secret[at:]}"',
            }.items():
                cases.append(Case(f"use {written} now", written, kind, family, is_disguised=True))
    for kind in ("pem-rsa", "pem-pkcs8"):
        written = CORE[kind](rng).replace("\n", "\\n")
        cases.append(Case(f'{{"key": "{written}"}}', written, kind, "escaped", is_disguised=True))
    for words in (12, 24):
        phrase = _phrase(rng, words).split()
        for family, written in {
            "numbered": "\n".join(f"{at}. {word}" for at, word in enumerate(phrase, 1)),
            "capitals": " ".join(word.capitalize() for word in phrase),
            "lines": "\n".join(phrase),
            "commas": ", ".join(phrase),
            "slashes": " / ".join(phrase),
            "underscores": "_".join(phrase),
            "numbers": " ".join(f"{at}.{word}" for at, word in enumerate(phrase, 1)),
            "escaped": "\\n".join(phrase),
        }.items():
            cases.append(
                Case(f"my wallet seed:\n{written}", written, "phrase", family, is_disguised=True)
            )
    return cases


def harmless() -> list[Case]:
    """Texts without a secret: look-alikes with a property broken, and the prose of this project."""
    rng = random.Random(11_262_026)  # noqa: S311 - as above
    cases = [Case(text, "", kind, "look-alike") for kind, text in _look_alikes(rng)]
    for path in sorted((ROOT / "docs").rglob("*.md")):
        for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
            # One paragraph has a password, as an example.
            is_text = len(paragraph) > 80 and "sesame" not in paragraph
            cases += [Case(paragraph, "", "prose", path.name)] * is_text
    return cases


def load_second() -> list[Case]:
    """Return the texts of a second author with secrets, one case for each secret."""
    groups = YAML(typ="safe").load(FOLDER / "second_author.yaml")
    return [
        Case(text, secret, kind, "second", group == "core", group == "disguised")
        for group, kinds in groups.items()
        for kind, marked in kinds.items()
        for each in marked
        for text, secret in _read_marked(each)
    ]


def _read_marked(marked: str) -> list[tuple[str, str]]:
    """Return the text without its marks with each of the secrets in it."""
    plain = marked.replace("¦", "")
    text = plain.replace("⟦", "").replace("⟧", "")
    return [(text, part.partition("⟧")[0]) for part in plain.split("⟦")[1:]]


def load_second_harmless() -> list[Case]:
    """Return the texts of a second author without a secret."""
    groups = YAML(typ="safe").load(FOLDER / "second_author_harmless.yaml")
    return [Case(text, "", kind, "second") for kind, texts in groups.items() for text in texts]


def _break_checksum(rng: random.Random) -> list[str]:
    """Return twelve words of which the last one does not fit."""
    words = _phrase(rng, 12).split()
    checker = Mnemonic("english")
    while checker.check(" ".join(words)):
        words[-1] = rng.choice(checker.wordlist)
    return words


def _look_alikes(rng: random.Random) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for _ in range(12):
        digest = hashlib.sha256(rng.randbytes(8)).hexdigest()
        sha1 = hashlib.sha1(rng.randbytes(8)).hexdigest()  # noqa: S324 - a commit's id
        uuid = f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-a{digest[17:20]}-{digest[20:32]}"
        words = Mnemonic("english").wordlist
        found += [
            ("commit", f"fixed in commit {sha1}"),
            ("commit", f"git checkout {sha1[:12]} && make"),
            ("digest", f"sha256:{digest}"),
            ("digest", f"image: registry.example.com/app@sha256:{digest}"),
            ("integrity", f'"integrity": "sha512-{base64.b64encode(rng.randbytes(64)).decode()}"'),
            ("lock", f"    --hash=sha256:{digest} \\"),
            ("transaction", f"transaction 0x{digest} was mined"),
            ("transaction", f"https://etherscan.io/tx/0x{digest}"),
            ("transaction", f"block hash: 0x{digest}"),
            ("transaction", f"txid {digest}"),
            ("address", f"send it to 0x{digest[:40]}"),
            ("uuid", f"request_id={uuid}"),
            ("uuid", f"session {uuid} ended"),
            ("build", f"build id {sha1} content-id {digest[:32]}"),
            ("integers", "[" + ", ".join(str(rng.randrange(256)) for _ in range(64)) + "]"),
            ("integers", "[" + ", ".join(str(rng.randrange(2000)) for _ in range(80)) + "]"),
            ("words", "words: " + ", ".join(sorted(rng.sample(words, 20)))),
            ("words", "the list begins with " + " ".join(words[:30])),
            ("placeholder", "OPENAI_API_KEY=sk-your-key-here"),
            ("placeholder", "OPENAI_API_KEY=${OPENAI_API_KEY}"),
            ("placeholder", "token: <your token>"),
            ("placeholder", "password = os.environ['DB_PASSWORD']"),
            ("placeholder", "password: changeme"),
            ("placeholder", "api_key = config.get('api_key')"),
            ("placeholder", "secret: {{ .Values.secret }}"),
            ("placeholder", "AKIAIOSFODNN7EXAMPLE"),
            ("placeholder", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
            ("url", "https://example.com/a/b?page=2&sort=created_at"),
            ("url", "git clone https://github.com/example/project.git"),
            ("url", "postgres://localhost:5432/shop_test"),
            (
                "public",
                "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA" + _take(rng, BASE64, 44) + " ada@host",
            ),
            (
                "public",
                "-----BEGIN PUBLIC KEY-----\n"
                + base64.b64encode(rng.randbytes(96)).decode()
                + "\n-----END PUBLIC KEY-----",
            ),
            (
                "public",
                "-----BEGIN CERTIFICATE-----\n"
                + base64.b64encode(rng.randbytes(300)).decode()
                + "\n-----END CERTIFICATE-----",
            ),
            ("public", "xpub" + base58.b58encode(rng.randbytes(78)).decode()),
            ("base64", "data:image/png;base64," + base64.b64encode(rng.randbytes(200)).decode()),
            (
                "minified",
                "!function(e,t){var n=e.token||t.secret;return n?n.length:0}(window,document);",
            ),
            ("code", "def get_token(self, password: str, secret_key: bytes) -> Token:"),
            ("code", "if not verify_password(password, user.password_hash): raise AuthError"),
            ("code", "const token = await getAccessToken(session);"),
            ("code", "max_tokens=4096, temperature=0.2, api_version='2026-01-01'"),
            ("prose", "你的私钥请自己保管好。我不需要也不会要求你提供。口令已经通过短信发给你了。"),
            ("words", " ".join(_break_checksum(rng))),
            ("signature", f"v 28, r 0x{digest}, s 0x{digest[::-1]}"),
            ("digest", f"{digest}  wallet-key.pem"),
            ("placeholder", "password = getpass.getpass('Password: ')"),
            ("placeholder", "JWT_SECRET=\nCOOKIE_SECRET="),
            ("prose", "The password is required and must be at least twelve characters long."),
            ("prose", "Please reset your password, the token has expired."),
            ("prose", "The bearer of this letter is authorized to sign for the parcel."),
            (
                "log",
                f"2026-11-02T10:00:00Z GET /items/{rng.randrange(99999)} {rng.randrange(900)}ms",
            ),
            ("version", "numpy==2.1.3 pandas==2.2.3 cryptography==50.0.0"),
            (
                "solana",
                f"signature {base58.b58encode(rng.randbytes(64)).decode()} confirmed in slot 1234",
            ),
            ("wif", f"checksum broken: {_break_end(_wif(rng))}"),
        ]
    return found
