"""Runs guards as a script that a host starts: its payload on stdin, its own answer on stdout.

The scripts below `templates/starchild`, and those that `hookline new guard` writes, are a list of
guards and a call of `run`.
"""

from __future__ import annotations

import json
import os
import sys
from tempfile import TemporaryDirectory

from hookline.engine.engine import Engine
from hookline.errors import HookError
from hookline.sessions.store import Sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn


_FAILED = 1
_CWD = "cwd"


def run(
    guards: Sequence[Any],
    *,
    dialect: str = "starchild",
    tests: Sequence[Any] = (),
    exceptions: Sequence[Mapping[str, str]] = (),
) -> NoReturn:
    """Answer the event on standard input, as the host's own hook would, and end the process.

    With `--self-test` it plays the tests instead, and ends with 1 if one fails.

    Args:
        guards: entries of a `hookline.yaml`, such as `{"use": "commands"}`.
        dialect: the format of the host that starts the script.
        tests: name, payload, and a text that the answer must have in it; empty: no answer.
        exceptions: as in a `hookline.yaml`.
    """
    tree = {"version": 1, "hooks": list(guards), "exceptions": list(exceptions)}
    if "--self-test" in sys.argv[1:]:
        sys.exit(_test(tree, dialect, tests))
    try:
        with _open(tree, os.environ, Sessions.of(os.environ)) as engine:
            reply = engine.answer(dialect, sys.stdin.read())
    except HookError as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {error}")
    sys.stdout.write(reply.stdout)
    sys.stderr.write(reply.stderr)
    sys.stdout.flush()
    sys.exit(reply.exit_code)


def _open(
    tree: Mapping[str, Any], environ: Mapping[str, str], sessions: Sessions | None = None
) -> Engine:
    """Return the engine of a script.

    Raises:
        HookError: a guard or an option is wrong.
    """
    engine = Engine(environ=environ, sessions=sessions)
    engine.add_source(tree, dialect="hookline")
    wrong = [problem.message for problem in engine.problems if problem.severity == "error"]
    if wrong:
        raise HookError("; ".join(wrong))
    return engine


def _test(tree: Mapping[str, Any], dialect: str, tests: Sequence[Any]) -> int:
    """Play the tests without your own state, print each, and return the exit code."""
    failed = 0
    with (
        TemporaryDirectory() as state,
        _open(tree, {**os.environ, "XDG_STATE_HOME": state}) as engine,
    ):
        for name, payload, wanted in tests:
            told = engine.answer(dialect, {_CWD: os.getcwd(), **payload}).stdout.strip()
            passed = wanted in told if wanted else not told
            failed += not passed
            sys.stdout.write(f"{'ok' if passed else 'FAILED'}  {name}\n")
            if not passed:
                sys.stdout.write(f"  answer: {told or 'none'}; wanted: {json.dumps(wanted)}\n")
    sys.stdout.write(f"{len(tests)} tests: {failed} failed\n")
    return _FAILED if failed else 0
