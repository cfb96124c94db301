"""Digest: SHA-256 of some bytes, without the 8 ms that `hashlib` takes to load where nobody else has."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_OWN = "_sha2" if sys.version_info >= (3, 12) else "_sha256"


def sha256(data: bytes) -> str:
    """The digest, in hexadecimal."""
    found: str = _maker()(data).hexdigest()
    return found


def hashing() -> Any:
    """A digest in the making, for bytes that come piece by piece."""
    return _maker()()


def _maker() -> Callable[..., Any]:
    # The one of OpenSSL is several times faster, but only worth its import where it is there already.
    loaded = sys.modules.get("hashlib") or _own() or __import__("hashlib")
    made: Callable[..., Any] = loaded.sha256
    return made


def _own() -> Any:
    try:
        return __import__(_OWN)
    except ImportError:  # an interpreter that was built without it
        return None
