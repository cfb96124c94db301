"""Replies: what a command hook of a host would print, and how it would end."""

from __future__ import annotations

from hookline.model.verdict import Reply


def test_a_reply_of_nothing_is_the_usual_noop() -> None:
    """Exit 0 without output."""
    assert (Reply().exit_code, Reply().stdout, Reply().stderr) == (0, "", "")
