"""Handing: the notes on approvals and switches that are left in the store, handed to the journal by whoever looks next."""

from __future__ import annotations

from hookline.engine.gating import noted
from hookline.engine.journaling import journal_of
from hookline.errors import CODES, TrustError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def hand_on(environ: Mapping[str, str], tell: Callable[[str], None], *, aloud: bool = True) -> None:
    """Hand on what was left behind, by a process that was killed or while no journal could be written.

    `tell` is given what is wrong with the journal, and with `aloud` how much is left even then. Where there is no store, or nothing in
    it that waits, nothing is made.
    """
    from hookline.trust.outbox import MOST  # noqa: PLC0415 - what a command imports at its top, every command pays for
    from hookline.trust.store import Store, store_path  # noqa: PLC0415 - as above

    store = Store(store_path(environ))
    try:
        if not store.waiting():
            return
        journal = journal_of(environ, tell)
        store.tell = noted(journal)
        left = store.hand_on()
        if journal is not None:
            journal.close()
    except TrustError as error:
        if aloud:
            tell(f"{error.code} {error.message}: its notes are not in the journal yet")
        return
    if left and aloud:
        wait = (
            "1 note on an approval or a switch waits"
            if left == 1
            else f"{left} notes on approvals and switches wait"
        )
        tell(
            f"{CODES['journal.lost']} {wait} in `{store.path}` until a journal can be written (the newest {MOST:,} are kept)"
        )
