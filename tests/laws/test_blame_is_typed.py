"""Bad payloads raise CodecError, bad configurations ConfigError, bad outcomes nothing."""

from __future__ import annotations

import contextlib
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.core.dialect import Companion, Source
from hookline.engine.catalog import make_dialect
from hookline.errors import CodecError, ConfigError
from hookline.model.spec import Command, HookSpec
from hookline.model.verdict import Decision, Stance, Verdict
from hookline.wire.parsers import parse_yaml
from tests.laws.strategies import (
    DIALECTS,
    FEWER,
    LAW,
    configurations,
    json_values,
    label,
    least_payload,
    objects_of,
    outcomes,
    scalars,
    texts,
)

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from hookline.core.dialect import Dialect
    from hookline.model.verdict import Outcome

ONCE_EACH = {dialect.table.name: dialect for dialect in reversed(DIALECTS)}
ONCE_EACH["hookline"] = make_dialect("hookline")
# Keys of hooks' outputs in all spellings.
OUTPUT_KEYS = (
    "continue", "stop_reason", "stopReason", "suppressOutput", "system_message", "systemMessage",
    "decision", "reason", "hook_specific_output", "hookSpecificOutput", "hookEventName",
    "permissionDecision", "permission_decision", "updatedInput", "updated_input",
    "updated_messages", "additionalContext", "instruction_context", "summary", "metadata",
    "transition", "modified_input", "additional_context", "log", "retry", "updatedMCPToolOutput",
    "updatedToolOutput", "async",
)  # fmt: skip
CONFIG_KEYS = (
    "agents", "hooks", "settings", "pre_tool_use", "PreToolUse", "Stop", "turn_start", "matcher",
    "type", "command", "args", "timeout", "env", "working_dir", "on_error", "name", "description",
    "trigger", "priority", "async", "metadata", "if", "once", "url", "prompt", "model", "headers",
    "shell", "preempt_yolo", "disableAllHooks", "statusMessage",
)  # fmt: skip
WORDS = (
    "command",
    "builtin",
    "model",
    "http",
    "prompt",
    "block",
    "*",
    "Bash",
    "[",
    "(?=x)",
    "a|b",
    "pre-tool-call",
    "",
    "true",
    "0",
    "-1",
)


def natives(dialect: Dialect) -> st.SearchStrategy[str]:
    """Names of events: the dialect's own, their aliases, and nonsense."""
    return st.sampled_from((*dialect.table.rows, *dialect.table.aliases, "")) | texts


@FEWER
@given(st.data())
@pytest.mark.parametrize("dialect", DIALECTS, ids=label)
def test_a_payload_is_an_event_or_a_codec_error(dialect: Dialect, data: st.DataObject) -> None:
    """No JSON value makes `decode_event` raise anything but CodecError."""
    keys = {
        field.native
        for row in dialect.table.rows.values()
        for field in (*dialect.table.base, *row.fields)
    }
    payload = data.draw(json_values | objects_of(*sorted(keys)))
    with contextlib.suppress(CodecError):
        event = dialect.decode_event(payload, data.draw(natives(dialect)))

        assert event.dialect == dialect.table.name


# -- configurations --------------------------------------------------------------------------------

leaves = st.sampled_from(WORDS) | json_values
trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(CONFIG_KEYS), inner, max_size=5)
        | st.dictionaries(scalars, inner, max_size=3)
    ),
    max_leaves=20,
)


def load(dialect: Dialect, source: Source) -> None:
    """Load a source and combine what it held; what a loader finds wrong can be printed."""
    with contextlib.suppress(ConfigError):
        loaded = dialect.load(source)
        combined = dialect.combine(loaded.specs)
        for problem in (*loaded.problems, *combined.problems):
            str(problem)
            problem.to_dict()
        for spec in combined.specs:
            assert isinstance(spec.on_failure, Stance)
            assert 0 < spec.timeout < float("inf")


@FEWER
@given(trees, st.sampled_from(("fidelity", "strict")))
@pytest.mark.parametrize("dialect", ONCE_EACH.values(), ids=label)
def test_a_tree_is_loaded_or_a_config_error(dialect: Dialect, tree: Any, mode: str) -> None:
    """No tree makes `load` raise anything but ConfigError.

    Whatever is wrong inside is a problem, not an exception.
    """
    load(dialect, Source(tree=tree, mode=mode))


