"""`hookline add` and `hookline remove`: guards in a hookline.yaml, and packs."""

from __future__ import annotations

import os

from hookline.bridges.host_files import make_change, read_file, write_file
from hookline.cli.options import DRY_RUN, FOLDER, Selection, option, usage_error
from hookline.cli.output import OK, Paint, Printer
from hookline.cli.packs import add_packs, remove_packs
from hookline.config.agent_hosts import require_person
from hookline.config.guard_entries import add_entry, remove_entries
from hookline.config.places import find_own_file
from hookline.core.dialect import Source
from hookline.dialects.native.load import load
from hookline.errors import ConfigError, did_you_mean
from hookline.guards.table import GUARDS
from hookline.packs.plan import is_installed, is_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from hookline.cli.output import Document

_PROJECT = option("--project", "in the file of this project, for all who work in it")
_NAMES = option(
    "[GUARD|./DIR|pkg:NAME...]",
    "guards, by their names; or packs, by their folder or package",
    complete="guards",
)


def add(
    printer: Printer,
    *,
    guards: list[str] = _NAMES,
    recommended: bool = option("--recommended", "all guards that suit everybody"),
    profile: str = option("--profile NAME", "how much it refuses: baseline, strict or paranoid"),
    with_: list[str] = option("--with OPTION=VALUE...", "another option of the guard"),
    project: bool = _PROJECT,
    dry_run: bool = DRY_RUN,
    folder: str = FOLDER,
) -> int:
    """Switch guards on: write them to your hookline.yaml, or to that of the project.

    A guard that is there already gets the new options. `./DIR` and `pkg:NAME` install a pack: hooks
    of other people, which do not run before you approve them.
    """
    names = list(dict.fromkeys(guards + [name for name, each in GUARDS.items()
                                         if recommended and each.is_recommended]))  # fmt: skip
    if not names:
        raise usage_error("no guard is named", "`hookline guard list` shows them")
    if not dry_run:
        require_person(os.environ, " ".join(["hookline add", *names]))
    if packs := [name for name in names if is_source(name)]:
        _check_packs_alone(names, packs, has_options=bool(profile or with_ or project))
        Selection(folder=folder).enter_folder()
        return add_packs(printer, packs, dry_run=dry_run)
    entries = {name: _make_entry(name, profile, with_) for name in names}
    path = open_own_file(folder, is_project=project)
    text = before = read_text(path)
    for name, entry in entries.items():
        if entry in _list_entries(text or "", path):
            continue
        text = _remove(text, name, path)
        text = add_entry(text, "hooks", entry, path=path)
    _check(text or "", path)
    hint = "hookline approve" if project else ""
    return _finish(printer, path, before, text, names, dry_run=dry_run, hint=hint)


def remove(
    printer: Printer,
    *,
    guards: list[str] = _NAMES,
    project: bool = _PROJECT,
    dry_run: bool = DRY_RUN,
    folder: str = FOLDER,
) -> int:
    """Take guards out of your hookline.yaml, or out of that of the project; or remove packs."""
    if not guards:
        raise usage_error("no guard is named", "`hookline guard list` shows those that are on")
    if not dry_run:
        require_person(os.environ, " ".join(["hookline remove", *guards]))
    Selection(folder=folder).enter_folder()
    if packs := [name for name in guards if name not in GUARDS and _is_pack(name)]:
        _check_packs_alone(guards, packs, has_options=project)
        return remove_packs(printer, packs, dry_run=dry_run)
    path = open_own_file(folder, is_project=project)
    text = before = read_text(path)
    for name in guards:
        used = [str(entry.get("use", "")) for entry in _list_entries(text or "", path)]
        if name not in used:
            hint = did_you_mean(name, used) or "`hookline guard list` shows those that are on"
            why = f"it has no guard `{name}`"
            raise ConfigError(why, name="config.option", place=path, hint=hint)
        text = _remove(text, name, path)
    return _finish(printer, path, before, text, guards, dry_run=dry_run, hint="")


def _is_pack(word: str) -> bool:
    return is_source(word) or is_installed(word, os.environ)


def _check_packs_alone(names: list[str], packs: list[str], *, has_options: bool) -> None:
    """Refuse packs beside guards, or with options of guards.

    Raises:
        ConfigError: there are such.
    """
    if names != packs:
        raise usage_error("guards and packs in one command", "use a command for each")
    if has_options:
        raise usage_error("a pack has no options, and is for all your projects", "leave them out")


