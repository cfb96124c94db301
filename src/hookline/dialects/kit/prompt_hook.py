"""Reads a hook that asks a language model, and weighs a reply that is `{ok, reason}`."""

from __future__ import annotations

from hookline.wire.model_replies import PERMITS, REFUSES, read_flag
from hookline.wire.providers import explain_model_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.handler import Model
    from hookline.wire.fields import Node


def read_prompt(
    hook: Node, usual: Model, short: Mapping[str, tuple[str, ...]] | None = None
) -> Model:
    """Return the handler that `prompt` and `model` declare, and report what is wrong with them.

    Args:
        hook: the hook.
        usual: the model of a hook that names none, without a prompt.
        short: short names of models -> what they stand for.
    """
    prompt, name = hook.text("prompt", required=True), hook.text("model").strip()
    if not prompt.strip() and isinstance(hook.value.get("prompt"), str):
        hook.complain("handler.template", "a prompt hook needs a non-empty `prompt`", "prompt")
    names = (short or {}).get(name) or ((name,) if name else usual.names)
    model = usual.replace(prompt=prompt, names=names)
    why, hint = explain_model_fault(model) if usual.provider else ("", "")
    if why:
        hook.complain("handler.model", why, "model", hint=hint)
    return model


def weigh_ok(given: Mapping[str, Any]) -> int:
    """Return how strong a judgement is whose `ok` is true or false."""
    return PERMITS if read_flag(given["ok"], "ok") else REFUSES
