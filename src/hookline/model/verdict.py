"""What a run produced, what a hook means by it, and what the host must do because of all hooks."""

from __future__ import annotations

import enum

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.model.event import Rewrite


class Failure(enum.Enum):
    """Why a handler gave no answer. The hook's `on_failure` says what a failure means."""

    TIMED_OUT = "timed out"
    NOT_STARTED = "could not be started"
    UNREACHABLE = "could not be reached"
    REJECTED = "answered with an error"
    KILLED = "killed by a signal"
    FLOODED = "exceeded the output limit"
    RAISED = "raised an exception"
    UNSERIALISABLE = "payload cannot be serialised"
    UNREADABLE = "answered something that cannot be read"
    UNLOADABLE = "could not be loaded"
    UNDECIDED = "its matcher took too long"
    UNTRUSTED = "not approved"
    CHANGED = "changed since it was approved"
    REVOKED = "its approval was revoked"
    SWITCHED_OFF = "switched off"
    REENTERED = "called again from inside itself"
    CANCELLED = "cancelled"


# The reasons for which hookline deliberately did not run a hook.
BARRED = frozenset({Failure.UNTRUSTED, Failure.CHANGED, Failure.REVOKED, Failure.SWITCHED_OFF})
# The detail of a run that timed out before it started.
TOO_LATE = "before it could start"


class Outcome(Frozen):
    """What a run produced, uninterpreted.

    `exit_code` is None if no process ended by itself; an address that answered has 0. `stdout` and
    `stderr` are text (undecodable bytes replaced), at most the kept part of the stream; `truncated`
    says that there was more. `answer` is what an in-process handler returned. `detail` describes a
    failure; `seconds` is wall time; `leftovers` says that the hook left processes running. `spent`:
    it may run only once, and did so in another process of the session. `background`: it continues
    in the background and answers later. `identity`: its approval, and `content`: the digest of the
    files that it ran, if they were inspected. `note`: a message of the gate to the user. `means`:
    the stance that the failure means, whatever the hook's own `on_failure` says. `told`: the
    user of this session knows of it already. `distrusted`: the hook's files changed while it ran,
    so only a denial of its answer counts, and at least this stance.
    """

    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    answer: Any = None
    failure: Failure | None = None
    detail: str = ""
    seconds: float = 0.0
    truncated: bool = False
    leftovers: bool = False
    note: str = ""
    means: Stance | None = None
    spent: bool = False
    content: str = ""
    told: bool = False
    distrusted: Stance | None = None
    identity: str = ""
    background: bool = False


SCHEMA = "hookline.decision/1"


