"""Perl: a script's own bytes as the file that is read, under the script's name from its first line on."""

from __future__ import annotations

import re

from hookline.handlers.sealing.pieces import FDS, before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hookline.handlers.sealing.pieces import Pieces
    from hookline.handlers.sight.contents import Contents

# `-M` puts this before the first line, as a part of it: not a byte of the script moves, and `tell(DATA)` is what it is. `no 1000`, a
# version that no Perl has reached, is what can stand behind `-M` and loads nothing. The descriptor that was handed over is closed: Perl
# has opened what it is of once more.
_PRELUDE = (
    "-M-1000;BEGIN{{$0='{name}';local $!;open my $f,'<&=',{number};close $f}}\n#line 0 \"{path}\"\n"
)
# Options for which it is all the same which file is read; `-c` and `-d` name it, `-S` and `-x` look for it.
_OPTION = re.compile(r"-(?:[wWXtTUlanps]+|[IMm].*|C\w*|0\w*|F.*|i.*)", re.DOTALL)
_ITS_LINE = re.compile(rb"#!.*?perl[\w.]*((?:[ \t].*)?)")
_ASKS_FOR_ITS_FILE = re.compile(rb"(?:\bl?stat|-[a-zA-Z])\s*\(?\s*\*?(?:\w+::)*DATA\b")


def sealed(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str] | None:
    """The words that read the bytes; a script that tells its file from another runs from its place."""
    program, *options = before(words)
    path = words[-1]
    if notices(options, script) or not path.isprintable() or '"' in path:
        return None
    number = pieces.take(script)
    name = path.replace("\\", "\\\\").replace("'", "\\'")
    return [
        program,
        _PRELUDE.format(name=name, number=number, path=path),
        *options,
        f"{FDS}/{number}",
    ]


def notices(options: Sequence[str], script: Contents) -> bool:
    """Whether Perl is told to do something with the file itself, or the script asks what is known of it, or is another program's."""
    own = _ITS_LINE.match(script.head)
    if own is None and script.head[:2] == b"#!":
        return True  # Perl starts the program of that line, with the file
    told = [*options, *(own[1].decode("latin-1") if own else "").split()]
    return (
        not _are_known(word for each in told for word in each.split())
        or _ASKS_FOR_ITS_FILE.search(script.head) is not None
    )


def _are_known(options: Iterable[str]) -> bool:
    """Whether these are all options that may be; `-I` takes the next word."""
    left = iter(options)
    return all(
        (word == "-I" and next(left, "")) or (word != "-I" and _OPTION.fullmatch(word))
        for word in left
    )
