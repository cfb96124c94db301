"""Advice: what to do about a problem, for a person who has a chat but no shell."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "/hooks"
# How to turn a switch on again, by the switch.
ON_AGAIN: Mapping[str, str] = {
    "environment": "unset the variable where the agent is started",
    "everywhere": f"{NAME} on everywhere",
    "project": f"{NAME} on",
}
# Problems whose own hint needs a shell. `{command}`: the hook's command, as shown; `{closes}`: how
# its format says that it fails closed.
_INSTEAD: Mapping[str, str] = {
    "check.unapproved": f"look at it, then: {NAME} approve {{command}}",
    "check.changed": f"{NAME} list shows what changed; if it is meant: {NAME} approve {{command}}",
    "check.off": f"{NAME} list shows what is off; {NAME} on {{command}} turns this one on",
    "hook.off": f"{NAME} on",
    "check.not-executable": "let the agent make the file executable",
    "check.exposed": "let the agent take the right to write it away from others, and look at it again",
    "check.interpreter": "let the agent see to its `#!` line, and to the ends of its lines",
    "check.broken": "let the agent see to its entry in the file",
    "check.failed": "let the agent run it by itself, and read what it prints",
    "check.timed-out": "make it faster, or give it a longer `timeout`",
    "check.never-matched": "see whether its matcher says what was meant",
    "check.fails-open": "say {closes} in its entry",
    "entry.not-executable": "let the agent make the file executable",
    "trust.ambiguous": "write it as it is shown",
    "trust.exposed": "let the agent take the right to write it away from others, and look at it again",
    "trust.missing": f"let the agent mend it, then: {NAME} approve {{command}}",
    "trust.unmatched": f"{NAME} list shows what is declared",
    "trust.self-approve": f"take it out of the settings; a person approves: {NAME} approve",
    "trust.unapproved-caller": f"look at it, then: {NAME} approve {{command}}",
}
# Replaces the message of `check.off`, which names shell commands.
OFF_MESSAGE = "it is switched off"


def find_hint(name: str, own: str, *, command: str = "<command>", closes: str = "") -> str:
    """Return what to do about a problem of this name, given its own hint."""
    if name == "check.fails-open" and not closes:
        return "its format has no word for a guard that fails closed"
    instead = _INSTEAD.get(name)
    return own if instead is None else instead.format(command=command, closes=f"`{closes}`")


def append_hint(text: str, hint: str) -> str:
    """Return a line with a hint in brackets."""
    return f"{text} ({hint})" if hint else text
