"""Options: a boolean switches something on or off, in every dialect."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from hookline.cli.selected_engine import parse_options
from hookline.core.options import check_switches
from hookline.engine.catalog import NAMES, make_dialect
from hookline.errors import ConfigError

SWITCHES = [
    (name, option)
    for name in NAMES
    for option, parameter in inspect.signature(type(make_dialect(name))).parameters.items()
    if parameter.annotation == "bool"
]


def test_every_dialect_with_http_hooks_has_the_local_switch() -> None:
    """So that the rows below are those that open the network."""
    with_local = {name for name, option in SWITCHES if option == "allow_local"}

    assert with_local == {"claude-code", "copilot", "docker-agent", "hookline", "qwen", "starchild"}
    assert {
        ("docker-agent", "exact"),
        ("starchild", "approver"),
        ("hermes", "approver"),
        ("agenthooks", "approver"),
    } <= set(SWITCHES)


@pytest.mark.parametrize("given", ["no", "0", "off", "False", "false", "true", "", 0, 1, None])
@pytest.mark.parametrize(("dialect", "option"), SWITCHES, ids=".".join)
def test_a_switch_is_a_boolean(dialect: str, option: str, given: Any) -> None:
    """Anything else is refused, because any text is true to Python, and `no` would switch it on."""
    with pytest.raises(ConfigError) as caught:
        make_dialect(dialect, {option: given})

    assert caught.value.message == f"`{option}` of {dialect} must be true or false, not `{given}`"
    assert (caught.value.name, caught.value.hint) == (
        "config.option",
        f"-o {option}=true, or -o {option}=false",
    )


@pytest.mark.parametrize("given", ["no", "0", "off", "False", "FALSE", "yes", "1"])
@pytest.mark.parametrize(("dialect", "option"), SWITCHES, ids=".".join)
def test_a_switch_on_the_command_line_is_true_or_false(
    dialect: str, option: str, given: str
) -> None:
    """In these letters; what else means no to a person opens nothing."""
    with pytest.raises(ConfigError, match="must be true or false"):
        make_dialect(dialect, parse_options([f"{option}={given}"]))
    assert make_dialect(dialect, parse_options([f"{option}=false"])).table.name == dialect


@pytest.mark.parametrize("given", [True, False])
def test_a_boolean_is_taken_as_it_is(given: bool) -> None:
    """On and off."""
    check_switches("some", thing=given)
