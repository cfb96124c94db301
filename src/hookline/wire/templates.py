"""Templates: fills the prompt of a model hook from the payload, within the hook's length limit.

The author's text always stays whole. If an event is too long, hookline cuts its longest values. So
a padded event cannot push a rule out of the prompt.
"""

from __future__ import annotations

import json
import re
from importlib import import_module

from hookline.errors import HandlerError
from hookline.wire.template_parts import Faults, Inserted, fit_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from hookline.model.spec import Model

TEMPLATE, ARGUMENTS = "template", "arguments"
# An escaped dollar sign, or the payload (docs/formats/claude-code.md 4).
_PLACE = re.compile(r"\\\$|\$ARGUMENTS\b")
_MISSING = "templates need jinja2, which is not installed"
_LONGEST = 1 << 20  # characters of what a template makes, apart from prompts


def find_template_faults(prompt: str) -> Faults:
    """Return the faults of a prompt's template.

    None if jinja2 is missing, because the prompt then does not run either.
    """
    jinja = _load_jinja()
    return Faults() if jinja is None else jinja.check_template(prompt)


def fill_prompt(model: Model, payload: str, *, late: Callable[[], bool] = lambda: False) -> str:
    """Return the prompt about a payload, which is JSON text.

    `late`: returns True when a template has taken too long.

    Raises:
        HandlerError: the template cannot be filled in, or jinja2 is missing.
    """
    if model.language == ARGUMENTS:
        return fit_parts(_with_arguments(model.prompt, payload.strip()), model.most_prompt)
    jinja = _load_jinja()
    if jinja is None:
        raise HandlerError(_MISSING)
    parts = jinja.fill_template(model.prompt, _object(payload), most=model.most_prompt, late=late)
    return fit_parts(parts, model.most_prompt)


def fill_strictly(template: str, payload: str, *, late: Callable[[], bool] = lambda: False) -> str:
    """Return a template filled in from a payload, which is JSON text; a missing key is an error.

    `late` as in `fill_prompt`.

    Raises:
        HandlerError: it cannot be filled in, or jinja2 is missing.
    """
    jinja = _load_jinja()
    if jinja is None:
        raise HandlerError(_MISSING)
    values = _object(payload)
    return "".join(jinja.fill_template(template, values, most=_LONGEST, late=late, is_strict=True))


def _load_jinja() -> ModuleType | None:
    """Return the module that fills templates, which loads jinja2; None if that is missing."""
    try:
        return import_module("hookline.wire.prompt_template")
    except ImportError:
        return None


def _with_arguments(prompt: str, payload: str) -> list[str]:
    r"""Put the payload where `$ARGUMENTS` stands in the prompt, or else at its end.

    `\$` is a dollar sign.
    """
    parts: list[str] = []
    end = 0
    for found in _PLACE.finditer(prompt):
        parts += [
            prompt[end : found.start()],
            "$" if found[0].startswith("\\") else Inserted(payload),
        ]
        end = found.end()
    parts.append(prompt[end:])
    return (
        parts
        if any(isinstance(part, Inserted) for part in parts)
        else [*parts, "\n\n", Inserted(payload)]
    )


def _object(payload: str) -> dict[str, Any]:
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise HandlerError(f"the payload is no JSON: {error}") from None
    return value if isinstance(value, dict) else {}
