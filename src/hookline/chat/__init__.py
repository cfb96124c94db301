"""hookline in a chat: `command("/hooks ...")` takes the text that a person typed, and returns plain text.

The caller vouches that a person typed the text: text from a model or a web page must never get here.
"""

from __future__ import annotations

from hookline.chat.advice import append_hint, find_hint
from hookline.chat.commands import ChatCommand
from hookline.errors import HookError
from hookline.text.terminal_escape import escape_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hookline.engine.engine import Engine

__all__ = ["command"]


def command(
    text: str,
    *,
    cwd: str = ".",
    who: str = "",
    environ: Mapping[str, str] | None = None,
    engine: Engine | None = None,
) -> str:
    """Run a chat command and return its answer: plain text of several lines, without a model and without a restart.

    `text`: as it was typed, beginning with `/hooks`; a bot's name after it (`/hooks@bot`) is dropped.
    `cwd`: the project folder. `who`: the person, for the journal and the approvals; by default the user of this
    process. `engine`: a running engine, which first reads its files again; by default one for the hooks found from `cwd`.
    It raises nothing for what is typed or for the content of files (docs/formats/starchild.md 6.2).
    """
    try:
        with ChatCommand(cwd, who, environ, engine) as talk:
            return _to_text(talk.answer(text))
    except HookError as error:
        return _to_text(
            [append_hint(f"✗ {error.code} {error.message}", find_hint(error.name, error.hint))]
        )
    except OSError as error:
        return _to_text([f"✗ {(error.strerror or str(error)).lower()}"])


def _to_text(lines: Iterable[str]) -> str:
    # Each line separately: text from a file may contain line breaks, and must not start a line of its own.
    return "\n".join(map(escape_line, lines)).rstrip("\n")
