"""Fingerprint: what is approved of a hook, which is what it is: project, event, definition and content, never its place in a file.

`identity` is the hook as it was declared, for its project; `places` the files that it runs; `content` their bytes. Behind those of the
files that are run for certain, `content` has a mark for each interpreter and each file that is only named, so that it can be told which
of these is another one, or new.
"""

from __future__ import annotations

import enum
import json
import os

from hookline.model.frozen import Frozen
from hookline.model.sight import LOOSE, NAMED
from hookline.model.spec import CLONED
from hookline.text.digest import sha256
from hookline.text.re2_regex import Regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.sight import Covered, Sight
    from hookline.model.spec import HookSpec

# A change of what goes into a fingerprint takes a new number: every hook must be approved again.
VERSION = 2
INTERPRETER = "interpreter"


class Fingerprint(Frozen):
    """Three digests; a hook is trusted where all three were approved together."""

    identity: str
    places: str
    content: str


def fingerprint(declared: str, sight: Sight) -> Fingerprint:
    """The fingerprint of a hook and of what was seen of it."""
    run = [file for file in sight.files if file.role not in LOOSE]
    certain = sorted(
        {(file.role, file.real, file.digest) for file in run if file.role != INTERPRETER}
    )
    marked = sorted(
        {
            f"{mark_of(file)}={file.digest}"
            for file in sight.files
            if file.role in LOOSE or file.role == INTERPRETER
        }
    )
    return Fingerprint(
        identity=declared,
        places=_digest(sorted({(file.role, file.real) for file in run})),
        content=" ".join([_digest(certain), *marked]),
    )


def mark_of(file: Covered) -> str:
    """By which a file is known among the marks: what it is to the hook, and where it lies."""
    return f"{file.role}:{sha256(file.real.encode('utf-8', 'surrogateescape'))[:32]}"


def head(content: str) -> str:
    """Of a content what is run for certain."""
    return content.partition(" ")[0]


def marks(content: str) -> Mapping[str, str]:
    """Of a content the rest, each mark with the digest of its file."""
    return dict(pair.split("=", 1) for pair in content.split(" ")[1:])


def has_another(before: str, now: str) -> bool:
    """Whether of two contents the second has another file in the place of one that the first has, and that is more than named.

    What is new is no other.
    """
    if before == now:
        return False
    known = marks(before)
    others = (mark for mark, digest in marks(now).items() if known.get(mark, digest) != digest)
    return head(before) != head(now) or any(not mark.startswith(f"{NAMED}:") for mark in others)


def identity(spec: HookSpec, root: str) -> str:
    """The hook as it was declared; `root` is the project folder that a clone's hooks belong to.

    Its limits, rank, name and place in the file are no part of it, but where its dialect wants them to be. Without the project, an
    approval could be used again in another one; a user's own hook is the same in all of them.
    """
    project = root if spec.origin.scope in CLONED else ""
    told = {
        "event": spec.native_event,
        "handler": _unlinked(plain(spec.handler), project),
        "conditions": plain(spec.conditions),
        "detached": spec.detached,
    }
    if spec.sworn:
        told["sworn"] = plain(spec.sworn)
    return _digest([VERSION, project, spec.dialect, told])


def _unlinked(told: Any, project: str) -> Any:
    """What is told of a handler, where the project's own path stands for itself, by whatever link somebody came to it."""
    if isinstance(told, dict):
        return {name: _unlinked(value, project) for name, value in told.items()}
    is_link = (
        project
        and isinstance(told, str)
        and told != project
        and os.path.isabs(told)
        and os.path.realpath(told) == project
    )
    return project if is_link else told


def plain(value: Any) -> Any:
    """A value as JSON. What is as its class has it by default is left out, so that a new field changes no fingerprint."""
    if isinstance(value, Frozen):
        defaults = type(value).__defaults__
        told = [name for name in type(value).__fields__ if name not in type(value).UNDECLARED]
        fields = {name: getattr(value, name) for name in told}
        return {
            "": type(value).__name__,
            **{name: plain(each) for name, each in fields.items() if each != defaults[name]},
        }
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, Regex):
        return value.source
    if isinstance(value, dict) or hasattr(value, "keys"):
        return {str(key): plain(value[key]) for key in value}
    if isinstance(value, set | frozenset):
        return sorted((plain(each) for each in value), key=str)
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return getattr(value, "__qualname__", type(value).__qualname__)


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(text.encode("ascii"))


def covers(sight: Sight) -> tuple[str, ...]:
    """What an approval covers, and what it does not, in words for whoever approves."""
    seen = [f"{file.role} {file.real}{_how(file)}" for file in sight.files]
    unseen = [
        *sight.open,
        *(["what these files import, source or start themselves"] if sight.files else []),
    ]
    return ("definition", *dict.fromkeys(seen), *(f"not: {each}" for each in dict.fromkeys(unseen)))


def _how(file: Covered) -> str:
    if file.in_place:
        return " (run from its place, and looked at again after the run)"
    if file.role != "interpreter" or (file.digest and ":" not in file.digest):
        return ""
    return " (by its place, size and times)" if file.digest else " (by its place)"
