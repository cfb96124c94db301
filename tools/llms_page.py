"""`llms.txt`: a list of the pages of the site, for language models (llmstxt.org)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
_HEAD = """\
# hookline

> Runs the hooks of AI agents. You write a guard once, and every agent obeys it; each verdict is
> explained.
"""
_SECTION = re.compile(r"  - (.+):$")
_PAGE = re.compile(r"^ +- (?:[^:]+: )?(\S+\.md)$")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


def llms_page(generated: Mapping[Path, str]) -> str:
    """Return the sections of the navigation with their pages, in its order.

    `generated`: the text of pages that may not be written yet.

    Raises:
        SystemExit: a page is not in the navigation.
    """
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = {page[1] for line in navigation.splitlines() if (page := _PAGE.fullmatch(line))}
    pages = {
        path.relative_to(DOCS).as_posix()
        for path in {*DOCS.rglob("*.md"), *generated}
        if path.suffix == ".md" and path.parent.name != "decisions"
    }
    if pages - listed:
        missing = ", ".join(f"docs/{page}" for page in sorted(pages - listed))
        raise SystemExit(f"add to the navigation in mkdocs.yml: {missing}")
    parts = [_HEAD, "## Start\n"]
    for line in navigation.splitlines():
        if section := _SECTION.fullmatch(line):
            parts.append(f"\n## {section[1]}\n")
        elif page := _PAGE.fullmatch(line):
            parts.append(_describe(page[1], generated))
    return "\n".join(parts) + "\n"


def _describe(page: str, generated: Mapping[Path, str]) -> str:
    """Return a page's title and its address in the site."""
    path = DOCS / page
    title = _TITLE.search(generated.get(path) or path.read_text(encoding="utf-8"))
    address = page.removesuffix("index.md").removesuffix("README.md")
    address = f"{address.removesuffix('.md')}/" if address.endswith(".md") else address
    return f"- [{title[1] if title else page}]({address or './'})"
