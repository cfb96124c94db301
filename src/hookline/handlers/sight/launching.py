"""Launching: what a launcher runs of its own words, looked at as if it stood alone, and run from where it lies."""

from __future__ import annotations

import os

from hookline.handlers.sight.lines import DEEPEST, Lines
from hookline.text.embedded import UNKNOWN
from hookline.text.launched import UNSURE, launches, unfolded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.text.launched import Launched
    from hookline.text.programs import Reading


class Launching(Lines):
    """Lines with launchers. `cut`: words that only the shell can tell stand behind those in hand; `lost`: so does the folder."""

    cut = lost = False

    def launched(
        self, words: list[str], found: Reading, path: str, cwd: str, depth: int
    ) -> list[str]:
        """The words, where what their program runs of them was looked at.

        Such a program may close what it was given open, run its words later or more than once, and put others in their place: what it
        runs is not replaced, but looked at again.
        """
        if (
            found.text_at is not None
            or found.at is not None
            or not path
            or not self.is_as_named(path)
            or depth > DEEPEST
        ):
            return words
        cut, lost, held = self.cut, self.lost, self.held
        for inner in reversed(launches(words, found.program_at)):
            self.held = False
            base = None if lost or inner.moved else os.path.join(cwd, *inner.folders)
            words = self._inner(
                words, inner, base, depth, cut=inner.more or (cut and inner.end == len(words))
            )
            self.cut, self.lost, self.held = cut, lost, held
        return words

    def is_lost(self, words: Sequence[str], found: Reading) -> bool:
        """Whether what is run lies in a folder that only the shell can tell, from where it lies in one that is not known."""
        run = [words[found.program_at], *([words[found.at]] if found.at is not None else [])]
        paths = [
            os.path.join("", *found.folders, word)
            for word in run
            if word is not run[0] or "/" in word
        ]
        if all(map(os.path.isabs, paths)):
            return False
        self.open.append(f"`{' '.join(run)}`: from which folder is only known when it runs")
        return True

    def in_vain(self) -> None:
        """Nothing can be put in the place of words: they are looked at again, and Python imports what it would have been kept from."""
        self.watched = self.placed = True
        for file in self.kept:
            self.watch("named", file)

    def _inner(
        self, words: list[str], inner: Launched, base: str | None, depth: int, *, cut: bool
    ) -> list[str]:
        if inner.text is not None:
            whole = f"{inner.text} {UNKNOWN}" if cut and inner.at < inner.end else inner.text
            text = self.text(whole, base, depth + 1)
            if text == whole:
                return words
            if inner.text_at is not None:
                return [*words[: inner.text_at], text, *words[inner.text_at + 1 :]]
            self.in_vain()
            return words
        known = words[inner.at : inner.end]
        part = _up_to(known, inner.blank)
        self.cut, self.lost = cut or part != known, base is None
        if not part or self._is_open(known, part, inner, base, depth):
            return words
        made = self.line(part, base or self.cwd, certain=False, depth=depth + 1, own=inner.own)
        return [*words[: inner.at], *made, *words[inner.at + len(part) :]]

    def _is_open(
        self, whole: list[str], part: list[str], inner: Launched, base: str | None, depth: int
    ) -> bool:
        """Whether words do not say for certain what they run, or it was looked at already."""
        if inner.is_script:
            return self._python(part[0], base)
        found = self.reading(unfolded(part), base or self.cwd)
        if base is None and self.is_lost(unfolded(part), found):
            return True
        if self.cut and found.runs_nothing():
            at = self.reading(whole, base or self.cwd).text_at
            if at is not None and inner.blank:  # `sh -c './x {}'`
                self.text(whole[at].replace(inner.blank, UNKNOWN), base, depth + 1)
            return True
        return False

    def _python(self, script: str, base: str | None) -> bool:
        """A script that a tool gives to a Python of its own."""
        read = (
            self.cover("script", os.path.join(base or "", script))
            if base is not None or os.path.isabs(script)
            else None
        )
        if read is None:
            self.open.append(f"what `{script}` is")
        else:
            self.holds(read)
        return True


def _up_to(words: Sequence[str], blank: str) -> list[str]:
    """The words up to the first that is not known, or holds what stands for another one."""
    end = next(
        (at for at, word in enumerate(words) if word == UNSURE or (blank and blank in word)),
        len(words),
    )
    return [*words[:end]]
