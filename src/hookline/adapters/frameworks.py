"""Frameworks: the error for a framework that is not installed."""

from __future__ import annotations

from hookline.errors import ConfigError
from hookline.installation import install_command


def make_missing_error(framework: str, extra: str, error: ImportError) -> ConfigError:
    """Return the error for a framework that cannot be imported, or that is too old.

    Args:
        framework: as people write it.
        extra: the extra of hookline that installs it.
        error: what the import raised.
    """
    is_absent = isinstance(error, ModuleNotFoundError)
    what = "is not installed" if is_absent else f"cannot be used: {error}"
    return ConfigError(
        f"{framework} {what}", name="adapter.missing", hint=install_command(extra=extra)
    )
