"""Loads a HOOK.md and the script beside it: lint reports every mistake, load tolerates what it can run."""

from __future__ import annotations

import posixpath

from hookline.core.dialect import Loaded
from hookline.dialects.agenthooks.fields import (
    DEFAULTABLE,
    LINT,
    OPTIONS,
    apply_options,
    read_identity,
    read_options,
    weigh,
)
from hookline.dialects.agenthooks.settings import read_settings
from hookline.dialects.agenthooks.table import GATE, NAME, PRIORITY, SETTINGS, table
from hookline.errors import ConfigError
from hookline.model import kinds
from hookline.model.spec import Broken, Command, HookSpec, Never, Origin, Problem
from hookline.model.verdict import Stance
from hookline.wire.fields import Node, describe_value, explain_errors, to_problem
from hookline.wire.front_matter import FRONT_LIMIT
from hookline.wire.parsers import Tree, parse_yaml
from hookline.wire.sources import read_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import Source, Table
    from hookline.model.spec import Handler

_SHOWN = 80
_FIELDS = ("name", "description", "trigger", *OPTIONS, "async_")
_BINARY = "\x7fELF"
_MOST_REPAIRS = 100  # unknown escapes in one file
# The scripts that may be the entry point, in order, and what runs one that has no shebang.
_INTERPRETERS: Mapping[str, tuple[str, ...]] = {
    "scripts/run": (),
    "scripts/run.sh": ("{shell}",),
    "scripts/run.py": ("{python}",),
}
_LISTED = ", ".join(f"`{path}`" for path in _INTERPRETERS)


def lint(source: Source) -> tuple[Problem, ...]:
    """Return everything that is wrong with a HOOK.md or a `hooks.toml` by the strict rules of docs/formats/agenthooks.md 4."""
    source = source.replace(mode=LINT, trusted=True)
    return load(source, facts=table(approver=False)).problems


def load(source: Source, *, facts: Table) -> Loaded:
    """Return the hook of a HOOK.md, or the settings of a level, and everything that is wrong with it."""
    is_settings = posixpath.basename(source.file) == SETTINGS
    problems: list[Problem] = []
    try:
        if is_settings:
            spec = read_settings(source, problems)
        else:
            spec = _read_hook(_read_front_matter(source, problems), source, facts)
    except ConfigError as error:
        wrong = to_problem(error, source.file, source.scope)
        hook = "" if is_settings else _directory(source)
        problems = [problem.replace(hook=hook) for problem in (*problems, wrong)]
        spec = _make_unreadable(source, facts, problems[-1], hook)
    if is_settings and not source.trusted:
        # An approval covers no settings, because they run nothing.
        hint = f"read it, then use `--trust all`, or write it into your own ~/.config/agents/hooks/{SETTINGS}"
        message = f"`{SETTINGS}` is not approved, so it is ignored"
        origin = Origin(file=source.file, line=1, column=1, scope=source.scope)
        untrusted = Problem(
            name="trust.untrusted", message=message, hint=hint, severity="warning", origin=origin
        )
        return Loaded(problems=(*problems, untrusted))
    return Loaded(specs=(spec,), problems=tuple(problems))


def _make_unreadable(source: Source, facts: Table, wrong: Problem, hook: str) -> HookSpec:
    """Return what stands for a file that cannot be read.

    It may have guarded the tools, so there every decision reports it.
    """
    row = facts.rows[GATE]
    name = hook or posixpath.basename(source.file) or "HOOK.md"
    return HookSpec(
        id=f"{NAME}/{name}",
        dialect=NAME,
        kind=row.kind,
        native_event=row.native,
        handler=Broken(reason=explain_errors((wrong,))),
        timeout=facts.default_timeout,
        shadow=source.shadow,
        on_failure=Stance.DENY if source.mode == "strict" else Stance.SILENT,
        strict=source.mode == "strict",
        origin=wrong.origin,
        facts={"directory": _directory(source)},
        trusted=source.trusted,
    )


def _folder(source: Source) -> str:
    """Return the hook's directory: what the reader of the file says, else the folder in the file's name."""
    return source.names.get("folder") or posixpath.dirname(source.file)


def _directory(source: Source) -> str:
    return posixpath.basename(_folder(source))


def _read_hook(front: Node, source: Source, facts: Table) -> HookSpec:
    """Return the hook. With an unknown trigger it never runs, but `combine` knows its name."""
    directory = _directory(source)
    front.check_known_keys(_FIELDS, "the front matter", name="field.unknown")
    name, description, native, row = read_identity(front, directory, facts)
    options = read_options(front, OPTIONS, row)
    handler = _read_handler(front, source, name)
    reason = weigh(front, 0, source.mode, name or directory)
    spec = HookSpec(
        id=f"{NAME}/{directory or name}",
        dialect=NAME,
        kind=row.kind if row else kinds.unknown_kind(NAME, native[:_SHOWN] or "trigger"),
        native_event=native,
        handler=Broken(reason=reason) if reason else handler,
        conditions=() if row else (Never(reason="its trigger is no event"),),
        rank=-PRIORITY[0],
        timeout=facts.default_timeout,
        shadow=source.shadow,
        strict=source.mode == "strict",
        origin=front.origin(),
        name=name,
        facts={
            "directory": directory,
            "description": description,
            "stated": tuple(key for key in DEFAULTABLE if key in options),
        },
        trusted=source.trusted,
    )
    return apply_options(spec, options, row)


