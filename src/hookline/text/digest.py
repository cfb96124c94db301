"""SHA-256 and keyed digests without the 8 ms that importing `hashlib` takes."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_SHA = "_sha2" if sys.version_info >= (3, 12) else "_sha256"
_SEAL = 16  # bytes


def sha256(data: bytes) -> str:
    """Return the SHA-256 digest in hexadecimal."""
    found: str = _hash_constructor(_SHA, "sha256")(data).hexdigest()
    return found


def keyed_digest(key: bytes, data: bytes) -> str:
    """Return a BLAKE2s digest (RFC 7693) in hexadecimal.

    Without the key (at most 32 bytes), it reveals nothing of the data.
    """
    found: str = _hash_constructor("_blake2", "blake2s")(
        data, key=key, digest_size=_SEAL
    ).hexdigest()
    return found


def _hash_constructor(module: str, name: str) -> Callable[..., Any]:
    # OpenSSL's implementation is several times faster, but worth its import only where something
    # else loaded it already.
    try:
        loaded = sys.modules.get("hashlib") or __import__(module)
    except ImportError:  # an interpreter that was built without it
        loaded = __import__("hashlib")
    constructor: Callable[..., Any] = getattr(loaded, name)
    return constructor
