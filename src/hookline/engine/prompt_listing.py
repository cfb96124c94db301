"""The list of hooks for a model's prompt, and the text of one hook on request."""

from __future__ import annotations

import os

from hookline.config.read import read_text
from hookline.errors import ConfigError, TrustError
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.engine.snapshot import Snapshot


def list_for_prompt(snapshot: Snapshot) -> str:
    """Return the block of each dialect that has one, with its hooks in the order in which their files were given."""
    loaded = (spec for shelved in snapshot.sources for spec in shelved.loaded.specs)
    place = {spec.id: at for at, spec in enumerate(loaded)}
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
            shelved
            for shelved in snapshot.sources
            for spec in shelved.loaded.specs
            if spec.id == hook_id
        ),
        None,
    )
    if found is None:
        known = [entry.spec.id for entry in snapshot.registry.entries()]
        if hook_id in known:  # a Python hook
            return ""
        known += [spec.id for each in snapshot.sources for spec in each.loaded.specs]
        raise ConfigError(
            f"no hook has the id `{hook_id}`",
            name="config.option",
            hint=did_you_mean(hook_id, known),
        )
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
    text: str = read(
        read_text(os.path.join(folder, os.path.basename(found.source.file))), found.source.file
    )
    return text
