"""The command `hookline`: looks at its first word, and loads no more than that word needs."""

from __future__ import annotations

import sys

if __name__ == "__main__" and __spec__ is not None and not sys.flags.safe_path:
    # `-m` puts the folder in which it is typed before all others, so that a clone's `json.py` would
    # be ours.
    del sys.path[0]

import gc

import hookline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from hookline.handlers.supervisor import AnswerPipe

_MUCH = 200_000  # objects: a process for one event has fewer, so a search for garbage finds nothing


def main() -> None:
    """Run the command line and exit with its code."""
    words = sys.argv[1:]
    match words[:1]:
        case [_] if "--help" in words or "-h" in words:
            sys.exit(_run_app(words))
        case ["answer"]:
            gc.set_threshold(_MUCH)
            _end(_load("cli.supervised_answer", "answer_supervised")(words[1:]))
        case ["fire"]:
            gc.set_threshold(_MUCH)
            _end(_supervise("hookline fire", lambda answers: _fire(words[1:], answers)))
        case ["serve", *_]:
            _end(_supervise("hookline serve", lambda _: _run_app(words)))
        case ["--version" | "-V"]:
            sys.stdout.write(f"hookline {hookline.__version__}\n")
        case _:
            sys.exit(_run_app(words))


def _load(module: str, name: str) -> Callable[..., int]:
    """Return a function of a module that only this command needs."""
    function: Callable[..., int] = getattr(__import__(f"hookline.{module}", fromlist=[name]), name)
    return function


def _supervise(name: str, work: Callable[[AnswerPipe | None], int]) -> int:
    return _load("handlers.supervisor", "supervise")(name, work)


def _fire(words: list[str], answers: AnswerPipe | None) -> int:
    # The worker loads it, and its supervisor does not.
    return _load("cli.fire", "fire_main")(words, answers)


def _run_app(words: list[str]) -> int:
    return _load("cli.app", "app_main")(words)


def _end(code: int) -> NoReturn:
    """Exit without the last search for garbage, which takes a tenth of what an event takes."""
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
