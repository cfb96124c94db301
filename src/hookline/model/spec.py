"""HookSpec: a hook as declared, whatever file and dialect declared it."""

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
# What comes along with a clone of a project.
CLONED = frozenset({"project", "local"})
NO_FACTS: Mapping[str, Any] = {}


def nearness(scope: str) -> int:
    """How much a file's word counts where files contradict each other: the nearest to the work the most, but policy above all."""
    return len(SCOPES) if scope == MANAGED else SCOPES.index(scope)


class HookSpec(Frozen):
    """A hook as declared.

    `rank`: lower runs first, in every dialect. `timeout` is in seconds, in every dialect. `on_failure`: what a failure
    of this hook means (SILENT = fail open, ASK, DENY = fail closed). `detached`: started and not waited for. `shadow`:
    run and recorded, never enforced. `identity`: hooks of one dialect with equal identity run once per event; empty
    means never the same. `in_turn`: where it takes part, the hooks of its dialect are asked one after the other, even where
    they are otherwise asked at once. `alike`: a tool's names in other hosts count as its names, and it is told of foreign
    calls in its own host's words (`match_tools: canonical`). `facts` belong to the dialect. `trusted` is False while nobody
    approved the source; `gated`: that is asked of a gate, whenever the hook is about to run. `owner`: who put it in place from outside
    of every file and of this program; what it says about the hooks after it is said of this owner's. `off`: the key of a file
    that says, by being false, that it is not run; `on`: that key where it is true.
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
