"""The gate of an engine, made when the first hook needs it, and put around a dispatch."""

from __future__ import annotations

import os

from hookline.config.settings import settings_path
from hookline.core.dispatch import intercept
from hookline.errors import ConfigError
from hookline.journal.records import shorten_digest
from hookline.model.spec import InProcess, Origin, Problem
from hookline.model.verdict import Outcome
from hookline.trust.state import STRICTEST, Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.core.dispatch import Dispatch, Run
    from hookline.engine.trust_gate import WriteRecord
    from hookline.journal.journal import Journal
    from hookline.model.event import Event
    from hookline.trust.gate import Admission, Declared, Gate


def note_approvals(journal: Journal | None) -> WriteRecord | None:
    """Return what writes each approval, revocation and switch into a journal; None without one."""
    if journal is None:
        return None

    def write(record: dict[str, Any]) -> bool:
        # A whole digest looks like a secret, and would be masked.
        short = {name: shorten_digest(record[name]) for name in ("identity", "content")
                 if name in record}  # fmt: skip
        return journal.note("approval", kind="approval", **record | short)

    return write


class LazyGate:
    """The gate of an engine, made when the first hook comes to it, or given.

    If the settings are wrong, the strictest rules hold, and the user reads why: who spoils the file
    must not switch approvals off by that. `notices` are shown in the same way.
    """

    def __init__(
        self,
        root: str,
        environ: Mapping[str, str] | None = None,
        *,
        write_record: WriteRecord | None = None,
        notices: tuple[Problem, ...] = (),
        made: Gate | None = None,
    ) -> None:
        self.environ = os.environ if environ is None else environ
        self.problems = notices
        self.declared: Declared | None = None
        self.was_told: Callable[[Event, str], bool] = lambda _event, _what: False
        self._root = root
        self._write_record = write_record
        self._made = made

    def get(self) -> Gate:
        """Return the gate.

        Raises:
            ConfigError: the settings are wrong.
        """
        return self._made or self._make()

    def get_strict(self) -> Gate:
        """Return the gate, a strict one if the settings are wrong."""
        try:
            return self._made or self._make()
        except ConfigError as error:
            message = (
                f"{error.message}: the settings do not count, and hooks go by the strictest rules"
            )
            origin = Origin(file=error.place or settings_path(self.environ))
            problem = Problem(name=error.name, message=message, hint=error.hint, origin=origin)
            self.problems += (problem,)
            return self._make(policy=STRICTEST)

    def _make(self, policy: Policy | None = None) -> Gate:
        record, problems = self._write_record, self.problems
        # Most events have no hook, and need no gate.
        from hookline.engine.trust_gate import make_gate  # noqa: PLC0415

        gate = make_gate(
            self._root, self.environ, write_record=record, policy=policy, problems=problems
        )
        gate.declared, gate.was_told = self.declared, self.was_told
        self._made = gate
        return gate

    def is_withdrawn(self, run: Run) -> bool:
        """Whether the answer of a hook in the background does not count any more."""
        return type(run.spec.handler) is not InProcess and self.get_strict().is_withdrawn(run)


def run_gated(asked: Dispatch, gate: LazyGate) -> Dispatch:
    """Return the dispatch in which a hook that may not run has its outcome at once."""
    admitted: dict[int, tuple[Run, Admission]] = {}  # by the run: one hook may run twice at once

    def prepare(run: Run) -> Run | Outcome:
        if type(run.spec.handler) is InProcess:
            return run
        found = gate.get_strict().check_before(run)
        if isinstance(found, Outcome):
            return found
        ready = found.run
        if run.detached:  # what waits for its end asks no gate
            state = found.state
            ready = ready.replace(identity=state.definition, content=state.inspection.digest)
        admitted[id(ready)] = (ready, found)
        return ready

    def finish(run: Run, outcome: Outcome) -> Outcome:
        _, known = admitted.pop(id(run), (run, None))
        return gate.get_strict().check_after(known, outcome) if known else outcome

    return intercept(asked, prepare, finish)
