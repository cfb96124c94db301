"""Which names does code for Node load something by?"""

from __future__ import annotations

import pytest

from hookline.text.required import is_nodes_own, required


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("require('evil')", ["evil"]),
        ('require("./x").y', ["./x"]),
        ('const fs = require("fs"), p = require("node:path")', []),
        ("import 'evil'", ["evil"]),
        ("import x from 'evil'; import fs from 'fs/promises'", ["evil"]),
        ('export * from "evil"', ["evil"]),
        ("await import(`evil`)", ["evil"]),
        ("require(name)", [""]),
        ("import(name)", [""]),
        ("const r = require; r('evil')", [""]),
        ("module.createRequire('/x/')('evil')", [""]),
        ("module.constructor._load('evil')", [""]),
        ("process.stdin.on('data', d => console.log(JSON.parse(d).tool_name))", []),
        ("console.log('required')", []),
    ],
)
def test_what_is_loaded_is_told_by_its_name(code: str, names: list[str]) -> None:
    """Less what Node has built in; an empty one where only the code can tell."""
    assert [*required(code)] == names


def test_nodes_own_modules_are_known() -> None:
    """With those within them."""
    assert [is_nodes_own(name) for name in ("fs", "fs/promises", "node:test", "evil", "./fs")] == [
        True,
        True,
        True,
        False,
        False,
    ]
