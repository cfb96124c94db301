"""The texts of the files that hooks run, and how they differ from the approved ones."""

from __future__ import annotations

from difflib import unified_diff

from hookline.errors import TrustError
from hookline.paths import read_regular
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.trust.inspection import Inspection
    from hookline.trust.state import HookState
    from hookline.trust.store import Store

_LONGEST = 64 << 10  # bytes of a file whose text is kept
_MOST = 256 << 10  # bytes of all texts of a hook


def read_texts(inspection: Inspection) -> dict[str, str]:
    """Return the text of each inspected file by its key.

    Left out is a file that is long or no text, and one with other bytes than were inspected.
    """
    texts: dict[str, str] = {}
    room = _MOST
    for file in inspection.files:
        read = read_regular(file.path, _LONGEST + 1)
        if read is None or len(read[1]) > min(_LONGEST, room) or sha256(read[1]) != file.sha256:
            continue
        try:
            texts[file.key] = read[1].decode()
        except UnicodeDecodeError:
            continue
        room -= len(read[1])
    return texts


def compare_texts(store: Store, state: HookState) -> dict[str, tuple[str, str | None]]:
    """Return the text of each file, and its difference from the version approved last.

    The difference is None where that version's text was not kept, and empty where it is the same.
    """
    now, before = read_texts(state.inspection), _read_approved(store, state)
    return {
        key: (text, _compare(before[key], text) if key in before else None)
        for key, text in now.items()
    }


def _read_approved(store: Store, state: HookState) -> Mapping[str, str]:
    try:
        versions = store.list_versions(state.owner.key, state.definition)
        return store.read_texts(versions[0]) if versions else {}
    except TrustError:
        return {}


def _compare(before: str, now: str) -> str:
    lines = [*unified_diff(before.splitlines(), now.splitlines(), lineterm="", n=2)]
    return "\n".join(lines[2:])  # without the names
