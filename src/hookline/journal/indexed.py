"""Indexed: what an index has of a trail, for whoever checks the trail; it is only read, and believed in nothing."""

from __future__ import annotations

import os

from hookline.errors import JournalError
from hookline.journal.files import open_to_read
from hookline.journal.records import EVENT, NOTE, RUN
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.journal.walk import Line

NAME = "index.sqlite"


class Indexed(Frozen):
    """The numbers of the records that an index has, and how many bytes of each file it has seen."""

    sizes: Mapping[str, int]
    numbers: frozenset[int]

    def lacks(self, line: Line) -> bool:
        """Whether it should have a record, and has not."""
        link = line.link
        if link is None or not link.sound or link.record.get("type") not in (EVENT, NOTE, RUN):
            return False
        return (
            line.end <= self.sizes.get(os.path.basename(line.file), 0)
            and link.seq not in self.numbers
        )


def indexed(folder: str) -> Indexed | None:
    """What the index in a folder has; None where there is none that can be read."""
    import sqlite3  # noqa: PLC0415 - a folder without an index needs none
    from urllib.parse import quote  # noqa: PLC0415 - as above

    path = os.path.abspath(os.path.join(folder, NAME))
    try:
        os.close(open_to_read(path))
        database = sqlite3.connect(
            f"file:{quote(os.fsencode(path))}?mode=ro", uri=True, timeout=2.0
        )
    except (OSError, JournalError, sqlite3.Error):
        return None
    try:
        sizes = dict(database.execute("SELECT name, size FROM segments"))
        numbers = frozenset(
            seq
            for (seq,) in database.execute("SELECT seq FROM events UNION ALL SELECT seq FROM runs")
        )
    except sqlite3.Error:
        return None
    finally:
        database.close()
    return Indexed(sizes=sizes, numbers=numbers)
