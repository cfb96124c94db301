"""Git: what a repository tells of itself: its status, its changes, its last commits (docs/formats/docker-agent.md 8).

Git is a program like any hook's: bounded in time and output, and nothing of it stays behind. Of what a repository's own
configuration could make it start, only the filters of its attributes are left: without them git cannot tell what changed.
"""

from __future__ import annotations

import json
import os

from hookline.handlers import command
from hookline.handlers.builtins.asked import context, whole
from hookline.handlers.escapees import COOKIE
from hookline.handlers.program import Errand, Program
from hookline.model.outcome import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.handlers.builtins.asked import Asked

MOST = 4096  # bytes of UTF-8 that the model is told
_CUT = "... (cut at 4 KB)"
_COMMITS = 10
_CAREFUL = (
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "color.ui=false",
)
# Inherited variables that stay: they say which configuration is the user's, and how far up a repository is looked for. All
# others could point git elsewhere (a hook of git's own that starts an agent sets GIT_DIR and GIT_INDEX_FILE), make it start
# a program, or make it write a trace. What the hook itself declares is meant.
_KEPT = frozenset(
    {
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CEILING_DIRECTORIES",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    }
)
# A partial clone would fetch what it lacks, by a program that its configuration names; nobody is asked for a password.
_OURS = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_NO_REPOSITORY = (
    "not a git repository",
    "must be run in a work tree",
    "does not have any commits yet",
)


def add_git_status(asked: Asked) -> Errand | None:
    """On `turn_start`: branch and changed files, a line each."""
    return _errand(
        asked,
        "turn.start",
        "Git status:",
        "-c",
        "color.status=false",
        "status",
        "--short",
        "--branch",
    )


def add_git_diff(asked: Asked) -> Errand | None:
    """On `turn_start`: what the working tree changed, as statistics or, with `full`, whole; nothing where it is clean."""
    plain = ("diff", "--no-color", "--no-ext-diff", "--no-textconv")
    if asked.args[:1] == ("full",):
        return _errand(asked, "turn.start", "Current working-tree diff:", *plain)
    return _errand(asked, "turn.start", "Current working-tree diff (stat):", *plain, "--stat")


def add_recent_commits(asked: Asked) -> Errand | None:
    """On `session_start`: the last N commits, a line each; 10 where N is no number above 0."""
    count = (whole(asked.args[0]) if asked.args else 0) or _COMMITS
    return _errand(
        asked,
        "session.start",
        "Recent commits:",
        "log",
        "--no-color",
        "--no-show-signature",
        "--oneline",
        "-n",
        str(count),
    )


def _errand(asked: Asked, kind: str, heading: str, *words: str) -> Errand | None:
    """What git is sent to find out; nothing on another event, without a folder, and on a machine without git."""
    folder = asked.event.cwd
    if asked.event.kind != kind or not folder or not os.path.isdir(folder):
        return None
    git = command.on_path("git", asked.environ)
    if not git:
        return None
    program = Program(
        argv=(git, *_CAREFUL, *words),
        stdin=b"",
        cwd=folder,
        env=_environment(asked),
        timeout=asked.timeout,
        cookie=asked.cookie,
        kill_leftovers=True,
    )
    return Errand(program=program, read=lambda outcome: _read(outcome, heading))


def _environment(asked: Asked) -> dict[str, str]:
    env = {
        name: text
        for name, text in asked.environ.items()
        if not name.startswith("GIT_") or name in _KEPT or name in asked.declared
    }
    return {**env, **_OURS, COOKIE: command.runs(asked.environ, asked.cookie)}


def _read(outcome: Outcome, heading: str) -> Outcome:
    """What git said, below its heading; silence where there is no repository; git's failure where there is one."""
    if outcome.failure not in (
        None,
        Failure.FLOODED,
    ):  # a flood is a long text, of which the beginning is wanted
        return outcome
    if outcome.exit_code:
        if any(words in outcome.stderr.lower() for words in _NO_REPOSITORY):
            return Outcome(exit_code=0, seconds=outcome.seconds)
        return outcome.replace(stdout="")
    text = cut(outcome.stdout.rstrip())
    return Outcome(
        exit_code=0,
        stdout=json.dumps(context(f"{heading}\n{text}")) if text else "",
        seconds=outcome.seconds,
    )


def cut(text: str) -> str:
    """A text of at most 4 KB, cut between two characters, and saying so."""
    octets = text.encode()
    return text if len(octets) <= MOST else f"{octets[:MOST].decode(errors='ignore')}\n{_CUT}"
