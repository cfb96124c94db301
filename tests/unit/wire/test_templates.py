"""Templates: a prompt with the payload in it, and the cut that says so."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import pytest

from hookline.errors import HandlerError
from hookline.model.handler import Model
from hookline.wire.templates import ARGUMENTS, INSTALL, cut, faults, fill

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
    """Where the place stands, or else at the end; what the payload itself holds is not filled in again (harnesses.md 2.4)."""
    assert fill(Model(names=("m",), prompt=prompt, language=ARGUMENTS), PAYLOAD) == filled


def test_what_is_cut_is_said() -> None:
    """A model that does not see everything is told not to approve."""
    text = cut("x" * 20, 10)

    assert text.startswith("xxxxxxxxxx\n\n[This text was longer than 10 characters")
    assert cut("x" * 10, 10) == "x" * 10
    assert fill(Model(names=("m",), prompt="{{ .a }}", most_prompt=3), '{"a": "abcdef"}').startswith("abc\n\n[This text")


@pytest.mark.parametrize("payload", ["", "nonsense", "[" * 100_000])
def test_a_payload_that_is_no_json_fills_nothing(payload: str) -> None:
    """It is a failure of that hook."""
    with pytest.raises(HandlerError, match="the payload is no JSON"):
        fill(Model(names=("m",), prompt="{{ .a }}"), payload)


def test_without_jinja2_nothing_is_checked_and_nothing_is_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file still loads on a machine that does not ask models; who asks one is told what to install."""
    real = builtins.__import__

    def missing(name: str, *args: Any, **options: Any) -> Any:
        if name.startswith("jinja2"):
            raise ImportError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", missing)
    monkeypatch.delitem(sys.modules, "hookline.wire.sandbox", raising=False)
    assert faults("{{").error == ""
    with pytest.raises(HandlerError, match="jinja2") as raised:
        fill(Model(names=("m",), prompt="{{ .a }}"), "{}")
    assert INSTALL in str(raised.value)
    assert fill(Model(names=("m",), prompt="x", language=ARGUMENTS), "{}") == "x\n\n{}"
