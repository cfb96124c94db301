"""Words for handlers and powers."""

from __future__ import annotations

import pytest

from hookline.cli import phrases
from hookline.model import kinds
from hookline.model.handler import Broken, Builtin, Command, Http, InProcess, Model

HANDLERS = [
    (Command(script="one\ntwo"), "one …"),
    (Command(script="\n one"), "one"),
    (Command(argv=("a", "b")), "a b"),
    (Http(url="https://policy.example/hook"), "POST https://policy.example/hook"),
    (Model(names=("openai/m",), prompt="\nIs it safe?\nSay so."), "model openai/m: Is it safe? …"),
    (Model(names=("$ONE", "x/m"), prompt="Safe?"), "model $ONE, or x/m: Safe?"),
    (Model(names=("$ONE", "$TWO", "x/m"), prompt="Safe?"), "model $ONE, or x/m: Safe?"),
    (
        Model(
            names=("acme/m",),
            prompt="Safe?",
            base_url="https://llm.example/v1?team=secret",
            key="ACME_KEY",
        ),
        "model acme/m at `https://llm.example` with the key in $ACME_KEY: Safe?",
    ),
    (Builtin(name="add_date", args=("x",)), "builtin add_date x"),
    (InProcess(call=print, name="guard"), "python guard"),
    (Broken(reason="why"), "nothing: why"),
]


@pytest.mark.parametrize(
    ("handler", "said"), HANDLERS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_handler_is_a_line(handler: object, said: str) -> None:
    """Of a command its first line."""
    assert phrases.describe_handler(handler) == said  # type: ignore[arg-type]  # each of the union


@pytest.mark.parametrize("kind", kinds.NAMES)
def test_every_power_has_its_words(kind: str) -> None:
    """Those of the vocabulary; a dialect's own are told by their names until they have some."""
    assert kinds.kind(kind).powers <= set(phrases.POWERS)


def test_a_power_without_words_is_told_by_its_name() -> None:
    """Rather than not at all."""
    assert phrases.describe_powers(["deny", "zap"]) == ["refuse it", "zap"]


@pytest.mark.parametrize(("number", "said"), [(0, "0 files"), (1, "1 file"), (2, "2 files")])
def test_things_are_counted(number: int, said: str) -> None:
    """As people do."""
    assert phrases.count_things(number, "file") == said


@pytest.mark.parametrize(("seconds", "said"), [(0.0041, "4.1 ms"), (1.5, "1.50 s")])
def test_durations_have_units(seconds: float, said: str) -> None:
    """Milliseconds below a second."""
    assert phrases.format_duration(seconds) == said
