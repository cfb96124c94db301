"""Reads a text file that people write; what cannot be read is an error with its place."""

from __future__ import annotations

from hookline.errors import ConfigError
from hookline.paths import read_start

# A configuration is text that people write; what is larger is something else.
_LARGEST = 1 << 20


def read_text(path: str) -> str:
    """Return the text of a file.

    Raises:
        ConfigError: it cannot be read, is too large, or is no text.
    """
    try:
        raw = read_start(path, _LARGEST + 1)
    except OSError as error:
        raise make_unreadable_error(path, error) from None
    if len(raw) > _LARGEST:
        message, hint = f"larger than {_LARGEST >> 20} MiB", "keep the hooks in a smaller file"
        raise ConfigError(message, name="config.too-large", place=path, hint=hint)
    try:
        return raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        place = f"{path}:{line}:{column}"
        raise ConfigError(
            "not UTF-8 text", name="config.unreadable", place=place, hint="save it as UTF-8"
        ) from None


def make_unreadable_error(path: str, error: OSError) -> ConfigError:
    """Return the error for a file or folder that cannot be read."""
    message = f"cannot be read: {(error.strerror or 'unreadable').lower()}"
    return ConfigError(message, name="config.unreadable", place=path)
