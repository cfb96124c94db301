"""Keeping: how much is kept of what passed through: its hash, or, where somebody chose so, itself, masked or whole."""

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

KEEPINGS = ("hash", "masked", "full")
_LONGEST_TEXT = 2000  # characters of a reason, a fault, a note
_LARGEST_VALUE = (
    256 << 10
)  # bytes of a payload or a rewrite as JSON; of a larger one the hash alone is kept
_DEEPEST = 100
_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


class Keeping(Frozen):
    """How much is kept of what passed through: `hash`, `masked` or `full`; and by what values and texts are masked.

    `environ`: what hooks inherit; the values in it that are secret by their names are masked wherever they are said.
    """

    how: str = "hash"
    mask: Callable[[Any], Any] | None = None
    mask_text: Callable[[str], str] | None = None
    environ: Mapping[str, str] = NO_ENV

    def content(self, value: Any, hooks: Iterable[HookSpec] = ()) -> dict[str, Any]:
        """A value by the SHA-256 and the length of its JSON (sorted keys, no blanks, ASCII); and itself, if it is kept.

        `hooks`: those whose text it is; it is masked as what they say is.
        """
        text = canonical(value)
        told: dict[str, Any] = {"sha256": sha256(text.encode("ascii")), "bytes": len(text)}
        if self.how == "hash":
            return told
        if len(text) > _LARGEST_VALUE:
            return told | {"cut": True}
        try:
            parsed = json.loads(text)
            return told | {"value": parsed if self.how == "full" else self._hidden(parsed, hooks)}
        except RecursionError:
            return told | {"cut": True}

    def text(self, text: str, hooks: Iterable[HookSpec] = ()) -> str:
        """What a hook said to a person: always kept, less what looks like a secret, and at most so long.

        `hooks`: those that it may be about. Where payloads are hashed they are called by their ids: their names are what they run.
        """
        if not text:
            return ""
        if self.how == "full":
            kept = text[: 2 * _LONGEST_TEXT]
        else:
            kept = self._covered(
                _by_ids(text, hooks) if self.how == "hash" else text, hooks, _LONGEST_TEXT
            )
        return (
            f"{kept[:_LONGEST_TEXT]} [{len(text) - _LONGEST_TEXT} more]"
            if len(text) > _LONGEST_TEXT
            else kept
        )

    def _hidden(self, value: Any, hooks: Iterable[HookSpec]) -> Any:
        return (
            self._covered(value, hooks, len(value))
            if hooks and isinstance(value, str)
            else (self.mask or _masked)(value)
        )

    def _covered(self, text: str, hooks: Iterable[HookSpec], longest: int) -> str:
        from hookline.text.masking import find_secret_values, mask_secrets  # noqa: PLC0415 - its expressions cost 1 ms, and most hooks say nothing

        known = find_secret_values(self.environ)
        for spec in hooks:
            known |= (
                find_secret_values(getattr(spec.handler, "env", None) or {})
                if type(spec.handler) in (Command, Builtin)
                else set()
            )
        # Secrets that are known go first, and before the text is cut: half of one would not be known any more.
        return (self.mask_text or _masked)(mask_secrets(text[: 4 * longest], known)[: 2 * longest])


def _by_ids(text: str, hooks: Iterable[HookSpec]) -> str:
    """A text that calls hooks by their ids instead of their names."""
    for spec in hooks:
        if spec.name and spec.name != spec.id:
            text = text.replace(f"`{spec.name}`", f"`{spec.id}`")
    return text


def _masked(value: Any) -> Any:
    from hookline.text.masking import mask_value  # noqa: PLC0415 - as above

    return mask_value(value)


def canonical(value: Any) -> str:
    """A value as JSON with sorted keys and without blanks; what JSON cannot say is said in words."""
    try:
        return _canonical(value)
    except (TypeError, ValueError, RecursionError):
        return _canonical(plain(value))


def plain(value: Any, depth: int = 0) -> Any:
    """A value that JSON can say, nearest to one that it cannot: keys are texts, other objects are named by their type."""
    if depth > _DEEPEST:
        return "nested too deeply"
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if value - value == 0 else str(value)
        case dict():
            return {str(key): plain(part, depth + 1) for key, part in value.items()}
        case list() | tuple():
            return [plain(part, depth + 1) for part in value]
        case set() | frozenset():
            return sorted((plain(part, depth + 1) for part in value), key=repr)
        case _:
            return f"a {type(value).__name__}"
