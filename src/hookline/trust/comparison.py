"""Comparison: what of the files that a hook names, and of what runs it, is another than when somebody approved it."""

from __future__ import annotations

from hookline.model.sight import LISTED, LOOSE
from hookline.trust.fingerprint import INTERPRETER, head, mark_of, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import TypeAlias

    from hookline.model.sight import Covered, Sight
    from hookline.trust.fingerprint import Fingerprint

    Step: TypeAlias = tuple[int, ...]
    Way: TypeAlias = tuple[Step, ...]

_FOLDER = 4  # what is told of a folder on the way to a file: device, inode, mtime, ctime


class Comparison:
    """What was seen of a hook beside what of it was approved, by places.

    `is_other`: what is run for certain is another. `interpreters`, `edited`, `new`: the interpreters that are others, the files that it
    names and that changed since, and those that were not there; `is_short`: a file that it lists is gone.
    """

    def __init__(self, approved: Mapping[str, str], print_: Fingerprint, sight: Sight) -> None:
        alike = [content for content in approved.values() if head(content) == head(print_.content)]
        same = approved.get(print_.places, "")
        known = marks(same if same in alike else next(iter(alike), ""))
        differing = [file for file in sight.files if known.get(mark_of(file)) != file.digest]
        self.is_other = not alike
        self.interpreters = [file for file in differing if file.role == INTERPRETER]
        self.edited = [file for file in differing if file.role in LOOSE and mark_of(file) in known]
        self.new = [file for file in differing if file.role in LOOSE and mark_of(file) not in known]
        now = marks(print_.content)
        self.is_short = any(mark.startswith("listed:") and mark not in now for mark in known)
        self._listed = [file for file in self.edited if file.role == LISTED]
        self._certain = [
            file for file in sight.files if file.role not in LOOSE and file.role != INTERPRETER
        ]

    def changed(self, group: str, *, cloned: bool) -> str:
        """Why it is not what was approved; empty where it is.

        What a hook only names switches it off nowhere: most of that is data, as for a formatter. Nor does which interpreter the user's
        environment, or the system, has.
        """
        if self.is_other:
            return f"{_all(self._certain) or 'what it runs'} changed since it was approved"
        brought = cloned or group == "project"
        strangers = [
            file for file in self.interpreters if brought and file.digest and not file.chosen
        ]
        if strangers:
            return f"its interpreter {_all(strangers)} is not the one with which it was approved"
        if cloned and self._listed:
            return f"{_all(self._listed)} changed since it was approved"
        return (
            "a file that it lists is gone since it was approved" if cloned and self.is_short else ""
        )

    def note(self, brought: Collection[Covered], *, cloned: bool) -> str:
        """What the user is told where it runs all the same. `brought`: the files that a clone may have brought."""
        told = [named_by(file for file in self.new if cloned or file in brought)]
        if self.edited:
            told.append(f"{_all(self.edited)}, which it names, changed since it was approved")
        if others := [
            file for file in self.interpreters if file.digest
        ]:  # the system's is as good in any place
            told.append(f"its interpreter {_all(others)} is not the one with which it was approved")
        return "; ".join(filter(None, told))


def was_led_elsewhere(before: Sight, now: Sight, *, cloned: bool) -> bool:
    """Whether another file may have been, for a while, in the place of one that is run from where it lies.

    Which interpreter there is counts for a clone's hook only, as ever.
    """
    ways = {(file.role, file.path): file.way for file in now.files}
    told = [file for file in before.files if file.way and (cloned or file.role != INTERPRETER)]
    return any(not _is_same_way(file.way, ways.get((file.role, file.path), ())) for file in told)


def _is_same_way(before: Way, now: Way) -> bool:
    return len(before) == len(now) and all(map(_is_same, before, now))


def _is_same(before: Step, now: Step) -> bool:
    """Whether what is on a way stayed there. A folder in which something was made, or removed, is the same."""
    if len(before) != len(now) or before[:2] != now[:2]:
        return False
    return before == now or (len(before) == _FOLDER and before[2] != now[2])


def named_by(files: Iterable[Covered]) -> str:
    """That a hook names files which nobody approved; empty for none."""
    named = _all(files)
    return f"it names {named}, which nobody approved" if named else ""


def _all(files: Iterable[Covered]) -> str:
    return ", ".join(
        dict.fromkeys(f"`{file.path if file.role == INTERPRETER else file.real}`" for file in files)
    )
