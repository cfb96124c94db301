"""`hookline list`: the hooks of each file on one line each, with their state and its remedy."""

from __future__ import annotations

import os
import re

from hookline.cli.events import find_kind, suggest_event
from hookline.cli.hook_documents import (
    BROKEN,
    OFF,
    READY,
    find_state_word,
    find_store_fault,
    list_in_order,
    make_hooks_document,
)
from hookline.cli.layout import fit_rows, shorten_path, wrap_text
from hookline.cli.options import EVENT, SHARED, Selection, option
from hookline.cli.output import (
    OK,
    USAGE,
    Paint,
    Printer,
    count_things,
    print_message,
    read_table,
)
from hookline.config.hook_files import is_program, is_single_hook_file
from hookline.config.places import is_taken_over, list_patterns
from hookline.engine.approval_service import list_pack_problems, list_removed_problems
from hookline.engine.loader import list_hooks
from hookline.errors import ConfigError, HookError
from hookline.model.spec import CLONED, MANAGED, SCOPES, Http
from hookline.trust.state import CHANGED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.cli.output import Document, Lines
    from hookline.engine.engine import Engine


def list_all(
    selection: Selection,
    printer: Printer,
    *,
    event: str = EVENT,
    source: str = option("--source WORD", "only hooks of this scope, dialect or part of a path"),
) -> int:
    """The hooks of each file; the document has them in firing order.

    A file that cannot be read is an error, because the list is not whole.
    """
    kind = find_kind(event, selection.dialect) if event else ""
    if event and not kind:
        raise ConfigError(
            f"unknown event `{event}`", name="event.unknown", hint=suggest_event(event)
        )
    engine = selection.engine()
    others = [*list_removed_problems(engine), *list_pack_problems(engine)]
    if any(isinstance(spec.handler, Http) for spec in engine.hooks):
        # It loads what calls addresses, which takes as long as all else.
        from hookline.engine.doctor.static_checks import find_unresolved  # noqa: PLC0415

        others += find_unresolved(engine)
    document = make_hooks_document(
        engine,
        lambda spec: (
            kind in ("", spec.kind)
            and (source in (spec.origin.scope, spec.dialect) or source in spec.origin.file)
        ),
        others,
    )
    for problem in (*engine.problems, *others):
        print_message(str(problem))
    unreadable = find_store_fault(engine, engine.hooks)
    if unreadable:
        print_message(f"hookline list: {unreadable}")
    printer.print(document, render_hooks)
    if not document["hooks"]:
        for line in _explain_empty(engine, selection):
            print_message(line)
    has_bad_file = any(
        problem.severity == "error" and problem.name.startswith(("config.", "pack."))
        for problem in engine.problems
    )
    return USAGE if unreadable or has_bad_file else OK


def _explain_empty(engine: Engine, selection: Selection) -> Lines:
    """Yield the message that no hook is listed, and where hookline looked."""
    if count := sum(1 for _ in list_in_order(engine)):
        yield f"none of the {count_things(count, 'hook')} here fits; hookline list shows all"
    elif selection.configs:
        yield f"no hooks in {', '.join(f'`{config}`' for config in selection.configs)}"
    else:
        yield "no hooks found; hookline looked for these files:"
        for scope, paths in list_patterns(engine.cwd, engine.runtime.environ).items():
            whose = f"{scope}, in `{engine.cwd}`" if scope in CLONED else scope
            yield f"  {whose}:"
            near = (shorten_path(path, engine.cwd) for path in paths)
            yield from wrap_text(", ".join(near), "    ")


def list_ids(given: Mapping[str, Any]) -> list[str]:
    """Return the ids of the hooks that a command line selects, for a shell; none of them runs."""
    selection = Selection(**{name: given[name] for name in SHARED if given.get(name)})
    try:
        selection.enter_folder()
        return [spec.id for spec in list_hooks(selection.engine().snapshot)]
    except (HookError, OSError):  # a prompt is no place for an error
        return []


# -- the page ----------------------------------------------------------------------------------

