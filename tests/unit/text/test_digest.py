"""Digests equal SHA-256 of the standard library, with and without an extension module."""

from __future__ import annotations

import hashlib
import sys
from typing import TYPE_CHECKING

from hookline.text import digest
from hookline.text.digest import sha256

if TYPE_CHECKING:
    import pytest

DATA = b"hook" * 99
WANTED = hashlib.sha256(DATA).hexdigest()


def test_it_is_sha256() -> None:
    """Where `hashlib` is loaded."""
    assert sha256(DATA) == WANTED


def test_it_is_the_same_without_hashlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the interpreter's own, or, where that is missing, by loading it."""
    monkeypatch.delitem(sys.modules, "hashlib")
    assert sha256(DATA) == WANTED

    monkeypatch.setattr(digest, "_SHA", "no_such_module")
    assert sha256(DATA) == WANTED
