"""Entry point: which script of a hook's directory is run, and by what."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import Source
    from hookline.dialects.agenthooks.findings import Findings

_BINARY = "\x7fELF"
# In order; what runs one that has no shebang (the runner fills in both names).
INTERPRETERS: Mapping[str, tuple[str, ...]] = {
    "scripts/run": (),
    "scripts/run.sh": ("{shell}",),
    "scripts/run.py": ("{python}",),
}
_LISTED = ", ".join(f"`{path}`" for path in INTERPRETERS)


def without_entry_point(others: str) -> str:
    """Say why a hook does not run that has none of the scripts of the format; `others`: the scripts that it has."""
    if others:
        return f"its script is `{others}`, and the format runs only {_LISTED}: rename it"
    return f"it has no script yet: the format runs {_LISTED}"


def entry_point(source: Source, folder: str, found: Findings) -> tuple[str, ...]:
    """The program to run, as a list of arguments without a shell; empty when there is none (docs/formats/agenthooks.md 6)."""
    companions = source.companions
    script = next((companions[path] for path in INTERPRETERS if path in companions), None)
    if script is None:
        why = without_entry_point(source.names.get("scripts", ""))
        found.add("entry.missing", f"the hook does not run: {why}")
        return ()
    path = f"{folder.rstrip('/')}/{script.path}" if folder else script.path
    shebang, interpreter = _shebang(script.head), INTERPRETERS[script.path]
    if script.executable and (shebang or not interpreter or script.head.startswith(_BINARY)):
        return (path,)
    # Text without a shebang is no program to the system, executable or not.
    by = shebang or interpreter
    if not by:
        hint = f"chmod +x {script.path}"
        found.add(
            "entry.not-executable",
            f"the entry point `{script.path}` is not executable and has no shebang",
            hint=hint,
        )
        return ()
    return (*by, path)


def _shebang(head: str) -> tuple[str, ...]:
    """The interpreter of a script's first line and its one argument, split as the kernel does."""
    if not head.startswith("#!"):
        return ()
    return tuple(head[2:].strip().split(maxsplit=1))
