"""Keeping: values by their hash, masked or whole.

Texts without what is secret in them, and of a bounded length.
"""

from __future__ import annotations

from typing import Any

import pytest

from hookline.journal.records import PayloadPolicy, to_canonical_json

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


def test_what_json_cannot_say_is_the_name_of_its_type() -> None:
    """A payload of a Python host may hold anything."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]

    assert to_canonical_json({"b": object(), "a": 1}) == '{"a":1,"b":"a object"}'
    assert to_canonical_json({"nan": float("nan")}) == '"a dict"'
    assert to_canonical_json({1: 2, "x": 3}) == '"a dict"'
    assert to_canonical_json(deep) == '"a list"'
    assert PayloadPolicy(how="full").keep_value({"x": object()})["value"] == {"x": "a object"}


def test_a_secret_of_the_environment_is_masked_wherever_it_is_said() -> None:
    """By the name of its variable; also where the text is cut."""
    policy = PayloadPolicy(environ={"API": "ENVSECRET99", "HOME": "/home/somebody"})

    assert (
        policy.keep_text("leak ENVSECRET99 in /home/somebody")
        == "leak [masked 11] in /home/somebody"
    )
    assert "ENVSEC" not in policy.keep_text("x" * 1995 + "ENVSECRET99")
    assert policy.replace(how="full").keep_text("ENVSECRET99") == "ENVSECRET99"


def test_a_text_of_a_hook_is_masked_as_what_it_says_is() -> None:
    """By the values that are known to be secret, too; and nothing of it is cut."""
    policy = PayloadPolicy(how="masked", environ={"MY_TOKEN": "hookishly"})
    kept = policy.keep_value("x" * 9000 + " hookishly")

    assert kept["value"] == "x" * 9000 + " [masked 9]"
    assert "value" not in policy.replace(how="hash").keep_value("hookishly")
