"""Digest: SHA-256 of some bytes, and a keyed digest, without the 8 ms that `hashlib` takes to load where nobody else has."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_SHA = "_sha2" if sys.version_info >= (3, 12) else "_sha256"
_SEAL = 16  # bytes


def sha256(data: bytes) -> str:
    """The digest, in hexadecimal."""
    found: str = _maker(_SHA, "sha256")(data).hexdigest()
    return found


def hashing() -> Any:
    """A digest in the making, for bytes that come piece by piece."""
    return _maker(_SHA, "sha256")()


def keyed(key: bytes, data: bytes) -> str:
    """What nobody can tell of the data without the key (at most 32 bytes): BLAKE2s with a key (RFC 7693), in hexadecimal."""
    found: str = _maker("_blake2", "blake2s")(data, key=key, digest_size=_SEAL).hexdigest()
    return found


def _maker(module: str, name: str) -> Callable[..., Any]:
    # The one of OpenSSL is several times faster, but only worth its import where it is there already.
    loaded = sys.modules.get("hashlib") or _own(module) or __import__("hashlib")
    made: Callable[..., Any] = getattr(loaded, name)
    return made


def _own(module: str) -> Any:
    try:
        return __import__(module)
    except ImportError:  # an interpreter that was built without it
        return None
