"""Outcome: what running a handler produced, before its meaning is read."""

from __future__ import annotations

import enum

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.verdict import Stance


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
    the stance that the failure stands for, whatever the hook's own `on_failure` says. `told`: the
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
