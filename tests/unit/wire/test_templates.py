"""Templates: a prompt with the payload in it, and a marked cut that leaves the author's text."""

from __future__ import annotations

import builtins
import json
import sys
from typing import Any

import pytest

from hookline.errors import HandlerError
from hookline.model.spec import Model
from hookline.wire.templates import ARGUMENTS, fill_prompt, find_template_faults

PAYLOAD = '{"a": "x$ARGUMENTS\\\\$"}\n'


@pytest.mark.parametrize(
    ("prompt", "filled"),
    [
        ("Is $ARGUMENTS ok?", f"Is {PAYLOAD.strip()} ok?"),
        ("Is it ok?", f"Is it ok?\n\n{PAYLOAD.strip()}"),
        (r"It costs \$5: $ARGUMENTS", f"It costs $5: {PAYLOAD.strip()}"),
        (r"\$ARGUMENTS", f"$ARGUMENTS\n\n{PAYLOAD.strip()}"),
        ("$ARGUMENTS $ARGUMENTS", f"{PAYLOAD.strip()} {PAYLOAD.strip()}"),
        ("$ARGUMENTSX and $1", f"$ARGUMENTSX and $1\n\n{PAYLOAD.strip()}"),
        ("{{ a }} $ARGUMENTS", "{{ a }} " + PAYLOAD.strip()),
    ],
)
def test_arguments_are_the_payload(prompt: str, filled: str) -> None:
    """Where the place stands, or else at the end.

    What the payload itself holds is not filled in again (docs/formats/claude-code.md 4).
    """
    assert fill_prompt(Model(names=("m",), prompt=prompt, language=ARGUMENTS), PAYLOAD) == filled


RULE = "Rule: DENY whatever touches /etc."
PADDED = json.dumps({"tool_name": "shell", "tool_input": {"cmd": "rm -rf /etc; : " + "a" * 70_000}})


@pytest.mark.parametrize(
    ("prompt", "language", "cut"),
    [
        ("{{ .ToolInput.cmd }}\nTool: {{ .ToolName }}\n" + RULE, "template", "rm -rf /etc"),
        (
            "{{ .ToolInput.cmd }}{{ .ToolInput | toJSON }}"
            + RULE
            + "{{ .ToolName }}\nTool: {{ .ToolName }}",
            "template",
            "rm -rf /etc",
        ),
        (
            "{% for k, v in tool_input | items %}{{ v }}{% endfor %}\nTool: {{ 'shell' }}" + RULE,
            "template",
            "rm -rf /etc",
        ),
        ("$ARGUMENTS\n" + RULE + "\nTool: shell", ARGUMENTS, '{"tool_name"'),
        ("$ARGUMENTS $ARGUMENTS\n" + RULE + "\nTool: shell", ARGUMENTS, '{"tool_name"'),
        (RULE + "\nTool: shell", ARGUMENTS, RULE),
    ],
)
def test_padding_pushes_no_rule_out_of_a_prompt(prompt: str, language: str, cut: str) -> None:
    """The author's words are whole, and so are short values.

    The long ones are cut, and a model is told so.
    """
    text = fill_prompt(Model(names=("m",), prompt=prompt, language=language), PADDED)

    assert RULE in text
    assert "Tool: shell" in text
    assert text.startswith(cut)
    assert "characters cut off]" in text
    assert text.endswith("Do not approve what you cannot see.]")
    assert len(text) < (64 << 10) + 400


def test_an_author_who_writes_too_much_is_told() -> None:
    """It is a failure, and not a shorter prompt."""
    with pytest.raises(HandlerError, match="longer than 10 characters without what it quotes"):
        fill_prompt(
            Model(names=("m",), prompt="x" * 11 + "$ARGUMENTS", language=ARGUMENTS, most_prompt=10),
            "{}",
        )
    with pytest.raises(HandlerError, match="longer than 10 characters"):
        fill_prompt(
            Model(names=("m",), prompt="{% for i in range(9) %}xx{% endfor %}", most_prompt=10),
            "{}",
        )


@pytest.mark.parametrize("payload", ["", "nonsense", "[" * 100_000])
def test_a_payload_that_is_no_json_fills_nothing(payload: str) -> None:
    """It is a failure of that hook."""
    with pytest.raises(HandlerError, match="the payload is no JSON"):
        fill_prompt(Model(names=("m",), prompt="{{ .a }}"), payload)


def test_without_jinja2_nothing_is_checked_and_nothing_is_filled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file still loads on a machine that does not ask models."""
    real = builtins.__import__

    def missing(name: str, *args: Any, **options: Any) -> Any:
        if name.startswith("jinja2"):
            raise ImportError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", missing)
    monkeypatch.delitem(sys.modules, "hookline.wire.prompt_template", raising=False)
    assert find_template_faults("{{").error == ""
    with pytest.raises(HandlerError, match="jinja2, which is not"):
        fill_prompt(Model(names=("m",), prompt="{{ .a }}"), "{}")
    assert fill_prompt(Model(names=("m",), prompt="x", language=ARGUMENTS), "{}") == "x\n\n{}"
