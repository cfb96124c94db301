"""Of a makefile in the text, the recipes run that make would run."""

import pytest

from hookline.text.script.evaluate import read_shell

MAKEFILE = "DIR = build\nall: first\n\techo all\nfirst: ; echo $(DIR)\nlast:\n\techo last\n"


def list_calls(text):
    """The calls of a text, each on one line."""
    return [call.text for call in read_shell(text, cwd="/w", home="/h").calls]


@pytest.mark.parametrize(
    ("line", "calls"),
    [
        ("make -f -", ["make -f -", "echo all", "echo build"]),
        ("make --file=- last", ["make --file=- last", "echo last"]),
        ("make -C sub -f- first", ["make -C sub -f- first", "echo build"]),
        ("make", ["make"]),
    ],
)
def test_recipes_of_the_goal_run(line, calls):
    """Those of the targets that it names, else of the first one, with what they need."""
    assert list_calls(f"{line} <<'E'\n{MAKEFILE}E\n") == calls


def test_a_makefile_that_the_text_wrote_is_read():
    """By its usual name, and with what it runs while make reads it."""
    written = "cat > Makefile <<'E'\nX := $(shell touch a)\nall:\n\t@echo $$HOME\nE\n"

    assert list_calls(f"{written}make")[2:] == ["touch a", "echo /h"]


def test_a_cycle_of_targets_ends():
    """Each target runs once."""
    assert list_calls("make -f - <<< 'a: a'") == ["make -f -"]
