"""Git builtins: status, changes and last commits of a repository (docs/formats/docker-agent.md 8).

Git runs like any hook's program: with limits on time and output, and with its processes cleaned up.
Of the programs that a repository's own configuration can start, only attribute filters remain,
because Git needs them to see what changed.
"""

from __future__ import annotations

import json
import os

from hookline.handlers import command
from hookline.handlers.builtins.call import BuiltinCall, make_context
from hookline.handlers.builtins.facts import parse_count
from hookline.handlers.process_spec import Program
from hookline.handlers.process_tree import COOKIE
from hookline.model.verdict import Failure, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

MOST = 4096  # bytes of UTF-8 for the model
_CUT = "... (cut at 4 KB)"
_COMMITS = 10
CAREFUL = (
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "color.ui=false",
)
# Inherited variables that stay: they select the user's configuration and the search for a
# repository. All others could redirect Git (a Git hook that starts an agent sets GIT_DIR and
# GIT_INDEX_FILE), start a program, or write a trace. Variables that the hook itself declares stay
# too.
_KEPT = frozenset(
    {
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CEILING_DIRECTORIES",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    }
)
# Without these, a partial clone could fetch objects with a program from its configuration, or Git
# could ask for a password.
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


def add_git_status(asked: BuiltinCall) -> Program | None:
    """Handle `turn_start`: branch and changed files, one line each."""
    return _make_program(
        asked,
        "Git status:",
        "-c",
        "color.status=false",
        "status",
        "--short",
        "--branch",
    )


def add_git_diff(asked: BuiltinCall) -> Program | None:
    """Handle `turn_start`: changes of the working tree as statistics, or in full with `full`.

    Nothing if it is clean.
    """
    plain = ("diff", "--no-color", "--no-ext-diff", "--no-textconv")
    if asked.args[:1] == ("full",):
        return _make_program(asked, "Current working-tree diff:", *plain)
    return _make_program(asked, "Current working-tree diff (stat):", *plain, "--stat")


def add_recent_commits(asked: BuiltinCall) -> Program | None:
    """Handle `session_start`: the last N commits, one line each.

    10 if N is not a positive number.
    """
    count = (parse_count(asked.args[0]) if asked.args else 0) or _COMMITS
    return _make_program(
        asked,
        "Recent commits:",
        "log",
        "--no-color",
        "--no-show-signature",
        "--oneline",
        "-n",
        str(count),
    )


def _make_program(asked: BuiltinCall, heading: str, *words: str) -> Program | None:
    """Return the Git command to run; None without a folder or without Git."""
    folder = asked.event.cwd
    if not folder or not os.path.isdir(folder):
        return None
    git = command.find_on_path("git", asked.environ)
    if not git:
        return None
    return Program(
        argv=(git, *CAREFUL, *words),
        stdin=b"",
        cwd=folder,
        env=_environment(asked),
        timeout=asked.timeout,
        cookie=asked.cookie,
        kill_leftovers=True,
        read=lambda outcome: _read_output(outcome, heading),
    )


def _environment(asked: BuiltinCall) -> dict[str, str]:
    env = make_environment(asked.environ, asked.declared)
    return {**env, COOKIE: command.extend_cookies(asked.environ, asked.cookie)}


def make_environment(environ: Mapping[str, str], declared: Collection[str] = ()) -> dict[str, str]:
    """Return the variables for Git: those that redirect it stay only where a hook declares them."""
    env = {
        name: text
        for name, text in environ.items()
        if not name.startswith("GIT_") or name in _KEPT or name in declared
    }
    return {**env, **_OURS}


def _read_output(outcome: Outcome, heading: str) -> Outcome:
    """Return Git's output below its heading; no output without a repository.

    A failure if Git fails in one.
    """
    if outcome.failure not in (
        None,
        Failure.FLOODED,
    ):  # the beginning of a very long output is enough
        return outcome
    if outcome.exit_code:
        if any(words in outcome.stderr.lower() for words in _NO_REPOSITORY):
            return Outcome(exit_code=0, seconds=outcome.seconds)
        return outcome.replace(stdout="")
    text = truncate(outcome.stdout.rstrip())
    return Outcome(
        exit_code=0,
        stdout=json.dumps(make_context(f"{heading}\n{text}")) if text else "",
        seconds=outcome.seconds,
    )


def truncate(text: str) -> str:
    """Cut a text to 4 KB between two characters, with a note."""
    octets = text.encode()
    return text if len(octets) <= MOST else f"{octets[:MOST].decode(errors='ignore')}\n{_CUT}"
