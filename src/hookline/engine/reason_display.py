"""Reason display: how a surface shows why something was blocked, with secrets masked (docs/formats/starchild.md 5.3)."""

from __future__ import annotations

import json

from hookline.dialects.starchild.reason_card import ReasonCard, split_reason
from hookline.text.masking import mask_text, mask_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hookline.model.verdict import Decision


def display_reason(decision: Decision | dict[str, Any]) -> ReasonCard:
    """The reason of a decision, or of its document, as a sentence, a box for what it is about, and a tag for a search.

    Evidence that the hook gives apart from its reason goes into the box; otherwise the reason is
    split. Secrets are masked.
    """
    whole = decision if isinstance(decision, dict) else decision.to_dict()
    evidence, tag = _read_evidence(whole["evidence"])
    found = split_reason(whole["reason"], evidence=evidence, mask=mask_text)
    return found.replace(tag=tag) if tag else found


def reason_fields(
    reason: str, evidence: Any = None, *, mask: Callable[[str], str] = mask_text
) -> Iterator[tuple[str, str]]:
    """The lines of a page about a reason: pairs of a label and a text, none of them empty.

    A reason that begins with a `[tag]`, or that comes with evidence, is split as `display_reason`
    splits it. Any other reason stays as its hook wrote it. `mask` hides secrets.
    """
    given, tag = _read_evidence(evidence)
    if not reason or not (given or reason.lstrip().startswith("[")):
        fields = {"reason": mask(reason)}
    else:
        found = split_reason(reason, evidence=given, mask=mask)
        fields = {"reason": found.sentence, "evidence": found.box, "tag": tag or found.tag}
    yield from ((label, text) for label, text in fields.items() if text)


def _read_evidence(given: Any) -> tuple[str, str]:
    """The evidence as text, and the tag, where the hook gives them as fields of their own."""
    tag = given.get("tag", "") if isinstance(given, dict) else ""
    value = given.get("evidence") if isinstance(given, dict) else given
    if value is None:
        return "", str(tag)
    text = value if isinstance(value, str) else json.dumps(mask_value(value), ensure_ascii=False)
    return text, str(tag)
