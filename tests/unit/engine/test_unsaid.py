"""What a reply cannot show is told beside it, once."""

from __future__ import annotations

import pytest

from hookline.engine.notices import add_to_stderr, is_shown, list_lost
from hookline.model.reply import Reply
from hookline.model.verdict import Decision, Lowered, Stance, Verdict

WHY = Lowered(effect="deny", reason="the event cannot be refused", hook="h")
FAULT = Verdict(hook_id="h", stance=Stance.SILENT, fault="timed out after 1 s")
NOTED = Verdict(hook_id="h", stance=Stance.SILENT, for_user="a note")


def decided(*verdicts: Verdict, lowered: tuple[Lowered, ...] = ()) -> Decision:
    """A decision that some hooks led to."""
    return Decision(
        kind="tool.after",
        dialect="kimi",
        native_event="PostToolUse",
        verdicts=verdicts,
        lowered=lowered,
    )


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        (decided(), []),
        (decided(lowered=(WHY,)), ["h said `deny`: the event cannot be refused"]),
        (
            decided(lowered=(WHY.replace(effect="input", reason="r"),)),
            ["h would change the `input`: r"],
        ),
        (decided(lowered=(WHY.replace(effect="evidence"),)), []),
        (decided(FAULT), ["h: timed out after 1 s"]),
        (decided(FAULT.replace(shadow=True)), []),
        (decided(FAULT.replace(told=True)), []),
        (decided(NOTED), []),
        (decided(NOTED, lowered=(WHY.replace(effect="note"),)), ["h: a note"]),
    ],
)
def test_what_the_host_has_no_word_for_is_told(decision: Decision, told: list[str]) -> None:
    """Stances, changes, faults, and notes where there is no place for them."""
    assert list(list_lost(decision, Reply())) == told


def test_what_the_reply_shows_is_not_told_again() -> None:
    """On either stream, JSON's escapes included."""
    assert (
        list(
            list_lost(
                decided(FAULT.replace(fault='a "b"')), Reply(stdout='{"reason": "a \\"b\\""}')
            )
        )
        == []
    )
    assert list(list_lost(decided(FAULT), Reply(stderr="timed out after 1 s"))) == []


def test_lines_stand_beside_the_reply_once_and_visibly() -> None:
    """After what is there already."""
    assert add_to_stderr(Reply(), ()) == Reply()
    assert (
        add_to_stderr(Reply(stderr="x\n"), ["a\x1b", "a\x1b", "b"]).stderr
        == "x\nhookline: a\\x1b\nhookline: b\n"
    )


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("s.toml:1:1: HKL1101 unknown key `x` (did you mean `y`?)", True),
        ("s.toml:1:1: HKL1101 unknown key `x`", True),
        ("s.toml:2:1: HKL1101 unknown key `z`", False),
        ("HKL6003 `j` may be written to by others (chmod 700 j)", False),
    ],
)
def test_what_is_wrong_is_told_once(line: str, told: bool) -> None:
    """Whoever else says it with what follows has said it."""
    reply = Reply(
        stdout='{"systemMessage": "hookline: s.toml:1:1: HKL1101 unknown key `x`: nothing of it counts (did you mean `y`?)"}'
    )

    assert is_shown(reply, line) is told
