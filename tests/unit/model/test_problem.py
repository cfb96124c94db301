"""Problems and their places, as people and programs read them."""

from __future__ import annotations

import pytest

from hookline.errors import CODES
from hookline.model.spec import Origin, Problem

WHOLE = Problem(
    name="event.unknown",
    message="unknown event `PreToolUze`",
    hint="did you mean `PreToolUse`?",
    origin=Origin(file="a/settings.json", pointer="hooks.PreToolUze", line=3, column=5),
    hook="settings.json#1",
)


@pytest.mark.parametrize(
    ("origin", "place"),
    [
        (Origin(file="a.yaml", line=3, column=5), "a.yaml:3:5"),
        (Origin(file="a.yaml", line=3), "a.yaml:3"),
        (Origin(file="a.yaml"), "a.yaml"),
        (Origin(line=3, column=5), "3:5"),
        (Origin(), ""),
    ],
)
def test_a_place_is_told_as_far_as_it_is_known(origin: Origin, place: str) -> None:
    """File, line and column, without zeros for unknown ones."""
    assert origin.place == place


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (
            WHOLE,
            "a/settings.json:3:5: HKL1203 unknown event `PreToolUze` (did you mean `PreToolUse`?)",
        ),
        (WHOLE.replace(hint=""), "a/settings.json:3:5: HKL1203 unknown event `PreToolUze`"),
        (WHOLE.replace(origin=Origin(), hint=""), "HKL1203 unknown event `PreToolUze`"),
    ],
)
def test_a_problem_is_one_line(problem: Problem, text: str) -> None:
    """Place, code, message and hint, in the form that editors jump to."""
    assert str(problem) == text


def test_a_problem_as_a_document_says_everything() -> None:
    """Code and name, severity, the place in parts, and the hook that it is about."""
    assert WHOLE.to_dict() == {
        "code": "HKL1203",
        "name": "event.unknown",
        "severity": "error",
        "message": "unknown event `PreToolUze`",
        "hint": "did you mean `PreToolUse`?",
        "file": "a/settings.json",
        "line": 3,
        "column": 5,
        "pointer": "hooks.PreToolUze",
        "hook": "settings.json#1",
    }


def test_codes_are_stable_and_never_shared() -> None:
    """One code a name, in its family."""
    assert len(set(CODES.values())) == len(CODES)
    assert [
        code
        for code in CODES.values()
        if not (code.startswith("HKL") and code[3:].isdecimal() and len(code) == 7)
    ] == []
