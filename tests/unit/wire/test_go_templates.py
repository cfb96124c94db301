"""Go's spelling: fields, calls and pipelines as docker-agent's documents write them, and everything more of Go's templates."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.wire.sandbox import check_template, fill_template

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
    "_hidden": "no",
}
GO = [
    ("{{ .ToolName }}", "shell"),
    ("{{ .tool_name }}", "shell"),
    ("{{.ToolUseID}}", "u1"),
    ("{{- .ToolName -}}", "shell"),
    (
        "{{ .ToolInput | toJSON }}",
        '{"cmd":"echo \\"✓\\"","items":[1,"two",{"a":null}],"in":"kw","in_order":true}',
    ),
    ("{{ toJSON .tool_input.items }}", '[1,"two",{"a":null}]'),
    ("{{ .ToolInput.cmd | truncate 4 }}", "echo…"),
    ("{{ truncate 4 .ToolInput.cmd }}", "echo…"),
    ("{{ truncate .tool_input.cmd 4 }}", "echo…"),
    ("{{ truncate 100 .tool_name }}", "shell"),
    ("{{ truncate 0 .tool_name }}", "shell"),
    ("{{ truncate 7 .tool_input.cmd }}", 'echo "…'),
    ("{{ .ToolInput | toJSON | truncate 6 }}", '{"cmd"…'),
    ("{{ toJSON . | truncate 8 }}", '{"tool_n…'),
    ("{{ .ToolInput.in }}", "kw"),
    ('{{ toJSON "a" }}', '"a"'),
    ("{{ .Absent }}{{ .tool_input.absent.deeper }}", ""),
    ("{{ .ToolInput.Cmd }}", ""),
]
MORE = [
    "{{ if .tool_input }}yes{{ end }}",
    "{{ end }}",
    "{{ else }}",
    "{{ range .tool_input.items }}",
    "{{ with .tool_input }}",
    '{{ define "x" }}',
    '{{ printf "%s" .tool_name }}',
    "{{ index .tool_input 0 }}",
    "{{ .. }}",
    "{{ .tool_input[0] }}",
    "{{ .tool_name | shout }}",
    "{{ .tool_name | }}",
    "{{ .tool_name toJSON }}",
    "{{ toJSON .tool_name , }}",
    "{{ (toJSON .tool_name) }}",
    "{{ $x := .tool_name }}",
    "{{/* said aside */}}",
]


@pytest.mark.parametrize(("prompt", "text"), GO)
def test_gos_fields_calls_and_pipelines_are_understood(prompt: str, text: str) -> None:
    """As docker-agent's documents write them, with the names of Go's fields or those of the payload (docs/formats/docker-agent.md 5)."""
    assert check_template(prompt).error == ""
    assert "".join(fill_template(prompt, PAYLOAD, most=1000, late=lambda: False)) == text


@pytest.mark.parametrize("prompt", MORE)
def test_more_of_gos_templates_is_refused(prompt: str) -> None:
    """Instead of being left out of the prompt, or put into it as it stands."""
    assert check_template(prompt).error.startswith("line 1: ")
