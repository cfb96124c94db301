"""What a docker-agent hook meant: exit codes, output objects, and the failures of both profiles."""

from __future__ import annotations

from hookline.core.failure import describe_failure, label
from hookline.dialects.kit.claims import to_verdict
from hookline.model.event import Prompt, Rewrite
from hookline.model.frozen import Frozen
from hookline.model.handler import Http, Model
from hookline.model.outcome import BARRED, Failure
from hookline.model.verdict import Stance, Verdict
from hookline.text.terminal_escape import escape_text
from hookline.wire.hookoutput import (
    UnreadableError,
    has_object_start,
    normalise_keys,
    parse_object,
    select_typed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec

_TOP: Mapping[str, type | tuple[type, ...]] = {
    "continue": bool, "stop_reason": str, "suppress_output": bool, "system_message": str, "decision": str, "reason": str,
    "hook_specific_output": dict,
}  # fmt: skip
_SPECIFIC: Mapping[str, type | tuple[type, ...]] = {
    "hook_event_name": str, "permission_decision": str, "permission_decision_reason": str, "updated_input": dict,
    "updated_messages": list, "updated_tool_response": str, "additional_context": str, "instruction_context": list,
    "summary": str, "metadata": dict, "transition": dict,
}  # fmt: skip
_BLOCK = 2  # exit code
_DECISIONS = ("allow", "ask", "deny")
# Output key -> what a rewrite of it changes.
_REWRITES = {
    "updated_input": "input",
    "updated_messages": "messages",
    "updated_tool_response": "output",
    "summary": "summary",
}


class Manner(Frozen):
    """In what the two profiles, and upstream's program, read differently.

    `forgives_exits`: an exit other than 0 and 2 only warns, unless `on_error: block`. `forgives_output`: unreadable JSON
    and unknown verdicts are ignored. `camel`: camelCase keys are read (X2). `reason_from_stdout`: X4. `whole_names`: X6.
    `explains`: a block without a reason names its hook, and a failure repeats the first line of stderr. `redacts`: an
    `updated_input` with a text `prompt` rewrites the prompt of an event that carries one.
    """

    forgives_exits: bool
    forgives_output: bool
    camel: bool
    reason_from_stdout: bool
    whole_names: bool
    explains: bool
    redacts: bool


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, manner: Manner) -> Verdict:
    """The verdict of one hook (docs/formats/docker-agent.md 5)."""
    try:
        return _Reader(outcome, spec, row, manner).verdict()
    except UnreadableError as error:
        # A reader of its own, because nothing that a failed hook said counts.
        return _Reader(outcome, spec, row, manner).failed(str(error))


