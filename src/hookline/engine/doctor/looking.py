"""Looking: the gate of a trial, through which nothing passes but what is approved, and which writes nothing down."""

from __future__ import annotations

from hookline.trust.gate import Gate
from hookline.trust.policy import RUN, SKIP, WARN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from hookline.trust.standing import Standing


class Looking(Gate):
    """A gate whose store stays as it is, to the byte: whoever tries a hook has neither approved it nor been told of it."""

    @classmethod
    def of(cls, gate: Gate) -> Self:
        """The gate of a trial, by the approvals and the policy of another one; what that only tells of, it tries."""
        policy = gate.policy.replace(in_place=RUN) if gate.policy.in_place == WARN else gate.policy
        return cls(
            gate.store, policy, gate.look, root=gate.root, environ=gate.environ, demands=gate.demands, place=gate.place,
            declared=gate.vanished.declared,
        )  # fmt: skip

    def effect(self, standing: Standing, fault: str = "") -> str:
        return RUN if super().effect(standing, fault) == RUN else SKIP

    def once(self, session: str, what: str) -> bool:  # noqa: ARG002 - a gate's
        return True
