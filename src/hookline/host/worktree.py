"""Worktree: makes a git worktree for a session, with the consent of its hooks."""

from __future__ import annotations

import asyncio
import os
import re

from hookline.errors import ConfigError
from hookline.handlers.process import run_all
from hookline.handlers.process_spec import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.host.host import Host
    from hookline.host.loop import Run

_LONGEST = 60.0  # seconds of one git command
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,60}")


async def make_worktree(host: Host, run: Run, name: str) -> None:
    """Make a worktree beside the repository on a new branch, and let the session work there.

    Raises:
        ConfigError: git refuses, or a hook does; the worktree is removed again.
    """
    if not _NAME.fullmatch(name):
        raise _make_error(f"`{name:.80}` is no name for a worktree", "use letters and digits")
    needs = "--worktree needs a git repository"
    source = (await _git(run.session.cwd, "rev-parse", "--show-toplevel", hint=needs)).strip()
    path = f"{source}-{name}"
    branch = f"worktree-{name}"
    other = "choose another name; `git worktree list` and `git branch` show what exists"
    await _git(source, "worktree", "add", "-b", branch, path, hint=other)
    run.session.cwd = host.cwd = path
    decision = await run.events.fire(
        "worktree_create",
        worktree_path=path,
        worktree_branch=branch,
        worktree_source_dir=source,
    )
    if not decision.allowed:
        await _git(source, "worktree", "remove", "--force", path)
        await _git(source, "branch", "-D", branch)
        raise _make_error(f"a hook refused the worktree: {decision.reason}", "")
    held = run.session.contexts.get("session", ())
    run.session.contexts["session"] = (*held, *decision.for_agent)


async def _git(folder: str, *words: str, hint: str = "") -> str:
    program = Program(
        argv=("git", *words),
        stdin=b"",
        cwd=folder,
        env={**os.environ, "LC_ALL": "C"},
        timeout=_LONGEST,
    )
    outcome = (await asyncio.to_thread(run_all, [program]))[0]
    if outcome.failure is not None or outcome.exit_code:
        why = outcome.stderr.strip().rpartition("\n")[2] or outcome.detail
        raise _make_error(f"git {words[0]} failed: {why:.200}", hint)
    return outcome.stdout


def _make_error(message: str, hint: str) -> ConfigError:
    return ConfigError(message, name="config.option", hint=hint)
