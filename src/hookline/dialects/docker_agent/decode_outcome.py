"""What a docker-agent hook meant: exit codes, output objects, and the failures of both profiles."""

from __future__ import annotations

from contextlib import suppress

from hookline.core.failure import OVERFLOWED, describe_failure, label
from hookline.dialects.docker_agent.handlers import read_reply
from hookline.dialects.docker_agent.table import OUTPUT_KEYS
from hookline.dialects.kit.answer import Claims
from hookline.model.event import Event, Prompt, Rewrite
from hookline.model.spec import HookSpec, Http, Model
from hookline.model.verdict import BARRED, Failure, Outcome, Stance, Verdict
from hookline.text.terminal_escape import escape_text
from hookline.wire.hookoutput import UnreadableError, key_types, normalise_keys, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow

_TOP = key_types(
    flag="continue suppress_output",
    text="stop_reason system_message decision reason",
    object="hook_specific_output",
)
_SPECIFIC = key_types(
    text="hook_event_name permission_decision permission_decision_reason updated_tool_response"
    " additional_context summary",
    list="updated_messages instruction_context",
    object="updated_input metadata transition",
)
_ROUTE = key_types(text="action agent")
# Keys whose empty value counts.
_EMPTY_COUNTS = ("updated_input", "updated_tool_response", "transition")
_BLOCK = 2  # exit code
_REASONS = ("reason", "permission_decision_reason", "stop_reason")
_DECISIONS = ("allow", "ask", "deny")


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return the verdict of one hook (docs/formats/docker-agent.md 5)."""
    try:
        return _Reader(outcome, spec, row, event).read()
    except UnreadableError as error:
        # A new reader, because nothing that a failed hook returned counts.
        return _Reader(outcome, spec, row, event).fail(str(error))


class _Reader(Claims):
    """Reads one outcome. `row.lenient` is profile d1; `row.exact` is the upstream program."""

    def __init__(self, outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> None:
        super().__init__(outcome, spec, row, event)
        self.strict = row.always_strict or bool(spec.facts.get("strict_output"))
        self.evidence: Any = None
        whole = row.exact and spec.name  # X6
        self.name = escape_text(spec.name, lines=True) if whole else label(spec)
        self.unexplained = "" if row.exact else f'blocked by hook "{self.name}"'
        if outcome.leftovers:
            self._note("left a background process behind that holds its output")

    def read(self) -> Verdict:
        """Return the verdict.

        Raises:
            UnreadableError: the output cannot be read.
        """
        outcome, handler, failure = self.outcome, self.spec.handler, self.outcome.failure
        barred = failure in BARRED or failure is Failure.UNSERIALISABLE
        if isinstance(handler, Http) and not barred:
            # The answer of `http_post`, and a missing one, decide nothing
            # (docs/formats/docker-agent.md 8).
            return self.verdict(fault=describe_failure(outcome) if failure else None)
        if failure is Failure.TIMED_OUT:
            return self.fail(f"timed out after {self.spec.timeout:g} s")
        if failure is not None:
            return self.fail(describe_failure(outcome))
        if outcome.truncated:
            return self.fail(OVERFLOWED)
        if outcome.exit_code == _BLOCK:
            return self._block_by_exit()
        if outcome.exit_code != 0:
            shown = outcome.replace(stderr="") if self.row.exact else outcome
            blocks = self.spec.facts.get("on_error") == "block" or self.spec.strict
            return self.fail(describe_failure(shown), denies=blocks or not self.row.lenient)
        if isinstance(handler, Model):
            return self._read_object(*read_reply(outcome.stdout, handler, self.name))
        return self._read_text(outcome.stdout.strip())

    # -- exit codes and failures -------------------------------------------------------------------

    def fail(self, why: str, *, denies: bool = True) -> Verdict:
        """Return a failure: a denial where the event or `on_error` says so, else a warning.

        `on_error: ignore` leaves the warning out. `denies`: this failure may be a denial.
        """
        event = f"{self.row.payload_name} hook failed to execute"
        text = f'{event if denies else "Hook execution error"}: hook "{self.name}": {why}'
        stance = self.spec.on_failure if denies else Stance.SILENT
        # Whatever `on_error` says: step 9 of docs/formats/docker-agent.md 5, and a block whose
        # output went over the limit.
        if self.outcome.failure is Failure.UNSERIALISABLE or self.outcome.exit_code == _BLOCK:
            stance = max(stance, self.row.blocks)
        if stance is not Stance.SILENT:
            return self.verdict(stance=stance, reason=text, fault=why)
        if self.spec.facts.get("on_error") != "ignore":
            self.notes.append(text)
        return self.verdict(fault=why)

    def _block_by_exit(self) -> Verdict:
        if not self.row.can_block:
            self._note("returned exit 2, but this event cannot block")
            self.unsupported.append("deny")
            return self.verdict()
        reason = self.outcome.stderr.strip()
        if not reason and not self.row.exact:  # X4
            with suppress(UnreadableError):
                top, specific, _ = self._normalise(self.outcome.stdout)
                given = {**top, **specific}
                reason = next((given[key] for key in _REASONS if given.get(key)), "")
        return self.verdict(stance=self.row.blocks, reason=reason or self.unexplained)

    # -- output ------------------------------------------------------------------------------------

    def _read_text(self, text: str) -> Verdict:
        row, strict = self.row, self.strict
        if text.startswith("{"):
            try:
                top, specific, strange = self._normalise(text)
            except UnreadableError:
                if strict or not row.lenient:
                    raise
            else:
                if strict:
                    _check_strictly(top, specific, strange, row.payload_name)
                self.unsupported += strange
                return self._read_object(top, specific)
        if text and strict:
            raise UnreadableError("strict output is one JSON object or nothing")
        return self.verdict(for_agent=text if row.plain_context else "")

    def _normalise(self, text: str) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
        """Return the top of an output object, its event's part, and the unknown keys of both."""
        camel = not self.row.exact  # X2
        top, strange = normalise_keys(parse_object(text), _TOP, camel=camel)
        inner = top.get("hook_specific_output", {})
        specific, strange_inside = normalise_keys(inner, _SPECIFIC, camel=camel)
        return top, specific, strange + strange_inside

    def _read_object(self, top: Mapping[str, Any], specific: Mapping[str, Any]) -> Verdict:
        if top.get("system_message"):
            self.notes.append(top["system_message"])
        self._read_stance(top, specific)
        for power, key in OUTPUT_KEYS.items():
            value = specific.get(key)
            if key == "instruction_context":
                value = _join_instructions(value or [])
            if value or (value is not None and key in _EMPTY_COUNTS):
                self._use(key, power, value)
        reason = "\n".join(text for stance, text in self.claims if stance is self.stance and text)
        if self.stance >= Stance.DENY and not reason:
            reason = self.unexplained
        return self.verdict(reason=reason, evidence=self.evidence)

    def _read_stance(self, top: Mapping[str, Any], specific: Mapping[str, Any]) -> None:
        row, unknown = self.row, ""
        decision, word = top.get("decision", ""), specific.get("permission_decision", "")
        blocks = [top.get("stop_reason", "")] if top.get("continue") is False else []
        if decision == "block":
            blocks.append(top.get("reason", ""))
        elif decision:
            unknown = f"unknown decision `{decision}`, only `block` is one"
        for reason in blocks:
            if row.can_block:
                self.claims.append((row.blocks, reason))
            else:
                self._lose("deny", "a block")
        if word in row.verdicts:
            reason = specific.get("permission_decision_reason", "")
            self.claims.append((row.verdicts[word], reason))
        elif word in _DECISIONS:
            self._lose(word, f"the permission decision `{word}`")
        elif word:
            unknown = unknown or f"unknown permission decision `{word}`"
        if unknown and (self.strict or not row.lenient):
            raise UnreadableError(unknown)

    def _use(self, key: str, power: str, value: Any) -> None:
        """Take in one key of the event's part."""
        # The format has no key for a new prompt. Whether the host can replace one is decided later.
        is_prompt = key == "updated_input" and self.row.body is Prompt and list(value) == ["prompt"]
        if is_prompt and not self.row.exact and isinstance(value["prompt"], str):
            self.rewrite = Rewrite(target="text", value=value["prompt"])
        elif power not in self.row.powers:
            self._lose(power, f"`{key}`")
        elif power in ("context", "instruction_context"):
            self.context = f"{self.context}\n{value}" if self.context else value
        elif power == "metadata":
            self.evidence = value
        elif power == "transition":
            route, strange = normalise_keys(value, _ROUTE, camel=not self.row.exact)
            if strange or route.get("action") != "route" or not route.get("agent"):
                raise UnreadableError("a transition must be `action: route` with an agent")
            self.effects["transition"] = route
        else:
            self.rewrite = Rewrite(target=power, value=value, merge=power == "input")

    def _lose(self, power: str, what: str) -> None:
        """Warn of an effect that the contract lacks; it never counts."""
        if self.strict:
            raise UnreadableError(f"{what} is not supported on this event")
        self.unsupported.append(power)
        self._note(f"returned {what}, which `{self.row.payload_name}` does not support")

    def _note(self, what: str) -> None:
        self.notes.append(f'hook "{self.name}" {what}')


def _check_strictly(
    top: Mapping[str, Any], specific: Mapping[str, Any], strange: list[str], event: str
) -> None:
    """Refuse what strict output must not hold.

    Raises:
        UnreadableError: there is such a thing in it.
    """
    named = specific.get("hook_event_name") or event
    if strange:
        raise UnreadableError(f"unknown output key `{strange[0]}`")
    if "suppress_output" in top:
        raise UnreadableError("`suppress_output` has no effect and is refused by strict output")
    if named != event:
        raise UnreadableError(f"`hook_event_name` is `{named}`, not `{event}`")


def _join_instructions(sources: list[Any]) -> str:
    """Return the texts of instruction sources: plain texts, or objects with `content`."""
    texts = [each.get("content") or "" if isinstance(each, dict) else each for each in sources]
    if not all(isinstance(text, str) for text in texts):
        why = "`instruction_context` must hold texts, or objects whose `content` is text"
        raise UnreadableError(why)
    return "\n".join(filter(None, texts))
