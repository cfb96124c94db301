"""Hermes: the shell hooks in its config.yaml. Of Starchild's family, with its own words, timeouts and meanings.

Facts: docs/formats/hermes.md.
"""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.core.options import read_switch
from hookline.dialects.kit.dialect import FolderDialect, without_asks
from hookline.dialects.starchild.hermes.table import NAME, TABLE
from hookline.model.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.spec import HookSpec

__all__ = ["NAME", "OPTIONS", "SWITCHES", "SWITCH_WORDS", "Hermes"]

OPTIONS = ("approver", "safe_mode", "accept_hooks", "exact")
# Variable -> the option that it switches on where it is one of these words (docs/formats/hermes.md,
# consent).
SWITCHES = {"HERMES_SAFE_MODE": "safe_mode", "HERMES_ACCEPT_HOOKS": "accept_hooks"}
SWITCH_WORDS = ("1", "true", "yes", "on")


class Hermes(FolderDialect):
    """The dialect. `approver`: the host can ask a person; without one, what is to be approved is refused.

    `safe_mode`: no hook of Hermes runs. `accept_hooks`: Hermes itself would run hooks without
    asking. hookline only reports that, because a variable that an agent can set must not approve
    anything. `exact`: what Hermes accepts runs without an approval, for comparing with Hermes; no
    variable and no file switches that on.

    Raises:
        ConfigError: one of them is neither true nor false.
    """

    def __init__(
        self,
        *,
        approver: bool = False,
        safe_mode: bool = False,
        accept_hooks: bool = False,
        exact: bool = False,
    ) -> None:
        facts = TABLE if read_switch(NAME, "approver", approver) else without_asks(TABLE)
        self.safe_mode = read_switch(NAME, "safe_mode", safe_mode)
        self.accept_hooks = read_switch(NAME, "accept_hooks", accept_hooks)
        super().__init__(
            __name__,
            facts,
            "decode_event encode_event export",
            facts=facts,
            accept_hooks=self.accept_hooks,
            exact=read_switch(NAME, "exact", exact),
        )

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        """Return the hooks; in the safe mode of Hermes none of them."""
        if not (self.safe_mode and specs):
            return Loaded(specs=specs)
        problem = Problem(
            name="hook.off",
            message="`HERMES_SAFE_MODE` is set, which switches every hook of Hermes off",
            hint="unset HERMES_SAFE_MODE",
            severity="warning",
            origin=specs[0].origin,
            hooks=tuple(spec.id for spec in specs),
        )
        return Loaded(problems=(problem,))
