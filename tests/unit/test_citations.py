"""Every section that code, tests and docs cite stands in a page of this repository."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hookline.engine.catalog import NAMES, make_dialect

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
ENDINGS = (".py", ".md", ".json", ".proto", ".toml")
CITING = sorted(
    path
    for folder in ("src", "tests", "docs", "bench", "tools")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in ENDINGS and path.is_file() and "vectors" not in path.parts
)
VECTORS = sorted((ROOT / "tests/conformance/vectors").iterdir())
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md")])
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
BLOCK = re.compile(r"```.*?```", re.DOTALL)
# `docs/formats/codex.md 5`, and what follows it: `, 6`, `: output; 4`, `; 8.3`.
CITED = re.compile(r"\b(docs/[\w/-]+\.md)`?((?: |, |: [^;\n\"()]*; |; )\d[\d.]*)*")
NUMBER = re.compile(r"(?: |, |; )(\d+(?:\.\d+)?)")
HEADING = re.compile(r"#+ (\d+(?:\.\d+)?)[. ]")
ROW = re.compile(r"(?:\| )?(\d+)(?:\. | \|)")


@cache
def sections(page: str) -> frozenset[str]:
    """The numbers of a page: of its headings, and `8.3` for item or row 3 of section 8."""
    found, section = set(), ""
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if heading := HEADING.match(line):
            section = heading[1]
            found.add(section)
        elif section and (row := ROW.match(line)):
            found.add(f"{section}.{row[1]}")
    return frozenset(found)


def citations(path: Path) -> Iterator[tuple[str, str]]:
    """Each page and number that a file cites; the number is empty where a whole page is cited."""
    for found in CITED.finditer(path.read_text(encoding="utf-8")):
        numbers = NUMBER.findall(found[0].removeprefix(found[1]).replace("`", ""))
        yield from ((found[1], number.rstrip(".")) for number in numbers or [""])


def broken(paths: list[Path]) -> list[str]:
    """Every citation that leads nowhere, with its file."""
    return [
        f"{path.relative_to(ROOT)}: {page} {number}".rstrip()
        for path in paths
        for page, number in citations(path)
        if not (ROOT / page).is_file() or (number and number not in sections(page))
    ]


def test_code_tests_and_docs_cite_what_is_there() -> None:
    """The page exists, and it has a heading, an item or a row of that number."""
    assert broken(CITING) == []


@pytest.mark.parametrize("folder", VECTORS, ids=lambda path: path.name)
def test_vectors_cite_what_is_there(folder: Path) -> None:
    """The clause of each vector as well."""
    assert broken(sorted(folder.glob("*.json"))) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_a_file(page: Path) -> None:
    """The file that each relative link of a page names exists."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    targets = [target.partition("#")[0] for target in LINK.findall(text)]

    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("name", [name for name in NAMES if name != "hookline"])
def test_the_page_of_a_dialect_names_each_event(name: str) -> None:
    """By its native name; a lane of an event has no name of its own there."""
    text = (ROOT / f"docs/formats/{name}.md").read_text(encoding="utf-8")
    events = {native.partition(":")[0] for native in make_dialect(name).table.rows}

    assert [event for event in sorted(events) if f"`{event}`" not in text] == []


def test_a_wrong_section_is_found(tmp_path: Path) -> None:
    """A page that is missing, a number that is missing, and the second of two numbers."""
    text = "DOCS/nowhere.md 1, DOCS/architecture.md 4.99; DOCS/formats/codex.md 5: output; 77"
    path = tmp_path / "citing.md"
    path.write_text(text.replace("DOCS", "docs"), encoding="utf-8")

    assert [number for _, number in citations(path)] == [
        "1",
        "4.99",
        "5",
        "77",
    ]
    assert "4.99" not in sections("docs/architecture.md")
    assert {"4", "4.12", "5"} <= sections("docs/architecture.md")
