"""Policy: what each state of a hook means, by who brought the hook: run, run and say so, leave out and say so, ask, or refuse."""

from __future__ import annotations

from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.model.spec import CLONED, MANAGED, USER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

TRUSTED, UNKNOWN, CHANGED, REVOKED, MISSING = STATES = (
    "trusted",
    "unknown",
    "changed",
    "revoked",
    "missing",
)
# record: the first use is the approval. warn: run, and tell the user once a session. skip: not run, which is a failure of
# the hook. ask, deny: not run, and where something can be refused it is asked about, or refused.
RECORD, RUN, WARN, SKIP, ASK, DENY = EFFECTS = ("record", "run", "warn", "skip", "ask", "deny")
# Who brought the hook: the columns of the table. A project's hooks come along with a clone.
GROUPS = (USER, "project")
# The setting of what becomes of a hook whose interpreter cannot be given what was verified, and what it may be.
IN_PLACE = "in_place"
WITHOUT_A_SEAL = (RUN, WARN, SKIP, ASK, DENY)

_TABLE: Mapping[tuple[str, str], str] = {
    (USER, UNKNOWN): RECORD,
    (USER, CHANGED): WARN,
    (USER, REVOKED): SKIP,
    (USER, MISSING): SKIP,
    ("project", UNKNOWN): SKIP,
    ("project", CHANGED): SKIP,
    ("project", REVOKED): SKIP,
    ("project", MISSING): SKIP,
}


def group_of(scope: str) -> str:
    """Whose rows count for a scope; empty for scopes whose hooks run because somebody named them, or because policy says so."""
    if scope in CLONED:
        return "project"
    return USER if scope == USER else ""


def named(scope: str) -> bool:
    """Whether a scope needs no approval because somebody named its file or its function."""
    return scope != MANAGED and not group_of(scope)


class Policy(Frozen):
    """A table of effects by (group, state). Trusted hooks run. `in_place`: what becomes of a hook that runs, from where its script lies."""

    table: Mapping[tuple[str, str], str] = _TABLE
    in_place: str = RUN

    def effect(self, group: str, state: str, *, in_place: bool = False) -> str:
        """What happens to a hook. `in_place`: its script is run from where it lies."""
        effect = RUN if state == TRUSTED else self.table[group, state]
        minds = in_place and self.in_place != RUN and effect in (RECORD, RUN, WARN)
        return self.in_place if minds else effect


# Where it cannot be read what a person chose: no use is an approval, what changed is asked about, and what is not sealed is told.
STRICT = Policy(table={**_TABLE, (USER, UNKNOWN): WARN, (USER, CHANGED): ASK}, in_place=WARN)


def policy_of(settings: Mapping[str, Any] | None = None, **overrides: str) -> Policy:
    """The policy of the table `[trust]` of the settings: `in_place`, `user_changed`, `project_unknown` and so on; arguments go first.

    Raises:
        ConfigError: `trust.setting`, an unknown key or effect.
    """
    table, in_place = dict(_TABLE), RUN
    for key, effect in {**(settings or {}), **overrides}.items():
        group, _, state = key.partition("_")
        if key != IN_PLACE and (group, state) not in table:
            raise ConfigError(
                f"unknown setting `trust.{key}`",
                name="trust.setting",
                hint=f"one of {', '.join((*KEYS, IN_PLACE))}",
            )
        words = WITHOUT_A_SEAL if key == IN_PLACE else allowed(group, state)
        if effect not in words:
            raise ConfigError(
                f"`trust.{key}` is `{effect}`",
                name="trust.setting",
                hint=f"one of {', '.join(words)}",
            )
        if key == IN_PLACE:
            in_place = effect
        else:
            table[group, state] = effect
    return Policy(table=table, in_place=in_place)


def allowed(group: str, state: str) -> tuple[str, ...]:
    """The effects that a state can have: only a user's own first use can be an approval, and what is not there cannot run."""
    if state in (REVOKED, MISSING):
        return (SKIP, ASK, DENY)
    return (
        (RECORD, WARN, SKIP, ASK, DENY)
        if (group, state) == (USER, UNKNOWN)
        else (WARN, SKIP, ASK, DENY)
    )


KEYS = tuple(f"{group}_{state}" for group, state in _TABLE)
