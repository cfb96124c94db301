"""Collects what one hook asks for, and makes its verdict of that."""

from __future__ import annotations

from hookline.core.failure import label
from hookline.model.verdict import Stance, Verdict
from hookline.wire.hookoutput import select_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event, Rewrite
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Outcome

# Values that ask for nothing.
EMPTY: tuple[object, ...] = (None, "", False, [], {})
_NOUNS: Mapping[type, str] = {
    bool: "true or false",
    str: "text",
    dict: "an object",
    list: "a list",
}
_PERMISSIONS = ("allow", "ask", "deny", "defer")


def to_verdict(spec: HookSpec, outcome: Outcome, **fields: Any) -> Verdict:
    """Return a verdict with what it takes from its hook and its outcome."""
    return Verdict(
        hook_id=spec.id,
        exit_code=outcome.exit_code,
        seconds=outcome.seconds,
        shadow=spec.shadow,
        **fields,
    )


class Claims:
    """Collects what one hook asks for.

    The strongest claim is its stance, and the first reason for that counts.

    `decided`: the hook gave a decision, also where the event does not know it. `unsupported`: what
    the event does not honour.
    """

    def __init__(self, outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> None:
        self.outcome = outcome
        self.spec = spec
        self.row = row
        self.event = event
        fact, value = row.spared
        self.is_spared = bool(fact) and event.body.value(fact) == value
        self.decided = False
        self.claims: list[tuple[Stance, str]] = []
        self.notes: list[str] = []
        self.unsupported: list[str] = []
        self.effects: dict[str, Any] = {}
        self.rewrite: Rewrite | None = None
        self.context = ""
        self.retry_after: float | None = None

    @property
    def stance(self) -> Stance:
        """The strongest stance so far."""
        return max((stance for stance, _ in self.claims), default=Stance.SILENT)

    def claim(self, stance: Stance, reason: str, power: str) -> None:
        """Add a stance with its reason.

        If the event knows no such stance, the power counts as unsupported.
        """
        self.decided = True
        if stance is Stance.SILENT or (self.is_spared and stance is Stance.DENY):
            self.unsupported.append(power)
        else:
            self.claims.append((stance, reason))

    def select(
        self,
        given: Mapping[str, Any],
        types: Mapping[str, type],
        powers: Mapping[str, str],
        *,
        checked: bool = False,
    ) -> dict[str, Any]:
        """Return the known keys with a value of their type; what the others ask for is unsupported.

        Args:
            given: an answer, or a part of it.
            types: key -> the type of its value, for the keys that count.
            powers: key -> the power that it uses.
            checked: a value of another type makes the answer unreadable.

        Raises:
            UnreadableError: such a value.
        """
        known: dict[str, Any] = {}
        for key, value in given.items():
            power = powers.get(key, key)
            if key == "permissionDecision" and key in powers and value in _PERMISSIONS:
                power = value
            if key not in types:
                self.unsupported += [power] if value not in EMPTY else []
            elif checked or value is None or isinstance(value, types[key]):
                known[key] = value
            else:
                self.unsupported.append(f"{power}: `{key}` must be {_NOUNS[types[key]]}")
        return select_typed(known, types)

    def verdict(self, **fields: Any) -> Verdict:
        """Return everything that was collected."""
        stance = self.stance
        reasons = (reason for claimed, reason in self.claims if claimed is stance and reason)
        reason = next(reasons, "")
        if stance > Stance.ASK and not reason:
            reason = next(iter(self.notes), f"blocked by hook `{label(self.spec)}`")
        collected: dict[str, Any] = {
            "stance": stance,
            "reason": reason,
            "rewrite": self.rewrite,
            "for_agent": self.context,
            "for_user": "\n".join(self.notes),
            "retry_after": self.retry_after,
            "effects": self.effects,
            "unsupported": tuple(self.unsupported),
        }
        return to_verdict(self.spec, self.outcome, **{**collected, **fields})
