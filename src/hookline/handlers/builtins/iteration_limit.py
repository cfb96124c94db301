"""Iteration limit: stops an agent after a number of model calls (docs/formats/docker-agent.md 8)."""

from __future__ import annotations

from hookline.handlers.builtins.builtin_call import parse_count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.handlers.builtins.builtin_call import BuiltinCall, Output


def max_iterations(asked: BuiltinCall) -> Output:
    """Handle `before_llm_call`: block each call after the Nth.

    Nothing without a count or a positive limit.

    It keeps no state: the host counts (`iteration`), or else the engine, by session.
    """
    limit = parse_count(asked.args[0]) if asked.args else 0
    count = asked.event.body.value("iteration")
    if asked.event.kind != "model.request" or not limit or type(count) is not int or count <= limit:
        return None
    return {
        "decision": "block",
        "reason": f"Agent terminated: max_iterations builtin reached its limit of {limit} model call(s).",
    }
