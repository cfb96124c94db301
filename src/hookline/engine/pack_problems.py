"""Finds installed packs whose files are not those of their lock files."""

from __future__ import annotations

from hookline.errors import ConfigError
from hookline.model.spec import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hookline.model.spec import Problem


def find_pack_problems(
    files: Iterable[str], environ: Mapping[str, str]
) -> dict[str, list[Problem]]:
    """Return what is wrong with the packs that some of these files declare, by the file."""
    packs = {file: Origin(file=file).pack for file in files}
    if not any(packs.values()):
        return {}
    # Most users have no pack, and pay nothing for one.
    from hookline.packs.lock import check_pack  # noqa: PLC0415

    found = {file: check_pack(pack, environ) for file, pack in packs.items() if pack}
    return {file: problems for file, problems in found.items() if problems}


def explain_missing(file: str, environ: Mapping[str, str]) -> ConfigError | None:
    """Return why the file of a pack is missing, with the remedy; None for another file."""
    for problem in find_pack_problems([file], environ).get(file, ()):
        return ConfigError(
            problem.message, name=problem.name, place=problem.origin.place, hint=problem.hint
        )
    return None
