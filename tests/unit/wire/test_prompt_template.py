"""Prompt templates: what a prompt may contain, in two spellings, and what it cannot reach."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from hookline.errors import HandlerError
from hookline.wire.prompt_template import (
    check_template,
    fill_template,
    to_json,
    to_snake_case,
    to_text,
    truncate,
)
from hookline.wire.template_parts import Inserted

PAYLOAD: dict[str, Any] = {
    "tool_name": "shell",
    "tool_use_id": "u1",
    "tool_input": {
        "cmd": 'echo "✓"',
        "items": [1, "two", {"a": None}],
        "in": "kw",
        "in_order": True,
    },
    "n": 3,
    "range": "shadow",
    "toJSON": "shadow",
}
SPELLINGS = [
    ("{{ tool_name }}", "shell"),
    ("{{ tool_input.items }}", '[1,"two",{"a":null}]'),
    ("{{ tool_input['cmd'] }}", 'echo "✓"'),
    ("{{ tool_input | toJSON | truncate(6) }}", '{"cmd"…'),
    ("{{ payload.tool_name }}", "shell"),
    ("{% if n > 2 and tool_name in ['shell'] %}yes{% else %}no{% endif %}", "yes"),
    ("{{ 'a' if absent is defined else 'b' }}", "b"),
    ("{{ absent | default('none') }}{{ absent.deeper }}", "none"),
    ("{% for item in tool_input['items'] %}{{ loop.index }}:{{ item }} {% endfor %}",
     '1:1 2:two 3:{"a":null} '),
    ("{% for key, value in tool_input | items %}{{ key }} {% endfor %}", "cmd items in in_order "),
    ("{{ tool_input['items'] | join('-') }}", '1-two-{"a":null}'),
    ("{% for i in range(3) %}{{ i }}{% endfor %}", "012"),
    ("{{ not n }}{{ -n }}{{ tool_name | upper | lower | trim | first }}", "false-3s"),
    ("{% raw %}{{ .x }}{% endraw %}", "{{ .x }}"),
    ("line\n", "line\n"),
    ("{{ .ToolName }} {{.tool_name}}", "shell shell"),
    ("{{ .ToolInput.cmd }} {{ .tool_input.in }} {{ .ToolUseID }}", 'echo "✓" kw u1'),
    ("{{ toJSON .ToolInput.items }}", '[1,"two",{"a":null}]'),
    ("{{ .ToolInput.items | toJSON | truncate 5 }}", '[1,"t…'),
    ("{{ truncate 4 .ToolInput.cmd }}{{ truncate .ToolName 2 }}", "echo…sh…"),
    ('{{ toJSON "a" }}', '"a"'),
    ("{{ .Absent }}{{ .ToolInput.absent.deeper }}", ""),
    ("{{ .range }}{{ .toJSON }}{{ toJSON(1) }}", "shadowshadow1"),
]  # fmt: skip
REFUSED = [
    ("{{", "unexpected"), ("{{ .a", "unexpected"), ("{% if %}", "Expected"),
    ("{{ if .ToolInput }}", "of Go's templates"), ("{{ end }}", "of Go's templates"),
    ("{{ range .x }}", "of Go's templates"),
    ('{{ printf "%s" .x }}', "of Go's templates"), ("{{ $x := .a }}", "unexpected char"),
    ("{{/* no */}}", "unexpected"),
    ("{{ .. }}", "is expected"), ("{{ .a[0] }}", "not expected"),
    ("{{ .a | nope }}", "no function `nope`"), ("{{ .a | }}", "function is expected"),
    ("{{ " + "(" * 20_000 + "1" + ")" * 20_000 + " }}", "RecursionError"),
    ("{{ " + "1" * 5000 + " }}", "ValueError"),
    ("x" * (1 << 17), "longer than 65,536 characters"), ("{{ ''.__class__ }}", "no `__class__`"),
    ("{{ tool_name | attrs('upper') }}", "No filter"),
]  # fmt: skip


def fill(prompt: str, *, most: int = 1000) -> str:
    """The text of a prompt about the payload."""
    return "".join(fill_template(prompt, PAYLOAD, most=most, late=lambda: False))


@pytest.mark.parametrize(("prompt", "text"), SPELLINGS)
def test_fields_conditions_and_loops_are_understood(prompt: str, text: str) -> None:
    """In jinja2's spelling and in Go's; a key never means a method."""
    assert check_template(prompt).error == ""
    assert fill(prompt) == text


@pytest.mark.parametrize(("prompt", "why"), REFUSED)
def test_what_is_no_template_is_refused_before_it_runs(prompt: str, why: str) -> None:
    """With its line; and filling it fails too."""
    assert why in check_template(prompt).error
    with pytest.raises(HandlerError):
        fill(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "{{ tool_name['__class__'] }}",
        "{{ tool_input['__init__']['__globals__'] }}",
        "{{ payload['__class__'] }}{{ tool_input.keys }}{{ tool_input.get }}",
        "{{ absent['__class__'] }}",
    ],
)
def test_attributes_of_python_are_nothing(prompt: str) -> None:
    """They are missing entries, whatever object is behind them."""
    assert fill(prompt) == ""


@pytest.mark.parametrize(
    "prompt",
    ["{{ tool_name.upper() }}", "{{ lipsum() }}", "{% include 'a' %}", "{{ range(9**9) }}"],
)
def test_what_would_leave_the_sandbox_fails(prompt: str) -> None:
    """When it is filled in, as a failure of the hook."""
    with pytest.raises(HandlerError, match="cannot be filled in"):
        fill(prompt)


def test_a_prompt_ends_when_it_is_far_too_long() -> None:
    """The rest is not computed."""
    with pytest.raises(HandlerError, match="grows far beyond 5,000 characters"):
        fill("{% for a in range(9999) %}" + "x" * 1000 + "{% endfor %}", most=5000)


def test_a_prompt_that_takes_too_long_is_stopped() -> None:
    """Between two of its parts."""
    ticks = itertools.count()

    with pytest.raises(HandlerError, match="too long to fill in"):
        fill_template(
            "{% for a in range(5000) %}{{ a }}{% endfor %}",
            PAYLOAD,
            most=10,
            late=lambda: next(ticks) > 100,
        )


def test_values_are_kept_apart_from_the_authors_text() -> None:
    """By their type, for each part."""
    prompt = "a {{ tool_name }}{% for i in range(2) %}{{ i }}b{% endfor %}"
    parts = fill_template(prompt, PAYLOAD, most=99, late=lambda: False)

    assert [part for part in parts if isinstance(part, Inserted)] == ["shell", "0", "1"]


def test_a_value_is_cut_to_what_a_prompt_shows() -> None:
    """The cut tells how much is missing, and repeated escapes stay within bounds."""
    (part,) = fill_template("{{ x }}", {"x": "y" * 100_000}, most=9, late=lambda: False)

    assert isinstance(part, Inserted)
    assert (len(part), part.missing) == (64 << 10, 100_000 - (64 << 10))
    assert int(fill("{{ tool_input" + " | toJSON" * 40 + " | length }}")) <= 1 << 20


def test_the_fields_that_a_prompt_names_are_listed() -> None:
    """A check can then report a typo; variables and helpers are not listed."""
    prompt = (
        "{{ .ToolNam }} {{ x.y }} {% for i in items %}{{ i.z }}{{ loop.index }}{% endfor %} {{ "
        "toJSON . }} {{ payload.q }}"
    )

    assert sorted(check_template(prompt).fields) == ["ToolNam", "items", "q", "x"]


@pytest.mark.parametrize(
    ("name", "key"),
    [("ToolName", "tool_name"), ("ToolUseID", "tool_use_id"), ("SessionID", "session_id"),
     ("Cwd", "cwd"), ("tool_name", "tool_name"), ("HTTPCode2X", "http_code2_x")],
)  # fmt: skip
def test_a_name_in_go_leads_to_a_key(name: str, key: str) -> None:
    """Words begin with capitals there."""
    assert to_snake_case(name) == key


def test_values_are_shown_as_text_or_json() -> None:
    """What is no JSON is null; `truncate` counts bytes and cuts no character in two."""
    assert (to_text(None), to_text("a"), to_text([1])) == ("", "a", "[1]")
    assert to_json({"a": object()}) == '{"a":null}'
    assert (truncate("✓✓", 4), truncate(0, "ab"), truncate("ab", True)) == ("✓…", "ab", "a…")
