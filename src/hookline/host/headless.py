"""Headless: runs an agent without a person, and prints what it says."""

from __future__ import annotations

import json

from hookline.host.turns import RunResult
from hookline.text.terminal_escape import escape_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.host.loop import Run
    from hookline.host.session import Session
    from hookline.host.updates import Question, Update

FORMATS = ("text", "json", "stream-json")
SCHEMA = "hookline.run/1"
# Characters of a tool's input that a message shows: of a call, and of one that it only names.
_SHORT, _NAMED = 200, 60


class HeadlessFace:
    """Prints a run: the replies, or each update as a line of JSON.

    `write` gets what is printed, `tell` messages of one line.
    """

    is_interactive = False

    def __init__(
        self, form: str, write: Callable[[str], object], tell: Callable[[str], object]
    ) -> None:
        self.form = form
        self._write = write
        self._tell = tell
        self._is_in_line = False  # a reply has begun and its line has not ended
        self.updates: list[dict[str, Any]] = []

    def show(self, update: Update) -> None:
        """Print an update, as the format wants it."""
        if self.form == "stream-json":
            if update.kind != "text":  # `reply` has the whole of it
                self._write(json.dumps(update.to_dict()) + "\n")
        elif self.form == "json":
            if update.kind not in ("text", "reply"):
                self.updates.append(update.to_dict())
        elif update.kind == "text":
            self._write(escape_text(update.facts["text"], lines=True))
            self._is_in_line = not update.facts["text"].endswith("\n")
        elif line := describe_update(update):
            self.end_line()
            self._tell(line)

    def end_line(self) -> None:
        """End the line of a reply."""
        if self._is_in_line:
            self._write("\n")
            self._is_in_line = False

    async def approve(self, question: Question) -> tuple[str, str]:  # noqa: ARG002 - the protocol
        """Refuse: no person is here."""
        return "reject", "no person can answer"

    async def may_extend(self, iterations: int) -> bool:  # noqa: ARG002 - the protocol
        """Refuse: no person is here."""
        return False


def describe_update(update: Update) -> str:
    """Return an update as one line for a person; empty if it needs none."""
    facts = update.facts
    match update.kind:
        case "tool.called":
            return describe_call(facts["tool"], facts["input"])
        case "tool.refused":
            call = describe_call(facts["tool"], facts["input"], _NAMED)
            return f"refused: {call}: {facts['reason']}"
        case "tool.rewritten":
            return f"changed by a hook: {_write_input(facts['after'])}"
        case "hook.note":
            return f"{facts['event']}: {facts['text']}"
        case "notice":
            return f"{facts['level']}: {facts['text']}"
        case "compacted":
            return f"the conversation was shortened ({facts['reason']})"
        case "agent.switched":
            return f"{facts['from']} -> {facts['to']} ({facts['switch']})"
    return ""


def describe_call(tool: str, given: Mapping[str, Any], longest: int = _SHORT) -> str:
    """Return a call as one line: the tool, and the start of its input."""
    return f"{tool} {_write_input(given, longest)}"


def _write_input(given: Mapping[str, Any], longest: int = _SHORT) -> str:
    values = list(given.values())
    text = values[0] if len(values) == 1 and isinstance(values[0], str) else json.dumps(dict(given))
    return text if len(text) <= longest else f"{text[:longest]}..."


async def run_headless(
    run: Run, face: HeadlessFace, prompt: str, write: Callable[[str], object]
) -> RunResult:
    """Run a prompt to its end, and print the result, also when it is cancelled."""
    result = RunResult(reason="canceled", error="canceled")
    try:
        result = await run.run(prompt)
    finally:  # also when it is cancelled
        face.end_line()
        if face.form == "json":
            write(json.dumps(_make_document(run.session, result, face)) + "\n")
    return result


def _make_document(session: Session, result: RunResult, face: HeadlessFace) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "session_id": session.id,
        "agent": session.agent,
        "reason": result.reason,
        "text": result.text,
        "error": result.error or None,
        "usage": {"input_tokens": session.input_tokens, "output_tokens": session.output_tokens},
        "cost": session.cost,
        "updates": face.updates,
    }
