"""The command `hookline`: looks at its first word, and loads no more than that word needs."""

from __future__ import annotations

import sys

if __name__ == "__main__" and __spec__ is not None and not sys.flags.safe_path:
    # `-m` puts the folder in which it is typed before all others, so that a clone's `json.py` would
    # be ours.
    del sys.path[0]

import gc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from hookline.handlers.supervisor import AnswerPipe

_MUCH = 200_000  # objects: a process for one event has fewer, so a search for garbage finds nothing


def main() -> None:
    """Run the command line and exit with its code."""
    words = sys.argv[1:]
    match words[:1]:
        case [_] if "--help" in words or "-h" in words:
            sys.exit(_app(words))
        case ["answer"]:
            gc.set_threshold(_MUCH)
            # A host starts this for every event.
            from hookline.cli.supervised_answer import answer_supervised  # noqa: PLC0415

            _end(answer_supervised(words[1:]))
        case ["fire"]:
            gc.set_threshold(_MUCH)
            from hookline.handlers.supervisor import supervise  # noqa: PLC0415 - as above

            _end(supervise("hookline fire", lambda answers: _fire(words[1:], answers)))
        case ["serve", *_]:
            from hookline.handlers.supervisor import supervise  # noqa: PLC0415 - as above

            _end(supervise("hookline serve", lambda _: _app(words)))
        case ["--version" | "-V"]:
            from hookline import __version__  # noqa: PLC0415 - as above

            sys.stdout.write(f"hookline {__version__}\n")
        case _:
            sys.exit(_app(words))


def _fire(words: list[str], answers: AnswerPipe | None) -> int:
    # A worker loads it, and its supervisor does not.
    from hookline.cli.fire import fire_main  # noqa: PLC0415

    return fire_main(words, answers)


def _app(words: list[str]) -> int:
    from hookline.cli.app import app_main  # noqa: PLC0415 - a host never starts these

    return app_main(words)


def _end(code: int) -> NoReturn:
    """Exit without the last search for garbage, which takes a tenth of what an event takes."""
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