def _remove(text: str | None, guard: str, path: str) -> str | None:
    """Return the text of a file without the hooks that use a guard; None if nothing is left."""

    def is_meant(entry: Mapping[str, Any]) -> bool:
        return entry.get("use") == guard

    return None if text is None else remove_entries(text, "hooks", is_meant, path=path)


def _make_entry(name: str, profile: str, given: list[str]) -> dict[str, Any]:
    """Return the entry of a guard with its options.

    Raises:
        ConfigError: no such guard or option.
    """
    if name not in GUARDS:
        hint = did_you_mean(name, GUARDS) or f"one of {', '.join(GUARDS)}"
        raise usage_error(f"there is no guard `{name}`", hint)
    options: dict[str, Any] = {}
    known = GUARDS[name].options
    if profile and "profile" in known:
        options["profile"] = profile
    for each in given:
        key, equals, value = each.partition("=")
        if key not in known or not equals:
            hint = did_you_mean(key, known) or f"one of {', '.join(known)}, as OPTION=VALUE"
            raise usage_error(f"the guard `{name}` has no option `{each}`", hint)
        options[key] = _read_value(known[key].shape, value)
    return {"use": name, "with": options} if options else {"use": name}


def _read_value(shape: str, value: str) -> Any:
    """Return the value of an option; what is not written as its shape is left to the loader."""
    if shape == "texts":
        return [part.strip() for part in value.split(",")]
    if shape == "flag" and value in ("true", "false"):
        return value == "true"
    if shape in ("integer", "number"):
        number = float(value) if value.replace(".", "", 1).isdigit() else value
        return int(number) if isinstance(number, float) and number.is_integer() else number
    return value


def list_guards(_given: Mapping[str, Any] | None = None) -> list[str]:
    """Return the names of the guards."""
    return sorted(GUARDS)


# -- files ---------------------------------------------------------------------------------------


def open_own_file(folder: str, *, is_project: bool) -> str:
    """Return the path of the file to change, after entering the folder of a command line."""
    Selection(folder=folder).enter_folder()
    return find_own_file(os.getcwd(), os.environ, user=not is_project)


def read_text(path: str) -> str | None:
    """Return the text of a file; None if there is none.

    Raises:
        ConfigError: it cannot be read.
    """
    content = read_file(path)
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError:
        raise ConfigError("it is no UTF-8 text", name="config.unreadable", place=path) from None


def write_text(path: str, before: str | None, after: str | None) -> None:
    """Replace the text of a file as a whole; None removes it."""
    change = make_change(path, _encode(before), _encode(after))
    write_file(change.target, change.after, change.mode)


def _encode(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _list_entries(text: str, path: str) -> list[Mapping[str, Any]]:
    from ruamel.yaml import YAML  # noqa: PLC0415 - an empty file needs none
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415 - as above

    try:
        tree = YAML(typ="safe").load(text)
    except YAMLError as error:
        why = " ".join(str(error).split())
        raise ConfigError(why, name="config.unreadable", place=path) from None
    hooks = tree.get("hooks") if isinstance(tree, dict) else None
    return [each for each in hooks or () if isinstance(each, dict)]


def _check(text: str, path: str) -> None:
    """Load the new text, so that no guard is written that hookline then refuses.

    Raises:
        ConfigError: it has an error.
    """
    loaded = load(Source(text=text, file=path))
    for problem in loaded.problems:
        if problem.severity == "error":
            raise ConfigError(
                problem.message, name=problem.name, place=problem.origin.place, hint=problem.hint
            )


def _finish(
    printer: Printer,
    path: str,
    before: str | None,
    after: str | None,
    names: list[str],
    *,
    dry_run: bool,
    hint: str,
) -> int:
    is_changed = before != after
    if is_changed and not dry_run:
        write_text(path, before, after)
    diff = make_change(path, _encode(before), _encode(after)).diff() if is_changed else ""
    document = {
        "schema": "hookline.edit/1",
        "did": "nothing" if not is_changed else "planned" if dry_run else "written",
        "file": path,
        "guards": names,
        "diff": diff,
    }
    printer.print(document, lambda shown, paint: _show(shown, paint, hint))
    return OK


def _show(document: Document, _paint: Paint, hint: str) -> Iterator[str]:
    if document["did"] == "nothing":
        yield f"nothing to change in {document['file']}"
        return
    yield from document["diff"].splitlines()
    if document["did"] == "written":
        yield f"wrote {document['file']}"
        if hint:
            yield f"let it run: {hint}"
