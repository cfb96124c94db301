"""Hermes: the shell hooks in its config.yaml.

Of Starchild's family, with its own words, timeouts and meanings.

Facts: docs/formats/hermes.md.
"""

from __future__ import annotations

import json

from hookline.core.dialect import EventRow, Loaded
from hookline.core.options import check_switches
from hookline.dialects.kit.dialect import FolderDialect, without_asks
from hookline.dialects.starchild.hermes.table import NAME, TABLE
from hookline.errors import CodecError
from hookline.model.spec import HookSpec, Problem
from hookline.model.verdict import Decision, Reply, Stance
from hookline.wire.hookoutput import to_json_line
from hookline.wire.payload import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hookline.model.event import Event, Json

__all__ = ["NAME", "OPTIONS", "SWITCHES", "SWITCH_WORDS", "Hermes"]

OPTIONS = ("approver", "safe_mode", "accept_hooks", "exact")
# Variable -> the option that it switches on where it is one of these words (docs/formats/hermes.md,
# consent).
SWITCHES = {"HERMES_SAFE_MODE": "safe_mode", "HERMES_ACCEPT_HOOKS": "accept_hooks"}
SWITCH_WORDS = ("1", "true", "yes", "on")


class Hermes(FolderDialect):
    """The dialect. `approver`: the host can ask a person.

    Without one, what is to be approved is refused.

    `safe_mode`: no hook of Hermes runs. `accept_hooks`: Hermes itself would run hooks without
    asking. hookline only reports that, because a variable that an agent can set must not approve
    anything. `exact`: what Hermes accepts runs without an approval, for comparing with Hermes; no
    variable and no file switches that on.

    Raises:
        ConfigError: one of them is neither true nor false.
    """

    export_file = "export"

    def __init__(
        self,
        *,
        approver: bool = False,
        safe_mode: bool = False,
        accept_hooks: bool = False,
        exact: bool = False,
    ) -> None:
        check_switches(
            NAME,
            approver=approver,
            safe_mode=safe_mode,
            accept_hooks=accept_hooks,
            exact=exact,
        )
        self._is_off = safe_mode
        self.table = TABLE if approver else without_asks(TABLE)
        super().__init__(facts=self.table, accept_hooks=accept_hooks, exact=exact)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        """Return the hooks; in the safe mode of Hermes none of them."""
        if not (self._is_off and specs):
            return Loaded(specs=specs)
        problem = Problem.warning(
            "hook.off",
            "`HERMES_SAFE_MODE` is set, which switches every hook of Hermes off",
            "unset HERMES_SAFE_MODE",
            origin=specs[0].origin,
            hooks=tuple(spec.id for spec in specs),
        )
        return Loaded(problems=(problem,))

    def decode_event(self, payload: Json, native: str = "") -> Event:
        """Return a host's payload as an event; what lies in `extra` counts like the rest.

        Raises:
            CodecError: the payload cannot be understood.
        """
        if not isinstance(payload, dict):
            return super().decode_event(payload, native)  # it says what is wrong
        extra = payload.get("extra") or {}
        if not isinstance(extra, dict):
            raise CodecError("`extra` of a hermes payload must be an object")
        flat = {**extra, **payload}
        row = self.row(native or str(flat.get("hook_event_name")))
        if flat.get("tool_name") is None and row is not None:
            flat["tool_name"] = row.tool or None
        return super().decode_event(flat, native).replace(raw=payload)

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return the payload of a hook (docs/formats/hermes.md 2).

        What JSON has no form for becomes text.

        Raises:
            TypeError, RecursionError: it cannot be serialised at all.
        """
        is_own = event.dialect == NAME
        payload = encode(event, TABLE, None, spec.native_event)
        sent = payload.pop("extra", None)
        extra = dict(sent) if is_own and isinstance(sent, dict) else {}
        # The host does not send the tool's name where the event alone says which tool it is.
        named = event.raw if is_own and event.raw else payload
        payload["tool_name"] = named.get("tool_name") or None
        if not isinstance(payload["tool_input"], dict):
            payload["tool_input"] = None
        # What the event says now counts, not what the host sent.
        for field in row.fields if row else ():
            value = event.body.value(field.fact)
            if value is not None and (value != "" or field.native in extra):
                extra[field.native] = value
        text = json.dumps({**payload, "extra": extra}, default=str)
        found: dict[str, Any] = json.loads(text, parse_constant=str)
        return found

    def encode_reply(self, decision: Decision, _event: Event, row: EventRow | None) -> Reply:
        """Return the reply of a shell hook; no opinion is empty stdout.

        Notes for the user have no key, so they go to stderr.
        """
        document: dict[str, Any] = {}
        rewrite, powers = decision.rewrite, row.powers if row else ()
        if decision.stance >= Stance.ASK:
            refuses = "continue" if row and row.output == "redo" else "block"
            action = "approve" if decision.stance is Stance.ASK else refuses
            document = {"action": action, "message": decision.reason}
        elif rewrite is not None and rewrite.target in powers:
            if row and row.rewrites:
                document = {row.rewrites: rewrite.value}
            elif rewrite.patch:
                document = {"action": "modify", "args": rewrite.patch}
        if decision.for_agent and "context" in powers:
            document["context"] = "\n".join(decision.for_agent)
        notes = "".join(f"{note}\n" for note in decision.for_user)
        return Reply(stdout=to_json_line(document), stderr=notes)
