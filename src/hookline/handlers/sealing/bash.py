"""Bash: a script as the file that it is to bash, and under its own name, for versions 5.1 to 5.3."""

from __future__ import annotations

import os
import re

from hookline.handlers.sealing.pieces import FDS, before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.handlers.sealing.pieces import Pieces
    from hookline.handlers.sight.contents import Contents

_ENV = "/usr/bin/env"
# A `BASH_SOURCE` that comes from the environment is a variable like any other. Unset, and made anew as an array, it is the one in which
# bash keeps the places of calls, with the script's name at its bottom. All is one command, whose last word is what `$_` was.
_PRELUDE = b"""eval "exec ${0##*/}<&-"'; BASH_ARGV0=$BASH_SOURCE; unset -v BASH_SOURCE; BASH_SOURCE=("$0") #' "${_%%$'\\n'*}"; """
# Options for which it is all the same what stands before the script's first word; the last ones take a name.
_OPTION = re.compile(r"--(?:norc|noprofile|posix)|[-+][eufhBCEHPTp]+|[-+][eufhBCEHPTp]*[oO]")
_TELLING = frozenset({"allexport", "extdebug", "keyword", "noexec", "onecmd", "verbose", "xtrace"})
# Variables because of which bash runs something before the script, or tells what it runs.
_LEADING = ("BASH_ENV", "BASH_SOURCE", "SHELLOPTS", "BASHOPTS")
_VERSION = b"@(#)Bash version "
# Each of these was tried; 5.0 is the first that lets a script set `$0`, and nobody knows how a 6 keeps the places of calls.
_MADE_FOR = {b"5.1", b"5.2", b"5.3"}

_versions: dict[tuple[str, int], bytes] = {}


def sealed(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str] | None:
    """The words that run the bytes; None where bash, or what it is told, does not allow it without a difference."""
    program, *options = before(words)
    if script.data is None or script.head[:1] not in (b"#", b"\n") or not _are_known(options):
        return None  # what stands in the first line is read before any of it is run
    if (
        "=" in program
        or not os.access(_ENV, os.X_OK)
        or any(name in pieces.env for name in _LEADING)
    ):
        return None
    if _version(pieces.program(program)) not in _MADE_FOR:
        return None
    return [
        _ENV,
        f"BASH_SOURCE={words[-1]}",
        program,
        *options,
        f"{FDS}/{pieces.put(_PRELUDE + script.data)}",
    ]


def _are_known(options: Sequence[str]) -> bool:
    left = iter(options)
    return all(
        _OPTION.fullmatch(word) and (word[-1] not in "oO" or next(left, "xtrace") not in _TELLING)
        for word in left
    )


def _version(path: str) -> bytes:
    """Which bash a file is, by what it says of itself; nothing where it is none."""
    import mmap  # noqa: PLC0415 - only scripts of bash need it

    try:
        with open(path, "rb") as file:
            key = path, os.fstat(file.fileno()).st_mtime_ns
            if key not in _versions:
                with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as held:
                    at = held.find(_VERSION)
                    found = (
                        re.match(rb"\d+\.\d+", held[at + len(_VERSION) :][:8]) if at >= 0 else None
                    )
                _versions[key] = found[0] if found else b""
            return _versions[key]
    except (OSError, ValueError):
        return b""