@LAW
@given(
    texts | st.text(alphabet="-[]{}:,#&*!|>'\"%@`?~ \n\tab01./\\", max_size=60),
    st.sampled_from(("x.yaml", "x.json", "HOOK.md")),
)
@pytest.mark.parametrize("dialect", ONCE_EACH.values(), ids=label)
def test_a_text_is_loaded_or_a_config_error(dialect: Dialect, text: str, file: str) -> None:
    """No text makes `load` raise anything but ConfigError, in whatever file it stands."""
    load(dialect, Source(text=f"---\n{text}\n---\n" if file == "HOOK.md" else text, file=file))


@cache
def pieces(path: Path) -> list[str]:
    """A real configuration, in lines."""
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


@FEWER
@given(st.data())
@pytest.mark.parametrize(
    "dialect", [each for name, each in ONCE_EACH.items() if configurations(name)], ids=label
)
def test_a_damaged_configuration_is_loaded_or_a_config_error(
    dialect: Dialect, data: st.DataObject
) -> None:
    """Real files with lines dropped, doubled, moved, cut or replaced raise only ConfigError."""
    path = data.draw(st.sampled_from(configurations(dialect.table.name)))
    lines = list(pieces(path))[:80]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        line = lines[at]
        lines[at] = data.draw(
            st.sampled_from((
                "", line * 2, line[: len(line) // 2], line.replace(":", ""), line.replace('"', ""),
                "  " + line, "\t" + line, line.replace("command", "[]"), "- " + line,
                line.rstrip("\n") + " {\n", "\x00" + line,
            ))
        )  # fmt: skip
    companions = {
        "scripts/run.sh": Companion(path="scripts/run.sh", executable=True, head="#!/bin/sh")
    }
    load(dialect, Source(text="".join(lines), file=str(path), companions=companions))


@FEWER
@given(st.data())
@pytest.mark.parametrize(
    "dialect", [ONCE_EACH["docker-agent"], ONCE_EACH["claude-code"]], ids=label
)
def test_a_damaged_tree_is_loaded_or_a_config_error(dialect: Dialect, data: st.DataObject) -> None:
    """A real tree with any part of it replaced by any value raises nothing but ConfigError."""
    whole = parse_yaml("".join(pieces(configurations(dialect.table.name)[0]))).value
    node: Any = whole
    for _ in range(data.draw(st.integers(0, 5))):
        nodes = [
            part
            for part in (node.values() if isinstance(node, dict) else node)
            if isinstance(part, dict | list) and part
        ]
        node = data.draw(st.sampled_from(nodes)) if nodes else node
    keys = list(node) if isinstance(node, dict) else list(range(len(node)))
    node[data.draw(st.sampled_from(keys))] = data.draw(leaves | trees)
    load(dialect, Source(tree=whole))


# -- outcomes --------------------------------------------------------------------------------------


@FEWER
@given(st.data())
@pytest.mark.parametrize("dialect", DIALECTS, ids=label)
def test_an_outcome_is_a_verdict(dialect: Dialect, data: st.DataObject) -> None:
    """`decode_outcome` returns a verdict for each outcome, and never raises."""
    row = data.draw(st.sampled_from(list(dialect.table.rows.values())))
    outcome: Outcome = data.draw(outcomes(*OUTPUT_KEYS))
    spec = HookSpec(
        id="a",
        dialect=dialect.table.name,
        kind=row.kind,
        native_event=data.draw(st.sampled_from((row.native, row.native, "unheard"))),
        handler=Command(script="true"),
        on_failure=data.draw(st.sampled_from((Stance.SILENT, Stance.ASK, Stance.DENY))),
        strict=data.draw(st.booleans()),
    )
    event = dialect.decode_event(least_payload(dialect, row), row.native)
    verdict = dialect.decode_outcome(outcome, spec, event)

    assert isinstance(verdict, Verdict)
    assert verdict.hook_id == "a"


@FEWER
@given(st.data())
@pytest.mark.parametrize("dialect", DIALECTS, ids=label)
def test_a_decision_is_a_reply(dialect: Dialect, data: st.DataObject) -> None:
    """Each decision becomes text on both streams, and an exit code that the host knows."""
    row = data.draw(st.sampled_from(list(dialect.table.rows.values())))
    event = dialect.decode_event(least_payload(dialect, row), row.native)
    decision = Decision(
        kind=event.kind,
        dialect=event.dialect,
        native_event=row.native,
        stance=data.draw(st.sampled_from(Stance)),
        reason=data.draw(texts),
        for_agent=tuple(data.draw(st.lists(texts, max_size=2))),
        for_user=tuple(data.draw(st.lists(texts, max_size=2))),
    )
    reply = dialect.encode_decision(decision, event)

    assert reply.exit_code in (0, 2)
    assert isinstance(reply.stdout + reply.stderr, str)
