"""Makes a harmless event of any kind, to ask a hook without a host, a model or a tool."""

from __future__ import annotations

from hookline.model import tools
from hookline.model.conditions import OneOf
from hookline.model.event import (
    Compaction,
    Event,
    Generation,
    Lifecycle,
    Message,
    Prompt,
    Stop,
    ToolCall,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hookline.core.dialect import Dialect
    from hookline.model.event import Body
    from hookline.model.spec import HookSpec

SESSION = "hookline-doctor"
# A command that no guard should refuse.
HARMLESS = "true"
TEXT = "This is a test by hookline doctor."

_BODIES: Mapping[type[Body], Callable[[], Body]] = {
    Prompt: lambda: Prompt(prompt=TEXT),
    Generation: lambda: Generation(
        model="test/model", messages=[{"role": "user", "content": TEXT}], response=TEXT
    ),
    Message: lambda: Message(text=TEXT),
    Compaction: lambda: Compaction(trigger="manual"),
    Stop: lambda: Stop(last_message=TEXT),
}


def make_event(spec: HookSpec, dialect: Dialect, cwd: str) -> Event:
    """Return a harmless event of a hook's kind, as its own host would raise it.

    A hook that names tools gets the first of these; any other gets the host's shell tool.
    """
    row = dialect.table.row(spec.native_event) or dialect.table.row_of_kind(spec.kind)
    wanted = row.body if row else Lifecycle
    body = (
        _make_call(spec, dialect.table.name)
        if wanted is ToolCall
        else _BODIES.get(wanted, wanted)()
    )
    return Event(
        kind=spec.kind,
        dialect=dialect.table.name,
        native_name=row.native if row else "",
        session_id=SESSION,
        cwd=cwd,
        body=body,
    )


def describe_subject(event: Event) -> tuple[str, ...]:
    """Return the subject of an event, independent of its host's names.

    Hooks with the same subject can be compared.
    """
    tool = event.tool
    return (event.kind, *((tools.families(tool, event.dialect) or (tool,)) if tool else ()))


def _make_call(spec: HookSpec, dialect: str) -> ToolCall:
    named = sorted(
        name
        for each in spec.conditions
        if isinstance(each, OneOf) and each.field == "tool"
        for name in each.names
    )
    tool = (named or tools.list_names("shell", dialect) or ("shell",))[0]
    key = tools.input_names(tool, dialect, dialect).get("command", "command")
    is_shell = "shell" in tools.families(tool, dialect)
    done = spec.kind.endswith((".after", ".failed"))
    return ToolCall(
        tool=tool,
        input={key: HARMLESS} if is_shell else {},
        call_id="hookline-doctor-1",
        result="" if done else None,
    )
