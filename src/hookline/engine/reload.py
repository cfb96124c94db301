"""The result of a reload: which hooks came, went and changed, and which files keep their last good version."""

from __future__ import annotations

from collections import Counter

from hookline.engine.snapshot import strip_place
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.engine.snapshot import Snapshot
    from hookline.model.problem import Problem


class Reloaded(Frozen):
    """Ids of added, removed and changed hooks, and why some files keep their last good version."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    refused: tuple[Problem, ...] = ()

    @property
    def anything(self) -> bool:
        """Whether a hook was added, removed or changed."""
        return bool(self.added or self.removed or self.changed)

    def __str__(self) -> str:
        counts = {"added": self.added, "removed": self.removed, "changed": self.changed}
        parts = [f"{len(ids)} {what}" for what, ids in counts.items() if ids]
        first = ", ".join(parts) or "no hook changed"
        return "; ".join([first, *map(str, self.refused)]).replace("\n", " ")


def compare_snapshots(before: Snapshot, now: Snapshot) -> Reloaded:
    """Compare the hooks of two snapshots regardless of positions; an id with different hooks in both is a change."""
    had = [entry.spec for entry in before.whole.entries()]
    has = [entry.spec for entry in now.whole.entries()]
    same = {id(spec) for spec in had} & {id(spec) for spec in has}
    old = [(repr(strip_place(spec)), spec.id) for spec in had if id(spec) not in same]
    new = [(repr(strip_place(spec)), spec.id) for spec in has if id(spec) not in same]
    came, gone = _subtract(new, old), _subtract(old, new)
    changed = set(came) & set(gone)
    return Reloaded(
        added=tuple(hook_id for hook_id in came if hook_id not in changed),
        removed=tuple(hook_id for hook_id in gone if hook_id not in changed),
        changed=tuple(hook_id for hook_id in came if hook_id in changed),
        refused=tuple(problem for each in now.sources for problem in each.newer_problems),
    )


def _subtract(some: list[tuple[str, str]], others: list[tuple[str, str]]) -> list[str]:
    """Return the ids of the entries whose content is not among the others."""
    left = Counter(content for content, _ in others)
    ids = []
    for content, hook_id in some:
        if left[content]:
            left[content] -= 1
        else:
            ids.append(hook_id)
    return ids
