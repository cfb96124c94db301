"""A hook that cannot be loaded says why, and in which line of which file, in every dialect."""

from __future__ import annotations

import contextlib
import copy
import json
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.core.dialect import Companion, Source
from hookline.engine.catalog import make_dialect
from hookline.errors import ConfigError
from hookline.model.spec import Broken
from hookline.wire.disable_flags import drop_flags
from hookline.wire.fields import UNEXPLAINED
from tests.laws.strategies import FEWER, ROOT
from tests.laws.test_blame_is_typed import CONFIG_KEYS, ONCE_EACH, leaves, trees

if TYPE_CHECKING:
    from typing import Any

VECTORS = ROOT / "tests" / "conformance" / "vectors"
# Dialects whose files are trees; agenthooks and cline have texts of their own below.
TREES = tuple(name for name in ONCE_EACH if name not in ("agenthooks", "cline"))
FILE = "/project/config.json"


@cache
def configurations(dialect: str) -> tuple[Any, ...]:
    """Return the configurations of a dialect in the conformance vectors, good and bad ones."""
    found = []
    for path in sorted(VECTORS.rglob("*.json")):
        vector = json.loads(path.read_text(encoding="utf-8"))
        if vector.get("dialect", path.parent.name) == dialect and "config" in vector:
            found.append(vector["config"])
    return tuple(found)


def broken_hooks(dialect: str, source: Source) -> list[str]:
    """Return the reasons of the broken hooks of a source."""
    speaks = make_dialect(dialect)
    try:
        loaded = speaks.load(source)
    except ConfigError:
        return []
    specs = drop_flags(speaks.combine(loaded.specs).specs)
    return [spec.handler.reason for spec in specs if isinstance(spec.handler, Broken)]


def damage(tree: Any, data: st.DataObject) -> Any:
    """Return a copy of a tree with one part replaced or dropped, or with an unknown key added."""
    whole = copy.deepcopy(tree)
    node = whole
    for _ in range(data.draw(st.integers(0, 6))):
        inner = [
            part
            for part in (node.values() if isinstance(node, dict) else node)
            if isinstance(part, dict | list) and part
        ]
        if not inner:
            break
        node = data.draw(st.sampled_from(inner))
    keys = list(node) if isinstance(node, dict) else list(range(len(node)))
    if not keys:
        return whole
    key = data.draw(st.sampled_from(keys))
    match data.draw(st.sampled_from(("replace", "drop", "add"))):
        case "drop":
            del node[key]
        case "add" if isinstance(node, dict):
            node[data.draw(st.sampled_from(CONFIG_KEYS))] = data.draw(leaves)
        case _:
            node[key] = data.draw(leaves | trees)
    return whole


@FEWER
@given(st.data(), st.sampled_from(("fidelity", "strict")))
@pytest.mark.parametrize("dialect", TREES)
def test_a_broken_hook_of_a_tree_names_file_and_line(
    dialect: str, data: st.DataObject, mode: str
) -> None:
    """Each hook that a damaged configuration breaks has a reason with a place."""
    tree = data.draw(st.sampled_from(configurations(dialect)))
    text = json.dumps(damage(tree, data), indent=1)
    for reason in broken_hooks(dialect, Source(text=text, file=FILE, mode=mode)):
        place, _, words = reason.partition(": ")
        assert place.startswith(f"{FILE}:"), reason
        assert place.split(":")[1].isdigit(), reason
        assert words, reason
        assert UNEXPLAINED not in words


@pytest.mark.parametrize("dialect", TREES)
def test_the_vectors_break_hooks(dialect: str) -> None:
    """The law above quantifies over configurations of which some have broken hooks."""
    reasons = [
        reason
        for tree in configurations(dialect)
        for reason in broken_hooks(dialect, Source(text=json.dumps(tree), file=FILE, mode="strict"))
    ]

    assert reasons
    assert all(reason.startswith(f"{FILE}:1:") for reason in reasons)


@pytest.mark.parametrize(
    "dialect", ["claude-code", "codex", "copilot", "gemini", "openhands", "qwen"]
)
@pytest.mark.parametrize("type_", ["", " ", "comand", 7])
def test_an_odd_type_is_the_reason(dialect: str, type_: object) -> None:
    """In the Claude family an empty, unknown or non-text type breaks the hook."""
    event = "BeforeTool" if dialect == "gemini" else "PreToolUse"
    hook = {"type": type_, "command": "./guard.sh"}
    text = json.dumps({"version": 1, "hooks": {event: [{"hooks": [hook]}]}})
    (reason,) = broken_hooks(dialect, Source(text=text, file=FILE))

    assert "`type" in reason or "type `" in reason


@FEWER
@given(st.dictionaries(st.sampled_from(("name", "trigger", "matcher", "timeout", "async")), leaves))
def test_a_broken_hook_md_names_its_file(front: dict[str, Any]) -> None:
    """A folder of AgentHooks with any front matter, with and without a script."""
    file = "/project/hooks/guard/HOOK.md"
    script = Companion(path="scripts/run.sh", executable=True, head="#!/bin/sh")
    with contextlib.suppress(ValueError):  # a surrogate or NaN has no place in this file
        text = f"---\n{json.dumps(front, allow_nan=False)}\n---\n"
        for companions in ({}, {script.path: script}):
            source = Source(text=text, file=file, companions=companions, mode="strict")
            for reason in broken_hooks("agenthooks", source):
                assert reason.startswith(f"{file}:"), reason
                assert reason.partition(": ")[2], reason


@pytest.mark.parametrize("name", ["PreToolUse", "PreToolUse.exe", "NoEvent.sh"])
def test_a_broken_script_of_cline_names_its_file(name: str) -> None:
    """A script that cannot be read, and one whose name the host does not know."""
    file = f"/project/Hooks/{name}"
    fault = Companion(path=name, fault="it cannot be read: permission denied")
    (reason,) = broken_hooks("cline", Source(text="", file=file, companions={name: fault}))

    assert reason.startswith(f"{file}:1:1: ")
    assert reason.endswith(")")  # with what to do about it
