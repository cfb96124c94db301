"""Team: what an agent is told of the agents that it may call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.host.agent_spec import AgentSpec


def describe_team(spec: AgentSpec, descriptions: dict[str, str]) -> str:
    """Return what an agent is told of those that it may call; empty if there are none."""
    blocks = [
        (spec.sub_agents, "With `transfer_task` you can give a task to one of these agents:"),
        (spec.handoffs, "With `handoff` you can let one of these agents take over:"),
    ]
    texts = []
    for names, head in blocks:
        if names:
            lines = [f"- {name}: {descriptions.get(name, '')}".rstrip(": ") for name in names]
            texts.append("\n".join([head, *lines]))
    return "\n\n".join(texts)
