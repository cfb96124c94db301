"""A dialect that is a folder: its table, and files named after the functions of the protocol."""

from __future__ import annotations

from hookline.core.dialect import Declaration, EventRow, Loaded, Source, Table, Written
from hookline.core.failure import make_failed_verdict
from hookline.core.options import check_switches
from hookline.wire.payload import decode, encode, encode_wire_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.dialects.kit.load import FileFormat
    from hookline.model.event import Event, Json
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision, Outcome, Reply, Verdict


def add_context(event: Event, verdict: Verdict) -> Event:
    """Return the prompt with the context that a hook added, as the model will read it."""
    prompt = event.body.value("prompt")
    if not verdict.for_agent or not isinstance(prompt, str):
        return event
    return event.replace(body=event.body.replace(prompt=f"{prompt}\n\n{verdict.for_agent}"))


class FolderDialect:
    """Answers each call by the function of that name in the file of that name.

    A file is imported when hookline needs it first, because most events have no hook. `combine` and
    `export` are optional: a dialect that names no file for them keeps all hooks, and the `FORMAT`
    of its `load` says how its file is written. A dialect overrides `decode_event` and
    `encode_payload` where its table does not say all of a payload, and any other method whose
    function is short. `options`: what `load` is called with beside the source.
    """

    table: Table
    combine_file = ""
    export_file = ""

    def __init__(self, **options: object) -> None:
        self._options = options
        self._keys: Mapping[str, str] | None = None

    def load(self, source: Source) -> Loaded:
        loaded: Loaded = self._function("load")(source, **self._options)
        return loaded

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        if not self.combine_file:
            return Loaded(specs=specs)
        loaded: Loaded = self._function(self.combine_file, "combine")(specs)
        return loaded

    def decode_event(self, payload: Json, native: str = "") -> Event:
        if self._keys is None:  # found once: a host raises many events
            self._keys = self.table.attribute_keys()
        return decode(payload, self.table, native, self._keys)

    def encode_event(self, event: Event, spec: HookSpec) -> str:
        payload = self.encode_payload(event, spec, self.row(spec.native_event))
        return encode_wire_text(payload, self.table)

    def encode_payload(self, event: Event, spec: HookSpec, row: EventRow | None) -> dict[str, Any]:
        """Return the payload of a hook."""
        return encode(event, self.table, row, spec.native_event)

    def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:
        row = self.row(spec.native_event)
        if row is None:
            return make_failed_verdict(spec, outcome)
        verdict: Verdict = self._function("decode_outcome")(outcome, spec, row, event)
        return verdict

    def encode_decision(self, decision: Decision, event: Event) -> Reply:
        row = self.row(event.native_name) or self.table.row_of_kind(event.kind)
        return self.encode_reply(decision, event, row)

    def encode_reply(self, decision: Decision, event: Event, row: EventRow | None) -> Reply:
        """Return the reply of a command hook."""
        reply: Reply = self._function("encode_decision")(decision, event, row)
        return reply

    def export(self, declarations: tuple[Declaration, ...]) -> Written:
        """Return the hooks as the files in which this dialect keeps them."""
        if self.export_file:
            written: Written = self._function(self.export_file)(declarations)
            return written
        # Few commands convert files.
        from hookline.dialects.kit.export import export_hooks  # noqa: PLC0415

        form: FileFormat = self._function("load", "FORMAT")
        return export_hooks(declarations, form)

    def row(self, native: str) -> EventRow | None:
        """Return the row of an event by one of its names; None for an unknown one."""
        return self.table.row(native)

    def _function(self, module: str, name: str = "") -> Any:
        path = f"{type(self).__module__}.{module}"
        return getattr(__import__(path, fromlist=[module]), name or module)


class CallingDialect(FolderDialect):
    """A dialect with HTTP hooks.

    `allow_local`: they may be on this machine or in a private network.

    Raises:
        ConfigError: `allow_local` is neither true nor false.
    """

    def __init__(self, *, allow_local: bool = False) -> None:
        check_switches(self.table.name, allow_local=allow_local)
        super().__init__(allow_local=allow_local)


def without_asks(table: Table) -> Table:
    """Return the table of a host that cannot ask a person."""
    rows = {name: row.replace(powers=row.powers - {"ask"}) for name, row in table.rows.items()}
    return table.replace(rows=rows)
