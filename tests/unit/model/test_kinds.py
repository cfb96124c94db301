"""The facts of the vocabulary, each from the data itself (docs/formats/vocabulary.md 8)."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from hookline.model import kinds

DATA = json.loads((Path(kinds.__file__).parent / "events.json").read_text(encoding="utf-8"))
CANONICAL, DIALECTS = DATA["canonical"], DATA["dialects"]
# The effect words of docs/formats/vocabulary.md 3, and the natives' own spellings of them.
EFFECTS = {
    "allow", "ask", "defer", "deny", "stop", "context", "retry", "skip", "grant", "env", "watch",
    "title", "interrupt", "abort",
    "tail_call", "block(feedback)", "block(continue)", "modify(input)", "modify(text)",
    "modify(request)", "modify(response)",
    "modify(result)", "modify(tool_config)", "modify(model)", "modify(content)",
    "modify(instructions)", "return(result)",
    "return(response)", "return(summary)", "return(action,content)", "return(path)", "-",
}  # fmt: skip
POWERS = {
    "allow", "ask", "defer", "deny", "halt", "input", "text", "messages", "output", "summary",
    "context", "note", "retry", "skip",
    "grant", "env", "watch", "title", "return", "model", "tools", "content", "instructions", "path",
    "tail_call",
}  # fmt: skip


def test_there_are_as_many_events_as_the_vocabulary_says() -> None:
    """26 dialects have 364 native names for 64 canonical events."""
    natives = sum(len(names) for names in DIALECTS.values())

    assert (len(CANONICAL), natives, len(DIALECTS)) == (64, 364, 26)


def test_there_are_as_many_of_each_class_as_the_vocabulary_says() -> None:
    """30 gates, 4 transforms, 3 contexts and 27 that are only observed."""
    assert Counter(row["cls"] for row in CANONICAL.values()) == {
        "gate": 30,
        "transform": 4,
        "context": 3,
        "observe": 27,
    }


def test_every_native_leads_to_a_canonical_name() -> None:
    """Each value under `dialects` is a canonical name, or the literal `x.*`."""
    assert {name for names in DIALECTS.values() for name in names.values()} - set(CANONICAL) == {
        "x.*"
    }


def test_every_canonical_name_has_a_native() -> None:
    """A host raises every event."""
    assert (
        set(CANONICAL) - {name for names in DIALECTS.values() for name in names.values()} == set()
    )


@pytest.mark.parametrize(
    ("key", "count"),
    [
        ("claude", 33), ("codex", 13), ("gemini", 11), ("cursor", 21), ("copilot", 14),
        ("vscode", 8), ("kimi", 17),
        ("openhands", 12), ("qwen", 22), ("windsurf", 12), ("cline", 11), ("opencode", 23),
        ("kiro-cli", 5), ("kiro-ide", 8),
        ("droid", 9), ("goose", 12), ("amp", 7), ("seed1-agenthooks", 11),
        ("seed1-agenthooks-aliases", 2), ("seed2-a3s", 6),
        ("seed3-starchild", 12), ("seed4-docker", 26), ("ahp", 32), ("ctk", 8), ("agentseam", 12),
        ("speakeasy", 17),
    ],
)  # fmt: skip
def test_a_dialect_is_covered_in_full(key: str, count: int) -> None:
    """Each dialect has as many natives as its documents list (docs/formats/vocabulary.md 7)."""
    assert len(kinds.native_names(key)) == count


def test_every_effect_is_a_word_of_the_closed_set() -> None:
    """The effect column spells effects as docs/formats/vocabulary.md 3 does."""
    assert {
        word for row in CANONICAL.values() for word in kinds.split_words(row["effects"])
    } <= EFFECTS


def test_every_effect_becomes_a_power_that_code_knows() -> None:
    """Powers are a closed set, which a decision is fitted to."""
    assert {power for name in kinds.NAMES for power in kinds.kind(name).powers} <= POWERS


def test_the_type_of_powers_lists_all_of_them() -> None:
    """Type checkers know exactly the existing powers."""
    source = Path(kinds.__file__).read_text(encoding="utf-8")
    annotation = source.partition("Literal[")[2].partition("]")[0]

    assert set(re.findall(r'"(\w+)"', annotation)) == POWERS


def test_gates_without_a_denial_are_the_three_that_no_host_denies() -> None:
    """`prompt.transform` and `model.tools` only rewrite, an elicitation is only answered."""
    without = {
        name
        for name in kinds.NAMES
        if kinds.kind(name).is_gate and "deny" not in kinds.kind(name).powers
    }

    assert without == {"prompt.transform", "model.tools", "elicitation.request"}


def test_transforms_only_rewrite() -> None:
    """Each of them has one rewrite and nothing else."""
    powers = {
        name: kinds.kind(name).powers for name in kinds.NAMES if kinds.kind(name).cls == "transform"
    }

    assert powers == {
        "message.display": {"text"},
        "response.before": {"text"},
        "tool.result": {"output"},
        "mcp.after": {"output"},
    }


@pytest.mark.parametrize(
    ("name", "powers"),
    [
        ("session.start", {"context", "env", "title", "halt"}),
        ("subagent.start", {"deny", "context"}),
        ("error", {"retry", "skip", "halt"}),
        ("model.error", {"retry"}),
        ("tool.permission.resolved", {"retry"}),
        ("tool.permission.request", {"allow", "deny", "input", "grant", "halt"}),
        ("elicitation.request", {"content"}),
        ("session.end", set()),
    ],
)
def test_a_row_may_go_beyond_its_class(name: str, powers: set[str]) -> None:
    """The row's own effects are the exact limit (docs/formats/vocabulary.md 2)."""
    assert kinds.kind(name).powers == powers


