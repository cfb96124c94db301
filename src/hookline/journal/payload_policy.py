"""Payload policy: how much of a value the journal keeps: its hash, or on request the value itself, masked or in full."""

from __future__ import annotations

import json

from hookline.model.frozen import Frozen
from hookline.model.handler import NO_ENV, Builtin, Command
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.model.spec import HookSpec

_LONGEST_TEXT = 2000  # characters of a reason, a fault, a note
# Bytes of a payload or a rewrite as JSON; of a larger one, only the hash is kept.
_LARGEST_VALUE = 256 << 10
_DEEPEST = 100
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


class PayloadPolicy(Frozen):
    """How much to keep of values: `hash`, `masked` or `full`.

    `environ`: what hooks inherit; the values of variables with secret names are masked in every
    text.
    """

    how: str = "hash"
    environ: Mapping[str, str] = NO_ENV

    def keep_value(self, value: Any, hooks: Iterable[HookSpec] = ()) -> dict[str, Any]:
        """Return the SHA-256 and the length of a value's JSON (sorted keys, no blanks, ASCII); with the value, if the policy keeps it.

        `hooks`: the hooks whose output it is; secrets in their declarations are masked too.
        """
        text = to_canonical_json(value)
        kept: dict[str, Any] = {"sha256": sha256(text.encode("ascii")), "bytes": len(text)}
        if self.how == "hash":
            return kept
        if len(text) > _LARGEST_VALUE:
            return kept | {"cut": True}
        try:
            value = json.loads(text)
            if self.how == "masked":
                value = self._mask(value, hooks)
        except RecursionError:
            return kept | {"cut": True}
        return kept | {"value": value}

    def keep_text(self, text: str, hooks: Iterable[HookSpec] = ()) -> str:
        """Return a hook's text for a person: always kept, with secrets masked, and cut to a maximum length.

        `hooks`: the hooks that it may name. With `hash`, their ids replace their names, because a
            name may show what a hook runs.
        """
        if not text:
            return ""
        more = len(text) - _LONGEST_TEXT
        if self.how == "hash":
            for spec in hooks:
                if spec.name:
                    text = text.replace(f"`{spec.name}`", f"`{spec.id}`")
        if self.how != "full":
            # Mask known secrets before cutting the text, because a half secret would not be
            # recognised.
            text = self._mask(text[: 4 * _LONGEST_TEXT], hooks)
        return f"{text[:_LONGEST_TEXT]} [{more} more]" if more > 0 else text

    def _mask(self, value: Any, hooks: Iterable[HookSpec]) -> Any:
        from hookline.text.masking import find_secret_values, mask_secrets, mask_value  # noqa: PLC0415 - its expressions cost 1 ms, and most hooks say nothing

        if isinstance(value, str):
            known = find_secret_values(self.environ)
            for spec in hooks:
                if isinstance(spec.handler, Command | Builtin):
                    known |= find_secret_values(spec.handler.env or {})
            value = mask_secrets(value, known)
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
