"""Naming: what a record says of a hook as it is declared, the same for each of its runs, so that a person finds it, and what it runs."""

from __future__ import annotations

from hookline.journal.keeping import canonical
from hookline.model.handler import Broken, Command, InProcess, command_of
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.journal.keeping import Keeping
    from hookline.model.spec import HookSpec

_LONGEST_PATH = 4096  # characters; no system takes a longer one
_LONGEST_NAME = 80  # characters of a name, or of a file's, that is taken for one
_MOST_FILES = 3
_DIGITS = 4  # a name with as many is taken for something that a machine drew
_SCRIPTS = (
    ".py",
    ".sh",
    ".bash",
    ".zsh",
    ".fish",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".rb",
    ".pl",
    ".php",
    ".lua",
    ".ps1",
)
_AROUND = "\"'`;|&()<>"


def declared(spec: HookSpec | None, keeping: Keeping, fingerprint: str = "") -> dict[str, Any]:
    """The part of a run's record that is about the hook and not about the run; of an unknown hook it is empty.

    `name`: what it is called. `command`: what it runs, kept as payloads are.
    """
    return {
        "source": spec.origin.place[:_LONGEST_PATH] if spec else "",
        "scope": spec.origin.scope if spec else "",
        "dialect": spec.dialect if spec else "",
        "handler": handler_kind(spec),
        "name": _name(spec, keeping) if spec else "",
        "command": keeping.content(command_of(spec.handler), (spec,)) if spec else None,
        "fingerprint": fingerprint,
    }


def handler_kind(spec: HookSpec | None) -> str:
    """What runs a hook, in one word: `command`, `http`, `builtin`, `inprocess`, `broken` ..."""
    return type(spec.handler).__name__.lower() if spec else ""


def definition_hash(spec: HookSpec) -> str:
    """A fingerprint of a hook as it is declared: whatever changes what it does changes this. What it calls is not read."""
    handler = spec.handler
    fields = {name: _declared(getattr(handler, name)) for name in type(handler).__fields__}
    said = (
        spec.dialect,
        spec.native_event,
        handler_kind(spec),
        fields,
        [repr(each) for each in spec.conditions],
    )
    rules = (spec.rank, spec.timeout, spec.detached, spec.shadow, spec.on_failure.name, spec.strict)
    return sha256(canonical([*said, *rules]).encode("ascii"))


def _declared(value: Any) -> Any:
    """A field of a handler, in a form that is the same in every process."""
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__name__)}"
    return value if isinstance(value, dict) else repr(value)


def _name(spec: HookSpec, keeping: Keeping) -> str:
    """What a hook is called.

    A hook that nobody named is called by what it runs, which is no more the journal's than a payload is. So where payloads are
    hashed it is called by the files in that alone.
    """
    if keeping.how != "hash":
        return keeping.text(spec.name[: 5 * _LONGEST_NAME], (spec,))
    if type(spec.handler) is InProcess:
        return spec.handler.name[:_LONGEST_NAME]
    given = [spec.name] if _is_plain(spec.name, " ") and not _is_made(spec) else []
    return " ".join((*given, *_files(spec)))


def _is_made(spec: HookSpec) -> bool:
    """Whether the name of a hook is the beginning of what it runs, or of what it asks."""
    name, handler = spec.name.removesuffix("…"), spec.handler
    if type(handler) is Broken:  # what it would run is not there to compare with
        return True
    texts = (
        command_of(handler),
        " ".join(getattr(handler, "argv", ())),
        getattr(handler, "prompt", ""),
    )
    return any(text.strip().startswith(name) for text in texts)


def _files(spec: HookSpec) -> list[str]:
    """The names of the program and of the scripts that a command names, in its order; none of its arguments."""
    if type(spec.handler) is not Command:
        return []
    lines = spec.handler.script.strip().splitlines()
    words = spec.handler.argv or tuple(lines[0].split() if lines else ())
    return list(dict.fromkeys(_file_names(words)))[:_MOST_FILES]


def _file_names(words: tuple[str, ...]) -> Iterator[str]:
    program = True
    for word in words:
        name = word.strip(_AROUND).replace('"', "").replace("'", "").rpartition("/")[2]
        if program and "=" in word:  # a variable, set for the program that follows
            continue
        if "://" not in word and _is_plain(name) and (program or name.endswith(_SCRIPTS)):
            yield name
        program = False


def _is_plain(name: str, besides: str = "") -> bool:
    """Whether a text can be a name that somebody thought of."""
    letters = name.translate(dict.fromkeys(map(ord, f"-_.{besides}")))
    return (
        letters.isalnum()
        and len(name) <= _LONGEST_NAME
        and sum(char.isdigit() for char in name) < _DIGITS
    )
