"""Trust: which hooks may run, told from what they are and not from what they are called.

An engine has a `Gate` (engine/gating.py makes the usual one). What a person does goes through the same gate:

- `survey(gate, engine.hooks)`: how each hook stands (`Standing`: spec, state, reason, covers)
- `chosen(engine.hooks, command=, event=, hook=)`: the hooks that somebody means
- `approve(gate, specs, who=, how=)`, `revoke(gate, specs, who=)`, `turn(gate, on=, everywhere=, who=)`
- `import_allowlist(gate, path, specs, who=)`, `gate.store.approvals()`, `switches(gate.known(), gate.root, environ)`

`Gate(tell=...)` is given a record of each of these. Every function raises TrustError where the store does not allow it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.trust.allowlist import Imported, import_allowlist
    from hookline.trust.approval import Approval
    from hookline.trust.desk import approve, chosen, revoke, survey, turn
    from hookline.trust.gate import Gate
    from hookline.trust.policy import Policy, policy_of
    from hookline.trust.snapshot import Known
    from hookline.trust.standing import Standing
    from hookline.trust.store import Store, store_path
    from hookline.trust.switch import switches

_HOMES = {
    "Approval": "approval",
    "Gate": "gate",
    "Imported": "allowlist",
    "Known": "snapshot",
    "Policy": "policy",
    "Standing": "standing",
    "Store": "store",
    "approve": "desk",
    "chosen": "desk",
    "import_allowlist": "allowlist",
    "policy_of": "policy",
    "revoke": "desk",
    "store_path": "store",
    "survey": "desk",
    "switches": "switch",
    "turn": "desk",
}
__all__ = [
    "Approval",
    "Gate",
    "Imported",
    "Known",
    "Policy",
    "Standing",
    "Store",
    "approve",
    "chosen",
    "import_allowlist",
    "policy_of",
    "revoke",
    "store_path",
    "survey",
    "switches",
    "turn",
]


def __getattr__(name: str) -> Any:
    """Load what is asked for: an event needs the gate only."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - `answer` names what it needs by its own module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
