"""The listing of hooks that a model is shown: name, description, trigger, location and matcher, escaped."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.model.spec import HookSpec

_ESCAPES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"))


def available_hooks(entries: Iterable[HookSpec]) -> str:
    """The block `<available_hooks>` for these hooks, in the order given (docs/formats/agenthooks.md 13)."""
    return "\n".join(
        [
            "<available_hooks>",
            *(line for spec in entries for line in _hook(spec)),
            "</available_hooks>",
        ]
    )


def _hook(spec: HookSpec) -> list[str]:
    texts = {
        "name": spec.name,
        "description": str(spec.facts.get("description", "")),
        "trigger": spec.native_event,
        "location": spec.origin.file,
    }
    matcher = spec.facts.get("matcher")
    lines = ["<hook>", *(_element(tag, text) for tag, text in texts.items())]
    if matcher:
        lines += [
            "<matcher>",
            *(_element(tag, text) for tag, text in matcher.items()),
            "</matcher>",
        ]
    return [*lines, "</hook>"]


def _element(tag: str, text: str) -> str:
    for char, escape in _ESCAPES:
        text = text.replace(char, escape)
    return f"<{tag}>{text}</{tag}>"
