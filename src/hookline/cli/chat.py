"""`hookline chat`: one `/hooks` command as a person types it in a chat, answered as plain text."""

from __future__ import annotations

import os
from typing import Annotated

from hookline.chat import command
from hookline.cli import command_options
from hookline.cli.approve import has_terminal
from hookline.cli.exit_codes import FINDINGS, OK, print_message, print_text
from hookline.config.agent_hosts import require_person
from hookline.engine.journaling import open_journal
from hookline.errors import TrustError

_Text = Annotated[
    list[str], command_options.argument(metavar="TEXT", help="the command, for example /hooks list")
]
_Yes = Annotated[
    bool, command_options.option("--yes", help="approve although no person is at the terminal")
]
_WIDENING = frozenset({"approve", "revoke", "on", "off"})
_FAILED = "✗ HKL"  # how an answer begins that is a refusal


@command_options.select_hooks
def chat(*, selection: command_options.Selection, text: _Text, yes: _Yes = False) -> int:
    """Do what a `/hooks` command says, and print the answer of the chat.

    Raises:
        TrustError: `trust.unattended`, the command approves a hook and no person is at the terminal; `trust.below-agent`.
    """
    typed = " ".join(text)
    verb = _parse_verb(typed)
    if verb in _WIDENING:
        require_person(os.environ, f"hookline {verb}")
    if verb == "approve" and not yes and not has_terminal():
        raise TrustError(
            "no person is at the terminal to approve a hook",
            name="trust.unattended",
            hint='look with `hookline chat "/hooks list"`, then say --yes',
        )
    with selection.engine(journal=open_journal(os.environ, print_message)) as engine:
        answer = command(typed, engine=engine)
    print_text(answer + "\n")
    return FINDINGS if answer.startswith(_FAILED) else OK


def _parse_verb(typed: str) -> str:
    """The first word after `/hooks`."""
    words = typed.split(None, 2)
    return words[1].lower() if len(words) > 1 else ""
