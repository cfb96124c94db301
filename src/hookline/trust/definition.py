"""The digest of what an entry of a hook file does, by which approvals know it."""

from __future__ import annotations

import enum
import json

from hookline.model.frozen import Frozen
from hookline.text.digest import sha256
from hookline.text.re2_regex import Regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from hookline.model.spec import HookSpec

# A new number asks for a new approval of every hook.
_VERSION = 3
# What stands in a definition for the folder of its owner. No file can contain it.
_ROOT = "\0root"
# The facts of a dialect that an entry declares and that change what the hook does, above all what
# its failure means. The others are places and names.
_FACTS = (
    "allow_result_rewrite", "continue_on_block", "fail_closed", "loop_limit", "max_retries",
    "metadata", "on_error", "rewake", "role", "strict_output",
)  # fmt: skip


def digest_definition(spec: HookSpec, folders: Iterable[str] = ()) -> str:
    """Return the SHA-256 of what a hook does, in hexadecimal (docs/explanation/trust.md 2).

    Name, description, order, line, mode and the user's options are no part of it. Defaults are
    left out, so that a new field of hookline needs no new approval.

    Args:
        spec: the hook.
        folders: names of its owner's folder. They stand for each other in the definition, so that
            a linked worktree and a plugin of another version keep their approvals.
    """
    told = {
        "dialect": spec.dialect,
        "event": spec.native_event,
        "conditions": spec.conditions,
        "handler": spec.handler,
        "timeout": spec.timeout,
        "detached": spec.detached,
        "once": spec.once,
        "shadow": spec.shadow,
        "sworn": spec.sworn,
        "facts": {name: spec.facts[name] for name in _FACTS if spec.facts.get(name)},
    }
    text = json.dumps([_VERSION, to_json(told)], sort_keys=True, separators=(",", ":"))
    for folder in sorted(folders, key=len, reverse=True):
        if folder.strip("/"):
            text = text.replace(json.dumps(folder)[1:-1], json.dumps(_ROOT)[1:-1])
    return sha256(text.encode("ascii"))


def to_json(value: Any) -> Any:
    """Return a value as JSON; of a value class, only the declared fields that are no defaults."""
    if isinstance(value, Frozen):
        cls = type(value)
        declared = [name for name in cls.__fields__ if name not in cls.UNDECLARED]
        fields = {name: getattr(value, name) for name in declared}
        kept = {name: to_json(each) for name, each in fields.items()
                if each != cls.__defaults__[name]}  # fmt: skip
        return {"": cls.__name__, **kept}
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, Regex):
        return value.source
    if hasattr(value, "keys"):
        return {str(key): to_json(value[key]) for key in value}
    if isinstance(value, set | frozenset):
        return sorted((to_json(each) for each in value), key=str)
    if isinstance(value, list | tuple):
        return [to_json(each) for each in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return getattr(value, "__qualname__", type(value).__qualname__)
