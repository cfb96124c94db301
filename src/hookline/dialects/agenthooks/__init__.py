"""Agent Hooks: one directory a hook, with a HOOK.md (front matter and text) and a script.

Facts: docs/formats/agenthooks.md.
"""

from __future__ import annotations

from hookline.core.options import check_switches, read_choice
from hookline.dialects.agenthooks.fields import LINT
from hookline.dialects.agenthooks.load import split_front_matter
from hookline.dialects.agenthooks.table import NAME, SETTINGS, TABLE, table
from hookline.dialects.kit.dialect import FolderDialect
from hookline.model.spec import Broken, HookSpec, Pattern, Problem
from hookline.model.verdict import Decision, Reply, Stance
from hookline.wire.hookoutput import to_json_line
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from hookline.core.dialect import EventRow, Source
    from hookline.model.event import Event

OPTIONS = ("approver", "unanswered")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class AgentHooks(FolderDialect):
    """The dialect. `approver`: the host can ask a person.

    `unanswered`: what an ask is without one, `deny` or `allow`.

    Raises:
        ConfigError: another word for `unanswered`, or an `approver` that is neither true nor false.
    """

    combine_file, export_file = "combine", "export"

    def __init__(self, *, approver: bool = False, unanswered: str = "deny") -> None:
        check_switches(NAME, approver=approver)
        word = read_choice(NAME, "unanswered", unanswered, ("deny", "allow"))
        stance = Stance.DENY if word == "deny" else Stance.SILENT
        self.table = table(approver=approver, unanswered=stance)
        super().__init__(facts=self.table)

    def lint(self, source: Source) -> tuple[Problem, ...]:
        """Return every problem of a hook, by strict rules (docs/formats/agenthooks.md 4)."""
        return self.load(source.replace(mode=LINT, trusted=True)).problems

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return the payload of a hook, with the event in the spelling that the hook declared.

        docs/formats/agenthooks.md 7
        """
        payload = encode(event, TABLE, row, spec.native_event)
        payload["context"] = payload["context"] or {}
        if isinstance(payload.get("final_message"), str):  # other dialects keep it as a text
            payload["final_message"] = {"role": "assistant", "content": payload["final_message"]}
        return payload

    def encode_reply(self, decision: Decision, _event: Event, _row: EventRow | None) -> Reply:
        """Return the reply of a command hook; no opinion is exit 0 and no output.

        A denial is the exit code, which no host can misread; stdout does not count beside it
        (docs/formats/agenthooks.md 8).
        """
        if decision.stance >= Stance.DENY:
            return Reply(stderr=f"{decision.reason}\n", exit_code=2)
        rewrite, asks = decision.rewrite, decision.stance is Stance.ASK
        patch = rewrite.patch if rewrite is not None else None
        allows = "allow" if patch else ""
        document = {
            "decision": "ask" if asks else allows,
            "reason": decision.reason if asks else "",
            "modified_input": patch,
            "additional_context": "\n".join(decision.for_agent),
            "log": "\n".join((*decision.effects.get("log", ()), *decision.for_user)),
        }
        return Reply(stdout=to_json_line({key: value for key, value in document.items() if value}))

    def available_hooks(self, specs: Iterable[HookSpec]) -> str:
        """Return the block that lists hooks for a model (docs/formats/agenthooks.md 13).

        In the order given, it lists the hooks that count: approved, not only observed, and able
        to run.
        """
        lines = ["<available_hooks>"]
        for spec in specs:
            if spec.trusted and not spec.shadow and not isinstance(spec.handler, Broken):
                lines += ["<hook>", *_list_elements(spec), "</hook>"]
        return "\n".join([*lines, "</available_hooks>"])

    def body_of(self, text: str, file: str) -> str:
        """Return the text of a HOOK.md below its front matter (docs/formats/agenthooks.md 13).

        Raises:
            ConfigError: the fences cannot be found.
        """
        return "" if file.endswith(SETTINGS) else split_front_matter(text, file)[1]


def _list_elements(spec: HookSpec) -> Iterator[str]:
    yield _element("name", spec.name)
    yield _element("description", spec.facts["description"])
    yield _element("trigger", spec.native_event)
    yield _element("location", spec.origin.file)
    if spec.conditions:
        yield "<matcher>"
        for condition in spec.conditions:
            tag = "tool" if isinstance(condition, Pattern) else "pattern"
            yield _element(tag, getattr(condition, "source", ""))
        yield "</matcher>"


def _element(tag: str, text: str) -> str:
    return f"<{tag}>{text.translate(_ESCAPES)}</{tag}>"
