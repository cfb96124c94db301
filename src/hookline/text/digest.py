"""SHA-256 without the 8 ms that importing `hashlib` takes."""

from __future__ import annotations

import sys

_SHA = "_sha2" if sys.version_info >= (3, 12) else "_sha256"


def sha256(data: bytes) -> str:
    """Return the SHA-256 digest in hexadecimal."""
    # OpenSSL's implementation is several times faster, but worth its import only where something
    # else loaded it already.
    try:
        loaded = sys.modules.get("hashlib") or __import__(_SHA)
    except ImportError:  # an interpreter that was built without it
        loaded = __import__("hashlib")
    found: str = loaded.sha256(data).hexdigest()
    return found
