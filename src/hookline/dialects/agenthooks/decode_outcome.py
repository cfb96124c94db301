"""Results of HOOK.md scripts as verdicts: exit 2 denies, exit 0 may print one JSON object."""

from __future__ import annotations

from hookline.core.failure import describe_failure, label, make_failed_verdict, show_failure
from hookline.dialects.agenthooks.table import NAME
from hookline.dialects.kit.answer import Claims
from hookline.model.event import Event, Rewrite
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from hookline.wire.hookoutput import UnreadableError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.core.dialect import EventRow
    from hookline.model.spec import HookSpec

_DENIES = 2  # the exit code
_TAIL, _LOGGED = 200, 2000  # characters of stderr in a fault, and in the log
# Field of the output -> its type, and the power that it uses.
_FIELDS = {
    "reason": (str, "reason"),
    "modified_input": (dict, "input"),
    "additional_context": (str, "context"),
    "log": (str, "log"),
}


def decode_outcome(outcome: Outcome, spec: HookSpec, row: EventRow, event: Event) -> Verdict:
    """Return the verdict of one hook (docs/formats/agenthooks.md 8)."""
    verdict = _Reader(outcome, spec, row, event).read()
    # At exit 2 stderr is the reason, and a hook that did not run wrote nothing.
    is_logged = outcome.failure in (None, Failure.KILLED) and outcome.exit_code != _DENIES
    wrote = outcome.stderr.strip() if is_logged else ""
    if wrote and verdict.fault and outcome.exit_code != 0:
        # The end of stderr belongs into the log, and is not shown.
        last = wrote.rpartition("\n")[2][-_TAIL:]
        verdict = verdict.replace(fault=f"{verdict.fault}: {last}")
    if wrote and spec.facts.get("debug"):
        logged = f"hook `{label(spec)}` wrote: {wrote[-_LOGGED:]}"
        log = [*verdict.effects.get("log", ()), logged]
        verdict = verdict.replace(effects={**verdict.effects, "log": log})
    if outcome.leftovers:
        note = f"hook `{label(spec)}` left a background process behind that holds its output"
        verdict = verdict.replace(for_user=f"{note}\n{verdict.for_user}".strip())
    return verdict


class _Reader(Claims):
    """Reads one outcome."""

    def read(self) -> Verdict:
        """Return the verdict, as the event honours it."""
        outcome, name = self.outcome, label(self.spec)
        if outcome.failure is Failure.TIMED_OUT:
            verdict = self._fail(f"timed out after {self.spec.timeout:g} s")
        elif outcome.failure is not None or outcome.exit_code not in (0, _DENIES):
            verdict = self._fail(describe_failure(outcome.replace(stderr="")))
        elif outcome.exit_code == _DENIES:
            reason = outcome.stderr.strip() or f"blocked by hook `{name}`"
            verdict = self.verdict(stance=Stance.DENY, reason=reason)
        elif outcome.stdout.strip():
            verdict = self._read_output()
        else:
            verdict = self.verdict()
        if verdict.stance is not Stance.DENY:
            return verdict
        why, honoured = self.event.body.value("stop_reason"), self.row.honoured
        if not honoured or not isinstance(why, str) or why in honoured:
            # It ends the round. A failed hook never stops the rest, also where its failure denies
            # (docs/formats/agenthooks.md 9).
            return verdict.replace(rewrite=None, ends=verdict.fault is None)
        # At some stops a denial does not count.
        stops = f"but it stops because of `{why}`: {verdict.reason}"
        note = f"hook `{name}` wants the agent to go on, {stops}"
        return verdict.replace(
            stance=Stance.SILENT,
            reason="",
            for_user=f"{verdict.for_user}\n{note}".strip(),
            unsupported=(*verdict.unsupported, "deny"),
        )

    def _fail(self, why: str) -> Verdict:
        """Return the verdict of a failure.

        Where anything can be refused, it leaves a note for the user.
        """
        verdict = make_failed_verdict(self.spec, self.outcome, why)
        return verdict if self.row.feedback else show_failure(verdict, self.spec)

    def _read_output(self) -> Verdict:
        """Return what stdout says; text that is not one JSON object never becomes context."""
        try:
            given = parse_object(self.outcome.stdout)
        except UnreadableError as error:
            return self._fail(f"output.json: {error}")
        spec, words, fault = self.spec, self.row.words, None
        stance, default = Stance.SILENT, f"blocked by hook `{label(spec)}`"
        word = given.pop("decision", "allow")
        fields = self._select_fields(given)
        if word == "ask" and self.row.asks:
            default = f"hook `{label(spec)}` wants a person to decide"
            stance = words[word] if self.event.dialect == NAME else Stance.ASK
            self.unsupported += [] if stance is Stance.ASK else ["ask"]
        elif isinstance(word, str) and word in words:
            stance = words[word]
        else:
            known = "`allow`, `ask` and `deny`"
            fault = f"output.decision: `{word!s:.80}` is no decision, only {known} are"
            if spec.on_failure is not Stance.SILENT:
                return self._fail(fault)
            self.notes.append(f"hook `{label(spec)}`: {fault}")
        if fields.get("modified_input"):
            self.rewrite = Rewrite(target="input", value=fields["modified_input"], merge=True)
        if fields.get("log"):
            self.effects["log"] = [fields["log"]]
        self.context = fields.get("additional_context", "")
        reason = fields.get("reason", "").strip() or default
        return self.verdict(stance=stance, reason=reason if stance else "", fault=fault)

    def _select_fields(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields that count; the others become notes."""
        fields: dict[str, Any] = {}
        for key, value in given.items():
            wanted, power = _FIELDS.get(key, (object, key))
            if key not in _FIELDS:
                why = f"output.ignored: `{key:.80}` is no field of the format"
            elif value is None:
                continue
            elif not isinstance(value, wanted):
                why = f"output.type: `{key}` must be {'an object' if wanted is dict else 'text'}"
            elif power not in ("reason", *self.row.powers):
                why = f"output.ignored: `{key}` has no effect on `{self.row.native}`"
            else:
                fields[key] = value
                continue
            self.unsupported.append(power)
            self.notes.append(f"hook `{label(self.spec)}`: {why}")
        return fields
