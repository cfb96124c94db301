"""The command `hookline`: looks at its first word, and loads no more than that word needs."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    words = sys.argv[1:]
    match words[:1]:
        case ["answer"]:
            from hookline.cli.answer import answer_main  # noqa: PLC0415 - a host starts this for every event

            sys.exit(answer_main(words[1:]))
        case ["fire"]:
            from hookline.cli.fire import fire_main  # noqa: PLC0415 - as above

            sys.exit(fire_main(words[1:]))
        case ["--version" | "-V"]:
            from hookline import __version__  # noqa: PLC0415 - as above

            sys.stdout.write(f"hookline {__version__}\n")
        case _:
            from hookline.cli.app import app_main  # noqa: PLC0415 - typer and rich cost more than all the rest

            sys.exit(app_main(words))


if __name__ == "__main__":
    main()
