"""Around: which files of a project around the working folder uv runs, or is led by, before it runs what it is told to."""

from __future__ import annotations

import os
import re

from hookline.handlers.sealing.uv import has_block, needs_nothing
from hookline.paths import real_path
from hookline.text.embedded import values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hookline.handlers.sight.contents import Contents

# A version, and nothing that could be a path.
_VERSIONS = re.compile(rb"(?:\s*(?:\d[\d.]*[a-z]*\d*)?[ \t]*(?:#.*)?(?:\n|$))*")


def files_around(
    options: Sequence[str], script: Contents | None, cwd: str, projects: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """The files, each with what it is to a hook. `options`: what uv is told; `script`: what it runs itself; `projects`: where it is looked for them.

    A script that says itself what it needs has an environment of its own; what it needs is found as the project says.
    """
    told = {word.partition("=")[0] for word in options}
    has_own = script is not None and has_block(script.head)
    if has_own and script is not None and needs_nothing(script.head) and "--with" not in told:
        return
    base = os.path.join(cwd, *values(options, ("--project",))[-1:])
    is_free, is_led = has_own or "--no-project" in told, "--no-config" not in told
    folders = [*_folders(base, projects)]
    manifests = [
        path
        for folder in folders
        if os.path.isfile(path := f"{folder}/pyproject.toml")
        and (not is_free or (is_led and _leads(path)))
    ]
    manifests += [
        path for folder in folders if is_led and os.path.isfile(path := f"{folder}/uv.toml")
    ]
    if is_led and not has_own and told.isdisjoint(("-p", "--python")):
        manifests += [path for folder in folders if _chooses(path := f"{folder}/.python-version")]
    yield from (("loaded", path) for path in manifests)
    if has_own or "--isolated" in told or (manifests and not is_free):
        return  # uv makes the environment of a project, so that it is another one whenever it was made anew
    for folder in folders:
        if os.path.isfile(path := f"{folder}/.venv/pyvenv.cfg"):
            yield "loaded", path
        if os.path.isfile(path := f"{folder}/.venv/bin/python"):
            yield "interpreter", path


def _folders(folder: str, projects: Sequence[str]) -> Iterator[str]:
    """A folder and those around it, as far as one of these projects reaches."""
    at = real_path(folder)
    while any(f"{at}/".startswith(f"{each.rstrip('/')}/") for each in projects):
        yield at
        at = os.path.dirname(at)


def _leads(manifest: str) -> bool:
    """Whether a `pyproject.toml` says something to uv that is not about the project: where it finds packages, or a Python."""
    import tomllib  # noqa: PLC0415 - only where uv runs in a project

    try:
        with open(manifest, "rb") as file:
            tool = tomllib.load(file).get("tool", {})
    except (OSError, ValueError):
        return True
    return not isinstance(tool, dict) or "uv" in tool


def _chooses(path: str) -> bool:
    """Whether a `.python-version` says more than versions: it may name a program that lies beside it."""
    try:
        with open(path, "rb") as file:
            return _VERSIONS.fullmatch(file.read(4096)) is None
    except OSError:
        return False
