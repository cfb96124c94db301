"""Finds installed packs whose files are not those of their lock files."""

from __future__ import annotations

import os

from hookline.config.places import is_of_pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hookline.engine.engine import Engine
    from hookline.model.spec import Problem


def find_pack_problems(
    files: Iterable[str], environ: Mapping[str, str]
) -> dict[str, list[Problem]]:
    """Return what is wrong with the packs that some of these files declare, by the file."""
    declaring = [file for file in dict.fromkeys(files) if is_of_pack(file)]
    if not declaring:
        return {}
    # Most users have no pack, and pay nothing for one.
    from hookline.packs.lock import check_pack  # noqa: PLC0415

    found = {file: check_pack(os.path.basename(os.path.dirname(file)), environ)
             for file in declaring}  # fmt: skip
    return {file: problems for file, problems in found.items() if problems}


def list_pack_problems(engine: Engine) -> list[Problem]:
    """Return what is wrong with the packs of an engine."""
    files = (each.key[0] for each in engine.snapshot.sources)
    found = find_pack_problems(files, engine.environ)
    return [problem for problems in found.values() for problem in problems]
