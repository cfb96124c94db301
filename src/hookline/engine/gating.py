"""Gating: the usual gate of an engine, and the dispatch in which every run goes through it."""

from __future__ import annotations

import os

from hookline.errors import ConfigError, TrustError
from hookline.model.handler import InProcess
from hookline.model.outcome import Outcome
from hookline.paths import real_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from typing import Any

    from hookline.core.dispatch import Dispatch, Run
    from hookline.journal.journal import Journal
    from hookline.model.problem import Problem
    from hookline.model.sight import Sight
    from hookline.model.verdict import Decision
    from hookline.trust.gate import Gate, Pass
    from hookline.trust.policy import Policy
    from hookline.trust.store import Store
    from hookline.trust.vanished import Declared


def gate(
    root: str | os.PathLike[str] = ".",
    environ: Mapping[str, str] | None = None,
    *,
    tell: Callable[[dict[str, Any]], object] | None = None,
    policy: Policy | None = None,
    alone: bool = False,
    store: Store | None = None,
    **overrides: str,
) -> Gate:
    """The gate of a person: their store, their settings; `overrides` are settings of `[trust]` that go first.

    `root`: the project folder. `policy`: what counts instead of the settings. `tell` is given a record of everything that is approved,
    revoked or switched. `alone`: as of a store. `store`: the person's own, where that was opened.

    Raises:
        ConfigError: the settings are wrong.
    """
    # Nothing of this is loaded where no hook needs a gate.
    from hookline.config.places import kept_in  # noqa: PLC0415 - as above
    from hookline.config.settings import settings  # noqa: PLC0415 - as above
    from hookline.handlers.sight.look import look  # noqa: PLC0415 - as above
    from hookline.trust.gate import Gate  # noqa: PLC0415 - as above
    from hookline.trust.policy import policy_of  # noqa: PLC0415 - as above
    from hookline.trust.store import Store, store_path  # noqa: PLC0415 - as above

    given = os.environ if environ is None else environ

    def seen(run: Run) -> Sight:
        return look(run, given, real_path(root))

    if policy is None:
        # Of its keys this table of the settings has one that is no effect: who may approve without a token.
        chosen = {
            key: value
            for key, value in settings(given).get("trust", {}).items()
            if key != "self_approve"
        }
        policy = policy_of(chosen, **overrides)
    return Gate(
        store or Store(store_path(given), alone=alone), policy, seen, root=os.fspath(root), environ=given, demands=_demands, tell=tell,
        place=kept_in,
    )  # fmt: skip


def noted(journal: Journal | None) -> Callable[[dict[str, Any]], bool] | None:
    """What a gate tells a journal by: one note `approval` for each approval, revocation and switch, with who and how.

    It returns whether that is written.
    """
    if journal is None:
        return None

    from hookline.journal.records import short  # noqa: PLC0415 - a journal has it loaded

    def note(record: dict[str, Any]) -> bool:
        fields = {
            "native" if name == "event" else name: value
            for name, value in record.items()
            if name not in ("what", "id", "at")
        }
        # A whole digest looks like a secret, and would be masked.
        fields |= {name: short(record[name]) for name in ("identity", "content") if name in record}
        return journal.note(
            "approval",
            kind="approval",
            did=record["what"],
            note_id=record.get("id", ""),
            seconds=record.get("at"),
            **fields,
        )

    return note


