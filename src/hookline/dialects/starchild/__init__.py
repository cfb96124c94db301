"""Starchild: the list of shell hooks in shell_hooks.yaml, for its twelve events. Hermes, of the same family, is below.

Facts: docs/formats/starchild.md. `table` says what the events are, `reason_card` how a reason
looks.
"""

from __future__ import annotations

from hookline.core.options import read_switch
from hookline.dialects.kit.dialect import FolderDialect, without_asks
from hookline.dialects.starchild.table import NAME, TABLE

__all__ = ["NAME", "OPTIONS", "SWITCHES", "Starchild"]

OPTIONS = ("approver", "allow_local", "shell_hooks")
# Variable -> the option that it switches on where it is `1` (docs/formats/starchild.md 6, 8).
SWITCHES = {
    "STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL": "allow_local",
    "STARCHILD_SHELL_HOOKS": "shell_hooks",
}


class Starchild(FolderDialect):
    """The dialect. `approver`: the host can ask a person; without one, an ask is a block.

    `allow_local`: HTTP hooks may be on this machine or in a private network. `shell_hooks`: hooks
    are on where `agent.yaml` does not say.

    Raises:
        ConfigError: one of them is neither true nor false.
    """

    def __init__(
        self, *, approver: bool = False, allow_local: bool = False, shell_hooks: bool = False
    ) -> None:
        facts = TABLE if read_switch(NAME, "approver", approver) else without_asks(TABLE)
        local = read_switch(NAME, "allow_local", allow_local)
        by_default = read_switch(NAME, "shell_hooks", shell_hooks)
        super().__init__(
            __name__, facts, "export", facts=facts, allow_local=local, by_default=by_default
        )
