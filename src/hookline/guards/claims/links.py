"""Links in a text: URLs, addresses without a scheme, and paths of posts."""

from __future__ import annotations

import re

URLS = re.compile(
    r"https?://[^\s<>\"'`)\]}（），。；！？、】」*]+"
    r"|(?<![\w@/.-])(?:[a-z0-9-]{1,60}\.){1,5}[a-z]{2,12}/[^\s<>\"'`)\]}（），。；！？、】」*]*"
    r"|(?<![\w/.-])/(?:post|community)/[\w-]+"
)
_TRAILING = ".,;:!?*_"


def find_urls(text: str) -> tuple[str, ...]:
    """Return the links of a text, quotations and inline code included, each once."""
    return tuple(dict.fromkeys(found.rstrip(_TRAILING) for found in URLS.findall(text)))
