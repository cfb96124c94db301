"""Caps: a hard stop after so many calls of the model (docs/formats/docker-agent.md 8)."""

from __future__ import annotations

from hookline.handlers.builtins.asked import whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.handlers.builtins.asked import Asked, Output


def max_iterations(asked: Asked) -> Output:
    """On `before_llm_call`: a block from the call after the Nth on; without a count, or without a limit above 0, nothing.

    It keeps no state: the host counts (`iteration`), or else the engine does, by session.
    """
    limit = whole(asked.args[0]) if asked.args else 0
    count = asked.event.body.value("iteration")
    if asked.event.kind != "model.request" or not limit or type(count) is not int or count <= limit:
        return None
    return {
        "decision": "block",
        "reason": f"Agent terminated: max_iterations builtin reached its limit of {limit} model call(s).",
    }
