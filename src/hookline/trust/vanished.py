"""Vanished: hooks of a project that somebody approved, and which its files declare no more, or not as they were approved."""

from __future__ import annotations

import os

from hookline.model.handler import command_of
from hookline.model.spec import CLONED
from hookline.trust.whereabouts import upwards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Protocol, TypeAlias

    from hookline.model.spec import HookSpec
    from hookline.trust.approval import Approval
    from hookline.trust.snapshot import Known, Where

    # Where hooks were declared: a dialect, a file, an event as the dialect calls it.
    Place: TypeAlias = tuple[str, str, str]
    Gone: TypeAlias = Mapping[Place, frozenset[str]]

    class Declared(Protocol):
        """What the files of a project declare now."""

        def hooks(self) -> tuple[HookSpec, ...]:
            """The hooks of a clone; the same value until files were read anew."""

        def seeks(self, root: str, dialect: str) -> bool:
            """Whether all files of a dialect in a project were looked for."""


class Vanished:
    """The approvals of a project whose hooks are gone, by where these were declared.

    `root`: the project folder, without links. `identity`: a hook as it is declared. `declared`: what there is now; where nobody
    tells that, nothing is gone.
    """

    def __init__(
        self, root: str, identity: Callable[[HookSpec], str], declared: Declared | None = None
    ) -> None:
        self._root = root
        self._identity = identity
        self.declared = declared
        self._seen: tuple[Known, tuple[HookSpec, ...], Gone, frozenset[str]] | None = None

    def edited(self, spec: HookSpec, known: Known) -> bool:
        """Whether a hook that nobody approved may be one that was: where it stands one is gone.

        A new hook beside those that were approved is none, wherever they stand by now.
        """
        if spec.origin.scope not in CLONED or not self._placed(known):
            return False
        gone, there = self._of(known)
        return self._place(spec) in gone and self._identity(spec) in there

    def unplaced(self, known: Known, asked: Collection[str]) -> Gone:
        """What is gone, and in whose place no other hook is in play; `asked`: the ids of those that are."""
        if self.declared is None or not self._placed(known):
            return {}
        gone, _ = self._of(known)
        instead = [
            self._place(spec)
            for spec in self.declared.hooks()
            if gone
            and spec.id in asked
            and self._identity(spec) not in known.approvals
            and self._identity(spec) not in known.revoked
        ]
        return {
            at: each
            for at, each in gone.items()
            if self.declared.seeks(self._root, at[0]) and instead.count(at) < len(each)
        }

    def replaced(
        self, specs: Iterable[HookSpec], known: Known, approvals: Sequence[Approval]
    ) -> list[Approval]:
        """The approvals in whose place hooks are approved now: for each that was edited one, by its id, else by its command, else the latest."""
        found: list[Approval] = []
        gone = (
            {at: set(each) for at, each in self._of(known)[0].items()}
            if self._placed(known)
            else {}
        )
        for spec in specs:
            left = gone.get(self._place(spec), set())
            if not left or self._identity(spec) in known.approvals or not self.edited(spec, known):
                continue
            there = [each for each in approvals if each.print.identity in left]
            likeliest = [
                [each for each in there if each.hook == spec.id],
                [each for each in there if each.command == command_of(spec.handler)],
                there,
            ]
            chosen = next((each[0] for each in likeliest if each), None)
            if chosen is not None:
                left.discard(chosen.print.identity)
                found.append(chosen)
        return found

    def _placed(self, known: Known) -> bool:
        """Whether somebody approved a hook of this project at all: most projects end here."""
        return self.declared is not None and any(root == self._root for root, *_ in known.declared)

    def _of(self, known: Known) -> tuple[Gone, frozenset[str]]:
        """What is gone, and the identities of the hooks that there are."""
        there = self.declared.hooks() if self.declared is not None else ()
        seen = self._seen
        if seen is None or seen[0] is not known or seen[1] is not there:
            seen = self._seen = (known, there, *self._found(known, there))
        return seen[2], seen[3]

    def _found(self, known: Known, there: Iterable[HookSpec]) -> tuple[Gone, frozenset[str]]:
        now = frozenset(map(self._identity, there))
        approved, former = self._here(known.declared), self._here(known.replaced)
        left = {at: each - now for at, each in approved.items()}
        # What was replaced and is there again, as on another branch, stands for what took its place.
        gone = {
            at: each
            for at, each in left.items()
            if len(each) > len(former.get(at, frozenset()) & now)
        }
        return gone, now

    def _here(self, placed: Mapping[Where, frozenset[str]]) -> Gone:
        """What a store has of this project, by places."""
        found: dict[Place, frozenset[str]] = {}
        for (root, dialect, file, event), each in placed.items():
            if root == self._root:
                at = (dialect, named_in(self._root, file), event)
                found[at] = found.get(at, frozenset()) | each
        return found

    def _place(self, spec: HookSpec) -> Place:
        return spec.dialect, named_in(self._root, spec.origin.file), spec.native_event


def named_in(root: str, file: str) -> str:
    """A file of a project as it is named in there: by which links somebody came to the project tells nothing, those in it do."""
    if file.startswith(f"{root}/"):
        return file
    folder = next(
        (
            each
            for each in upwards(os.path.dirname(os.path.abspath(file)))
            if os.path.realpath(each) == root
        ),
        "",
    )
    return root + os.path.abspath(file).removeprefix(folder) if folder else file
