"""Links of the pages outside the site lead somewhere; `make site` checks those of the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r"(?<!`)\]\(([^)\s]+)\)|<img [^>]*src=\"([^\"]+)\"")
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
PAGES = [
    path.relative_to(ROOT).as_posix()
    for folder in (".", "bench", "examples", "tests")
    for path in sorted((ROOT / folder).glob("*.md" if folder == "." else "**/*.md"))
]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    titles = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES)
def test_a_link_leads_somewhere(page: str) -> None:
    """To a file of this repository, and to a heading of it."""
    text = _CODE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    links = [first or second for first, second in _LINK.findall(text)]
    lost = []
    for link in [link for link in links if not link.startswith(("http:", "https:", "mailto:"))]:
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)

    assert lost == []
