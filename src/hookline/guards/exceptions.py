"""Exceptions: what a person allowed for one rule, for how long, where, and why."""

from __future__ import annotations

import datetime as dt

from hookline.model.frozen import Frozen
from hookline.text.globs import path_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hookline.guards.finding import Finding
    from hookline.guards.world import World


class Exemption(Frozen):
    """An entry of `exceptions` in a `hookline.yaml`.

    `command`: the whole command that is allowed, with `*` for any text. `path`: a glob, of which
    every path of the finding must be one. `until`: the last day, or moment, in ISO 8601.
    `project`: the folder of the only project that it concerns.
    """

    rule: str
    reason: str
    until: str
    command: str = ""
    path: str = ""
    project: str = ""


def read_moment(text: str) -> float:
    """Return the end of a day, or a moment, in seconds since 1970; UTC unless the text says else.

    Raises:
        ValueError: it is neither.
    """
    moment = dt.datetime.fromisoformat(text)
    if len(text) <= len("2026-12-31"):
        moment += dt.timedelta(days=1)
    return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()


def drop_exempt(
    findings: Iterable[Finding], options: Mapping[str, object], world: World, cwd: str
) -> tuple[list[Finding], list[str]]:
    """Return the findings that no exception allows, and notes on exceptions that did or ended."""
    given = options.get("exceptions") or ()
    exemptions = [Exemption(**entry) for entry in given]  # type: ignore[attr-defined]
    kept, notes = [], []
    for finding in findings:
        matching = [each for each in exemptions if _covers(each, finding, world, cwd)]
        valid = next((each for each in matching if world.now < read_moment(each.until)), None)
        if valid is not None:
            notes.append(f"allowed by an exception for {valid.rule} ({valid.reason})")
            continue
        kept.append(finding)
        notes += [
            f"the exception for {each.rule} ({each.reason}) ended on {each.until}; to allow it"
            f" again: hookline guard allow {each.rule}"
            for each in matching[:1]
        ]
    return kept, notes


def _covers(exemption: Exemption, finding: Finding, world: World, cwd: str) -> bool:
    return (
        exemption.rule == finding.rule
        and _is_in_project(exemption, world)
        and (not exemption.command or _matches_text(finding.command, exemption.command))
        and (not exemption.path or _match_all(finding.paths, exemption.path, world, cwd))
    )


def _is_in_project(exemption: Exemption, world: World) -> bool:
    if not exemption.project:
        return True
    folder = _expand_home(exemption.project, world).rstrip("/")
    return bool(world.project) and f"{world.project}/".startswith(f"{folder}/")


def _matches_text(text: str, pattern: str) -> bool:
    """Return whether a text is the pattern, in which `*` is any text."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    if not text.startswith(first):
        return False
    at = len(first)
    for part in rest[:-1]:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(text) - at >= len(rest[-1]) and text.endswith(rest[-1])


def _match_all(paths: Sequence[str], glob: str, world: World, cwd: str) -> bool:
    wanted = (_expand_home(glob, world),)
    return bool(paths) and all(path_matches(path, wanted, cwd) for path in paths)


def _expand_home(path: str, world: World) -> str:
    return f"{world.home}{path[1:]}" if path == "~" or path.startswith("~/") else path