class Late:
    """A gate that is made when the first hook comes to it: most events of `answer` have none. It admits and settles as a gate does.

    Where the settings are wrong, hooks are asked all the same, by rules that are as strict as any that a person may have chosen:
    whoever spoils a file must not switch policy off by that. It is said, by `problems` and to each session. `alone`: as of a store.
    `told`: what else is said so.
    """

    def __init__(
        self,
        root: str,
        environ: Mapping[str, str] | None = None,
        *,
        tell: Callable[[dict[str, Any]], object] | None = None,
        alone: bool = False,
        told: tuple[Problem, ...] = (),
    ) -> None:
        self._root = root
        self._environ = environ
        self._tell = tell
        self._alone = alone
        self._made: Gate | None = None
        self._strict: Gate | None = None
        self._opened: Store | None = None
        self._declared: Declared | None = None
        self.problems = told
        self._told = bool(told)

    @property
    def gate(self) -> Gate:
        """The gate itself, for whoever asks about its hooks.

        Raises:
            ConfigError: the settings are wrong.
        """
        if self._made is None:
            self._made = self._gate()
        return self._made

    def _gate(self, policy: Policy | None = None) -> Gate:
        made = gate(self._root, self._environ, tell=self._tell, policy=policy, store=self._store())
        if self._declared is not None:
            made.heed(self._declared)
        return made

    def _store(self) -> Store:
        from hookline.trust.store import Store, store_path  # noqa: PLC0415 - not where no hook runs, and nothing was approved

        if self._opened is None:
            self._opened = Store(store_path(self._given()), alone=self._alone)
        return self._opened

    def _given(self) -> Mapping[str, str]:
        return os.environ if self._environ is None else self._environ

    def heed(self, declared: Declared) -> None:
        """As a gate does."""
        self._declared = declared
        for made in (self._made, self._strict):
            if made is not None:
                made.heed(declared)

    def admit(self, run: Run) -> Pass | Outcome | None:
        """As a gate does; None where the run goes on as it is, and no gate was made for it."""
        if self._made is None and self._needs_none(run):
            return None
        deciding = self._deciding()
        given = deciding.admit(run)
        if not self.problems or isinstance(given, Outcome):
            return given
        said = [
            f"hookline: {each}"
            for each in self.problems
            if not deciding.once(run.event.session_id, f"settings {each}")
        ]
        return given.replace(note="\n".join(filter(None, (*said, given.note))))

    def _deciding(self) -> Gate:
        """The gate that decides: a strict one where the settings are wrong."""
        if self._strict is None:
            try:
                return self.gate
            except ConfigError as error:
                from hookline.trust.policy import STRICT  # noqa: PLC0415 - few people's settings are wrong

                self._strict = self._gate(STRICT)
                self.problems += (_wrong(error, self._given()),)
        return self._strict

    def _needs_none(self, run: Run) -> bool:
        """Whether a hook was named by whoever started this, and nothing may be switched off: then no gate need be made.

        Only `alone`: what tells it opens the file beside the store.
        """
        from hookline.trust.policy import named  # noqa: PLC0415 - not even these where no hook runs
        from hookline.trust.schema import may_be_off  # noqa: PLC0415 - as above
        from hookline.trust.store import store_path  # noqa: PLC0415 - as above
        from hookline.trust.switch import MASTER, SKIPPED  # noqa: PLC0415 - as above

        given = self._given()
        return (
            self._alone
            and not self._told
            and named(run.spec.origin.scope)
            and not (given.get(MASTER) or given.get(SKIPPED) or may_be_off(store_path(given)))
        )

    def missing(self, session: str, asked: Collection[str]) -> Iterable[str]:
        """As a gate does; no gate is made for it where nothing is gone."""
        return () if self._lacks_nothing() else self._deciding().missing(session, asked)

    def _lacks_nothing(self) -> bool:
        if self._made is not None or self._strict is not None:
            return False  # a gate knows it by itself
        if self._declared is None or not _is_there(self._given()):
            return True
        root = real_path(self._root)
        try:
            known = self._store().known()
        except TrustError:  # who has a hook that needs an approval is told
            return True
        if not any(where[0] == root for where in known.declared):
            return True
        from hookline.trust.fingerprint import identity  # noqa: PLC0415 - most people's approvals are of other projects
        from hookline.trust.vanished import Vanished  # noqa: PLC0415 - as above

        return not Vanished(root, lambda spec: identity(spec, root), self._declared).unplaced(
            known, ()
        )

    def silences(self, run: Run) -> bool:
        """As a gate does."""
        return not (self._made is None and self._needs_none(run)) and self._deciding().silences(run)

    def settled(self, given: Pass, outcome: Outcome) -> Outcome:
        return self._deciding().settled(given, outcome)


def _is_there(environ: Mapping[str, str]) -> bool:
    """Whether a person may have a store, without what reads it: most events of most people need none."""
    state = environ.get("XDG_STATE_HOME", "")
    base = (
        state
        if os.path.isabs(state)
        else f"{environ.get('HOME') or os.path.expanduser('~')}/.local/state"
    )
    return os.path.lexists(f"{base}/hookline/trust.db")


def _wrong(error: ConfigError, environ: Mapping[str, str]) -> Problem:
    """What is wrong with the settings, and what follows."""
    from hookline.config.settings import settings_path  # noqa: PLC0415 - few people's settings are wrong
    from hookline.model.problem import Origin, Problem  # noqa: PLC0415 - as above

    message = f"{error.message}: the settings do not count, and hooks go by the strictest rules"
    return Problem(
        name=error.name,
        message=message,
        hint=error.hint,
        origin=Origin(file=error.place or settings_path(environ)),
    )


def _demands(dialect: str) -> bool:
    from hookline.engine.catalog import make_dialect  # noqa: PLC0415 - it is loaded by the time that a hook runs

    return make_dialect(dialect).table.approvals


def gate_of(given: Gate | Late | None) -> Gate | None:
    """The gate that an engine was given, made if it was to be made late.

    Raises:
        ConfigError: the settings are wrong.
    """
    return given.gate if isinstance(given, Late) else given


def gated(asked: Dispatch, gate: Gate | Late) -> Dispatch:
    """The dispatch, in which a hook that may not run has its outcome at once, and any other is pinned to what was verified."""
    try:
        runs = next(asked)
        while True:
            passes = [
                None if type(run.spec.handler) is InProcess else gate.admit(run) for run in runs
            ]
            going = [_going(run, one) for run, one in zip(runs, passes, strict=True)]
            asks = tuple(run for run in going if run is not None)
            done = iter((yield asks) if asks else ())
            runs = asked.send(tuple(_outcome(gate, one, done) for one in passes))
    except StopIteration as stop:
        decision: Decision = stop.value
        return decision


def _going(run: Run, one: Pass | Outcome | None) -> Run | None:
    """The run as it goes on; None where it does not."""
    if one is None:
        return run
    if isinstance(one, Outcome):
        return None
    if not run.detached or one.standing is None:
        return one.run
    seen = one.standing.print  # whoever waits for its end asks no gate
    return one.run.replace(identity=seen.identity, content=seen.content)


def _outcome(gate: Gate | Late, one: Pass | Outcome | None, done: Iterator[Outcome]) -> Outcome:
    if isinstance(one, Outcome):
        return one
    return next(done) if one is None else gate.settled(one, next(done))