# -- front matter ----------------------------------------------------------------------------------


def split_front_matter(text: str, file: str) -> tuple[str, str]:
    """Return the text between the fences, and the text below them, stripped (docs/formats/agenthooks.md 4).

    Raises:
        ConfigError: a fence is missing, or the front matter is too long.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    fences = [at for at, line in enumerate(lines) if line.rstrip(" \t") == "---"]
    place = f"{file}:1:1"
    if fences[:1] != [0]:
        message, hint = "the file does not begin with front matter", "begin the file with `---`"
        raise ConfigError(message, name="frontmatter.absent", place=place, hint=hint)
    if len(fences) == 1:
        message, hint = "the front matter has no end", "end it with a line `---`"
        raise ConfigError(message, name="frontmatter.unclosed", place=place, hint=hint)
    front = "\n".join(lines[1 : fences[1]]) + "\n"
    if len(front) > FRONT_LIMIT:
        message, hint = "the front matter is larger than 64 KiB", "put long texts below it"
        raise ConfigError(message, name="config.too-large", place=place, hint=hint)
    return front, "\n".join(lines[fences[1] + 1 :]).strip()


def _read_front_matter(source: Source, problems: list[Problem]) -> Node:
    if source.text is None:
        node = read_tree(source, problems)
    else:
        front, _ = split_front_matter(source.text, source.file)
        tree = _parse_leniently(front, source, problems)
        node = Node(tree, source.file, source.scope, problems)
    if not isinstance(node.value, dict):
        message = f"the front matter must be a mapping, not {describe_value(node.value)}"
        hint = "lines such as `name: my-hook`"
        name = "frontmatter.not-mapping"
        raise ConfigError(message, name=name, place=source.file, hint=hint)
    return node


def _parse_leniently(front: str, source: Source, problems: list[Problem]) -> Tree:
    """Return the YAML as a tree.

    An unknown escape in double quotes is kept literally, with a warning for each line.

    The format's own sample has such escapes.
    """
    repairs = 0
    while True:
        try:
            return parse_yaml(front, source.file, first_line=2)
        except ConfigError as error:
            wrong = to_problem(error, source.file, source.scope)
            line = wrong.origin.line
            before = front.split("\n")[: line - 2]
            at = sum(len(text) + 1 for text in before) + wrong.origin.column - 1
            is_escape = "unknown escape" in error.message and front[at - 1 : at] == "\\"
            if not is_escape or repairs == _MOST_REPAIRS:
                raise ConfigError(
                    error.message, name="frontmatter.yaml", hint=error.hint, place=error.place
                ) from None
        if line not in [problem.origin.line for problem in problems]:
            message = f"`\\{front[at]}` is no escape of YAML; its backslash is kept"
            hint, name = "write the text in single quotes", "frontmatter.escape"
            problems.append(
                wrong.replace(name=name, message=message, hint=hint, severity="warning")
            )
        repairs += 1
        front = f"{front[:at]}\\{front[at:]}"


# -- what it runs ----------------------------------------------------------------------------------


def _read_handler(front: Node, source: Source, name: str) -> Handler:
    folder = _folder(source)
    argv = _find_entry_point(front, source, folder)
    if not argv:
        place = front.origin().place or NAME
        return Broken(reason=f"{place}: {_explain_missing_script(source)}", absent=True)
    return Command(
        argv=argv,
        env={
            "AGENT_HOOK_DIR": folder,
            # Escapes in YAML can say what no environment can hold.
            "AGENT_HOOK_NAME": name.replace("\0", "").encode("utf-8", "replace").decode("utf-8"),
            "AGENT_PROJECT_DIR": "${event.project}",
            "AGENT_SESSION_ID": "${event.session_id}",
        },
        kill_leftovers=source.mode == "strict",
    )


def _find_entry_point(front: Node, source: Source, folder: str) -> tuple[str, ...]:
    """Return the program to run and its arguments, without a shell.

    Nothing if there is none (docs/formats/agenthooks.md 6).
    """
    companions = source.companions
    script = next((companions[path] for path in _INTERPRETERS if path in companions), None)
    if script is None:
        why = f"the hook does not run: {_explain_missing_script(source)}"
        front.complain("entry.missing", why)
        return ()
    path = posixpath.join(folder, script.path)
    # The kernel splits a shebang into the interpreter and one argument.
    shebang = script.head[2:].strip().split(maxsplit=1) if script.head.startswith("#!") else ()
    # Text without a shebang is no program to the system, executable or not.
    interpreter = tuple(shebang) or _INTERPRETERS[script.path]
    is_program = shebang or not interpreter or script.head.startswith(_BINARY)
    if script.executable and is_program:
        return (path,)
    if not interpreter:
        why = f"the entry point `{script.path}` is not executable and has no shebang"
        front.complain("entry.not-executable", why, hint=f"chmod +x {script.path}")
        return ()
    return (*interpreter, path)


def _explain_missing_script(source: Source) -> str:
    others = source.names.get("scripts", "")
    if others:
        return f"its script is `{others}`, and the format runs only {_LISTED}: rename it"
    return f"it has no script yet: the format runs {_LISTED}"
