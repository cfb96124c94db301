"""Updates: what a run tells the interface that shows it, and what it asks the person."""

from __future__ import annotations

from typing import Protocol

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# Each kind of update, with the facts that it carries.
KINDS: Mapping[str, str] = {
    "session.started": "model cwd",
    "text": "text",
    "reply": "text usage cost",
    "tool.called": "call_id tool input",
    "tool.done": "call_id tool text failed",
    "tool.refused": "call_id tool input reason source",
    "tool.rewritten": "call_id tool before after",
    "hook.blocked": "event reason hook",
    "hook.note": "event text",
    "notice": "level text",
    "turn.ended": "reason",
    "compacted": "reason summary input_tokens",
    "agent.switched": "switch from to",
    "session.ended": "reason text usage cost",
}


class Update(Frozen):
    """One thing that happened in a run: one of `KINDS`, with its facts."""

    kind: str
    session_id: str
    agent: str
    facts: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the update as a line of `--output-format stream-json`."""
        head = {"type": self.kind, "session_id": self.session_id, "agent": self.agent}
        return {**head, **self.facts}


class Question(Frozen):
    """A question whether a tool call may run. `reason`: why it is asked. `facts`: from hooks."""

    session_id: str
    agent: str
    tool: str
    input: Mapping[str, Any]
    reason: str = ""
    facts: Mapping[str, Any] = {}


class Face(Protocol):
    """An interface that shows a run to a person."""

    @property
    def is_interactive(self) -> bool:
        """Return whether a person can answer."""

    def show(self, update: Update) -> None:
        """Show an update."""

    async def approve(self, question: Question) -> tuple[str, str]:
        """Return an answer to a question and its reason; `approval.ANSWERS` lists the answers."""

    async def may_extend(self, iterations: int) -> bool:
        """Return whether the agent may go on after so many iterations."""
