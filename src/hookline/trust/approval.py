"""Approval: what is written down of one approval, in a store and for a journal."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

    from hookline.trust.fingerprint import Fingerprint


class Approval(Frozen):
    """One approval, with what a person wants to know of it. `at`: seconds since 1970; the store's clock fills it in.

    `command`: what is run, as it is shown. `file`: where it was declared. `hook`: its id there; empty where another took its place. `how`: for example "command line" or "first use".
    """

    print: Fingerprint
    root: str = ""
    dialect: str = ""
    event: str = ""
    command: str = ""
    file: str = ""
    hook: str = ""
    covers: tuple[str, ...] = ()
    who: str = ""
    how: str = ""
    at: float = 0.0


def write(db: Connection, one: Approval, *, first_use: bool, keep_revoked: bool) -> bool:
    """Write an approval down; whether it was to be: a first use changes none, and no revocation, which `keep_revoked` leaves, too."""
    import json  # noqa: PLC0415 - few events approve anything

    key, stays = one.print, first_use or keep_revoked
    if (
        stays
        and db.execute("SELECT 1 FROM revocations WHERE identity = ?", (key.identity,)).fetchone()
    ):
        return False
    if not stays:
        db.execute("DELETE FROM revocations WHERE identity = ?", (key.identity,))
    verb = "INSERT OR IGNORE" if first_use else "INSERT OR REPLACE"
    done = db.execute(
        f"{verb} INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (key.identity, key.places, key.content, one.root, one.dialect, one.event, one.command, one.file, one.hook,
         json.dumps(one.covers), one.who, one.how, one.at),
    )  # fmt: skip
    return done.rowcount > 0


def read(db: Connection) -> tuple[Approval, ...]:
    """Every approval, the latest first."""
    import json  # noqa: PLC0415 - only a person asks for the list

    from hookline.trust.fingerprint import Fingerprint  # noqa: PLC0415 - as above

    rows = db.execute(
        "SELECT identity, places, content, root, dialect, event, command, file, hook, covers, who, how, at"
        " FROM approvals ORDER BY at DESC, identity, places"
    )
    return tuple(
        Approval(
            print=Fingerprint(identity=row[0], places=row[1], content=row[2]),
            root=row[3], dialect=row[4], event=row[5], command=row[6], file=row[7], hook=row[8],
            covers=tuple(json.loads(row[9])), who=row[10], how=row[11], at=row[12],
        )
        for row in rows
    )  # fmt: skip


def note_of(one: Approval) -> dict[str, Any]:
    """What an approval says of itself to a journal."""
    from hookline.trust.told import record_of  # noqa: PLC0415 - as `write`

    return record_of(one, "approved", who=one.who, how=one.how)
