"""The contract of GitHub Copilot: its 14 events in both spellings, and the keys of an answer.

Facts: docs/formats/copilot.md 3; docs/formats/comparison.md 12, 13. The names of fields, and which
event reads which key, are the vendor's hooks reference.
"""

from __future__ import annotations

from hookline.core.dialect import EventRow, Field, Table
from hookline.dialects.kit.event_table import read_events, read_keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


NAME = "copilot"

# The keys of an answer.
KEYS = read_keys("""
permissionDecision        text
permissionDecisionReason  text
behavior                  text
message                   text
interrupt                 flag
decision                  text
reason                    text
modifiedArgs              object input
modifiedResult            object output
modifiedTransformedPrompt text   text
modifiedPrompt            text   text
modifiedResponse          text   response
additionalContext         text   context
""")
# What VS Code's payload calls otherwise than by the same words in snake case.
_OTHERWISE = {"toolArgs": "tool_input", "response": "last_assistant_message"}


# A word of the table -> the words that replace it. `COUNTS` are our engine's own
# (docs/architecture.md 4.12); a host sends neither.
_WORDS: Mapping[str, str] = {
    "BASE": "sessionId=@session_id! timestamp cwd=@cwd!",
    "CALL": "toolName=tool toolArgs=input!object",
    "STOP": "stopReason=ending!end_turn",
    "COUNTS": "stop_block_count stop_block_limit",
    "CALLING": "permissionDecision permissionDecisionReason modifiedArgs",
    "PROMPT": "modifiedTransformedPrompt",
    "RESPONSE": "decision reason modifiedResponse",
}
# In the order of a session, a turn and a call. Hooks run one after another, in file order (1.7). A
# note is a progress line, which every event may print. Of events whose `tells` are in a payload,
# the one with the most counts.
#
# At `userPromptSubmitted` the host drops what a hook prints; `modifiedPrompt` is the SDK's alone.
# Of `userPromptTransformed` the text that is rewritten is the one that the model gets; what the
# user typed goes along. Command hooks fail closed at `preToolUse`, and nowhere else
# (docs/formats/comparison.md 4). `permissionRequest` is sent its name, and raw tool names in
# camelCase, under either spelling of the key.
_EVENTS = """
event                 | called             | may             | how
sessionStart          | SessionStart       | note context    | tells=source
    BASE source initialPrompt=initial_prompt
userPromptSubmitted   | UserPromptSubmit   | note            | tells=prompt
    BASE prompt
userPromptTransformed |                    | note text       | tells=prompt,transformedPrompt
                      |                    |                 | reads=PROMPT
    BASE prompt=submitted transformedPrompt=prompt
preToolUse            | PreToolUse         | note allow ask  | tells=toolName,toolArgs fails=DENY
                      |                    | deny input      | reads=CALLING
    BASE CALL
permissionRequest     | PermissionRequest  | note allow deny | tells=toolName,toolInput
                      |                    | halt            | reads=behavior,message,interrupt
    hookName=@raw!permissionRequest BASE toolName=tool toolInput=input!object
    permissionSuggestions=suggestions!list
postToolUse           | PostToolUse        | note output     | tells=toolName,toolArgs,toolResult
                      |                    | context         |
                      |                    | result_type     |
    BASE CALL toolResult=result!
postToolUseFailure    | PostToolUseFailure | note context    | tells=toolName,toolArgs,error
                      |                    |                 | subject=- shows
    BASE CALL error!
errorOccurred         | ErrorOccurred      | note            | tells=error
    BASE error errorContext=context recoverable
notification          | Notification       | note context    | tells=notification_type subject=kind
    BASE hook_event_name=@raw!Notification message=text title notification_type=kind
subagentStart         | SubagentStart      | note context    | tells=agentName subject=agent_type
    BASE transcriptPath=transcript_path agentName=agent_type agentDisplayName=display_name
    agentDescription=description
subagentStop          | SubagentStop       | note deny       | tells=agentName,stopReason
                      |                    | response        | reads=RESPONSE
    BASE transcriptPath=transcript_path agentId=agent_id agentType=agent_type agentName=agent_name
    agentDisplayName=display_name response=last_message STOP COUNTS
agentStop             | Stop               | note deny       | tells=stopReason
                      |                    |                 | reads=decision,reason
    BASE transcriptPath=transcript_path STOP stop_hook_active!false COUNTS
preCompact            | PreCompact         | note            | tells=trigger subject=trigger
    BASE transcriptPath=transcript_path trigger customInstructions=instructions
sessionEnd            | SessionEnd         | note            | tells=reason
    BASE reason
"""
_ROWS = read_events(_EVENTS, NAME, words=_WORDS, keys=KEYS, halts="stops", parallel=False)


def to_snake_case(name: str) -> str:
    """Return a key of a camelCase payload as VS Code's payload has it."""
    words = "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
    return _OTHERWISE.get(name, words)


def _spelled(row: EventRow) -> EventRow:
    """Return a row as its PascalCase key has it: VS Code's payload, unless that names the event."""
    if any(field.fact == "@raw" for field in row.fields):
        return row.replace(native=row.called, grouped=True)
    fields = (field.replace(native=to_snake_case(field.native)) for field in row.fields)
    name = Field(native="hook_event_name", fact="@native")
    return row.replace(native=row.called, grouped=True, snake=True, fields=(name, *fields))


# Every spelling that a key may have -> its contract.
CONTRACTS: Mapping[str, EventRow] = {
    **_ROWS,
    **{row.called: _spelled(row) for row in _ROWS.values() if row.called},
}

TABLE = Table(
    name=NAME,
    unknown_keys="file group hook",
    regex_flavour="javascript",
    rows=_ROWS,
    # Both spellings are one event: their hooks run once a moment, together in file order, and hooks
    # of other dialects once.
    aliases={row.called: row.native for row in _ROWS.values() if row.called},
    default_timeout=30.0,  # seconds (docs/formats/comparison.md 3)
    compact=True,
    redo_limit=8,
    redo_flag="stop_hook_active",
    repeats=frozenset({"prompt.submit"}),
    names_event=("hookName", "hook_event_name"),
)

# Payloads are read and written by the spelling of the key, so here each spelling is a row of its
# own.
SPELLINGS = TABLE.replace(rows=CONTRACTS, aliases={})

# The runtime's name of a tool -> Claude's, by which a PascalCase key knows it
# (docs/formats/comparison.md 12). A tool that is not here has one name.
CLAUDE_NAMES: Mapping[str, str] = {
    "bash": "Bash",
    "powershell": "Bash",
    "view": "Read",
    "create": "Write",
    "edit": "Edit",
    "str_replace_editor": "Edit",
    "apply_patch": "Edit",
    "grep": "Grep",
    "rg": "Grep",
    "glob": "Glob",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "ask_user": "AskUserQuestion",
    "update_todo": "TodoWrite",
    "task": "Agent",
}


# Claude's older name of a tool -> the present one. Matchers know it, payloads do not use it.
OLDER_NAMES: Mapping[str, str] = {"Task": "Agent"}


def runtime_names(tool: str) -> tuple[str, ...]:
    """Return the runtime's names of a tool that is called by Claude's; none for any other."""
    claude = OLDER_NAMES.get(tool, tool)
    return tuple(name for name, other in CLAUDE_NAMES.items() if other == claude)
