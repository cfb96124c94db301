"""The thirteen events of HOOK.md, in both spellings: one row an event, and the columns in which they differ."""

from __future__ import annotations

from hookline.core.dialect import EventRow, FoldRule, Table, column
from hookline.model import kinds
from hookline.model.event import Compaction, Lifecycle, Message, Prompt, Stop, ToolCall
from hookline.model.verdict import Stance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.event import Body

NAME = "agenthooks"
SETTINGS = "hooks.toml"  # in the folder of a level, beside the folders of its hooks
TIMEOUT = (30000, 100, 600000)  # milliseconds: default, least, most (docs/formats/agenthooks.md 4)
PRIORITY = (100, 0, 1000)


def _row(native: str, legacy: str, fields: str, body: type[Body] = Lifecycle, *, kind: str = "", does: str = "context", **columns: object) -> tuple[str, EventRow]:  # fmt: skip
    """One row under its legacy name; `does` lists the powers that not every event has."""
    known = kinds.native_names("seed1-agenthooks").get(legacy, kinds.unknown_kind(NAME, native))
    row = EventRow(
        native=native,
        kind=kind or known,
        body=body,
        fields=column(fields, None),
        powers=frozenset(does.split()) | {"deny", "note", "log"},
        parallel=False,
        blocks=Stance.DENY,
        **{"feedback": True, "asks": True, **columns},  # type: ignore[arg-type]  # checked by the constructor
    )
    return legacy, row


_TOOL = "tool_name=tool!text tool_input=input!object tool_use_id=call_id!text"
_SUBAGENT = "subagent_name=agent_id!text subagent_type=agent_type!text task_description=task!text"
_STOP = "stop_reason!no_tool_calls step_count final_message=last_message"
_COMPACTION = "trigger!text token_count=tokens"
_ON_TOOL: Mapping[str, object] = {"body": ToolCall, "subject": "tool"}

# Two names have no legacy spelling, and nothing like `after_stop` is accepted.
_ROWS = (
    _row("pre-session", "session_start", "model args!object", feedback=False),
    _row("post-session", "session_end", "duration_seconds total_steps exit_reason=reason!text", does=""),
    _row("pre-agent-turn", "before_agent", "prompt!text", Prompt, feedback=False),
    _row("post-agent-turn", "after_agent", "response=text!text", Message),
    _row(
        "pre-agent-turn-stop", "before_stop", f"{_STOP} stop_hook_active!false", Stop,
        feedback=False, decisive=True, asks=False, honoured=frozenset({"no_tool_calls", "tool_rejected"}),
    ),
    _row("post-agent-turn-stop", "", _STOP, Stop, does=""),
    _row("pre-tool-call", "before_tool", _TOOL, **_ON_TOOL, does="context input", feedback=False, decisive=True),  # type: ignore[arg-type]  # columns
    _row("post-tool-call", "after_tool", f"{_TOOL} tool_output=result duration_ms", **_ON_TOOL),  # type: ignore[arg-type]  # columns
    _row("post-tool-call-failure", "after_tool_failure", f"{_TOOL} error!text duration_ms", **_ON_TOOL),  # type: ignore[arg-type]  # columns
    _row("pre-subagent", "subagent_start", _SUBAGENT, feedback=False),
    _row("post-subagent", "subagent_stop", f"{_SUBAGENT} result"),
    _row("pre-context-compact", "pre_compact", _COMPACTION, Compaction, feedback=False),
    _row("post-context-compact", "", _COMPACTION, Compaction, kind="compact.after"),
)  # fmt: skip

GATE = "pre-tool-call"  # what a hook that cannot be read at all may have guarded

# Clocks come in as arguments: an event from elsewhere has a time only when its host, or the engine,
# put one among its facts.
_BASE = column(
    "event_type=@native timestamp!text session_id=@session_id!text work_dir=@cwd!text context!object"
)


def table(*, approver: bool, unanswered: Stance = Stance.DENY) -> Table:
    """Return the table of a host (docs/formats/agenthooks.md 8).

    Args:
        approver: the host can ask a person.
        unanswered: what an ask means if it cannot.
    """
    ask = Stance.ASK if approver else unanswered
    rows = [
        row.replace(
            powers=row.powers | {"ask"} if approver and row.asks else row.powers,
            # An allow is what happens anyway and vouches for nothing: no other host skips its
            # prompt because of it.
            words={
                "allow": Stance.SILENT,
                "deny": Stance.DENY,
                "ask": ask if row.asks else Stance.DENY,
            },
        )
        for _, row in _ROWS
    ]
    return Table(
        name=NAME,
        unknown_keys={"file": "ignored", "hook": "ignored"},
        rows={row.native: row for row in rows},
        aliases={legacy: row.native for legacy, row in _ROWS if legacy},
        base=_BASE,
        project_variables=("AGENT_PROJECT_DIR",),
        climbs=False,  # docs/formats/agenthooks.md 3: the project is the work dir as given
        fold=FoldRule(input_keys=frozenset({"add"}), drops_rewrite_when_denied=True),
        ticks_per_second=1000,
        default_timeout=TIMEOUT[0] / 1000,
        ascii_only=True,
        detached_after_denial=False,
        ask_becomes=unanswered,
        redo_flag="stop_hook_active",  # true whenever the turn is running because of an earlier stop block (docs/formats/agenthooks.md 11)
        closes="metadata: {fail-mode: closed}",
    )


# What a payload holds does not depend on who can be asked.
TABLE = table(approver=True)
