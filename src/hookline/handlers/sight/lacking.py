"""Lacking: what a command line runs for certain and is not there, so that it is certain to fail."""

from __future__ import annotations

import os

from hookline.handlers.sight.importing import Importing
from hookline.paths import real_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.text.programs import Reading

# Shells that read nothing of the user's before the text that they are given.
_BARE = frozenset({"ash", "bash", "dash", "sh"})
# Families of interpreters of which it is known which options take a word.
_KNOWN_OPTIONS = frozenset({"perl", "python", "shell"})


class Lacking(Importing):
    """Lines with words for which nothing is there.

    `alone`: the next line is all that a shell is given to run, and it looks for its program on the path only, if `names`.
    """

    alone = names = False

    def starts_bare(self, words: Sequence[str], path: str) -> bool:
        """Whether a shell does nothing before its text; if so, also whether it finds programs by the path only."""
        known = os.path.basename(real_path(path)) in {"bash", "dash"}
        self.names = (
            known
            and "PATH" in self.env
            and not any(each.startswith("BASH_FUNC_") for each in self.env)
        )
        return (
            words[1:2] == ["-c"]
            and os.path.basename(words[0]) in _BARE
            and "BASH_ENV" not in self.env
        )

    def lacking(
        self, words: Sequence[str], found: Reading, cwd: str, *, certain: bool, own: bool
    ) -> bool:
        """Whether what is run is not there, which is noted. `certain`: nothing else can be meant by the words."""
        alone, self.alone = self.alone, False
        names, finds = not own and (certain or (alone and self.names)), own or found.own
        certain = certain or alone
        name, folder = words[found.program_at], os.path.join(cwd, *found.folders)
        is_lacking = not self.program(name, folder) and not (finds and found.family.name)
        if (
            certain
            and (finds or found.program_at)
            and (names or "/" in words[0])
            and not self.program(words[0], cwd)
        ):
            self.lacks(f"`{words[0]}` was not found", certain=True)
        elif is_lacking and found.own and "/" not in name:
            self.open.append(f"what `{name}` is: what runs it finds it")
        elif is_lacking and ("/" in name or names):
            self.lacks(f"`{name}` was not found", certain=certain and not finds)
        return is_lacking

    def is_gone(self, words: Sequence[str], found: Reading, cwd: str) -> bool:
        """Whether there is nothing that an interpreter could take the word of its script for: a folder, a name on the path, `x.js` for `x`."""
        assert found.at is not None  # noqa: S101 - asked of words with a script only
        word, family = words[found.at], found.family
        if (
            words[found.at - 1] in family.verbs
            or ":" in word
            or os.path.exists(full := os.path.join(cwd, word))
        ):
            return False
        if family.name not in _KNOWN_OPTIONS and (
            found.at != found.program_at + 1 or not {"/", "."}.intersection(word)
        ):
            return False
        folders = self.path.split(os.pathsep) if "/" not in word else []
        folder, stem = os.path.dirname(full), f"{os.path.basename(word)}."
        beside = os.listdir(folder) if os.access(folder, os.R_OK) and os.path.isdir(folder) else []
        return not any(each.startswith(stem) for each in beside) and not any(
            os.path.exists(f"{each}/{word}") for each in folders
        )
