"""Agent Hooks: one directory a hook, with a HOOK.md (front matter and text) and a script; in both spellings of its events.

Facts: docs/formats/agenthooks.md. The rows of `table` say what the events are, `findings` what lint and load make of a mistake.
"""

from __future__ import annotations

from hookline.core.failure import make_failed_verdict
from hookline.core.options import read_switch
from hookline.dialects.agenthooks.combine import combine
from hookline.dialects.agenthooks.decode_outcome import decode_outcome
from hookline.dialects.agenthooks.frontmatter import body_of
from hookline.dialects.agenthooks.listing import available_hooks
from hookline.dialects.agenthooks.load import lint
from hookline.dialects.agenthooks.table import NAME, SETTINGS, table
from hookline.dialects.kit.dialect import FolderDialect
from hookline.errors import ConfigError
from hookline.model.handler import Broken
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hookline.core.dialect import Loaded, Source
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.problem import Problem
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Verdict

__all__ = ["NAME", "OPTIONS", "AgentHooks", "available_hooks", "lint"]

OPTIONS = ("approver", "unanswered")
_UNANSWERED: Mapping[str, Stance] = {"deny": Stance.DENY, "allow": Stance.SILENT}


class AgentHooks(FolderDialect):
    """The dialect. `approver`: the host can ask a person. `unanswered`: what an ask is without one, `deny` or `allow`.

    Raises:
        ConfigError: another word for `unanswered`, or an `approver` that is neither true nor false.
    """

    def __init__(self, *, approver: bool = False, unanswered: str = "deny") -> None:
        if unanswered not in _UNANSWERED:
            raise ConfigError(
                f"unknown `unanswered: {unanswered}`",
                name="config.option",
                hint=f"one of {', '.join(_UNANSWERED)}",
            )
        facts = table(
            approver=read_switch(NAME, "approver", approver), unanswered=_UNANSWERED[unanswered]
        )
        super().__init__(__name__, facts, "encode_event export", facts=facts)

    def lint(self, source: Source) -> tuple[Problem, ...]:
        """Every problem of a hook, by the format's strict rules (docs/formats/agenthooks.md 4)."""
        return lint(source)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        return combine(specs, self.table)

    def available_hooks(self, specs: Iterable[HookSpec]) -> str:
        """List the hooks that count for a model, in the order given: approved, not only observed, and able to run."""
        counting = (
            spec
            for spec in specs
            if spec.trusted and not spec.shadow and not isinstance(spec.handler, Broken)
        )
        return available_hooks(counting)

    def body_of(self, text: str, file: str) -> str:
        """The text of a HOOK.md below its front matter, which loading does not keep (docs/formats/agenthooks.md 13).

        Raises:
            ConfigError: the fences cannot be found.
        """
        return "" if file.endswith(SETTINGS) else body_of(text, file)

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:
        row = self.row(spec.native_event)
        return (
            decode_outcome(
                outcome, spec, row, event, unanswered=self.table.ask_becomes or Stance.SILENT
            )
            if row is not None
            else make_failed_verdict(spec, outcome)
        )
