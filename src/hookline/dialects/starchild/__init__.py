"""Starchild: the list of shell hooks in shell_hooks.yaml, for its twelve events.

Hermes, of the same family, is below. Facts: docs/formats/starchild.md.
"""

from __future__ import annotations

from hookline.core.options import check_switches
from hookline.dialects.kit.dialect import FolderDialect, without_asks
from hookline.dialects.starchild.table import EVIDENCE, NAME, NOTE_GAP, TABLE
from hookline.model.verdict import Decision, Reply, Stance
from hookline.text.masking import mask_text, mask_value
from hookline.wire.hookoutput import to_json_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event

OPTIONS = ("approver", "allow_local", "shell_hooks")
# Variable -> the option that it switches on where it is `1` (docs/formats/starchild.md 6, 8).
SWITCHES = {
    "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL": "allow_local",
    "STARCHILD_SHELL_HOOKS": "shell_hooks",
}


class Starchild(FolderDialect):
    """The dialect. `approver`: the host can ask a person; without one, an ask is a block.

    `allow_local`: HTTP hooks may be on this machine or in a private network. `shell_hooks`: hooks
    are on where `agent.yaml` does not say.

    Raises:
        ConfigError: one of them is neither true nor false.
    """

    export_file = "export"

    def __init__(
        self, *, approver: bool = False, allow_local: bool = False, shell_hooks: bool = False
    ) -> None:
        check_switches(NAME, approver=approver, allow_local=allow_local, shell_hooks=shell_hooks)
        self.table = TABLE if approver else without_asks(TABLE)
        super().__init__(facts=self.table, allow_local=allow_local, by_default=shell_hooks)

    def encode_reply(self, decision: Decision, event: Event, row: EventRow | None) -> Reply:
        """Return the reply of a shell hook: exit 0, and one object; no opinion is empty stdout."""
        document = _encode_stance(decision)
        if row is not None:
            document |= _encode_rewrite(decision, row, event)
            if decision.for_agent and "context" in row.powers:
                document["context"] = "\n".join(decision.for_agent)
        if decision.for_user:
            document["systemMessage"] = "\n".join(decision.for_user)
        return Reply(stdout=to_json_line(document))


def _encode_stance(decision: Decision) -> dict[str, Any]:
    """Return a block or an ask.

    The host shows its reason and evidence, so they carry no secret (docs/formats/starchild.md 5.3).
    """
    if decision.stance < Stance.ASK:
        return {}
    reason, evidence = mask_text(decision.reason), mask_value(decision.evidence)
    if decision.stance is Stance.ASK:
        specific = {"permissionDecision": "ask", "permissionDecisionReason": reason}
        return {"hookSpecificOutput": specific}
    block = {"decision": "block", "reason": reason}
    if evidence is None:
        return block
    is_ours = isinstance(evidence, dict) and evidence and set(evidence) <= set(EVIDENCE)
    return block | (evidence if is_ours else {"evidence": evidence})


def _encode_rewrite(decision: Decision, row: EventRow, event: Event) -> dict[str, Any]:
    """Return a rewrite under the key that the event has for it."""
    rewrite = decision.rewrite
    if rewrite is None or rewrite.target not in row.powers:
        return {}
    value = rewrite.value
    if rewrite.target == "input":
        return {"tool_input": rewrite.patch} if rewrite.patch else {}
    if rewrite.target == "text":
        return {row.rewrites: _to_text(value)}
    if isinstance(value, str):
        # The host itself appends the notes that it is sent.
        for note in reversed(decision.for_user):
            value = "" if value == note else value.removesuffix(NOTE_GAP + note)
    return {} if value == event.body.value("result") else {"tool_result": value}


def _to_text(value: Any) -> Any:
    """Return the text of a model's reply, which Gemini puts into an object; others as they are."""
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return value["text"]
    try:
        parts = value["candidates"][0]["content"]["parts"]
        return "".join(part if isinstance(part, str) else part["text"] for part in parts)
    except (LookupError, TypeError):
        return value