def test_a_denial_sends_the_agent_back_at_stop_gates_only() -> None:
    """Where the data says `block(continue)`, a denial means: go on working."""
    redo = {name for name in kinds.NAMES if kinds.kind(name).redo}

    assert redo == {name for name, row in CANONICAL.items() if "block(continue)" in row["effects"]}
    assert redo == {"stop", "subagent.stop", "teammate.idle", "completion.claim"}


def test_names_are_dotted_and_lower_case() -> None:
    """`noun.phase`: no capitals, no underscores, no dialect in them."""
    assert [
        name
        for name in kinds.NAMES
        if name != name.lower() or "_" in name or name.startswith(("x.", "."))
    ] == []


def test_payload_columns_name_fields() -> None:
    """Every event carries at least one canonical field, and none of them twice."""
    for name in kinds.NAMES:
        payload = kinds.kind(name).payload

        assert payload
        assert all(field.isidentifier() or field == "from" for field in payload), name
        assert len(set(payload)) == len(payload), name


def test_an_unknown_event_may_only_be_observed() -> None:
    """A newer host's event has a name with its host, and hooks can only observe it."""
    name = kinds.unknown_kind("codex", "PreDream")
    kind = kinds.kind(name)

    assert name == "x.codex.PreDream"
    assert (kind.cls, kind.is_gate, kind.powers, kind.redo) == (
        "observe",
        False,
        frozenset(),
        False,
    )


def test_unknown_events_are_not_remembered() -> None:
    """Hosts choose such names, so they take no memory."""
    before = len(kinds._made)
    for at in range(50):
        kinds.kind(kinds.unknown_kind("host", f"event{at}"))

    assert len(kinds._made) == before


@pytest.mark.parametrize(
    ("native", "canonical"),
    [
        ("PreToolUse", "tool.before"),
        ("pre_tool_use", "tool.before"),
        ("agentSpawn", "session.start"),
        ("other", ""),
        ("tool.befor", ""),
    ],
)
def test_a_hosts_name_leads_to_the_canonical_one(native: str, canonical: str) -> None:
    """Its author may write the host's name; `other` of the unifiers has no meaning."""
    assert kinds.find_by_native_name(native) == canonical


def test_a_dialect_that_the_data_lacks_is_an_error() -> None:
    """A misspelled key is not an empty dialect."""
    with pytest.raises(KeyError):
        kinds.native_names("clod")
