"""Labels: what a record says about a hook's declaration, so that you can find the hook and see what it runs."""

from __future__ import annotations

from hookline.journal.payload_policy import to_canonical_json
from hookline.model.handler import Broken, Command, InProcess, describe_command
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from hookline.journal.payload_policy import PayloadPolicy
    from hookline.model.spec import HookSpec

_LONGEST_PATH = 4096  # characters; no system accepts a longer one
_LONGEST_NAME = 80  # characters of a plausible name of a hook or file
_MOST_FILES = 3
_DIGITS = 4  # a text with this many digits counts as generated
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


def describe_hook(
    spec: HookSpec | None, policy: PayloadPolicy, fingerprint: str = ""
) -> dict[str, Any]:
    """Return the part of a run's record that describes the hook, not the run; empty values for an unknown hook.

    `name`: the hook's name. `command`: what it runs, kept by the payload policy.
    """
    return {
        "source": spec.origin.place[:_LONGEST_PATH] if spec else "",
        "scope": spec.origin.scope if spec else "",
        "dialect": spec.dialect if spec else "",
        "handler": handler_kind(spec),
        "name": _name(spec, policy) if spec else "",
        "command": policy.keep_value(describe_command(spec.handler), (spec,)) if spec else None,
        "fingerprint": fingerprint,
    }


def handler_kind(spec: HookSpec | None) -> str:
    """Return the kind of a hook's handler in one word: `command`, `http`, `builtin`, `inprocess`, `broken` ..."""
    return type(spec.handler).__name__.lower() if spec else ""


def definition_hash(spec: HookSpec) -> str:
    """Return a hash of a hook's declaration. It changes with anything that the hook does. It ignores the content of files."""
    handler = spec.handler
    fields = {name: _canonical_field(getattr(handler, name)) for name in type(handler).__fields__}
    said = (
        spec.dialect,
        spec.native_event,
        handler_kind(spec),
        fields,
        [repr(each) for each in spec.conditions],
    )
    rules = (spec.rank, spec.timeout, spec.detached, spec.shadow, spec.on_failure.name, spec.strict)
    return sha256(to_canonical_json([*said, *rules]).encode("ascii"))


def _canonical_field(value: Any) -> Any:
    """Return a handler's field in a form that is the same in every process."""
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__name__)}"
    return value if isinstance(value, dict) else repr(value)


def _name(spec: HookSpec, policy: PayloadPolicy) -> str:
    """Return a hook's name.

    A hook without a name is named after its command. With the policy `hash`, the journal may not keep that, so only the names of
    files in the command are used.
    """
    if policy.how != "hash":
        return policy.keep_text(spec.name[: 5 * _LONGEST_NAME], (spec,))
    if type(spec.handler) is InProcess:
        return spec.handler.name[:_LONGEST_NAME]
    given = [spec.name] if _is_plain(spec.name, " ") and not _is_derived_name(spec) else []
    return " ".join((*given, *_files(spec)))


def _is_derived_name(spec: HookSpec) -> bool:
    """Return whether a hook's name is the start of its command or prompt."""
    name, handler = spec.name.removesuffix("…"), spec.handler
    if type(handler) is Broken:  # a broken hook has no command to compare
        return True
    texts = (
        describe_command(handler),
        " ".join(getattr(handler, "argv", ())),
        getattr(handler, "prompt", ""),
    )
    return any(text.strip().startswith(name) for text in texts)


def _files(spec: HookSpec) -> list[str]:
    """Return the names of the program and scripts in a command, in order, without its arguments."""
    if type(spec.handler) is not Command:
        return []
    lines = spec.handler.script.strip().splitlines()
    words = spec.handler.argv or tuple(lines[0].split() if lines else ())
    return list(dict.fromkeys(_file_names(words)))[:_MOST_FILES]


def _file_names(words: tuple[str, ...]) -> Iterator[str]:
    program = True
    for word in words:
        name = word.strip(_AROUND).replace('"', "").replace("'", "").rpartition("/")[2]
        if program and "=" in word:  # a variable for the program that follows
            continue
        if "://" not in word and _is_plain(name) and (program or name.endswith(_SCRIPTS)):
            yield name
        program = False


def _is_plain(name: str, besides: str = "") -> bool:
    """Return whether a text looks like a name that a person chose."""
    letters = name.translate(dict.fromkeys(map(ord, f"-_.{besides}")))
    return (
        letters.isalnum()
        and len(name) <= _LONGEST_NAME
        and sum(char.isdigit() for char in name) < _DIGITS
    )
