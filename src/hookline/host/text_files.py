"""Reads the text files that a run is made of: agent files, instructions and scripts."""

from __future__ import annotations

from hookline.errors import ConfigError

_LARGEST = 1 << 20  # bytes


def read_text_file(path: str) -> str:
    """Return the text of a file.

    Raises:
        ConfigError: it is not there, is too large, or is not UTF-8.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        name = "config.missing" if isinstance(error, FileNotFoundError) else "config.unreadable"
        raise ConfigError(f"cannot read `{path}`: {why}", name=name, place=path) from None
    if len(data) > _LARGEST:
        raise ConfigError(f"`{path}` is larger than 1 MiB", name="config.too-large", place=path)
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ConfigError(
            f"`{path}` is not UTF-8 text", name="config.unreadable", place=path
        ) from None
