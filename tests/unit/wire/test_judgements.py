"""Judgements: what is found in a model's reply, and what is not."""

from __future__ import annotations

import pytest

from hookline.wire.hookoutput import UnreadableError
from hookline.wire.judgements import judgements

FOUND = [
    ('{"ok": true}', [{"ok": True}], "an object alone"),
    ('```json\n{"ok": true}\n```', [{"ok": True}], "a code fence"),
    ('So {"ok": false}, I think.', [{"ok": False}], "prose around it"),
    ('{"OK": true, "Reason": "R"}', [{"ok": True, "reason": "R"}], "letter case of keys"),
    ('{"ok": true} {"ok": false}', [{"ok": True}, {"ok": False}], "several, in order"),
    ('{"a": {"ok": true}}', [], "one within another is no judgement"),
    ('{x} {"ok": true}', [{"ok": True}], "braces that are none"),
    ('{{{"ok": true}', [{"ok": True}], "braces too many"),
    ('{"text": "{\\"ok\\": true}"}', [], "one that is only quoted in a text"),
    ('[{"ok": true}]', [{"ok": True}], "in a list"),
]
REFUSED = [
    ("", "empty model reply"),
    (" \n\t", "empty model reply"),
    ("no", "no JSON object"),
    ("[1, 2]", "no JSON object"),
    ('{"ok": tru', "no JSON object"),
    ("{" * 100_000, "no JSON object"),
    ('{"a":' * 100_000, "no JSON object"),
    ("{ " * 64 + '{"ok": true}', "no JSON object"),
]


@pytest.mark.parametrize(("reply", "found", "what"), FOUND, ids=[what for _, _, what in FOUND])
def test_a_judgement_is_found_however_it_is_wrapped_up(reply: str, found: list[object], what: str) -> None:
    """In a fence, in prose, in any letter case, and never inside of something else."""
    assert judgements(reply, "ok") == found


@pytest.mark.parametrize(("reply", "why"), REFUSED)
def test_a_reply_without_an_object_is_refused(reply: str, why: str) -> None:
    """In bounded time, however odd it is."""
    with pytest.raises(UnreadableError, match=why):
        judgements(reply, "ok")
