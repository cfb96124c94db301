"""The reader names the programs that shfmt names, on ordinary lines."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hookline.text.script.evaluate import read_shell
from hookline.text.script.reading import make_set
from tests.guards.commands.corpus import load_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

SHFMT = Path(sys.executable).parent / "shfmt"  # of the development group
EVERY = 12  # of so many ordinary lines one is compared
# Built-in commands that are followed instead of listed.
FOLLOWED = make_set("cd pushd read printf set shift true : [ eval source . let trap")


def list_names(tree: Any) -> Iterator[str]:
    """Yield the first word of each simple command whose words are plain."""
    if isinstance(tree, dict):
        if tree.get("Type") == "CallExpr" and tree.get("Args"):
            parts = tree["Args"][0].get("Parts", [])
            if all(part["Type"] == "Lit" for part in parts):
                text = "".join(part["Value"] for part in parts)
                yield text.replace("\\", "").rpartition("/")[2]
        for value in tree.values():
            yield from list_names(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from list_names(value)


def list_declared(tree: Any) -> Iterator[str]:
    """Yield the names of the functions that a line defines."""
    if isinstance(tree, dict):
        if tree.get("Type") == "FuncDecl":
            yield tree["Name"]["Value"]
        for value in tree.values():
            yield from list_declared(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from list_declared(value)


def parse(line: str) -> Any:
    """Return the tree of a line; None if shfmt refuses it."""
    found = subprocess.run(
        [str(SHFMT), "--to-json"], input=line, capture_output=True, text=True, check=False
    )
    return None if found.returncode else json.loads(found.stdout)


@pytest.mark.process
def test_both_name_the_same_programs() -> None:
    """Or the reader says that it could not read a part."""
    missed = {}
    for case in [case for case in load_cases() if case.tier == "none"][::EVERY]:
        tree = parse(case.text)
        reading = read_shell(case.text, cwd="/p", home="/h")
        named = {call.program for call in reading.calls}
        named |= {
            way.partition(" ")[0].rpartition("/")[2] for call in reading.calls for way in call.via
        }
        left = set(list_names(tree)) - named - FOLLOWED - set(list_declared(tree))
        if left and not reading.unverified:
            missed[case.text] = left
    assert missed == {}
