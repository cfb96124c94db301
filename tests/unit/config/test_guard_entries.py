"""Entries that come into a `hookline.yaml` and leave it again, byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.config.guard_entries import add_entry, remove_entries
from hookline.errors import ConfigError

ENTRY = {"use": "commands", "with": {"profile": "strict"}}

TEXTS = [
    "version: 1\nhooks:\n  - on: stop\n    deny: x\n",
    "# mine\nversion: 1\nhooks:\n- on: stop  # why\n  deny: x\n\n# the end\n",
    "version: 1\nhooks:\n  - on: stop\n    deny: x\n\n\nsources:\n  - path: a\n",
    "version: 1\nsources:\n  - path: a\n",
    "version: 1\nhooks:\n  - on: stop\n    deny: x",
    "version: 1\nhooks:\n    # first\n    -   on: stop\n        deny: x\n    # last\ntests: []\n",
]


def is_meant(entry):
    """Whether an entry is the one that was added."""
    return entry.get("use") == "commands"


@pytest.mark.parametrize("text", TEXTS)
def test_an_entry_comes_and_goes(text):
    """A file that an entry came into and left has every byte that it had."""
    added = add_entry(text, "hooks", ENTRY, path="x")
    assert "- use: commands\n" in added or "-   use: commands\n" in added
    assert "with: {profile: strict}" in added
    assert remove_entries(added, "hooks", is_meant, path="x") == text


def test_a_new_file_comes_and_goes():
    """The first entry makes a file, and the last one leaves none."""
    added = add_entry(None, "hooks", {"use": "commands"}, path="x")
    assert added == "version: 1\nhooks:\n  - use: commands\n"
    assert remove_entries(added, "hooks", is_meant, path="x") is None


def test_another_list_is_added():
    """A list that the file does not have is added at its end."""
    exception = {"rule": "fs.local", "reason": "it's mine", "until": "2027-01-31"}
    added = add_entry(TEXTS[0], "exceptions", exception, path="x")
    assert added.endswith(
        "exceptions:\n  - rule: fs.local\n    reason: it's mine\n    until: '2027-01-31'\n"
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hooks: [{on: stop, deny: x}]\n", "no list with one line"),
        ("hooks: []\n", "no list with one line"),
        ("hooks: {}\n", "no list with one line"),
        ("hooks:\n", "has no value"),
        ("- a\n", "not a mapping"),
        ("a: [", "cannot be edited"),
    ],
)
def test_what_cannot_be_edited_is_told(text, why):
    """A file of another layout stays as it is, and the message says what to add by hand."""
    with pytest.raises(ConfigError, match="cannot be edited") as caught:
        add_entry(text, "hooks", ENTRY, path="x")
    assert why in str(caught.value)


@given(
    st.lists(
        st.sampled_from([*TEXTS[0].splitlines(), "", "# c", "  - on: end", "x: 1"]), max_size=9
    )
)
def test_any_text_is_restored_or_refused(lines):
    """Whatever a file looks like, an entry leaves it as it was, or never comes into it."""
    text = "\n".join(lines)
    try:
        added = add_entry(text, "hooks", ENTRY, path="x")
    except ConfigError:
        return
    removed = remove_entries(added, "hooks", is_meant, path="x")
    assert removed == text or (removed is None and text.strip() in ("", "version: 1"))
