"""Records are shown masked."""

from __future__ import annotations

from hookline.journal.masking import mask_record

KEY = "sk-ant-api03-abcdefghijklmnop1234"


def test_a_record_is_shown_masked_however_it_was_kept() -> None:
    """Values and texts are masked; hashes, ids and masks stay."""
    digest = "0123456789abcdef" * 4
    record = {
        "type": "run",
        "hash": digest,
        "identity": digest[:16],
        "reason": f"no {KEY}",
        "unsupported": [KEY],
        "stdout": {"sha256": digest, "bytes": 9, "value": KEY},
        "payload": {"sha256": digest, "bytes": 9, "value": {"password": "[masked 4]", "x": [KEY]}},
    }
    mask = f"[masked {len(KEY)}]"

    assert mask_record(record) == record | {
        "reason": f"no {mask}",
        "unsupported": [mask],
        "stdout": {"sha256": digest, "bytes": 9, "value": mask},
        "payload": {"sha256": digest, "bytes": 9, "value": {"password": "[masked 4]", "x": [mask]}},
    }
    assert mask_record({"type": "note", "id": digest, "content": digest, "said": KEY}) == {
        "type": "note",
        "id": digest,
        "content": digest,
        "said": mask,
    }