class RemoteHandlerError(Exception):
    """A handler on another thread, in another process or on another machine returned no answer."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


class Stance(enum.IntEnum):
    """From the weakest claim to the strongest.

    SILENT is no opinion; ALLOW approves (the host may skip its prompt); ASK wants a person; DENY
    refuses (at a stop gate: continue working, with the reason as the instruction); HALT ends the
    run.
    """

    SILENT = 0
    ALLOW = 1
    ASK = 2
    DENY = 3
    HALT = 4

    @property
    def word(self) -> str:
        """Return the stance as documents and powers spell it: `deny`."""
        return self.name.lower()


NO_EFFECTS: Mapping[str, Any] = {}


class Verdict(Frozen):
    """One hook's opinion.

    `fault` says what went wrong with the hook, if anything did; `ends` keeps the remaining hooks of
    its source from running; `effects` are those that have no field of their own (env, title, watch,
    grant ...), by power; `unsupported` lists what the hook asked for that its own dialect does not
    honour on this event; an entry may say why after `: `. `redo_limit`: how often this hook may
    send the agent back in one turn, if it says so itself (0: no limit). `late`: a detached hook
    gave it after its own event, and this event delivers it. `identity`: the hook's approval, and
    `content`: the digest of the files that it runs, if they were inspected. `told`: the user of
    this session knows of its fault already. `stdout`: the hook's output, if its dialect keeps that
    in the result. `labels`: words by which the caller sorts results. `warnings`: texts for the
    user, whatever the decision.
    """

    hook_id: str = ""
    stance: Stance = Stance.SILENT
    reason: str = ""
    evidence: Any = None
    rewrite: Rewrite | None = None
    for_agent: str = ""
    for_user: str = ""
    retry_after: float | None = None
    effects: Mapping[str, Any] = NO_EFFECTS
    unsupported: tuple[str, ...] = ()
    ends: bool = False
    fault: str | None = None
    exit_code: int | None = None
    seconds: float = 0.0
    shadow: bool = False
    redo_limit: int | None = None
    late: bool = False
    content: str = ""
    identity: str = ""
    told: bool = False
    stdout: str = ""
    labels: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def is_silent(self) -> bool:
        """Return whether it asks for nothing, so that it changes no decision."""
        return not (
            self.stance
            or self.for_agent
            or self.for_user
            or self.warnings
            or self.effects
            or self.unsupported
            or self.rewrite is not None
            or self.evidence is not None
            or self.retry_after is not None
        )

    def to_dict(self) -> dict[str, Any]:
        """Return an entry of `verdicts` in a decision document.

        `stdout` is there only if the dialect keeps it.
        """
        document = {
            "hook": self.hook_id,
            "stance": self.stance.word,
            "reason": self.reason,
            "rewrite": self.rewrite.to_dict() if self.rewrite else None,
            **self.as_dict("for_agent", "for_user"),
            "labels": list(self.labels),
            "warnings": list(self.warnings),
            **self.as_dict("fault", "exit_code", "seconds", "shadow"),
        }
        if self.stdout:
            document["stdout"] = self.stdout
        return document


class Lowered(Frozen):
    """An effect that could not be carried out: which, of which hook, and why."""

    effect: str
    reason: str
    hook: str = ""


class Decision(Frozen):
    """What the host must do, and every verdict behind it.

    `rewrite` carries the complete effective value; `redo`: a stop gate sends the agent back to
    work; `retry_after` is in seconds; `lowered` lists every effect that the event or the host could
    not express. `decider` is the id of the hook whose verdict gave the stance; empty if the
    decision is silent, or follows from several verdicts. `shadow`: the decision as if shadow hooks
    counted; None if none ran.
    """

    kind: str
    dialect: str
    native_event: str
    stance: Stance = Stance.SILENT
    decider: str = ""
    reason: str = ""
    evidence: Any = None
    rewrite: Rewrite | None = None
    for_agent: tuple[str, ...] = ()
    for_user: tuple[str, ...] = ()
    retry_after: float | None = None
    redo: bool = False
    effects: Mapping[str, Any] = NO_EFFECTS
    lowered: tuple[Lowered, ...] = ()
    seconds: float = 0.0
    verdicts: tuple[Verdict, ...] = ()
    shadow: Decision | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of all verdicts that count, each once, in the order of the plan."""
        return _united(verdict.labels for verdict in self.verdicts if not verdict.shadow)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warnings of all verdicts that count, each once, in the order of the plan."""
        return _united(verdict.warnings for verdict in self.verdicts if not verdict.shadow)

    @property
    def allowed(self) -> bool:
        """Return whether the action may go ahead without asking a person."""
        return self.stance < Stance.ASK

    def to_dict(self) -> dict[str, Any]:
        """Return the decision document, `hookline.decision/1`.

        `effects` is there only if a hook used one.
        """
        document = {
            "schema": SCHEMA,
            **self.as_dict("kind", "dialect", "native_event"),
            "stance": self.stance.word,
            **self.as_dict("decider", "reason", "evidence"),
            "rewrite": self.rewrite.to_dict() if self.rewrite else None,
            "for_agent": list(self.for_agent),
            "for_user": list(self.for_user),
            "labels": list(self.labels),
            "warnings": list(self.warnings),
            **self.as_dict("retry_after", "redo"),
            "lowered": [entry.as_dict() for entry in self.lowered],
            "seconds": self.seconds,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
        }
        if self.effects:
            document["effects"] = dict(self.effects)
        return document


def _united(texts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for several in texts for text in several))


class Reply(Frozen):
    """What a command hook of that host would print, and its exit code."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
