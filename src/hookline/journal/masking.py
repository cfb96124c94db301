"""Masks what looks like a secret in the records of a journal that are shown."""

from __future__ import annotations

from hookline.text.masking import mask_text, mask_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Keys of a record that hold free text or a command. In a note, all keys do except `_NOTE_KEYS`.
_TEXT_KEYS = frozenset({"reason", "for_user", "fault", "unsupported", "command", "ran", "name"})
_NOTE_KEYS = frozenset({
    "schema", "prev", "hash", "type", "id", "at", "native_event", "kind", "did", "identity",
    "content",
})  # fmt: skip


def mask_record(record: Any, key: str = "") -> Any:
    """Mask a record, or several, for display: the values that it keeps and its free text."""
    match record:
        case str():
            return mask_text(record) if key in _TEXT_KEYS else record
        case dict():
            is_note = record.get("type") == "note"
            masked = {
                name: mask_record(part, "reason" if is_note and name not in _NOTE_KEYS else name)
                for name, part in record.items()
            }
            if "sha256" in record and "value" in record:
                masked["value"] = mask_value(record["value"])
            return masked
        case list() | tuple():
            return [mask_record(part, key) for part in record]
        case _:
            return record
