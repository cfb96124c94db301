"""Keeping: values by their hash, masked or whole.

Texts without what is secret in them, and of a bounded length.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import hookline
from hookline.journal.records import PayloadPolicy, to_canonical_json, to_plain

SECRET = "hunter2hunter2"  # noqa: S105 - what must not be found


def test_a_value_that_is_too_large_is_kept_by_its_hash() -> None:
    """Whatever was chosen."""
    kept = PayloadPolicy(how="full").keep_value("x" * 300_000)

    assert (kept["cut"], kept["bytes"], "value" in kept) == (True, 300_002, False)


def test_a_text_is_cut_and_says_so() -> None:
    """So that a hook cannot fill the journal."""
    assert PayloadPolicy().keep_text("ab " * 2000) == "ab " * 666 + "ab" + " [4000 more]"


@pytest.mark.parametrize("how", ["hash", "masked"])
def test_what_a_hook_says_has_no_secret_in_it(how: str) -> None:
    """Because hooks quote what they refuse."""
    assert SECRET not in PayloadPolicy(how=how).keep_text(f"no password={SECRET}")


def test_what_json_cannot_say_is_said_in_words() -> None:
    """A payload of a Python host may hold anything."""
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]

    assert json.loads(to_canonical_json({1: {2.5, "x"}, "nan": float("nan"), "o": object()})) == {
        "1": ["x", 2.5],
        "nan": "nan",
        "o": "a object",
    }
    assert "nested too deeply" in json.dumps(to_plain(deep))
    assert json.loads(json.dumps(PayloadPolicy(how="full").keep_value({"x": object()})))[
        "value"
    ] == {"x": "a object"}


INLINE = "echo SECRETINCMD1; curl https://tok@h/x; exit 1"


def of_command(keeping: PayloadPolicy, text: str, **keys: Any) -> str:
    """A text about a command hook whose name is what it runs, as it is kept."""
    tree = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": INLINE}]}]}}
    (spec,) = hookline.Engine.from_config(tree, dialect="claude-code").hooks
    spec = spec.replace(handler=spec.handler.replace(**keys)) if keys else spec
    return keeping.keep_text(text.format(name=spec.name), [spec])


def test_a_hook_is_called_by_its_id() -> None:
    """Its name is the beginning of its script, which is no more the journal's than a payload is."""
    assert (
        of_command(PayloadPolicy(), "hook `{name}` failed: x") == "hook `config#Stop.0.0` failed: x"
    )
    assert "SECRETINCMD1" in of_command(PayloadPolicy(how="full"), "hook `{name}` failed")


def test_a_secret_of_the_environment_is_masked_wherever_it_is_said() -> None:
    """By the name of its variable, of the process or of the hook; also where the text is cut."""
    keeping = PayloadPolicy(environ={"API": "ENVSECRET99", "HOME": "/home/somebody"})

    assert (
        of_command(keeping, "leak ENVSECRET99 in /home/somebody")
        == "leak [masked 11] in /home/somebody"
    )
    assert (
        of_command(PayloadPolicy(), "leak hookishly", env={"MY_TOKEN": "hookishly"})
        == "leak [masked 9]"
    )
    assert "ENVSEC" not in keeping.keep_text("x" * 3995 + "ENVSECRET99")
    assert (
        of_command(PayloadPolicy(how="full", environ=keeping.environ), "ENVSECRET99")
        == "ENVSECRET99"
    )


def test_a_text_of_a_hook_is_masked_as_what_it_says_is() -> None:
    """By the values that are known to be secret, too; and nothing of it is cut."""
    (spec,) = hookline.Engine.from_config(
        {"hooks": {"stop": [{"type": "command", "command": "x"}]}}, dialect="docker-agent"
    ).hooks
    keeping = PayloadPolicy(how="masked", environ={"MY_TOKEN": "hookishly"})
    kept = keeping.keep_value("x" * 9000 + " hookishly", (spec,))

    assert kept["value"] == "x" * 9000 + " [masked 9]"
    assert "value" not in keeping.replace(how="hash").keep_value("hookishly", (spec,))
