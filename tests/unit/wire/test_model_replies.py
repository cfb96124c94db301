"""Judgements: what counts of a model's reply, and what leaves a doubt."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.wire.hookoutput import UnreadableError
from hookline.wire.model_replies import ASKS, PERMITS, REFUSES, read_judgement

YES, MAYBE, NO = '{"say": "yes"}', '{"say": "maybe"}', '{"say": "no"}'
COUNTS = [
    (YES, "yes", "alone"),
    (f" \n{YES}\n", "yes", "white space around it"),
    (f"```json\n{YES}\n```", "yes", "a code fence around it"),
    (f"``` {YES} ```", "yes", "a code fence on one line"),
    ('{"SAY": "yes", "Reason": "R"}', "yes", "letter case of keys"),
    (
        '{"say": "yes", "reason": "it is {\\"say\\": \\"no\\"}"}',
        "yes",
        "one that is only quoted in a text of it",
    ),
    (f"So {NO}, I think.", "no", "a refusal amid prose"),
    (f"So {MAYBE}, I think.", "maybe", "a question amid prose"),
    (f"Here:\n```json\n{NO}\n```\nThat is all.", "no", "a refusal in a fence amid prose"),
    (f"It claims {YES}. {NO}", "no", "a refusal beside a permission"),
    (f"It claims {NO}. {YES}", "no", "a refusal before a permission"),
    (f"{MAYBE} {YES}", "maybe", "a question beside a permission"),
    (f"{MAYBE} {NO}", "no", "a refusal beside a question"),
    ('{"cmd": "ls"} is harmless, but ' + MAYBE, "maybe", "an object of something else"),
    (f"{{x}} {NO}", "no", "a refusal beside braces that are none"),
    ("{{" + NO, "no", "a refusal behind braces too many"),
    (f'{{"say": "nonsense"}} {NO}', "no", "a refusal beside what says nothing"),
    (f'{{"say": "yes", "say": "yes"}} {NO}', "no", "a refusal beside a doubtful object"),
    (f"[{NO}]", "no", "a refusal in a list"),
    (
        f'{{"x": [{", ".join(["{}"] * 100)}]}} {NO}',
        "no",
        "a refusal behind many objects within one",
    ),
    (NO + "{" * 1000, "no", "a refusal before braces without end"),
]
DOUBTFUL = [
    ("", "empty model reply", "nothing"),
    (" \n\t", "empty model reply", "white space"),
    ("no", "no JSON object", "a word"),
    ("[1, 2]", "no JSON object", "a list"),
    ('{"reason": "r"}', "no word", "an object without the key"),
    ('{"a": {"say": "no"}}', "no word", "one within another"),
    ('{"say": "nonsense"}', "`nonsense`", "a word that there is not"),
    (f"I refuse. It wants me to say {YES}", "permits, but is more", "a permission that is quoted"),
    (f"Fine: {YES}", "permits, but is more",
     "a permission amid prose, which may be a quotation"),
    (f"```json\n{YES}\n```\nNo, I take that back.", "permits, but is more",
     "a permission that is taken back"),
    (f"```\n{YES}\n```\n```\n{YES}\n```", "permits, but is more", "two fences"),
    (f"[{YES}]", "permits, but is more", "a permission in a list"),
    (f"{YES} {YES}", "permits, but is more", "two permissions"),
    (f'{{"verdict": {NO}}} {YES}', "permits, but is more",
     "a permission beside an object that holds a refusal"),
    ('{"say": "no", "reason": "it prints ' + YES + ' which is a trick"}', "that can be read",
     "a refusal with quotes that are not escaped"),
    ('{"say": "no", "reason": "it prints ' + YES, "that can be read", "a refusal that was cut off"),
    ('{"say": "no", "reason": "it prints ' + MAYBE, "that can be read",
     "a refusal that was cut off, and quotes a question"),
    ('{"say": "n', "that can be read", "less than an object"),
    ('{"say": "no", "say": "yes"}', "the same key twice", "a refusal that is overwritten"),
    ('{"say": "yes", "Say": "no"}', "the same key twice", "the same key in another case"),
    ('{"say": "yes", "n": {"a": 1, "A": 2}}', "the same key twice", "the same key within"),
    ('{"say": "yes", "n": NaN}', "that can be read", "what is no JSON"),
    (YES + " {" * 70 + NO, "too many braces", "a refusal behind more braces than are tried"),
    ("{" * 100_000, "too many braces", "braces without end"),
    ('{"a":' * 100_000, "too many braces", "objects without end"),
]  # fmt: skip


def weigh(said: dict[str, Any]) -> int:
    strengths = {"yes": PERMITS, "maybe": ASKS, "no": REFUSES}
    if said["say"] not in strengths:
        raise UnreadableError(f"`{said['say']}` is none")
    return strengths[said["say"]]


@pytest.mark.parametrize(("reply", "counts", "what"), COUNTS, ids=[what for _, _, what in COUNTS])
def test_the_strongest_judgement_counts(reply: str, counts: str, what: str) -> None:
    """Wherever a refusal stands; a permission is the whole reply."""
    assert read_judgement(reply, "say", weigh, missing="no word")[0]["say"] == counts


@pytest.mark.parametrize(("reply", "why", "what"), DOUBTFUL, ids=[what for *_, what in DOUBTFUL])
def test_what_leaves_a_doubt_is_no_judgement(reply: str, why: str, what: str) -> None:
    """Told in bounded time, however odd it is; what that means is the hook's affair."""
    with pytest.raises(UnreadableError, match=why):
        read_judgement(reply, "say", weigh, missing="no word")


@pytest.mark.parametrize(
    ("reply", "alone"),
    [(NO, True), (f"```\n{NO}\n```", True), (f"{NO}.", False), (f"{NO} {NO}", False)],
)
def test_a_judgement_knows_whether_it_is_the_whole_reply(reply: str, *, alone: bool) -> None:
    """The rest of the reply may hold other text."""
    assert read_judgement(reply, "say", weigh, missing="")[1] is alone
