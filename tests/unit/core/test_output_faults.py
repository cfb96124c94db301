"""Output faults: replies that no host can read, and text that is no reply."""

from __future__ import annotations

import pytest

from hookline.core.output_faults import find_garbled_answer

ANSWER = '{"decision": "block", "reason": "no"}'
BESIDE = "stdout is not one JSON object: there is other text beside it"


@pytest.mark.parametrize(
    ("stdout", "fault"),
    [
        (f"checking\n{ANSWER}", BESIDE),
        (f"{ANSWER}\ndone", BESIDE),
        (f"DEBUG {ANSWER}", BESIDE),
        (f"{ANSWER}\n{ANSWER}", BESIDE),
        (f"[{ANSWER}]", "stdout is JSON, but no object"),
        ('"{\\"decision\\": \\"block\\"}"', "stdout is JSON, but no object"),
        ("\ufffd\ufffd" + "".join(f"{c}\0" for c in ANSWER), "stdout is UTF-16, not UTF-8"),
        ("".join(f"\0{c}" for c in ANSWER), "stdout is UTF-16, not UTF-8"),
        (f"\0{ANSWER}", "stdout contains NUL bytes"),
        ("[" * 100_000, "stdout is not one JSON object: it is nested too deeply"),
        ('{"a":' * 100_000, "stdout is not one JSON object: it is nested too deeply"),
        ('{"decision": NaN}', "stdout is not one JSON object: `NaN` is no JSON"),
        (
            "{'decision': 'block'}",
            (
                "stdout is not one JSON object: expecting property name enclosed in double quotes "
                "at "
                "line 1"
            ),
        ),
    ],
    ids=range(13),
)
def test_an_answer_that_cannot_be_read_is_explained(stdout: str, fault: str) -> None:
    """Each in words for the author of the hook."""
    assert find_garbled_answer(stdout) == fault


@pytest.mark.parametrize(
    "stdout",
    [
        "",
        ANSWER,
        f"\ufeff{ANSWER}\n",
        "{}",
        "ok",
        "[INFO] checked",
        "true",
        "0",
        "a\0b\0",
        "see {x}",
    ],
)
def test_answers_and_logs_are_no_fault(stdout: str) -> None:
    """A log line in brackets and a bare word are plain text."""
    assert find_garbled_answer(stdout) == ""
