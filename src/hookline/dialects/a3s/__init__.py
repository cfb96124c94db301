"""a3s: definitions with handlers in this process, asked one after the other.

Continue, Block, Retry or Skip.

Facts: docs/formats/a3s.md. The rows of `table` say what the events are; `hookline.a3s` is the API
under its own names.
"""

from __future__ import annotations

from hookline.core.dialect import Loaded
from hookline.core.options import read_choice
from hookline.dialects.a3s.table import NAME, TABLE
from hookline.dialects.kit.dialect import FolderDialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.spec import HookSpec

__all__ = ["A3S", "NAME", "OPTIONS"]

OPTIONS = ("invalid_regex",)


class A3S(FolderDialect):
    """The dialect. `invalid_regex="substring"` searches an invalid expression as plain text, for migration.

    Raises:
        ConfigError: another word for `invalid_regex`.
    """

    # Its hooks are functions of a program, so no file declares them.
    export = None  # type: ignore[assignment]  # no export, where the base class has one

    def __init__(self, *, invalid_regex: str = "refuse") -> None:
        chosen = read_choice(NAME, "invalid_regex", invalid_regex, ("refuse", "substring"))
        own, substring = "decode_event encode_event", chosen == "substring"
        super().__init__(__name__, TABLE, own, substring=substring)

    def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
        """Return one definition for each id, the last one.

        Hooks of equal priority run by id (docs/formats/a3s.md 6).
        """
        by_id = {spec.name: spec for spec in specs}
        return Loaded(specs=tuple(by_id[name] for name in sorted(by_id)))
