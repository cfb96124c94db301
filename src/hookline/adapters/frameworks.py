"""Frameworks: the error for a framework that is not installed."""

from __future__ import annotations

from hookline.errors import ConfigError


def make_missing_error(framework: str, command: str, error: ImportError) -> ConfigError:
    """Return the error for a framework that cannot be imported, or that is too old.

    Args:
        framework: as people write it.
        command: installs it.
        error: what the import raised.
    """
    is_absent = isinstance(error, ModuleNotFoundError)
    what = "is not installed" if is_absent else f"cannot be used: {error}"
    return ConfigError(f"{framework} {what}", name="adapter.missing", hint=command)