# The style of a state, and what it means, with what to do about it.
_STYLES = read_table("""
approved    good
managed     good
changed     bad
broken      bad
revoked     bad
off         dim
""")
_REMEDIES = read_table("""
new         hookline does not run it before you approve it. To review it: hookline approve
ready       it is your own hook and runs; hookline records its first run as its approval
changed     it differs from what you approved. To review it: hookline approve
revoked     you revoked its approval, so it does not run. To allow it again: hookline approve HOOK
off         it is switched off. To switch it on: hookline on; for one hook: hookline on HOOK
broken      hookline cannot load it, so it counts as a hook that failed: hookline validate
incomplete  the file does not say all that it needs, so it does not run: hookline validate
""")
_WIDEST_MATCHER = 24
_REMEDY_COLUMN = 12


def render_hooks(document: Document, paint: Paint) -> Lines:
    """Yield the hooks file by file, one line each, then what to do about their states."""
    groups: dict[tuple[str, str, str], list[Document]] = {}
    for hook in sorted(document["hooks"], key=lambda hook: SCOPES.index(hook["scope"])):
        key = _find_group(hook["file"], hook["dialect"]), hook["scope"], hook["dialect"]
        groups.setdefault(key, []).append(hook)
    words: dict[str, int] = {}
    for number, ((file, scope, dialect), hooks) in enumerate(groups.items()):
        rows: dict[tuple[str, ...], None] = {}
        for hook in sorted(hooks, key=lambda hook: (hook["file"], hook["line"], hook["column"])):
            rows[_make_row(hook, len(hooks))] = None
        if number:
            yield ""
        yield f"{paint('strong', shorten_path(file) or 'no file')} ({scope}, {dialect})"
        yield from _explain_host(file, scope, dialect, document["left_to_hosts"])
        for word, *_ in rows:
            words[word] = words.get(word, 0) + 1
        for state, name, *cells in fit_rows(rows, most=_WIDEST_MATCHER):
            style = _STYLES.get(state.strip(), "warning")
            yield f"  {paint(style, state)}  {paint('name', name)}  {'  '.join(cells)}".rstrip()
    if words:
        counts = ", ".join(f"{count} {word}" for word, count in words.items())
        yield ""
        yield f"{count_things(sum(words.values()), 'hook')}: {counts}"
    for word, remedy in _REMEDIES.items():
        if word in words:
            yield from wrap_text(remedy, " " * _REMEDY_COLUMN, first=f"{word}:")


def _explain_host(file: str, scope: str, dialect: str, hosts: list[str]) -> Lines:
    """Yield that a host which calls hookline runs the hooks of its own files itself."""
    if dialect in hosts and scope != MANAGED and not is_taken_over(file):
        text = f"{dialect} runs these itself; hookline runs them for other hosts only"
        yield from wrap_text(text, "    ")


def _find_group(file: str, dialect: str) -> str:
    """Return the file that declares a hook, or the folder in which each hook has its own."""
    if is_single_hook_file(file, dialect):
        return os.path.dirname(os.path.dirname(file))
    return os.path.dirname(file) if is_program(file, dialect) else file


def _name_run(hook: Document) -> str:
    """Return the name that its author gave a hook, else what it runs, without the folder.

    Empty if the id says it.
    """
    name, runs = str(hook["name"]), str(hook["runs"])
    short = re.sub(r"^\S*/", "", runs)
    is_run = name.startswith(runs.removesuffix(" …")) or runs.startswith(name.removesuffix("…"))
    if not is_run:
        short = name
    elif '"' in short or "'" in short:
        short = runs
    return "" if short.replace(" ", "-") in hook["hook"] else short


def _make_row(hook: Document, count: int) -> tuple[str, ...]:
    """Return the cells of a hook: its state, its id, when it runs, and what.

    `count`: of the hooks of its file. An unreadable file is a broken hook of many events; their
    rows are the same.
    """
    word = find_state_word(hook)
    if (
        word == BROKEN
        and hook["hook"].partition("#")[0].rpartition("/")[2] == hook["name"]
        and count > 1
    ):
        text = f"a failed hook of each of {count} events: {hook['why']}"
        return word, hook["name"], "", text
    event = "" if hook["native_event"] in hook["hook"] else hook["native_event"]
    flags = [flag for flag in hook["flags"] if flag != "detached"]
    flags += ["in the background"] if "detached" in hook["flags"] else []
    text = hook["why"] if hook["state"] in (BROKEN, OFF) or word == CHANGED else _name_run(hook)
    text = f"({', '.join(flags)}) {text}" if flags and hook["state"] == READY else text
    # The file stands above; an end that fits one hook only selects it.
    return word, hook["hook"].rpartition("#")[2], f"{event} {hook['matcher']}".strip(), text
