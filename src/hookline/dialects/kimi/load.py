"""Loads `[[hooks]]` of config.toml; one wrong value refuses the file (docs/formats/kimi.md 1)."""

from __future__ import annotations

from hookline.dialects.kimi.table import LONGEST, TABLE
from hookline.dialects.kit.load import FileFormat, TimeLimit, load_file
from hookline.dialects.kit.matcher import MatcherFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.core.dialect import Loaded, Source


def load(source: Source) -> Loaded:
    """Return the hooks of a source, in declared order, and every problem of the source."""
    if "/.kimi-code/" in f"/{source.file}":
        # The newer edition knows more events, and not all of them are known here.
        return load_file(source, FORMAT.replace(spared=("event.unknown",)))
    # A tree of no file belongs to no edition.
    return load_file(source, _OLDER if source.file else FORMAT)


FORMAT = FileFormat(
    table=TABLE,
    what="a config.toml",
    file="config.toml",
    newer_file=".kimi-code/config.toml",
    flat=True,
    array=True,
    codes=("config.type", "group.shape"),
    spared=(),
    matcher=MatcherFormat(everything=("",), refused="never", subjectless="empty"),
    types={"command": ""},
    common="event command matcher timeout",
    default="command",
    limits={"": TimeLimit(whole=True, most=LONGEST)},
    shells={"": ("/bin/sh", "sh")},
    runs_empty=True,
    identity=True,
)
_OLDER = FORMAT.replace(rows={name: row for name, row in TABLE.rows.items() if not row.newer})
