"""Is it SHA-256, whoever computes it?"""

from __future__ import annotations

import hashlib
import sys

import pytest

from hookline.text import digest
from hookline.text.digest import keyed_digest, sha256

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


@pytest.mark.parametrize("loaded", [True, False])
def test_a_keyed_digest_is_that_of_the_standard_library(
    monkeypatch: pytest.MonkeyPatch, *, loaded: bool
) -> None:
    """Another key, or other data, has another one."""
    if not loaded:
        monkeypatch.delitem(sys.modules, "hashlib")
    made = keyed_digest(b"key", DATA)

    assert made == hashlib.blake2s(DATA, key=b"key", digest_size=16).hexdigest()
    assert made not in {keyed_digest(b"keys", DATA), keyed_digest(b"key", DATA + b"x")}
