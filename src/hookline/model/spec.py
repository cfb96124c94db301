"""HookSpec: a hook as declared, in whatever file and dialect."""

from __future__ import annotations

from hookline.model.frozen import Frozen
from hookline.model.problem import Origin
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.model.conditions import Condition
    from hookline.model.handler import Handler

# Across sources: managed policy first, in-process hooks last (docs/architecture.md 4.3).
SCOPES = ("managed", "user", "project", "local", "explicit", "process")
MANAGED, USER = SCOPES[:2]
# The scopes of files in a repository, which a clone brings along.
CLONED = frozenset({"project", "local"})
NO_FACTS: Mapping[str, Any] = {}


def nearness(scope: str) -> int:
    """Return the rank of a scope; of files that contradict each other, the highest one counts."""
    return len(SCOPES) if scope == MANAGED else SCOPES.index(scope)


class HookSpec(Frozen):
    """A hook as declared.

    `rank`: lower runs first, in every dialect. `timeout` is in seconds, in every dialect.
    `on_failure`: what a failure of this hook means (SILENT = fail open, ASK, DENY = fail closed).
    `detached`: started without waiting. `shadow`: run and recorded, never enforced. `identity`:
    hooks of one dialect with equal identity run once per event; empty means never equal. `in_turn`:
    if it is selected, the hooks of its dialect run one after the other, even if they otherwise run
    in parallel. `alike`: a tool's names in other hosts count as its names, and it receives foreign
    calls in its own host's words (`match_tools: canonical`). `facts` belong to the dialect.
    `trusted` is False until you approve the source; `gated`: a gate checks that whenever the hook
    is about to run. `owner`: a party outside every file and this program that registered it; it can
    end or order only that owner's hooks. `off`: the key of a file that disables it by being false;
    `on`: that key where it is true.
    """

    id: str
    dialect: str
    kind: str
    native_event: str
    handler: Handler
    conditions: tuple[Condition, ...] = ()
    rank: int = 0
    timeout: float = 60.0
    detached: bool = False
    shadow: bool = False
    once: bool = False
    on_failure: Stance = Stance.SILENT
    strict: bool = False
    origin: Origin = Origin()
    name: str = ""
    identity: str = ""
    in_turn: bool = False
    facts: Mapping[str, Any] = NO_FACTS
    trusted: bool = True
    gated: bool = False
    alike: bool = False
    files: tuple[str, ...] = ()
    sworn: Mapping[str, Any] = NO_FACTS
    owner: str = ""
    off: Origin | None = None
    on: Origin | None = None
