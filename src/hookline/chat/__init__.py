"""hookline in a chat: `command("/hooks ...")` answers the text that a person typed.

The caller vouches that a person typed the text: text from a model or a web page must never get
here.
"""

from __future__ import annotations

import os

from hookline.chat.commands import append_hint, run_command
from hookline.config.project_env import drop_project_env
from hookline.engine.engine import Engine
from hookline.engine.journaling import open_journal
from hookline.errors import HookError
from hookline.sessions.store import Sessions
from hookline.text.terminal_escape import escape_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["command"]


def command(
    text: str,
    *,
    cwd: str = ".",
    who: str = "",
    environ: Mapping[str, str] | None = None,
    engine: Engine | None = None,
) -> str:
    """Run a chat command and return its answer, plain text of several lines.

    `text`: as it was typed, beginning with `/hooks`; a bot's name after it (`/hooks@bot`) is
    dropped. `cwd`: the project folder. `who`: the person, for the journal and the approvals; by
    default the user of this process. `engine`: a running engine, which first reads its files again;
    by default one for the hooks found from `cwd`. It raises nothing for what is typed or for the
    content of files (docs/formats/starchild.md 6.2).
    """
    try:
        if engine is None:
            lines = _run_in_folder(text, cwd, who, environ)
        else:
            engine.reload_if_changed()
            lines = run_command(engine, text, who)
    except HookError as error:
        lines = [append_hint(f"✗ {error.code} {error.message}", error.hint)]
    except OSError as error:
        lines = [f"✗ {(error.strerror or str(error)).lower()}"]
    # Each line separately: text from a file may contain line breaks, and must not start a line of
    # its own.
    return "\n".join(map(escape_line, lines)).rstrip("\n")


def _run_in_folder(text: str, cwd: str, who: str, environ: Mapping[str, str] | None) -> list[str]:
    """Run a command with an engine for the hooks found from a folder."""
    given = drop_project_env(os.environ, cwd).environ if environ is None else environ
    notes: list[str] = []
    journal = open_journal(given, notes.append)
    with Engine.discover(
        cwd,
        trust="approved",
        parses_new=True,
        environ=given,
        journal=journal,
        sessions=Sessions.of(given),
    ) as engine:
        lines = run_command(engine, text, who)
    return [*lines, *(f"note: {line}" for line in notes)]
