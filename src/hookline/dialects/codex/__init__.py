"""OpenAI Codex: hooks in `hooks.json`, TOML files and plugins, and the replies that it reads.

Format: docs/formats/codex.md.
"""

from __future__ import annotations

from hookline.dialects.codex.table import DENY, TABLE
from hookline.dialects.kit.answer import ReplyFormat, encode_answer, make_reply
from hookline.dialects.kit.dialect import FolderDialect
from hookline.model.spec import MANAGED, HookSpec
from hookline.wire.disable_flags import apply_flags, select_trusted_flags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import EventRow, Loaded
    from hookline.model.event import Event
    from hookline.model.verdict import Decision, Reply

_FORMAT = ReplyFormat(permissions={DENY: "deny"}, explains_allow=False)


class Codex(FolderDialect):
    """The dialect of Codex. It has no options."""

    table = TABLE

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        """Return the hooks without those that the user or policy disables.

        Those of policy stay (docs/formats/codex.md 1, 2).
        """
        return apply_flags(specs, select_trusted_flags(specs), _reaches)

    def encode_reply(self, decision: Decision, _event: Event, row: EventRow | None) -> Reply:
        """Return the reply: always exit 0, and one object, or nothing at all.

        A denial is JSON, never exit 2, which a PowerShell wrapper turns into 1. A reason is never
        empty, because Codex takes a denial without one for a failed hook (docs/formats/codex.md 5).
        """
        if decision.stance >= DENY and not decision.reason.strip():
            notes = (text for text in decision.for_user if text.strip())
            decision = decision.replace(reason=next(notes, "refused by a hook that gave no reason"))
        top, specific = encode_answer(decision, row, _FORMAT)
        if row is not None and "systemMessage" not in row.accepts:
            top.pop("systemMessage", None)
        if "updatedInput" in specific:
            specific["permissionDecision"] = "allow"  # which must carry it
        return make_reply(top, specific, row)


def _reaches(flag: HookSpec, spec: HookSpec) -> bool:
    if spec.origin.scope == MANAGED:
        return False
    return "off" not in flag.facts or spec.facts.get("trust_key") in flag.facts["off"]
