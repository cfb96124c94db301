"""Passwords and keys that a sentence tells, in English and Chinese."""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from hookline.text import lazy_re as re
from hookline.text.secrets.checks import count_kinds, is_random, is_wordy
from hookline.text.secrets.context import is_placeholder, make_set, says_hash
from hookline.text.secrets.finding import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

# Of these, one is in every name of a password, or of a key.
_WORDS = ("pass", "pw", "密", "口令", "凭据", "contrase")
_KEY_WORDS = ("key", "token", "secret", "令牌", "密", "秘", "凭证")
_NAME = re2.compile(
    r"(?i)(?:(?:\b|_)(?:password|passwort|passphrase|passcode|passwd|pass|pwd|pw|contraseña"
    r"|mot de passe)\b|密码|密碼|口令|凭据)"
)
_KEY_NAME = re2.compile(
    r"(?i)(?:\b(?:api[ _-]?key|access[ _-]?key|secret[ _-]?key|secret access key|auth[ _-]?key"
    r"|app[ _-]?secret|client[ _-]?secret|secret|token|key)\b|令牌|密钥|秘钥|密鑰|凭证)"
)
# What stands between the name and the value if the sentence says that it is the value.
_SAYS = re.compile(
    r"(?i)[\"'`*]{0,2}\s?(?:(?:is|was|are|=|to|:|now|will be|\uff1a|是|为|為|改成了?|改为|设为|设成"
    r"|设置成|设置为|换成了?|重置为|变成了?|即|叫|用)\s*){1,3}[\"'`“\u2018「(\uff08]{0,2}"
)
_VALUE = re.compile(r"[!-~]{5,128}")
_BLANKS = re.compile(r"[\"'`]?\s?(?:for [\w-]{1,20}(?: [\w-]{1,20})?)?[ \t\uff1a:]{1,4}[\"'`]?")
_KEY = re.compile(r"[A-Za-z0-9_+/.~-]{20,200}={0,2}(?![A-Za-z0-9(/=])")
_DRAWN = re.compile(r"[0-9a-f]{32,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NEAR = 64  # characters behind the name in which a strong value is taken for the password
_STRONG = 10  # characters of such a value
_NO_VALUES = re.compile(
    r"^(?:https?:|/|~|\.{1,2}/|--|#\d|@|[\w.+-]+@[\w-]+\.|v?\d+(?:\.\d+)+|[0-9a-f]{8}-[0-9a-f]{4}-"
    r"|[0-9a-f]{40}$|[0-9a-f]{64}$|\w+://|[A-Za-z_][\w.]*[\[(]|[rbf]{1,2}[\"']|[a-z_]+\.[a-z_]+(?:$|[^a-zA-Z0-9]))"
)
_SPOKEN_WORDS = make_set("""
required incorrect wrong invalid correct missing empty expired reset changed stored hashed the
protected field manager policy prompt not too still only used never always stored here there
valid being from sent already set weak strong encrypted visible hidden optional confirmed a an
in on at for and or with same different your my our their length unknown what that this
generated rotated managed read asked input string value null
""")


def find_spoken_passwords(text: str) -> Iterator[Found]:
    """Yield the passwords that a sentence tells."""
    lower = text.lower()
    if not any(word in lower for word in _WORDS):
        return
    taken, ahead = 0, -1  # where the last password ends, and where the next value begins
    for name in _NAME.finditer(text):
        if ahead < name.end():
            value = _VALUE.search(text, name.end())
            if value is None:
                return
            ahead = value.start()
        if name.start() < taken or ahead > name.end() + _NEAR:
            continue
        line = text[name.end() : name.end() + _NEAR + 128].partition("\n")[0]
        span = _read_said(line) or _read_near(line)
        if span:
            start, taken = name.end() + span[0], name.end() + span[1]
            yield Found(start, taken, "spoken-password", "a password")


def find_spoken_keys(text: str) -> Iterator[Found]:
    """Yield random values right behind a name such as `api key` or `令牌`."""
    lower = text.lower()
    if not any(word in lower for word in _KEY_WORDS):
        return
    taken = 0
    for name in _KEY_NAME.finditer(text):
        if name.start() < taken:
            continue
        said = _SAYS.match(text, name.end()) or _BLANKS.match(text, name.end())
        value = said and _KEY.match(text, said.end())
        if not value:
            continue
        taken = value.end()
        if (
            text[taken : taken + 1] not in {"(", "["}
            and _is_key(name[0], value[0])
            and not says_hash(text, *value.span())
        ):
            yield Found(*value.span(), "spoken-key", "a secret value")


def _is_key(name: str, value: str) -> bool:
    """Return whether a value behind a name is drawn; `key` alone says less than `api key`."""
    if is_placeholder(value) or not is_random(value):
        return False
    if len(name) > len("key") and _DRAWN.fullmatch(value):
        return True
    return count_kinds(value) > 2 and not _NO_VALUES.match(value)  # noqa: PLR2004 - of four kinds


def _read_said(line: str) -> tuple[int, int] | None:
    """Return where a line says its password: `: value`, ` is value`."""
    said = _SAYS.match(line)
    value = said and _VALUE.match(line, said.end())
    if not value:
        return None
    word = _trim(value[0])
    if is_placeholder(word) or word.lower() in _SPOKEN_WORDS or _NO_VALUES.match(word):
        return None
    is_word = not any(char.isdigit() for char in word) and (
        is_wordy(word) or any(sign in word for sign in "`[]<>")
    )
    if len(word) < 5 or count_kinds(word) < 2 or is_word or word.startswith(_OPENING):  # noqa: PLR2004
        return None
    return value.start(), value.start() + len(word)


def _read_near(line: str) -> tuple[int, int] | None:
    """Return where a strong value stands a few words behind the name."""
    for value in _VALUE.finditer(line):
        if value.start() > _NEAR:
            return None
        first = len(value[0]) - len(value[0].lstrip("\"'`(<[*"))
        word = _trim(value[0][first:])
        if _is_strong(word):
            start = value.start() + first
            return start, start + len(word)
    return None


def _is_strong(word: str) -> bool:
    if len(word) < _STRONG or is_placeholder(word) or _NO_VALUES.match(word):
        return False
    if any(sign in word for sign in '=(){}[]<>,;/\\|"`'):
        return False
    return is_random(word) and not is_wordy(word) and count_kinds(word) > 2  # noqa: PLR2004


def _trim(word: str) -> str:
    """Return a word without the signs that end a sentence or a quotation."""
    return word.rstrip(".,;:!?)]}>\"'`*")


_OPENING = ("(", "[", "{", "$", "<", "=", "-", "%")
