"""YAML edits keep comments and layout, or refuse."""

from __future__ import annotations

from typing import Any

import pytest
from ruamel.yaml import YAML

from hookline.bridges.yaml_edit import update_yaml
from hookline.errors import ConfigError

OURS = {"command": "ours", "timeout": 60}
ENTRIES = [(("hooks", "pre"), OURS), (("hooks", "post"), OURS)]
TEXTS = {
    "empty": "",
    "a comment": "# only this\n",
    "lists to the right": 'a: "x"  # why\nhooks:\n  pre:\n    - command: x  # keep\n',
    "lists below": "hooks:\n  pre:\n  - command: x\nb: 1\n",
    "windows": "a: 1\r\nb:\r\n- 1\r\n",
}


def update(text: str, entries: Any = ENTRIES) -> str:
    def own(value: Any) -> bool:
        return bool(value.get("command") != "x")

    return update_yaml(text.encode(), entries, own, path="config.yaml").decode()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_entries_come_and_go(text: str) -> None:
    """Twice is once; without them the text is as it was."""
    new = update(text)
    before = (YAML(typ="safe").load(text) or {}).get("hooks", {})
    hooks = YAML(typ="safe").load(new)["hooks"]

    assert hooks == {"pre": [*before.get("pre", []), OURS], "post": [OURS]}
    assert update(new) == new
    assert update(new, []) == text


def test_an_old_entry_is_replaced_in_its_place() -> None:
    """And one that is wanted no more goes."""
    text = "hooks:\n  pre:\n    - command: old\n    - command: x\n  gone:\n    - command: old\n"

    assert YAML(typ="safe").load(update(text))["hooks"] == {
        "pre": [OURS, {"command": "x"}],
        "post": [OURS],
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [", "cannot be edited"),
        ("- 1\n", "not a mapping"),
        ("hooks: 1\n", "`hooks` is not a mapping"),
        ("hooks:\n  pre: 1\n", "`hooks.pre` is not a list"),
        ("a:   {b: 1,   c: 2}\n", "its layout would not be kept"),
    ],
)
def test_what_cannot_be_kept_is_refused(text: str, why: str) -> None:
    """A layout that the writer does not know comes with the text to add by hand."""
    with pytest.raises(ConfigError) as caught:
        update(text)
    assert why in caught.value.message
    assert ("command: ours" in caught.value.hint) is ("layout" in why)
