"""Masking: what looks like a secret is replaced by how long it was, so that a journal can be shown to somebody."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

_NAMES = (
    r"(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization|credential|cookie"
    r"|signature|(?<![a-z])sig(?![a-z]))s?"
)
_SECRET_KEY = re.compile(_NAMES, re.IGNORECASE)
_MASKED = r"(?!\[masked )"  # what is masked already stays as it is
_DONE = re.compile(r"\[masked \d+\]")
_SCHEME = r"(?:bearer|basic|token|digest|negotiate|apikey)\s+"
_QUOTED = r"\"(?:[^\"\\\r\n]|\\.)+\"?|'(?:[^'\\\r\n]|\\.)+'?"
# `key=value`, `"key": "value"`, `--some-password value`, `;Pwd=value`; in quotes all words of it.
_SAID = re.compile(
    rf"({_NAMES}[\"']?\s*[=:]\s*|--(?:\w[\w-]{{0,40}}?[-_])?{_NAMES}[ \t]+|;\s*pwd\s*=\s*){_MASKED}({_QUOTED}|(?!{_SCHEME})[^\s\"',;&]{{4,}})",
    re.IGNORECASE,
)
# What stands behind these is one value to the end of the line, or of the quotes around it: `Authorization: Digest a="b", c="d"`.
_HEADER = re.compile(
    rf"((?:authorization|cookie2?)\s*:\s*(?:{_SCHEME})?+){_MASKED}([^\s'\"][^'\r\n]{{3,}}?)(?=['\r\n]|\Z|\"(?:\s|\Z))",
    re.IGNORECASE,
)
_BEARER = re.compile(rf"(\b(?:bearer|basic)\s+){_MASKED}([^\s\"',;&]{{4,}})", re.IGNORECASE)
_USER = re.compile(
    rf"((?:^|(?<=\s))(?:-u|-U|--(?:proxy-)?user)(?:[ \t]+|=)?[\"']?[^\s:\"'=]{{1,128}}:){_MASKED}([^\s\"']+)"
)
# Everything before the last `@` of the host's part; and the values of a query, whatever their names are.
_USER_INFO = re.compile(rf"(://){_MASKED}([^\s/?#\"'`<>]{{1,1024}})(?=@)")
_QUERY = re.compile(rf"([?&;][\w.~%\[\]-]{{1,128}}=){_MASKED}([^\s&;#\"'`<>]+)")
_PEM = re.compile(
    rf"(-----BEGIN [A-Z0-9 ]{{0,40}}PRIVATE KEY[A-Z ]{{0,20}}-----){_MASKED}(.+?)(?=-----END|\Z)",
    re.DOTALL,
)
_LONG = re.compile(r"[A-Za-z0-9_+=.-]{20,}")
_KNOWN = re.compile(
    r"\b(?:sk-|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|eyJ)[A-Za-z0-9_.-]{8,}"
)
_MANY_DIGITS = 4
# Variables of the environment that are secret by their names; a shorter value is in many a text by chance.
_SECRET_VARIABLE = re.compile(
    rf"{_NAMES}|(?:^|_)(?:api|auth|key|pat|pw)(?:_|$)|_pwd(?:_|$)", re.IGNORECASE
)
_SHORTEST = 6
# The texts of a record that somebody said, or that are what is run; and what of a note is neither.
_SAID_IN = frozenset({"reason", "for_user", "fault", "unsupported", "command", "ran", "name"})
_OF_NOTES = frozenset(
    {
        "schema",
        "prev",
        "hash",
        "type",
        "id",
        "at",
        "native_event",
        "kind",
        "did",
        "identity",
        "content",
    }
)


def masked(value: Any) -> Any:
    """A JSON value with the same keys, in which texts are masked, and wholly what stands under a key such as `password`."""
    match value:
        case str():
            return masked_text(value)
        case dict():
            return {
                key: _whole(part) if _SECRET_KEY.search(str(key)) else masked(part)
                for key, part in value.items()
            }
        case list() | tuple():
            return [masked(part) for part in value]
        case _:
            return value


def shown(record: Any, key: str = "") -> Any:
    """A record, or several, as anybody may see it: what it keeps of values, and what was said, masked, whoever wrote it and how."""
    match record:
        case str():
            return masked_text(record) if key in _SAID_IN else record
        case dict():
            said = {
                name: shown(part, _said_in_note(name) if record.get("type") == "note" else name)
                for name, part in record.items()
            }
            return (
                said | {"value": masked(record["value"])}
                if "sha256" in record and "value" in record
                else said
            )
        case list() | tuple():
            return [shown(part, key) for part in record]
        case _:
            return record


def _said_in_note(name: str) -> str:
    """A note says whatever it says; what is its own by every note is not said."""
    return name if name in _OF_NOTES else "reason"


def masked_text(text: str) -> str:
    """A text without what looks like a key, a password or a token: by its name, by its form, or by being long and mixed."""
    for form in (_PEM, _USER_INFO, _HEADER, _SAID, _BEARER, _USER, _QUERY):
        text = form.sub(_second, text)
    text = _KNOWN.sub(lambda found: _mark(found[0]), text)
    return _LONG.sub(lambda found: _mark(found[0]) if _is_mixed(found[0]) else found[0], text)


def secrets_of(environ: Mapping[str, str]) -> set[str]:
    """The values of the variables of an environment that are secret by their names."""
    return {
        value
        for name, value in environ.items()
        if len(value) >= _SHORTEST and _SECRET_VARIABLE.search(name)
    }


def without(text: str, secrets: Iterable[str]) -> str:
    """A text in which none of these values is left; the longest goes first, because it may hold another one."""
    for secret in sorted(secrets, key=len, reverse=True):
        if secret in text:
            text = text.replace(secret, _mark(secret))
    return text


def _second(found: re.Match[str]) -> str:
    said = found[2]
    quote = said[0] if said[0] in "\"'" else ""
    end = quote if quote and len(said) > 1 and said.endswith(quote) else ""
    plain = said[len(quote) : len(said) - len(end)]
    return f"{found[1]}{quote}{plain if _DONE.fullmatch(plain) else _mark(plain)}{end}"


def _mark(text: str) -> str:
    return f"[masked {len(text)}]"


def _whole(value: Any) -> Any:
    """Everything under a name that says it is secret; its shape is no secret."""
    match value:
        case dict():
            return {key: _whole(part) for key, part in value.items()}
        case list() | tuple():
            return [_whole(part) for part in value]
        case None | bool():
            return value
        case str() if _DONE.fullmatch(value):
            return value
        case _:
            return _mark(str(value))


def _is_mixed(text: str) -> bool:
    """Long words and file names are of letters; what a machine drew has digits between them."""
    return sum(char.isdigit() for char in text) >= _MANY_DIGITS and any(
        char.isalpha() for char in text
    )
