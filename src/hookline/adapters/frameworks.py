"""Frameworks: what adapters share that is not about hooks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hookline.errors import ConfigError
from hookline.installation import install_command

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Of one request to a model that fails, or whose answer a hook refuses.
MOST_ATTEMPTS = 3


def make_missing_error(framework: str, extra: str, error: ImportError) -> ConfigError:
    """Return the error for a framework that cannot be imported, or that is too old.

    Args:
        framework: as people write it.
        extra: of hookline, which installs it.
        error: what the import raised.
    """
    is_absent = isinstance(error, ModuleNotFoundError)
    what = "is not installed" if is_absent else f"cannot be used: {error}"
    hint = install_command(extra=extra)
    return ConfigError(f"{framework} {what}", name="adapter.missing", hint=hint)


def build_messages(
    entries: Sequence[Any],
    shown: Sequence[Any],
    originals: Sequence[Any],
    build: Callable[[Any], Sequence[Any]],
) -> list[Any]:
    """Return the messages of a framework that a hook's entries describe.

    An entry that the hook left as it was is the original itself, with what JSON does not show.

    Args:
        entries: what the hook returned.
        shown: what the hook saw, one entry for each original.
        originals: the messages of the framework.
        build: makes messages of an entry that the hook changed or added.
    """
    built: list[Any] = []
    at = 0  # the first original that is not used yet
    for entry in entries:
        found = next((n for n in range(at, len(shown)) if shown[n] == entry), None)
        if found is None:
            built += build(entry)
        else:
            built.append(originals[found])
            at = found + 1
    return built


def to_text(value: Any) -> str:
    """Return a value as text for a model; what is no text as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
