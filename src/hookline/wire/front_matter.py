"""Front matter: where it ends in the bytes of a file, so that a reader can stop there."""

from __future__ import annotations

import re

# How many bytes to search for the end, and how many characters of metadata to accept.
FRONT_LIMIT = 64 << 10
# A fence is a whole line `---`; a byte order mark before it, CR line ends and trailing blanks are
# tolerated (docs/formats/agenthooks.md 4).
_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*(?=[\r\n])")
_CLOSING = re.compile(rb"[\r\n]---[ \t]*(?:\r\n|\r|\n)")


def find_front_matter_end(raw: bytes) -> int:
    """Return the length of the front matter in bytes, both fences included.

    0 if there is none, or no end in these bytes.
    """
    opening = _OPENING.match(raw)
    closing = _CLOSING.search(raw, opening.end()) if opening else None
    return closing.end() if closing else 0
