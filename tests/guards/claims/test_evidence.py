"""Each reply of the corpus with a record that backs it, and with records that do not."""

from __future__ import annotations

import pytest

from hookline.guards.claims.acts import find_command_acts
from hookline.guards.claims.claim import KINDS
from hookline.guards.claims.detection import find_claims
from hookline.guards.claims.judgement import Evidence, judge_claim
from hookline.guards.claims.record import Step
from tests.guards.claims.corpus import load_cases

BACKING = {
    "tests_pass": "pytest -q",
    "build_works": "npm run build && mypy src && ruff check .",
    "committed": "git commit -am fix",
    "pushed": "git push origin main",
    "request_opened": "gh pr create --fill",
    "published": "npm publish",
    "posted": "gh issue comment 5 --body hi",
    "sent": "mail -s hi bob@example.com",
    "deployed": "kubectl apply -f app.yaml",
    "scheduled": "echo '0 9 * * * run' | crontab -",
}
WORDS = "grep -rn 'pytest git push commit npm publish kubectl apply crontab mail' . && ls"
CLAIMS = [
    claim
    for case in load_cases("work", "more", "third", "held", "fourth", "fifth")
    for claim in find_claims(case.text)
]


def judge(claim, *commands, is_ok=True):
    """The state of a claim after commands that ended so."""
    steps = [Step("bash", find_command_acts(command), 0.0, is_ok) for command in commands]
    return judge_claim(claim, Evidence(steps=tuple(step for step in steps if step.acts))).state


@pytest.mark.parametrize("kind", KINDS)
def test_every_claim_needs_its_evidence(kind) -> None:
    """A run that succeeded backs it; none, a failed one, and words in a search do not."""
    claims = [claim for claim in CLAIMS if claim.kind == kind]

    assert len(claims) >= 30
    for claim in claims:
        assert judge(claim, BACKING[kind]) == "backed", claim.sentence
        assert judge(claim) == "unbacked", claim.sentence
        assert judge(claim, WORDS, "git status") == "unbacked", claim.sentence
        assert judge(claim, BACKING[kind], is_ok=False) == "unbacked", claim.sentence


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_seen_is_unknown(kind) -> None:
    """A script, another agent, or a guard without a record makes a claim unknown."""
    for claim in [claim for claim in CLAIMS if claim.kind == kind]:
        assert judge(claim, "python main.py") == "unknown", claim.sentence
        assert judge_claim(claim, Evidence(is_recorded=False)).state == "unknown"
