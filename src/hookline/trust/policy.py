"""What becomes of a hook in each state, by its column of the table and the user's settings."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.model.spec import CLONED, MANAGED, USER
from hookline.model.verdict import Failure, Stance

NEW, APPROVED, CHANGED, REMOVED, REVOKED = STATES = (
    "new", "approved", "changed", "removed", "revoked",
)  # fmt: skip
# The columns of the table (docs/explanation/trust.md 4).
PROJECT, OWN = "project", "own"
# record: the first use is the approval. warn: run, with a notice. skip: do not run. ask, deny:
# do not run; before an action, the host asks or refuses.
RECORD, RUN, WARN, SKIP, ASK, DENY = "record", "run", "warn", "skip", "ask", "deny"
# What a hook that does not run counts as, by its state, and what it means before an action.
FAILURES = {NEW: Failure.UNTRUSTED, CHANGED: Failure.CHANGED, REVOKED: Failure.REVOKED}
STANCES = {ASK: Stance.ASK, DENY: Stance.DENY}
# Variables that switch hooks off: all, and those that the second lists.
MASTER, SKIPPED = "HOOKLINE", "HOOKLINE_SKIP"


class Policy(Frozen):
    """What a person chose. `changed`: the effect on a project's changed hook.

    `own`: `first_use`, or `ask` as for a project's.
    """

    changed: str = ASK
    own: str = "first_use"

    def find_effect(self, column: str, state: str, *, can_run: bool = True) -> str:
        """Return what becomes of a hook. `can_run`: whether what it starts is there."""
        if state == APPROVED:
            return RUN
        if state == REVOKED:
            return SKIP
        if column == OWN and self.own != ASK and can_run:
            return RECORD if state == NEW else WARN
        if state == NEW and column == PROJECT:
            return SKIP
        return SKIP if self.changed == RUN and not can_run else self.changed


# What holds where the settings cannot be read.
STRICTEST = Policy(changed=DENY, own=ASK)


def is_named(scope: str) -> bool:
    """Whether hooks of a scope need no approval because the user named their file or function."""
    return scope not in CLONED and scope not in (USER, MANAGED)
