"""What differs between two versions of a pack, as unified diffs of its own files and its wheels."""

from __future__ import annotations

import difflib
import os

from hookline.paths import read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.packs.lock import Pack

_LARGEST = 256 << 10  # bytes of a file that a diff shows


def compare_packs(before: Pack, after: Pack) -> str:
    """Return the differences; empty if there are none."""
    lines = _diff("wheels", _list_wheels(before), _list_wheels(after))
    names = {os.path.relpath(path, pack.folder) for pack in (before, after)
             for path in pack.list_own_files()}  # fmt: skip
    for name in sorted(each for each in names if not each.endswith(".pyc")):
        old, new = (_read_lines(f"{each.root}/{each.folder}/{name}") for each in (before, after))
        if old is not None and new is not None:
            lines += _diff(name, old, new)
        elif len({each.files.get(f"{each.folder}/{name}") for each in (before, after)}) > 1:
            lines.append(f"{name} differs, and is no text\n")
    return "".join(lines)


def _list_wheels(pack: Pack) -> list[str]:
    return [f"{name} sha256:{digest}\n" for name, digest in sorted(pack.wheels.items())]


def _read_lines(path: str) -> list[str] | None:
    """Return the lines of a text; no line of a file that is not there; None for other data."""
    found = read_regular(path, _LARGEST + 1)
    data = found[1] if found else b""
    if b"\0" in data or len(data) > _LARGEST:
        return None
    return [f"{line}\n" for line in data.decode("utf-8", "replace").splitlines()]


def _diff(name: str, old: list[str], new: list[str]) -> list[str]:
    before, after = (name if lines else os.devnull for lines in (old, new))
    return list(difflib.unified_diff(old, new, before, after))
