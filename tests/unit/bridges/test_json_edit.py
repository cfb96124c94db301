"""JSON edits keep every byte that is not theirs."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from hookline.bridges.json_edit import update_json
from hookline.errors import ConfigError

OURS = {"hooks": [{"command": "ours"}]}
ENTRIES = [(("hooks", "Pre"), OURS), (("hooks", "Stop"), OURS)]

TEXTS = {
    "inline": '{"a": 1, "hooks": {"Pre": [{"x": 1}]}}',
    "minified": '{"a":1,"hooks":{"Pre":[{"x":1}]}}',
    "tabs": '{\n\t"a": 1,\n\t"hooks": {\n\t\t"Pre": [\n\t\t\t{"x": 1}\n\t\t]\n\t}\n}\n',
    "four blanks": '{\n    "a": [\n        1\n    ]\n}\n',
    "windows": '{\r\n  "a": 1\r\n}\r\n',
    "mark": '\ufeff{\n  "a": 1\n}\n',
    "comments": '{\n  // first\n  "a": 1, /* one */\n  "hooks": {\n    "Pre": [ // list\n'
    '      {"x": 1}\n    ]\n  } // end\n}\n',
    "no end of line": '{\n  "a": 1\n}',
    "letters": '{\n  "ä": "€ \\u00e4",\n  "hooks": {\n    "Stop": [\n      {"y": "ü"}\n'
    "    ]\n  }\n}\n",
}


def own(value: Any) -> bool:
    return value in (OURS, {"old": 1})


def update(text: str, entries: Any = ENTRIES) -> str:
    return update_json(text.encode(), entries, own, path="f.json").decode()


def strip(text: str) -> Any:
    """The tree of a text without comments."""
    lines = text.lstrip("\ufeff").replace("/* one */", "").splitlines()
    return json.loads("\n".join(line.partition("//")[0] for line in lines))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_entries_come_and_go(text: str) -> None:
    """They are the last of their lists; twice is once; without them the text is as it was."""
    new = update(text)
    before, tree = strip(text), strip(new)
    lists = before.get("hooks", {})

    assert tree["hooks"]["Pre"] == [*lists.get("Pre", []), OURS]
    assert tree["hooks"]["Stop"] == [*lists.get("Stop", []), OURS]
    assert {key: value for key, value in tree.items() if key != "hooks"} == {
        key: value for key, value in before.items() if key != "hooks"
    }
    assert update(new) == new
    assert update(new, []) == text
    assert re.findall(r"//.*|/\*.*?\*/", new) == re.findall(r"//.*|/\*.*?\*/", text)


def test_new_lines_are_indented_as_their_neighbours() -> None:
    """With the file's own indent and line ends."""
    assert '\n\t\t\t\t"hooks": [' in update(TEXTS["tabs"])
    assert update(TEXTS["windows"]).count("\n") == update(TEXTS["windows"]).count("\r\n")
    assert '[{"x":1},{"hooks":[{"command":"ours"}]}]' in update(TEXTS["minified"])


@pytest.mark.parametrize("text", ["", "\n", "{}", "{}\n", "{\n}\n", '{"hooks": {}}'])
def test_an_empty_file_gets_entries_on_lines_of_their_own(text: str) -> None:
    """An empty text is an empty object."""
    assert strip(update(text)) == {"hooks": {"Pre": [OURS], "Stop": [OURS]}}
    assert update(text).count("\n") > 10


def test_an_old_entry_is_replaced_in_its_place() -> None:
    """So that the entries behind it keep their positions; a second one goes."""
    text = '{"hooks": {"Pre": [{"old": 1}, {"x": 1}, {"old": 1}], "Gone": [{"old": 1}]}}'

    assert strip(update(text))["hooks"] == {"Pre": [OURS, {"x": 1}], "Stop": [OURS]}


def test_of_a_repeated_key_the_last_counts() -> None:
    """As it does for the hosts."""
    text = '{"hooks": {"Pre": [{"x": 1}]}, "hooks": {"Pre": [{"x": 2}]}}'

    assert strip(update(text))["hooks"]["Pre"] == [{"x": 2}, OURS]


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ('{\n  "a": 1,,\n}', "f.json:2:", "no JSON object"),
        ("[]", "f.json:1:1", "no JSON object"),
        ('{"hooks": []}', "f.json:1:11", "`hooks` is not an object"),
        ('{"hooks": {"Pre": {}}}', "f.json:1:19", "`hooks.Pre` is not a list"),
    ],
)
def test_another_shape_is_refused_with_its_place(text: str, place: str, why: str) -> None:
    """Nothing is mended."""
    with pytest.raises(ConfigError) as caught:
        update(text)
    assert caught.value.name == "install.unreadable"
    assert str(caught.value.place).startswith(place)
    assert why in caught.value.message
