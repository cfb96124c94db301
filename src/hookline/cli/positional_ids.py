"""Takes the ids of version 0.1, which were positions in a file, for those of today."""

from __future__ import annotations

from hookline.cli.output import print_message
from hookline.engine.hook_lookup import find_by_id
from hookline.engine.loader import list_hooks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.engine.engine import Engine
    from hookline.model.spec import HookSpec


def to_lasting_id(engine: Engine, word: str) -> str:
    """Return the id of the hook that a positional id means, with a warning; any other word as is.

    It goes with the next release.
    """
    specs = list(list_hooks(engine.snapshot))
    spec = None if find_by_id(specs, word, engine.environ) else find_by_position(specs, word)
    if spec is None:
        return word
    print_message(
        f"hookline: `{word}` is an id by position, which the next version no longer reads."
        f" Use `{spec.id}`"
    )
    return spec.id


def find_by_position(specs: Iterable[HookSpec], word: str) -> HookSpec | None:
    """Return the hook with an id such as `settings.json#PreToolUse.0.1`, or `...0.1~2`."""
    file, _, rest = word.rpartition("#")
    place, _, number = rest.partition("~")
    if not place[-1:].isdecimal() or not (number or "1").isdecimal():
        return None
    wanted = _drop_hooks(place)
    found = [
        spec
        for spec in specs
        if file == (spec.origin.file.rpartition("/")[2] or "config") and _is_at(spec, wanted)
    ]
    at = int(number or 1)
    return found[at - 1] if 0 < at <= len(found) else None


def _is_at(spec: HookSpec, wanted: list[str]) -> bool:
    """Whether a hook stands there: under its own name of the event, or that in the file."""
    steps = _drop_hooks(spec.origin.pointer)
    numbers = [step for step in steps if step.isdecimal()]
    return steps[-len(wanted) :] == wanted or [spec.native_event, *numbers] == wanted


def _drop_hooks(steps: str) -> list[str]:
    return [step for step in steps.split(".") if step != "hooks"]
