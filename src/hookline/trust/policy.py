"""The effect of each state on a hook, by the scope of its file, and the two settings for it."""

from __future__ import annotations

from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.spec import CLONED, MANAGED, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NEW, APPROVED, CHANGED, REMOVED, REVOKED = STATES = (
    "new", "approved", "changed", "removed", "revoked",
)  # fmt: skip
# The columns of the table (docs/explanation/trust.md 4).
PROJECT, OWN = "project", "own"
# record: the first use is the approval. warn: run, with a notice. skip: do not run. ask, deny:
# do not run; before an action, the host asks or refuses.
RECORD, RUN, WARN, SKIP, ASK, DENY = EFFECTS = ("record", "run", "warn", "skip", "ask", "deny")
# Setting of the table `[trust]` -> what it may be; the first is the default.
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "changed": (ASK, DENY, SKIP, RUN),
    "own": ("first_use", ASK),
}
_SAID_ELSEWHERE = frozenset({"self_approve"})


class Policy(Frozen):
    """What a person chose. `changed`: the effect on a project's changed hook. `own`: see SETTINGS."""

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


def read_policy(settings: Mapping[str, Any] | None = None) -> Policy:
    """Return the policy of the table `[trust]` of the settings.

    Raises:
        ConfigError: `trust.setting`, an unknown key or value.
    """
    chosen = {}
    for key, value in (settings or {}).items():
        if key in _SAID_ELSEWHERE:
            continue
        if key not in SETTINGS:
            raise ConfigError(
                f"unknown setting `trust.{key}`",
                name="trust.setting",
                hint=f"one of {', '.join(SETTINGS)}",
            )
        if value not in SETTINGS[key]:
            raise ConfigError(
                f"`trust.{key}` is `{value}`",
                name="trust.setting",
                hint=f"one of {', '.join(SETTINGS[key])}",
            )
        chosen[key] = value
    return Policy(**chosen)


def is_named(scope: str) -> bool:
    """Whether hooks of a scope need no approval because the user named their file or function."""
    return scope not in CLONED and scope not in (USER, MANAGED)
