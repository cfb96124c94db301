"""TOML edits keep comments, order and line ends."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from hookline.bridges.toml_edit import update_toml
from hookline.errors import ConfigError

OURS = {"event": "Stop", "command": "ours"}
TEXTS = {
    "empty": "",
    "keys": '# top\nmodel = "x" # why\n',
    "tables": '[a]\nb = 1\n\n[[hooks]]\nevent = "Stop"\ncommand = "x" # keep\n',
    "windows": "a = 1\r\n[x]\r\nb = 2\r\n",
}


def update(text: str, entries: Any) -> str:
    added = [(("hooks",), each) for each in entries]
    found = update_toml(text.encode(), added, lambda each: each["command"] != "x", path="c.toml")
    return found.decode()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_tables_come_last_and_go(text: str) -> None:
    """Twice is once; what was there stays byte for byte."""
    new = update(text, [OURS, {**OURS, "event": "Pre"}])
    hooks = tomllib.loads(text).get("hooks", [])

    assert new.startswith(text)
    assert tomllib.loads(new)["hooks"] == [*hooks, OURS, {**OURS, "event": "Pre"}]
    assert update(new, [OURS, {**OURS, "event": "Pre"}]) == new
    assert update(new, []).rstrip() == text.rstrip()
    assert new.count("\r\n") in (0, new.count("\n"))


def test_an_empty_list_becomes_tables() -> None:
    """Kimi CLI writes `hooks = []` itself."""
    assert tomllib.loads(update("hooks = []\na = 1\n", [OURS])) == {"a": 1, "hooks": [OURS]}


def test_an_old_table_is_replaced_in_its_place() -> None:
    """And one that is wanted no more goes."""
    text = update(TEXTS["tables"], [{**OURS, "command": "old"}, {**OURS, "event": "Gone"}])

    assert tomllib.loads(update(text, [OURS]))["hooks"][1:] == [OURS]


@pytest.mark.parametrize("text", ["a = ", "hooks = 1\n", "hooks = [{event = 'x'}]\n"])
def test_another_form_is_refused(text: str) -> None:
    """Broken text, and hooks that are no tables."""
    with pytest.raises(ConfigError) as caught:
        update(text, [OURS])
    assert caught.value.name == "install.unreadable"
