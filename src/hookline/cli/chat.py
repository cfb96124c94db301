"""`hookline chat`: one `/hooks` command as a person types it in a chat, answered as plain text."""

from __future__ import annotations

import os

from hookline.chat import command
from hookline.cli.approve import has_terminal
from hookline.cli.options import Selection, option
from hookline.cli.output import FINDINGS, OK, print_text
from hookline.config.agent_hosts import require_person
from hookline.errors import TrustError

_WIDENING = frozenset({"approve", "revoke", "on", "off"})
_FAILED = "✗ HKL"  # how an answer begins that is a refusal


def chat(
    selection: Selection,
    *,
    text: list[str] = option("TEXT...", "the command, as in a chat: /hooks list"),
    yes: bool = option("--yes", "approve without a person at the terminal"),
) -> int:
    """Do what a `/hooks` command says, and print the answer of the chat.

    Raises:
        TrustError: `trust.unattended`, the command approves a hook and no person is at the
            terminal; `trust.below-agent`.
    """
    typed = " ".join(text)
    verb = "".join(typed.split()[1:2]).lower()  # the word after `/hooks`
    if verb in _WIDENING:
        require_person(os.environ, f"hookline {verb}")
    if verb == "approve" and not yes and not has_terminal():
        raise TrustError(
            "no person is at the terminal to approve a hook",
            name="trust.unattended",
            hint='look with `hookline chat "/hooks list"`, then say --yes',
        )
    with selection.open() as engine:
        answer = command(typed, engine=engine)
    print_text(answer + "\n")
    return FINDINGS if answer.startswith(_FAILED) else OK
