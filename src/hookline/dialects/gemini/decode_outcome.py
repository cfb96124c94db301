"""What a hook of Gemini CLI meant: one JSON object on either stream, or its exit code (docs/formats/comparison.md 2; docs/formats/gemini.md 4, 5)."""

from __future__ import annotations

import json

from hookline.core.failure import OVERFLOWED, aloud, describe, failed, label
from hookline.dialects.gemini.specific import Specific
from hookline.dialects.gemini.table import ASK, DENY, HALT, SILENT
from hookline.model.verdict import Verdict
from hookline.wire.hookoutput import NoObjectError, UnreadableError, has_object_start, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.event import Event
    from hookline.model.outcome import Outcome
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Stance

# Output key -> its type, and what that is called.
_TOP: Mapping[str, tuple[type, str]] = {
    "continue": (bool, "true or false"), "stopReason": (str, "text"), "suppressOutput": (bool, "true or false"),
    "systemMessage": (str, "text"), "decision": (str, "text"), "reason": (str, "text"),
    "hookSpecificOutput": (dict, "an object"),
}  # fmt: skip
# Every word that some event knows; what it means is a column of the row. The first two mean nothing anywhere.
_WORDS: Mapping[str, str] = {
    "allow": "",
    "approve": "",
    "deny": "deny",
    "block": "deny",
    "ask": "ask",
}
_WARNS = 1


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, _event: Event) -> Verdict:
    """The verdict of one hook.

    An object is looked for on stdout or, where that is empty, on stderr, whatever the exit code; one that decides nothing,
    and any other text, leaves the matter to the exit code.
    """
    if outcome.failure is not None:
        return _failed(outcome, spec)
    text = _said(outcome)
    given = _object(text)
    reader = _Reader(outcome, spec, row)
    if given is None:
        return reader.by_exit(text, answered=False)
    reader.answer(given)
    return reader.by_exit(
        "" if text == outcome.stderr.strip() else outcome.stderr.strip(), answered=True
    )


def _said(outcome: Outcome) -> str:
    return outcome.stdout.strip() or outcome.stderr.strip()


def _object(text: str) -> dict[str, Any] | None:
    """The object that the text is, or, where it is a JSON text, the one inside of that; None for any other."""
    try:
        return parse_object(text)
    except NoObjectError:
        inner = json.loads(text.removeprefix("\ufeff"))
        return _object(inner) if isinstance(inner, str) and inner.lstrip().startswith("{") else None
    except UnreadableError:
        return None


def _failed(outcome: Outcome, spec: HookSpec, fault: str = "", note: str = "") -> Verdict:
    """A failure is what `on_failure` says; where it blocks nothing it is shown, on every event and not on gates only."""
    verdict = aloud(failed(spec, outcome, fault), spec)
    return verdict.replace(for_user=note) if note and verdict.stance is SILENT else verdict


class _Reader:
    """Collects what one hook claims; the strongest claim is its stance, the first of equals its reason."""

    def __init__(self, outcome: Outcome, spec: HookSpec, row: EventRow) -> None:
        self.outcome = outcome
        self.spec = spec
        self.row = row
        self.decided = False
        self.claims: list[tuple[Stance, str]] = []
        self.notes: list[str] = []
        self.unsupported: list[str] = []
        self.reason = ""
        self.specific = Specific(row, self.unsupported)

    # -- exit codes ------------------------------------------------------------------------------------------------

    def by_exit(self, text: str, *, answered: bool) -> Verdict:
        """The verdict, once the exit code has had its say; `text` is what was printed beside the answer, or in its place.

        A word of the answer stands against any exit code. In strict mode none lifts a refusal, or makes a failure a yes.
        """
        code = self.outcome.exit_code or 0
        if not code:
            return self._verdict() if answered else self._plain(text)
        if self.decided and not self.spec.strict:
            return self._verdict()
        if code == _WARNS:
            return self._warned(text, answered=answered)
        self._refuse(self.reason or text or ("" if answered else describe(self.outcome)))
        return self._verdict()

    def _plain(self, text: str) -> Verdict:
        """Text that is no object and comes with exit 0: for the user what is on stdout, a log what is on stderr."""
        if self.spec.strict and has_object_start(text):
            return _failed(self.outcome, self.spec, "its output holds JSON, but is not one object")
        if self.outcome.truncated:
            return _failed(self.outcome, self.spec, OVERFLOWED)
        if self.outcome.stdout.strip():
            self.notes.append(text)
        return self._verdict()

    def _warned(self, text: str, *, answered: bool) -> Verdict:
        """Exit 1: the host goes on, shows what the hook reports, and takes what an object asks for beside a decision."""
        if self.claims and self._stance() >= self.spec.on_failure:
            return self._verdict()
        warning = f"Warning: {text}" if text else ""
        if not answered or self.spec.on_failure is not SILENT:
            return _failed(self.outcome, self.spec, note=warning)
        self.notes += [warning] if warning else []
        return self._verdict().replace(fault=describe(self.outcome))

    def _refuse(self, words: str) -> None:
        if self.row.blocks is SILENT:
            self.unsupported.append("deny")
            self.notes += [words] if words else []
        else:
            self.claims.append((DENY, words))

    # -- the answer ------------------------------------------------------------------------------------------------

    def answer(self, given: Mapping[str, Any]) -> None:
        """Take in an output object. The host reads loosely: what is of the wrong type is as if it were not there."""
        top = {
            key: value
            for key, value in given.items()
            if value is not None and self._is_known(key, value)
        }
        stop, self.reason = top.get("stopReason", ""), top.get("reason", "")
        if top.get("systemMessage"):
            self.notes.append(top["systemMessage"])
        if top.get("continue") is False:
            self._halt(stop or self.reason)
        if word := top.get("decision"):
            self._decision(word, self.reason or stop)
        self.specific.take(top.get("hookSpecificOutput", {}))

    def _is_known(self, key: str, value: Any) -> bool:
        if key not in _TOP:
            self.unsupported.append(key)
            return False
        kind, words = _TOP[key]
        if not isinstance(value, kind):
            self.unsupported.append(f"{key}: `{key}` must be {words}")
            return False
        return True

    def _halt(self, reason: str) -> None:
        if "halt" in self.row.powers:
            self.decided = True
            self.claims.append((HALT, reason))
        else:
            self.unsupported.append("halt")

    def _decision(self, word: str, reason: str) -> None:
        if word not in _WORDS:
            self.unsupported.append(f"decision: unknown decision `{word}`")
            return
        self.decided = True
        if word in self.row.words:
            self.claims.append((self.row.words[word], reason))
        elif _WORDS[word]:
            self.unsupported.append(_WORDS[word])

    # -- the verdict -----------------------------------------------------------------------------------------------

    def _stance(self) -> Stance:
        return max((stance for stance, _ in self.claims), default=SILENT)

    def _verdict(self) -> Verdict:
        stance = self._stance()
        reason = next(
            (reason for claimed, reason in self.claims if claimed is stance and reason), ""
        )
        if stance > ASK and not reason:
            reason = next(iter(self.notes), f"blocked by hook `{label(self.spec)}`")
        return Verdict(
            hook_id=self.spec.id,
            stance=stance,
            reason=reason,
            rewrite=self.specific.rewrite,
            for_agent=self.specific.context,
            for_user="\n".join(self.notes),
            effects=self.specific.effects,
            unsupported=tuple(self.unsupported),
            exit_code=self.outcome.exit_code,
            seconds=self.outcome.seconds,
            shadow=self.spec.shadow,
        )
