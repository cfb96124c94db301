"""hookline in a chat: `command("/hooks ...")` takes the plain text that a person typed, and answers in plain text.

Whoever calls it vouches that a person typed the text: what a model or a web page wrote must never get here.
"""

from __future__ import annotations

from hookline.chat.hints import hint_of, with_hint
from hookline.chat.talk import Talk
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
    """Do what a chat command says, and return the answer: plain text, of several lines, without a model and without a restart.

    `text`: as it was typed, `/hooks` first, because nothing else is a command (a bot's name after it, as `/hooks@bot`, is dropped).
    `cwd`: the project folder. `who`: the person, as the journal and the approvals shall name them; without it, the user of this
    process. `engine`: one that runs already, whose files are read anew first; without it the hooks that are found from `cwd`.
    Never raises for what is typed, nor for what is in a file (docs/formats/starchild.md 6.2).
    """
    try:
        with Talk(cwd, who, environ, engine) as talk:
            return _shown(talk.answer(text))
    except HookError as error:
        return _shown(
            [with_hint(f"✗ {error.code} {error.message}", hint_of(error.name, error.hint))]
        )
    except OSError as error:
        return _shown([f"✗ {(error.strerror or str(error)).lower()}"])


def _shown(lines: Iterable[str]) -> str:
    # Line by line: what a file says may hold line breaks, and must not begin a line of its own.
    return "\n".join(map(escape_line, lines)).rstrip("\n")
