"""Findings: what a guard has against an event, and its whole answer."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.event import Rewrite
    from hookline.model.spec import Command, Http

# The rule of a finding that says what a guard could not read or decide.
UNVERIFIED = "unverified"


class Finding(Frozen):
    """One thing that a guard has against an event.

    Attributes:
        rule: the id of the guard's rule, or `unverified`.
        reason: a sentence without a full stop; it never repeats a secret.
        evidence: what shows it, such as the resolved command; masked.
        instead: a safer alternative, as a phrase that an agent can follow; may be empty.
        stance: what it asks for. SILENT: a note to the user only.
        command: the command that it is about, for exceptions.
        paths: the absolute paths that it is about, for exceptions.
    """

    rule: str
    reason: str
    evidence: str = ""
    instead: str = ""
    stance: Stance = Stance.DENY
    command: str = ""
    paths: tuple[str, ...] = ()


class Append(Frozen):
    """A line for a log file, which only the user can read.

    Attributes:
        path: absolute, from `~`, or relative to the folder `logs` of hookline's state.
        line: what to append, without a line break.
        largest: bytes; before the file gets larger, it is put aside as `PATH.1`.
    """

    path: str
    line: str
    largest: int


class Answer(Frozen):
    """What a guard answers: findings, and changes that need no refusal.

    `rewrite`: a masked text or input; dropped if a finding refuses. `for_user`, `for_agent`: texts.
    `state`: the guard's new memory of the session, None to keep the old one. `redo_limit`: how
    often this guard may send the agent back in a turn. `appends`: lines for log files. `sends`: an
    address or a program that receives a message; if that fails, the guard has failed.
    """

    findings: tuple[Finding, ...] = ()
    rewrite: Rewrite | None = None
    for_user: str = ""
    for_agent: str = ""
    state: Any = None
    redo_limit: int | None = None
    appends: tuple[Append, ...] = ()
    sends: Command | Http | None = None
