"""The guard `secrets`: refuses secrets that a user pastes, and masks those that would get out."""

from __future__ import annotations

from hookline.guards.finding import UNVERIFIED, Answer, Finding
from hookline.guards.masking import Masking, mask_value
from hookline.model.event import Prompt, Rewrite, ToolCall
from hookline.model.tools import families
from hookline.model.verdict import Stance
from hookline.text.secrets.scan import scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.guards.world import World
    from hookline.model.event import Event
    from hookline.text.secrets.finding import Found

# Tools that send a message, and the fields of their input that are its text.
_MESSAGE_TOOLS = frozenset(
    ("send_to_telegram", "send_to_wechat", "send_to_feishu", "send_message", "send_to_user",
     "send_email", "post_message", "slack_post_message")
)  # fmt: skip
_MESSAGE_FIELDS = ("message", "text", "caption", "content", "body", "subject")
_WRITES = frozenset(("write", "edit"))
_REPLACE = "use an environment variable, or the secret store of the project"


def judge(event: Event, options: Mapping[str, Any], _world: World) -> Answer | None:
    """Return what the guard `secrets` does about an event."""
    body = event.body
    masking = Masking(scan, shows_ends=event.dialect == "starchild")
    if isinstance(body, Prompt):
        return _refuse(masking.read(body.prompt), "secret.pasted", "the message holds",
                       "leave it out, and change the secret, because it has been sent")  # fmt: skip
    if event.kind in ("tool.after", "tool.result", "tool.failure"):
        return _judge_result(event, masking)
    if isinstance(body, ToolCall):
        return _judge_call(event, masking, options)
    if event.kind in ("response.before", "message.outbound"):
        return _judge_message(event, masking)
    return None


def _refuse(found: list[Found], rule: str, begin: str, instead: str) -> Answer | None:
    if not found:
        return None
    reason = f"{begin} {_list_titles(found)}"
    return Answer(findings=(Finding(rule=rule, reason=reason, instead=instead),))


def _list_titles(found: list[Found]) -> str:
    titles = list(dict.fromkeys(each.title for each in found))
    return titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"


def _judge_call(event: Event, masking: Masking, options: Mapping[str, Any]) -> Answer | None:
    """Judge a call of a tool: what it would send, write, or run."""
    given = event.input
    if event.tool in _MESSAGE_TOOLS or event.tool in options.get("message_tools", ()):
        fields = _pick(given, _MESSAGE_FIELDS)
        masked = {key: mask_value(value, masking) for key, value in fields.items()}
        if masking.refused:
            return _refuse(masking.refused, "secret.sent", "the message holds", "leave it out")
        if masking.found:
            note = f"masked {_list_titles(masking.found)} in a message"
            rewrite = Rewrite(target="input", value=masked, merge=True)
            return Answer(rewrite=rewrite, for_user=f"[secrets] {note}")
        return _report_unread(masking)
    kinds = families(event.tool, event.dialect)
    if _WRITES.intersection(kinds):
        mask_value(_without_old_text(given), masking)
        return _refuse(masking.strong, "secret.written", "the file would hold", _REPLACE) or (
            _report_unread(masking)
        )
    mask_value(given, masking)
    if masking.strong and "shell" in kinds:
        titles = _list_titles(masking.strong)
        finding = Finding(
            rule="secret.typed",
            reason=f"the command line holds {titles}",
            instead=_REPLACE,
            stance=Stance.SILENT,
            command=event.command,
        )
        return Answer(findings=(finding,))
    return _report_unread(masking)


def _judge_result(event: Event, masking: Masking) -> Answer | None:
    """Mask a result where the host can replace it, and tell the user in any case."""
    body = event.body
    if not isinstance(body, ToolCall):
        return None
    masked = mask_value(body.result, masking)
    if not masking.found:
        return _report_unread(masking)
    note = f"[secrets] the result of {event.tool or 'a tool'} holds {_list_titles(masking.found)}"
    return Answer(rewrite=Rewrite(target="output", value=masked), for_user=note)


def _judge_message(event: Event, masking: Masking) -> Answer | None:
    """Mask a reply or a message to the user; refuse what cannot be masked on its way out."""
    text = event.text
    masked = mask_value(text, masking)
    if masking.refused and event.kind == "message.outbound":
        return _refuse(masking.refused, "secret.sent", "the message holds", "leave it out")
    if masked == text:
        return _report_unread(masking)
    note = f"[secrets] masked {_list_titles(masking.found)}"
    return Answer(rewrite=Rewrite(target="text", value=masked), for_user=note)


def _report_unread(masking: Masking) -> Answer | None:
    if not masking.unread:
        return None
    finding = Finding(rule=UNVERIFIED, reason=masking.unread, stance=Stance.SILENT)
    return Answer(findings=(finding,))


def _pick(given: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: given[key] for key in keys if key in given} if isinstance(given, dict) else {}


_OLD_TEXT = frozenset(("old_string", "old_str", "old_text", "old", "oldString", "oldText"))


def _without_old_text(given: Any) -> Any:
    """Return an input without what an edit removes."""
    if isinstance(given, dict):
        return {
            key: _without_old_text(value) for key, value in given.items() if key not in _OLD_TEXT
        }
    return [_without_old_text(each) for each in given] if isinstance(given, list) else given
