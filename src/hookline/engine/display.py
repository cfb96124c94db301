"""What an engine shows: its hooks to a model, and the reason of a decision to a person."""

from __future__ import annotations

import json
import os

from hookline.dialects.starchild.reason_card import ReasonCard, split_reason
from hookline.errors import ConfigError, TrustError, did_you_mean
from hookline.paths import read_text
from hookline.text.masking import mask_text, mask_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hookline.engine.loader import Snapshot
    from hookline.model.verdict import Decision


def display_reason(decision: Decision | dict[str, Any]) -> ReasonCard:
    """The reason of a decision, or of its document: a sentence, a box and a tag for a search.

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


# -- hooks for a model -------------------------------------------------------------------------


def list_for_prompt(snapshot: Snapshot) -> str:
    """Return the block of each dialect that has one, with its hooks in the order of their files."""
    loaded = (spec.id for each in snapshot.sources for spec in each.loaded.specs)
    place = {hook_id: at for at, hook_id in enumerate(loaded)}
    blocks = []
    for dialect in snapshot.dialects():
        describe = getattr(dialect, "available_hooks", None)
        if describe is not None:
            entries = snapshot.registry.entries()
            specs = [entry.spec for entry in entries if entry.dialect is dialect]
            blocks.append(describe(sorted(specs, key=lambda spec: place.get(spec.id, len(place)))))
    return "\n".join(blocks)


def read_body(snapshot: Snapshot, hook_id: str) -> str:
    """Return the text of a hook's file below its front matter, read from the file now.

    Raises:
        ConfigError: no hook has that id, or its file can no longer be read.
        TrustError: the hook is not approved.
    """
    found = next(
        (
            each
            for each in snapshot.sources
            if any(spec.id == hook_id for spec in each.loaded.specs)
        ),
        None,
    )
    if found is None:
        known = [entry.spec.id for entry in snapshot.registry.entries()]
        if hook_id in known:  # a Python hook
            return ""
        message, hint = f"no hook has the id `{hook_id}`", did_you_mean(hook_id, known)
        raise ConfigError(message, name="config.option", hint=hint)
    read = getattr(found.dialect, "body_of", None)
    if read is None or found.source.text is None:
        return ""
    if not found.source.trusted:
        raise TrustError(
            f"the hook `{hook_id}` is not approved",
            hint="its text stays hidden until you approve it: hookline approve",
        )
    # The file's name may be relative to the working folder at load time.
    folder = found.source.names.get("folder", "")
    path = os.path.join(folder, os.path.basename(found.source.file))
    text: str = read(read_text(path), found.source.file)
    return text
