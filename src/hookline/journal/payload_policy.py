"""Payload policy: how much of a value the journal keeps: its hash, or on request the value itself, masked or in full."""

from __future__ import annotations

import json

from hookline.model.frozen import Frozen
from hookline.model.handler import NO_ENV, Builtin, Command
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from hookline.model.spec import HookSpec

POLICIES = ("hash", "masked", "full")
_LONGEST_TEXT = 2000  # characters of a reason, a fault, a note
_LARGEST_VALUE = (
    256 << 10
)  # bytes of a payload or a rewrite as JSON; of a larger one, only the hash is kept
_DEEPEST = 100
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


class PayloadPolicy(Frozen):
    """How much to keep of values: `hash`, `masked` or `full`; and how to mask values and texts.

    `environ`: what hooks inherit; the values of variables with secret names are masked in every text.
    """

    how: str = "hash"
    mask: Callable[[Any], Any] | None = None
    mask_text: Callable[[str], str] | None = None
    environ: Mapping[str, str] = NO_ENV

    def keep_value(self, value: Any, hooks: Iterable[HookSpec] = ()) -> dict[str, Any]:
        """Return the SHA-256 and the length of a value's JSON (sorted keys, no blanks, ASCII); with the value, if the policy keeps it.

        `hooks`: the hooks whose output it is; secrets in their declarations are masked too.
        """
        text = to_canonical_json(value)
        told: dict[str, Any] = {"sha256": sha256(text.encode("ascii")), "bytes": len(text)}
        if self.how == "hash":
            return told
        if len(text) > _LARGEST_VALUE:
            return told | {"cut": True}
        try:
            parsed = json.loads(text)
            return told | {"value": parsed if self.how == "full" else self._mask(parsed, hooks)}
        except RecursionError:
            return told | {"cut": True}

    def keep_text(self, text: str, hooks: Iterable[HookSpec] = ()) -> str:
        """Return a hook's text for a person: always kept, with secrets masked, and cut to a maximum length.

        `hooks`: the hooks that it may name. With `hash`, their ids replace their names, because a name may show what a hook runs.
        """
        if not text:
            return ""
        if self.how == "full":
            kept = text[: 2 * _LONGEST_TEXT]
        else:
            kept = self._mask_text(
                _replace_names(text, hooks) if self.how == "hash" else text, hooks, _LONGEST_TEXT
            )
        return (
            f"{kept[:_LONGEST_TEXT]} [{len(text) - _LONGEST_TEXT} more]"
            if len(text) > _LONGEST_TEXT
            else kept
        )

    def _mask(self, value: Any, hooks: Iterable[HookSpec]) -> Any:
        return (
            self._mask_text(value, hooks, len(value))
            if hooks and isinstance(value, str)
            else (self.mask or _masked)(value)
        )

    def _mask_text(self, text: str, hooks: Iterable[HookSpec], longest: int) -> str:
        from hookline.text.masking import find_secret_values, mask_secrets  # noqa: PLC0415 - its expressions cost 1 ms, and most hooks say nothing

        known = find_secret_values(self.environ)
        for spec in hooks:
            known |= (
                find_secret_values(getattr(spec.handler, "env", None) or {})
                if type(spec.handler) in (Command, Builtin)
                else set()
            )
        # Mask known secrets before cutting the text, because a half secret would not be recognised.
        return (self.mask_text or _masked)(mask_secrets(text[: 4 * longest], known)[: 2 * longest])


def _replace_names(text: str, hooks: Iterable[HookSpec]) -> str:
    """Replace the names of hooks in a text by their ids."""
    for spec in hooks:
        if spec.name and spec.name != spec.id:
            text = text.replace(f"`{spec.name}`", f"`{spec.id}`")
    return text


def _masked(value: Any) -> Any:
    from hookline.text.masking import mask_value  # noqa: PLC0415 - as above

    return mask_value(value)


def to_canonical_json(value: Any) -> str:
    """Return a value as JSON with sorted keys and without blanks; values beyond JSON are described."""
    try:
        return _canonical(value)
    except (TypeError, ValueError, RecursionError):
        return _canonical(to_plain(value))


def to_plain(value: Any, depth: int = 0) -> Any:
    """Return the closest value that JSON can express: keys become texts, other objects the name of their type."""
    if depth > _DEEPEST:
        return "nested too deeply"
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if value - value == 0 else str(value)
        case dict():
            return {str(key): to_plain(part, depth + 1) for key, part in value.items()}
        case list() | tuple():
            return [to_plain(part, depth + 1) for part in value]
        case set() | frozenset():
            return sorted((to_plain(part, depth + 1) for part in value), key=repr)
        case _:
            return f"a {type(value).__name__}"