class _Reader:
    def __init__(self, outcome: Outcome, spec: HookSpec, row: EventRow, manner: Manner) -> None:
        self.outcome = outcome
        self.spec = spec
        self.row = row
        self.manner = manner
        self.strict = row.always_strict or bool(spec.facts.get("strict_output"))
        self.name = (
            escape_text(spec.name, lines=True) if manner.whole_names and spec.name else label(spec)
        )
        self.notes = (
            [f'hook "{self.name}" left a background process behind that holds its output']
            if outcome.leftovers
            else []
        )
        self.unsupported: list[str] = []
        self.blocks: list[str] = []

    def verdict(self) -> Verdict:
        outcome = self.outcome
        if isinstance(self.spec.handler, Http) and outcome.failure not in BARRED | {
            Failure.UNSERIALISABLE
        }:
            # `http_post` tells somebody: what comes back, and that nothing did, is for the log only (docs/formats/docker-agent.md 8).
            return self._said(fault=describe_failure(outcome) if outcome.failure else None)
        if outcome.failure is Failure.TIMED_OUT:
            return self.failed(f"timed out after {self.spec.timeout:g} s")
        if outcome.failure is not None:
            return self.failed(describe_failure(outcome))
        if outcome.truncated:
            return self.failed("its output exceeds the limit of 1 MiB a stream")
        if outcome.exit_code == _BLOCK:
            return self._block_by_exit()
        if outcome.exit_code != 0:
            return self._other_exit()
        if isinstance(self.spec.handler, Model):
            return self._judged(self.spec.handler)
        return self._output(outcome.stdout.strip())

    def _judged(self, asked: Model) -> Verdict:
        from hookline.dialects.docker_agent.model_hook import output  # noqa: PLC0415 - few hooks ask a model

        return self._answer(*output(self.outcome.stdout, asked, self.name))

    # -- failures --------------------------------------------------------------------------------------------------

    def failed(self, words: str) -> Verdict:
        """A failure: a denial where the event or `on_error` says so, else a warning unless it is to be ignored."""
        text = f'{self.row.payload_name} hook failed to execute: hook "{self.name}": {words}'
        stance = self.spec.on_failure
        # Whatever `on_error` says: step 9 of docs/formats/docker-agent.md 5, and a block whose output went over the limit.
        if self.outcome.failure is Failure.UNSERIALISABLE or self.outcome.exit_code == _BLOCK:
            stance = max(stance, self.row.blocks)
        if stance is not Stance.SILENT:
            return self._said(stance=stance, reason=text, fault=words)
        self._warn(text)
        return self._said(fault=words)

    def _warn(self, text: str) -> None:
        if self.spec.facts.get("on_error") != "ignore":
            self.notes.append(text)

    def _other_exit(self) -> Verdict:
        shown = self.outcome if self.manner.explains else self.outcome.replace(stderr="")
        words = describe_failure(shown)
        explicit = self.spec.facts.get("on_error") == "block" or self.spec.strict
        if not self.manner.forgives_exits or explicit:
            return self.failed(words)
        self._warn(f'Hook execution error: hook "{self.name}": {words}')
        return self._said(fault=words)

    def _block_by_exit(self) -> Verdict:
        reason = self.outcome.stderr.strip()
        if not reason and self.manner.reason_from_stdout:
            reason = self._reason_on_stdout()
        if self.row.can_block:
            return self._said(stance=self.row.blocks, reason=reason or self._unexplained())
        self.notes.append(f'hook "{self.name}" returned exit 2, but this event cannot block')
        self.unsupported.append("deny")
        return self._said()

    def _reason_on_stdout(self) -> str:
        try:
            top, specific, _ = self._keys(parse_object(self.outcome.stdout))
        except UnreadableError:
            return ""
        found = (
            top.get("reason")
            or specific.get("permission_decision_reason")
            or top.get("stop_reason")
            or ""
        )
        return str(found)

    def _unexplained(self) -> str:
        return f'blocked by hook "{self.name}"' if self.manner.explains else ""

    # -- output ----------------------------------------------------------------------------------------------------

    def _output(self, text: str) -> Verdict:
        if not text.startswith("{"):
            return self._plain(text)
        try:
            top, specific, strange = self._keys(parse_object(text))
        except UnreadableError:
            if self.manner.forgives_output and not self.strict:
                return self._plain(text)
            raise
        self._check(top, specific, strange)
        return self._answer(top, specific)

    def _plain(self, text: str) -> Verdict:
        if text and self.strict:
            raise UnreadableError("strict output is one JSON object or nothing")
        if self.spec.strict and has_object_start(text):
            raise UnreadableError("stdout holds JSON, but is not one object")
        return self._said(for_agent=text if self.row.plain_context else "")

    def _keys(self, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
        top, strange = normalise_keys(given, _TOP, camel=self.manner.camel)
        top = select_typed(top, _TOP)
        specific, inner = normalise_keys(
            top.get("hook_specific_output", {}), _SPECIFIC, camel=self.manner.camel
        )
        specific = select_typed(specific, _SPECIFIC)
        if not all(isinstance(text, str) for text in _instructions(specific)):
            raise UnreadableError(
                "`instruction_context` must hold texts, or objects whose `content` is text"
            )
        return top, specific, strange + inner

    def _check(
        self, top: Mapping[str, Any], specific: Mapping[str, Any], strange: list[str]
    ) -> None:
        name = specific.get("hook_event_name")
        if self.strict:
            if strange:
                raise UnreadableError(f"unknown output key `{strange[0]}`")
            if "suppress_output" in top:
                raise UnreadableError(
                    "`suppress_output` has no effect and is refused by strict output"
                )
            if name and name != self.row.payload_name:
                raise UnreadableError(
                    f"`hook_event_name` is `{name}`, not `{self.row.payload_name}`"
                )
        # Upstream ignores them in silence; here they are listed beside what the event does not honour.
        self.unsupported += strange

    def _answer(self, top: Mapping[str, Any], specific: Mapping[str, Any]) -> Verdict:
        if top.get("system_message"):
            self.notes.append(top["system_message"])
        if top.get("continue") is False:
            self._block(top.get("stop_reason", ""))
        decision = top.get("decision", "")
        if decision == "block":
            self._block(top.get("reason", ""))
        elif decision:
            self._odd(f"unknown decision `{decision}`, only `block` is one")
        stance, reason = self._permission(specific)
        if self.blocks:
            reasons = [*self.blocks, *([reason] if stance is Stance.DENY and reason else [])]
            stance, reason = self.row.blocks, "\n".join(text for text in reasons if text)
        return self._said(
            stance=stance,
            reason=self._unexplained() if stance >= Stance.DENY and not reason else reason,
            rewrite=self._rewrite(specific),
            for_agent=self._context(specific),
            evidence=self._metadata(specific),
            effects=self._transition(specific),
        )

    def _block(self, reason: str) -> None:
        if self.row.can_block:
            self.blocks.append(reason)
        else:
            self._lost("deny", "a block")

    def _permission(self, specific: Mapping[str, Any]) -> tuple[Stance, str]:
        word = specific.get("permission_decision", "")
        if not word:
            return Stance.SILENT, ""
        if word not in _DECISIONS:
            self._odd(f"unknown permission decision `{word}`")
            return Stance.SILENT, ""
        if word not in self.row.verdicts:
            self._lost(word, f"the permission decision `{word}`")
            return Stance.SILENT, ""
        return self.row.verdicts[word], specific.get("permission_decision_reason", "")

    def _rewrite(self, specific: Mapping[str, Any]) -> Rewrite | None:
        """The rewrite that the event has room for; a row has one target at most, and every other is said to be lost."""
        found = None
        for key, target in _REWRITES.items():
            value = specific.get(key)
            if value is None or (value in ([], "") and key != "updated_tool_response"):
                continue
            prompt = self._prompt(value) if key == "updated_input" else None
            if prompt is not None:
                found = Rewrite(target="text", value=prompt)
            elif target in self.row.powers:
                found = Rewrite(target=target, value=value, merge=target == "input")
            else:
                self._lost(target, f"`{key}`")
        return found

    def _prompt(self, patch: Mapping[str, Any]) -> str | None:
        """Return the prompt that a patch puts in place of the user's; None where the event has none, or the patch is not one.

        The event itself has no room for it. Whether the host can replace a prompt is decided later; if not, it is lowered.
        """
        prompt = patch.get("prompt")
        is_one = self.manner.redacts and self.row.body is Prompt and list(patch) == ["prompt"]
        return prompt if is_one and isinstance(prompt, str) else None

    def _context(self, specific: Mapping[str, Any]) -> str:
        said = {
            "context": [specific.get("additional_context", "")],
            "instruction_context": _instructions(specific),
        }
        parts: list[str] = []
        for power, texts in said.items():
            if power in self.row.powers:
                parts += texts
            elif any(texts):
                self._lost(power, "`additional_context`" if power == "context" else f"`{power}`")
        return "\n".join(part for part in parts if part)

    def _metadata(self, specific: Mapping[str, Any]) -> dict[str, Any] | None:
        metadata: dict[str, Any] | None = specific.get("metadata")
        if metadata and "metadata" not in self.row.powers:
            self._lost("metadata", "`metadata`")
            return None
        return metadata or None

    def _transition(self, specific: Mapping[str, Any]) -> Mapping[str, Any]:
        transition = specific.get("transition")
        if transition is None:
            return {}
        if "transition" not in self.row.powers:
            self._lost("transition", "`transition`")
            return {}
        route, strange = normalise_keys(transition, ("action", "agent"), camel=self.manner.camel)
        if strange:
            raise UnreadableError(f"unknown key `{strange[0]}` in `transition`")
        if (
            route.get("action") != "route"
            or not isinstance(route.get("agent"), str)
            or not route["agent"]
        ):
            raise UnreadableError("a transition must be `action: route` with an agent")
        return {"transition": route}

    def _odd(self, words: str) -> None:
        if not self.manner.forgives_output or self.strict:
            raise UnreadableError(words)

    def _lost(self, effect: str, what: str) -> None:
        """An effect that the contract lacks is a warning, never an effect."""
        if self.strict:
            raise UnreadableError(f"{what} is not supported on this event")
        self.unsupported.append(effect)
        self.notes.append(
            f'hook "{self.name}" returned {what}, which `{self.row.payload_name}` does not support'
        )

    def _said(self, **fields: Any) -> Verdict:
        return to_verdict(
            self.spec,
            self.outcome,
            for_user="\n".join(self.notes),
            unsupported=tuple(self.unsupported),
            **fields,
        )


def _instructions(specific: Mapping[str, Any]) -> list[Any]:
    """The texts of instruction sources: plain texts, or objects with `content`."""
    return [
        entry.get("content") or "" if isinstance(entry, dict) else entry
        for entry in specific.get("instruction_context", [])
    ]
