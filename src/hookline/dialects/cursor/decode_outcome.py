"""What a Cursor hook meant: its exit code, and at exit 0 the one JSON object that it printed (docs/formats/cursor.md 5)."""

from __future__ import annotations

from hookline.core.failure import OVERFLOWED, label, make_failed_verdict
from hookline.dialects.cursor.decode_event import loops
from hookline.dialects.cursor.table import ALLOW, ASK, DENY, MCP, NAME, POWERS, SILENT, WORDS
from hookline.dialects.kit.claims import to_verdict
from hookline.model.event import Rewrite
from hookline.model.kinds import ACTIONS
from hookline.wire.hookoutput import UnreadableError, parse_object, select_typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Stance, Verdict

_KEYS: Mapping[str, type] = {
    "permission": str, "user_message": str, "agent_message": str, "updated_input": dict, "continue": bool,
    "followup_message": str, "env": dict, "additional_context": str, "updated_mcp_tool_output": object, "pluginPaths": list,
}  # fmt: skip
# `mcp__`: how Claude's family names the tools of MCP servers (20), on whose events a hook of ours may be asked too.
_MCP_TOOLS = (MCP, "mcp__")
# Older spellings, which the host still reads.
_OLDER: Mapping[str, str] = {"userMessage": "user_message", "agentMessage": "agent_message"}
_REFUSES = 2


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """The verdict of one hook."""
    if outcome.failure is not None:
        return make_failed_verdict(spec, outcome)
    reader = _Reader(outcome, spec, row, event)
    if outcome.exit_code == _REFUSES:
        return reader.refused()
    if outcome.exit_code:
        return make_failed_verdict(spec, outcome)
    text = outcome.stdout.strip()
    if not text:
        # 1.5: with `failClosed`, silence is an error of the hook.
        silence = "it printed nothing, and with `failClosed` silence is an error"
        return (
            make_failed_verdict(spec, outcome, silence)
            if spec.facts.get("fail_closed")
            else reader.said()
        )
    try:
        reader.answer(parse_object(text))
    except UnreadableError as error:
        return make_failed_verdict(spec, outcome, OVERFLOWED if outcome.truncated else str(error))
    return reader.said()


def _renamed(given: Mapping[str, Any]) -> dict[str, Any]:
    """The object with the current names of its keys; where both names of a key are there, the current one counts."""
    return {
        name: value
        for key, value in given.items()
        if (name := _OLDER.get(key, key)) == key or name not in given
    }


class _Reader:
    """Collects what one hook claims."""

    def __init__(self, outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> None:
        self.outcome = outcome
        self.spec = spec
        self.row = row
        self.event = event
        self.stance: Stance = SILENT
        self.user = ""
        self.agent = ""
        self.context = ""
        self.rewrite: Rewrite | None = None
        self.effects: dict[str, Any] = {}
        self.unsupported: list[str] = []
        self.redo_limit: int | None = None

    # -- exit 2 ----------------------------------------------------------------------------------------------------

    def refused(self) -> Verdict:
        """Exit 2 denies; the words are stderr's, else those of what it printed."""
        try:
            printed = select_typed(_renamed(parse_object(self.outcome.stdout)), _KEYS)
        except UnreadableError:
            printed = {}
        self.agent = self.outcome.stderr.strip() or printed.get("agent_message", "")
        self.user = printed.get("user_message", "")
        if self.row.blocks is SILENT or self.row.ignores_exit:
            self.unsupported.append("deny")
            self.user, self.agent = self.user or self.agent, ""
        else:
            self.stance = DENY
        return self.said()

    # -- the answer ------------------------------------------------------------------------------------------------

    def answer(self, given: dict[str, Any]) -> None:
        """Take in an output object.

        Raises:
            UnreadableError: a value that the host cannot take.
        """
        read = select_typed(_renamed(given), _KEYS)
        self.unsupported += [
            POWERS.get(key, key) for key, value in read.items() if self._is_lost(key, value)
        ]
        read = {
            key: value
            for key, value in read.items()
            if key in self.row.reads or key == "permission"
        }
        if word := read.get("permission"):
            self._permission(word)
        if read.get("continue") is False:
            self.stance = DENY
        self.user, self.agent = read.get("user_message", ""), read.get("agent_message", "")
        self.context = read.get("additional_context", "")
        self._rewrite(read)
        self._effects(read)
        if message := read.get("followup_message"):
            self._follow_up(message)

    def _is_lost(self, key: str, value: Any) -> bool:
        """Whether a key asks for something that the event does not read; `continue: true` asks for nothing."""
        if key == "permission" or key in self.row.reads or (key == "continue" and value):
            return False
        return key == "continue" or value not in ("", False, [], {})

    def _permission(self, word: str) -> None:
        if word not in WORDS:
            raise UnreadableError(f"unknown permission `{word}`")
        if word in self.row.verdicts or (word == "ask" and self.row.kind in ACTIONS):
            self.stance = WORDS[word]
        else:
            self.unsupported.append(word)

    def _rewrite(self, read: Mapping[str, Any]) -> None:
        if "updated_input" in read:
            self.rewrite = Rewrite(target="input", value=read["updated_input"], merge=True)
        if "updated_mcp_tool_output" not in read:
            return
        if self.row.only_for and not self.event.tool.startswith(_MCP_TOOLS):
            self.unsupported.append("output: only the output of an MCP tool can be rewritten")
        else:
            self.rewrite = Rewrite(target="output", value=read["updated_mcp_tool_output"])

    def _effects(self, read: Mapping[str, Any]) -> None:
        env, paths = read.get("env", {}), read.get("pluginPaths", [])
        if not all(isinstance(text, str) for text in (*env.values(), *paths)):
            raise UnreadableError("`env` and `pluginPaths` hold texts only")
        self.effects = {
            name: value for name, value in (("env", env), ("plugin_paths", paths)) if value
        }

    def _follow_up(self, message: str) -> None:
        """The agent goes on with the message as its next instruction, as often as the hook may have that."""
        limit = self.spec.facts.get("loop_limit", None)
        count = loops(self.event.body.facts)
        if limit is not None and count >= limit:
            self.user = f"hook `{self._label}` sent the agent back {count} times, which is its limit; the agent may stop now"
        else:
            self.stance, self.agent = DENY, message
        if self.event.dialect == NAME:  # another host has a limit of its own
            self.redo_limit = limit or 0

    # -- the verdict -----------------------------------------------------------------------------------------------

    @property
    def _label(self) -> str:
        return label(self.spec)

    def said(self) -> Verdict:
        """The verdict, with each message where it belongs: a denial is explained to the agent, a question to the user."""
        reason, for_user, for_agent = "", self.user, self.agent
        if self.stance is DENY:
            reason, for_user, for_agent = (
                self.agent or self.user,
                self.user if self.agent else "",
                "",
            )
        elif self.stance is ASK:
            reason, for_user, for_agent = (
                self.user or self.agent,
                "",
                self.agent if self.user else "",
            )
        if self.stance > ALLOW and not reason:
            reason = (
                f"blocked by hook `{self._label}`"
                if self.stance is DENY
                else f"hook `{self._label}` asks"
            )
        return to_verdict(
            self.spec,
            self.outcome,
            stance=self.stance,
            reason=reason,
            rewrite=self.rewrite,
            for_agent="\n".join(text for text in (for_agent, self.context) if text),
            for_user="" if for_user == reason else for_user,
            effects=self.effects,
            unsupported=tuple(self.unsupported),
            redo_limit=self.redo_limit,
        )
