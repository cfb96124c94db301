"""Catalogue: finds each dialect by its name and makes it at its first use."""

from __future__ import annotations

import pytest

from hookline.engine.catalog import NAMES, make_dialect
from hookline.errors import ConfigError


@pytest.mark.parametrize("name", NAMES)
def test_a_dialect_is_what_its_name_says(name: str) -> None:
    """Its table has the name under which it is found, and rows under their own natives."""
    table = make_dialect(name).table

    assert table.name == name
    assert [native for native, row in table.rows.items() if row.native != native] == []


@pytest.mark.parametrize("name", NAMES)
def test_an_option_that_a_dialect_lacks_is_an_error(name: str) -> None:
    """With the options that it has."""
    with pytest.raises(ConfigError) as caught:
        make_dialect(name, {"no such option": True})
    assert caught.value.name == "config.option"
    assert caught.value.hint


def test_an_unknown_dialect_is_an_error() -> None:
    """With the nearest one, or all of them."""
    with pytest.raises(ConfigError, match="did you mean `docker-agent`"):
        make_dialect("docker_agent")
    with pytest.raises(ConfigError, match="one of hookline, docker-agent"):
        make_dialect("")
