"""Front matter: where, in the bytes of a file, the lines between two fences end, so that whoever reads it may stop there."""

from __future__ import annotations

import re

# The most that is read in search of an end, in bytes, and the most that is taken for metadata, in characters.
FRONT_LIMIT = 64 << 10
# A fence is a whole line `---`; a byte order mark before it, CR line ends and trailing blanks are tolerated (agenthooks.md 4).
_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*(?=[\r\n])")
_CLOSING = re.compile(rb"[\r\n]---[ \t]*(?:\r\n|\r|\n)")


def front_end(raw: bytes) -> int:
    """How many bytes the front matter takes, both fences included; 0 where there is none, or no end of it in these bytes."""
    opening = _OPENING.match(raw)
    closing = _CLOSING.search(raw, opening.end()) if opening else None
    return closing.end() if closing else 0
