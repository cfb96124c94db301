"""`llms.txt`: a list of the pages of the site, for language models (llmstxt.org)."""

from __future__ import annotations

import re
from pathlib import Path

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


def llms_page() -> str:
    """Return the sections of the navigation with their pages, in its order.

    Raises:
        SystemExit: a page is not in the navigation.
    """
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    parts = [_HEAD, "## Start\n"]
    for path in sorted(DOCS.rglob("*.md")):
        page = path.relative_to(DOCS).as_posix()
        if not re.search(rf" {re.escape(page)}$", navigation, re.MULTILINE) and (
            path.parent.name != "decisions"
        ):
            raise SystemExit(f"docs/{page} is not in the navigation of mkdocs.yml; add it there")
    for line in navigation.splitlines():
        if section := _SECTION.fullmatch(line):
            parts.append(f"\n## {section[1]}\n")
        elif page := _PAGE.fullmatch(line):
            parts.append(_describe(page[1]))
    return "\n".join(parts) + "\n"


def _describe(page: str) -> str:
    """Return a page's title and its address in the site."""
    title = _TITLE.search((DOCS / page).read_text(encoding="utf-8"))
    address = page.removesuffix("index.md").removesuffix("README.md")
    address = f"{address.removesuffix('.md')}/" if address.endswith(".md") else address
    return f"- [{title[1] if title else page}]({address or './'})"
