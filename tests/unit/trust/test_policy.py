"""What does each state of a hook mean, and who may change that?"""

from __future__ import annotations

import pytest

from hookline.config.settings import TABLES
from hookline.errors import ConfigError
from hookline.model.spec import SCOPES
from hookline.trust.policy import (
    EFFECTS,
    IN_PLACE,
    KEYS,
    STATES,
    Policy,
    group_of,
    named,
    policy_of,
)


def test_each_state_means_something_for_everybody_who_is_asked() -> None:
    """A trusted hook runs."""
    assert {
        (group, state): Policy().effect(group, state)
        for group in ("user", "project")
        for state in STATES
    } == {
        ("user", "trusted"): "run",
        ("user", "unknown"): "record",
        ("user", "changed"): "warn",
        ("user", "revoked"): "skip",
        ("user", "missing"): "skip",
        ("project", "trusted"): "run",
        ("project", "unknown"): "skip",
        ("project", "changed"): "skip",
        ("project", "revoked"): "skip",
        ("project", "missing"): "skip",
    }


def test_who_is_asked() -> None:
    """What a clone brings along, and the user's own files; nobody is asked about what was named, or is policy."""
    assert {scope: (group_of(scope), named(scope)) for scope in SCOPES} == {
        "managed": ("", False),
        "user": ("user", False),
        "project": ("project", False),
        "local": ("project", False),
        "explicit": ("", True),
        "process": ("", True),
    }


def test_settings_change_the_table_and_arguments_go_first() -> None:
    """A row that is not named stays."""
    made = policy_of({"user_changed": "deny", "project_unknown": "ask"}, user_changed="skip")

    assert [
        made.effect(*row)
        for row in (("user", "changed"), ("project", "unknown"), ("project", "changed"))
    ] == ["skip", "ask", "skip"]


def test_what_is_run_from_its_place_is_a_choice_of_its_own() -> None:
    """By default it runs; the table says nothing of it."""
    assert (
        policy_of().in_place,
        policy_of({"in_place": "ask"}).in_place,
        policy_of({"in_place": "ask"}, in_place="deny").in_place,
    ) == (
        "run",
        "ask",
        "deny",
    )
    assert policy_of({"in_place": "ask"}).table == Policy().table


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"user_new": "warn"}, "unknown setting `trust.user_new`"),
        ({"managed_unknown": "skip"}, "unknown setting `trust.managed_unknown`"),
        ({"user_changed": "ignore"}, "`trust.user_changed` is `ignore`"),
        ({"project_unknown": "record"}, "`trust.project_unknown` is `record`"),
        ({"user_revoked": "warn"}, "`trust.user_revoked` is `warn`"),
        ({"in_place": "record"}, "`trust.in_place` is `record`"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(settings: dict[str, str], says: str) -> None:
    """A clone's first use is no approval, and what was taken back cannot run."""
    with pytest.raises(ConfigError, match=says):
        policy_of(settings)


def test_the_settings_file_knows_every_key() -> None:
    """And every effect that somebody can choose."""
    effects = {key: row for key, row in TABLES["trust"].items() if row.choices}

    assert set(effects) == {*KEYS, IN_PLACE}
    assert {choice for key in KEYS for choice in effects[key].choices} == set(EFFECTS) - {"run"}
