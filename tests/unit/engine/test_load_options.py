"""The words that loading takes, and whose a keyword is."""

from __future__ import annotations

import pytest

from hookline import ConfigError
from hookline.engine.load_options import check_choices, split_keywords
from hookline.engine.runtime import Runtime


def test_a_word_that_is_none_of_those_allowed_is_an_error() -> None:
    """It says which there are; one of them passes."""
    check_choices(trust="user")
    with pytest.raises(ConfigError, match="unknown trust `User`") as caught:
        check_choices(trust="User")

    assert (caught.value.name, caught.value.hint) == (
        "config.option",
        "one of all, user, approved, none",
    )


def test_what_is_no_setting_of_the_engine_is_an_option_of_the_dialect() -> None:
    """Whatever the engine's class takes is its own."""
    assert split_keywords(Runtime, {"cwd": "/", "redo_limit": 1, "profile": "d1"}) == (
        {"cwd": "/", "redo_limit": 1},
        {"profile": "d1"},
    )
