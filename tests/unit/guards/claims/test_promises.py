"""Promises to tell the user later are found; offers, denials and quotations are none."""

from __future__ import annotations

import pytest

from hookline.guards.claims.promises import find_promises


@pytest.mark.parametrize(
    "reply",
    [
        "I'll let you know when the build finishes.",
        "I'll ping you once it's done.",
        "The job is running. I will report back as soon as it ends.",
        "I'll monitor the deploy and get back to you.",
        "I'll remind you at 5pm.",
        "I'll send you the results tomorrow.",
        "You'll be notified when the upload completes.",
        "Here is the plan. I'll keep you posted.",
        "构建完成后我会通知你。",
        "有结果了我会告诉您。",
        "稍后我再向你汇报。",
        "明天九点我会提醒你。",
    ],
)
def test_a_promise_is_found(reply: str) -> None:
    """A verb of telling, and a time or an event to come."""
    assert len(find_promises(reply)) == 1


@pytest.mark.parametrize(
    "reply",
    [
        "I can let you know when it is done.",
        "If you like, I'll notify you when it finishes.",
        "Want me to ping you when it is done?",
        "Let me know when you are ready.",
        "I won't notify you about it.",
        "I'll let you know once you send me the file.",
        '"I will let you know" is what the bot says.',
        "The script will email the owner when it fails.",
        "```\nI'll ping you when done\n```",
        "I'll tell you how it works: the parser reads a line.",
        "我可以在完成后通知你。",
        "需要我完成后通知你吗？",
        "完成后不会通知你。",
        "如果你需要，我会在完成后通知你。",
    ],
)
def test_what_is_no_promise(reply: str) -> None:
    """An offer, a denial, a quotation, and what the user has to do first."""
    assert find_promises(reply) == ()
