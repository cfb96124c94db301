"""Installation: the command that adds a package or an extra to the Python that runs hookline."""

from __future__ import annotations

import os
import sys
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.metadata import Distribution
    from typing import Any

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def install_command(*packages: str, extra: str = "") -> str:
    """Return a shell command that installs packages, and an extra of hookline if one is named.

    It names this interpreter, because another Python may be first on the PATH. It names the source
    that this hookline came from, because hookline is on no package index.
    """
    words = [*find_source(extra, _PACKAGE, _find_distribution())] if extra else []
    command: str = import_module("shlex").join([*_find_installer(), *words, *packages])
    return command


def find_own_source() -> str:
    """Return the source that this hookline came from, as an argument of a shell command."""
    words = find_source("", _PACKAGE, _find_distribution())
    text: str = import_module("shlex").join(words)
    return text


def find_source(extra: str, package: str, distribution: Distribution | None) -> list[str]:
    """Return the arguments of pip for hookline, with an extra if any, from where it was installed.

    `package`: the folder of the package `hookline`; `distribution`: what was installed, if known.
    """
    extras = f"[{extra}]" if extra else ""
    checkout = os.path.dirname(os.path.dirname(package))
    if package.endswith("/src/hookline") and os.path.exists(f"{checkout}/pyproject.toml"):
        return ["-e", f"{checkout}{extras}"]
    if distribution is None:
        return [f"hookline{extras}"]
    text = distribution.read_text("direct_url.json")
    if not text:  # from an index
        return [f"hookline{extras}=={distribution.version}"]
    origin = import_module("json").loads(text)
    url: str = origin["url"]
    if not url.startswith("file://") or "vcs_info" in origin:
        return [f"hookline{extras} @ {_join_url(origin)}"]
    path = import_module("urllib.parse").unquote(url.removeprefix("file://"))
    if os.path.exists(path) or not extra:
        return [f"{path}{extras}"]
    return _list_requirements(extra, distribution)


def _find_distribution() -> Distribution | None:
    metadata = import_module("importlib.metadata")
    try:
        found: Distribution = metadata.distribution("hookline")
    except metadata.PackageNotFoundError:
        return None
    return found


def _find_installer() -> list[str]:
    """Return the installer of this environment; environments of uv have no pip."""
    if import_module("importlib.util").find_spec("pip"):
        return [sys.executable, "-m", "pip", "install"]
    return ["uv", "pip", "install", "--python", sys.executable]


def _join_url(origin: dict[str, Any]) -> str:
    """Return the address of a direct URL (PEP 610) as a requirement writes it (PEP 508)."""
    # pip reads no requirement whose address has an empty host.
    url: str = origin["url"].replace("file:///", "file://localhost/", 1)
    if vcs := origin.get("vcs_info"):
        url = f"{vcs['vcs']}+{url}@{vcs['commit_id']}"
    return f"{url}#subdirectory={origin['subdirectory']}" if "subdirectory" in origin else url


def _list_requirements(extra: str, distribution: Distribution) -> list[str]:
    """Return what an extra needs, for a hookline whose source is gone."""
    mark = f"extra == '{extra}'"
    needs = [each.partition(";") for each in distribution.requires or ()]
    return [name.strip() for name, _, marker in needs if marker.strip().replace('"', "'") == mark]
