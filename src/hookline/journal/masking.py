"""Masking: what looks like a secret is replaced by how long it was, so that a journal can be shown to somebody."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NAMES = r"(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|authorization|credential|cookie)s?"
_SECRET_KEY = re.compile(_NAMES, re.IGNORECASE)
# `key=value`, `"key": "value"`, `--password value`; `Bearer value`; `scheme://user:value@host`.
_SAID = re.compile(rf"({_NAMES}[\"']?\s*[=:]\s*[\"']?(?:bearer\s+|basic\s+)?|--{_NAMES}\s+|\bbearer\s+)([^\s\"',;&]{{4,}})", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"(://[^\s/:@]{1,256}:)([^\s/@]{1,256})(?=@)")
_PEM = re.compile(r"(-----BEGIN [A-Z ]{1,40}PRIVATE KEY-----)([^-]+)")
_LONG = re.compile(r"[A-Za-z0-9_+=.-]{20,}")
_KNOWN = re.compile(r"\b(?:sk-|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|eyJ)[A-Za-z0-9_.-]{8,}")
_MANY_DIGITS = 4


def masked(value: Any) -> Any:
    """A JSON value with the same keys, in which texts are masked, and wholly what stands under a key such as `password`."""
    match value:
        case str():
            return masked_text(value)
        case dict():
            return {key: _whole(part) if _SECRET_KEY.search(str(key)) else masked(part) for key, part in value.items()}
        case list() | tuple():
            return [masked(part) for part in value]
        case _:
            return value


def masked_text(text: str) -> str:
    """A text without what looks like a key, a password or a token: by its name, by its form, or by being long and mixed."""
    text = _PEM.sub(_second, text)
    text = _IN_ADDRESS.sub(_second, text)
    text = _SAID.sub(_second, text)
    text = _KNOWN.sub(lambda found: _mark(found[0]), text)
    return _LONG.sub(lambda found: _mark(found[0]) if _is_mixed(found[0]) else found[0], text)


def _second(found: re.Match[str]) -> str:
    return found[1] + (found[2] if found[2].startswith("[masked ") else _mark(found[2]))


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
        case _:
            return _mark(str(value))


def _is_mixed(text: str) -> bool:
    """Long words and file names are of letters; what a machine drew has digits between them."""
    return sum(char.isdigit() for char in text) >= _MANY_DIGITS and any(char.isalpha() for char in text)
