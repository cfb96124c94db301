"""The thirteen events of HOOK.md, in both spellings: one row an event."""

from __future__ import annotations

from hookline.core.dialect import FoldRule, Table, column
from hookline.dialects.kit.event_table import read_events
from hookline.model import kinds
from hookline.model.verdict import Stance

NAME = "agenthooks"
SETTINGS = "hooks.toml"  # in the folder of a level, beside the folders of its hooks
TIMEOUT = (30000, 100, 600000)  # milliseconds: default, least, most (docs/formats/agenthooks.md 4)
PRIORITY = (100, 0, 1000)


# Fields that several events have, by the word for them in the column `payload`.
_FIELDS = {
    "TOOL": "tool_name=tool!text tool_input=input!object tool_use_id=call_id!text",
    "SUBAGENT": (
        "subagent_name=agent_id!text subagent_type=agent_type!text task_description=task!text"
    ),
    "STOP": "stop_reason!no_tool_calls step_count final_message=last_message",
    "COMPACTION": "trigger!text token_count=tokens",
}
# `called`: the older name; two events have none, and nothing like `after_stop` is accepted.
_EVENTS = """
event                  | called             | may           | how
pre-session            | session_start      | context       | asks
    model args!object
post-session           | session_end        |               | asks feedback
    duration_seconds total_steps exit_reason=reason!text
pre-agent-turn         | before_agent       | context       | asks body=Prompt
    prompt!text
post-agent-turn        | after_agent        | context       | asks feedback body=Message
    response=text!text
pre-agent-turn-stop    | before_stop        | context       | decisive
                       |                    |               | honoured=no_tool_calls,tool_rejected
    STOP stop_hook_active!false
post-agent-turn-stop   |                    |               | asks feedback body=Stop
    STOP
pre-tool-call          | before_tool        | context input | asks decisive
    TOOL
post-tool-call         | after_tool         | context       | asks feedback
    TOOL tool_output=result duration_ms
post-tool-call-failure | after_tool_failure | context       | asks feedback
    TOOL error!text duration_ms
pre-subagent           | subagent_start     | context       | asks
    SUBAGENT
post-subagent          | subagent_stop      | context       | asks feedback body=Lifecycle
    SUBAGENT result
pre-context-compact    | pre_compact        | context       | asks
    COMPACTION
post-context-compact   |                    | context       | asks feedback kind=compact.after
    COMPACTION
"""
_NAMES = kinds.native_names("seed1-agenthooks")
_ROWS = read_events(
    _EVENTS, NAME, _NAMES, words=_FIELDS, always="deny note log", otherwise=None, parallel=False
)
GATE = "pre-tool-call"  # what a hook that cannot be read at all may have guarded

# Clocks come in as arguments: an event from elsewhere has a time only when its host, or the engine,
# put one among its facts.
_BASE = column(
    "event_type=@native timestamp!text session_id=@session_id!text work_dir=@cwd!text"
    " context!object"
)


def table(*, approver: bool, unanswered: Stance = Stance.DENY) -> Table:
    """Return the table of a host (docs/formats/agenthooks.md 8).

    Args:
        approver: the host can ask a person.
        unanswered: what an ask means if it cannot.
    """
    ask = Stance.ASK if approver else unanswered
    rows = {
        name: row.replace(
            powers=row.powers | {"ask"} if approver and row.asks else row.powers,
            # An allow is what happens anyway and vouches for nothing: no other host skips its
            # prompt because of it.
            words={
                "allow": Stance.SILENT,
                "deny": Stance.DENY,
                "ask": ask if row.asks else Stance.DENY,
            },
        )
        for name, row in _ROWS.items()
    }
    return Table(
        name=NAME,
        unknown_keys="file hook",
        rows=rows,
        aliases={row.called: name for name, row in rows.items() if row.called},
        base=_BASE,
        project_variables=("AGENT_PROJECT_DIR",),
        climbs=False,  # docs/formats/agenthooks.md 3: the project is the work dir as given
        fold=FoldRule(input_keys=frozenset({"add"}), drops_rewrite_when_denied=True),
        ticks_per_second=1000,
        default_timeout=TIMEOUT[0] / 1000,
        ascii_only=True,
        detached_after_denial=False,
        ask_becomes=unanswered,
        # True whenever the turn runs because of a refused stop (docs/formats/agenthooks.md 11).
        redo_flag="stop_hook_active",
        closes="metadata: {fail-mode: closed}",
    )


# What a payload holds does not depend on who can be asked.
TABLE = table(approver=True)
