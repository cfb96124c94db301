"""Loads a HOOK.md and the script beside it: lint reports each mistake, load runs what it can."""

from __future__ import annotations

import posixpath
import re

from hookline.core.dialect import EventRow, Loaded, Source, Table
from hookline.dialects.agenthooks.fields import (
    DEFAULTABLE,
    OPTIONS,
    apply_options,
    make_id,
    read_description,
    read_name,
    read_options,
    read_settings,
    read_trigger,
    weigh,
)
from hookline.dialects.agenthooks.table import GATE, NAME, PRIORITY, SETTINGS
from hookline.errors import ConfigError
from hookline.model import kinds
from hookline.model.spec import Broken, Command, HookSpec, Never, Problem
from hookline.model.verdict import Stance
from hookline.wire.fields import Node, describe_value, explain_errors, to_problem
from hookline.wire.parsers import Tree, parse_yaml
from hookline.wire.sources import make_spec, read_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.spec import Handler


_SHOWN = 80
_FIELDS = ("name", "description", "trigger", *OPTIONS, "async_")
_BINARY = "\x7fELF"
_MOST_REPAIRS = 100  # unknown escapes in one file
# The scripts that may be the entry point, in order, and what runs one that has no shebang.
_INTERPRETERS = {"scripts/run": "", "scripts/run.sh": "{shell}", "scripts/run.py": "{python}"}
_FRONT_LIMIT = 64 << 10  # characters of metadata
_NO_SCRIPT = "it has no script yet: the format runs " + ", ".join(
    f"`{path}`" for path in _INTERPRETERS
)


def load(source: Source, *, facts: Table) -> Loaded:
    """Return the hook of a HOOK.md, or the settings of a level, and what is wrong with it."""
    is_settings = posixpath.basename(source.file) == SETTINGS
    problems: list[Problem] = []
    file = Node(Tree(value=None, places={(): (1, 1)}), source.file, source.scope, problems)
    try:
        if is_settings:
            spec = read_settings(source, problems)
        else:
            spec = _read_hook(_read_front_matter(source, problems), source, facts)
    except ConfigError as error:
        wrong = to_problem(error, source.file, source.scope)
        hook = "" if is_settings else _directory(source)
        problems[:] = [problem.replace(hook=hook) for problem in (*problems, wrong)]
        # It may have guarded the tools, so there every decision reports it.
        spec = make_spec(
            source,
            NAME,
            facts.rows[GATE],
            file,
            id=make_id(source, hook or posixpath.basename(source.file) or "HOOK.md"),
            handler=Broken(reason=explain_errors(problems[-1:])),
            timeout=facts.default_timeout,
            on_failure=Stance.DENY if source.mode == "strict" else Stance.SILENT,
            facts={"directory": _directory(source)},
        ).replace(origin=wrong.origin)
    if is_settings and not source.trusted:
        # An approval covers no settings, because they run nothing.
        yours = f"~/.config/agents/hooks/{SETTINGS}"
        hint = f"read it, then use `--trust all`, or write it into your own {yours}"
        file.warn("trust.untrusted", f"`{SETTINGS}` is not approved, so it is ignored", hint=hint)
        return Loaded(problems=tuple(problems))
    return Loaded(specs=(spec,), problems=tuple(problems))


def _folder(source: Source) -> str:
    """Return the hook's directory: as the reader of the file says, else from its name."""
    return source.names.get("folder") or posixpath.dirname(source.file)


def _directory(source: Source) -> str:
    return posixpath.basename(_folder(source))


def _read_hook(front: Node, source: Source, table: Table) -> HookSpec:
    """Return the hook. With an unknown trigger it never runs, but `combine` knows its name."""
    directory = _directory(source)
    front.check_known_keys(_FIELDS, "the front matter", name="field.unknown")
    name, description = read_name(front, directory), read_description(front)
    native, row = read_trigger(front, table)
    options = read_options(front, OPTIONS, row)
    handler = _read_handler(front, source, name)
    reason = weigh(front, 0, source.mode, name or directory)
    unknown = EventRow(native=native, kind=kinds.unknown_kind(NAME, native[:_SHOWN] or "trigger"))
    spec = make_spec(
        source,
        NAME,
        (row or unknown).replace(native=native),
        front,
        id=make_id(source, directory or name),
        handler=Broken(reason=reason) if reason else handler,
        conditions=() if row else (Never(reason="its trigger is no event"),),
        timeout=table.default_timeout,
        rank=-PRIORITY[0],
        name=name,
        facts={
            "directory": directory,
            "description": description,
            "stated": tuple(key for key in DEFAULTABLE if key in options),
        },
    )
    return apply_options(spec, options, row)


# -- front matter ----------------------------------------------------------------------------------


def split_front_matter(text: str, file: str) -> tuple[str, str]:
    """Return the text between the fences, and that below them (docs/formats/agenthooks.md 4).

    Raises:
        ConfigError: a fence is missing, or the front matter is too long.
    """
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    first, _, rest = plain.partition("\n")
    place = f"{file}:1:1"
    if first.rstrip(" \t") != "---":
        message, hint = "the file does not begin with front matter", "begin the file with `---`"
        raise ConfigError(message, name="frontmatter.absent", place=place, hint=hint)
    end = re.search(r"^---[ \t]*$", rest, re.MULTILINE)
    if end is None:
        message, hint = "the front matter has no end", "end it with a line `---`"
        raise ConfigError(message, name="frontmatter.unclosed", place=place, hint=hint)
    if end.start() > _FRONT_LIMIT:
        message, hint = "the front matter is larger than 64 KiB", "put long texts below it"
        raise ConfigError(message, name="config.too-large", place=place, hint=hint)
    return rest[: end.start()], rest[end.end() :].strip()


def _read_front_matter(source: Source, problems: list[Problem]) -> Node:
    if source.text is None:
        node = read_tree(source, problems)
    else:
        tree = _parse_leniently(source, problems)
        node = Node(tree, source.file, source.scope, problems)
    if not isinstance(node.value, dict):
        message = f"the front matter must be a mapping, not {describe_value(node.value)}"
        hint, name = "lines such as `name: my-hook`", "frontmatter.not-mapping"
        raise ConfigError(message, name=name, place=source.file, hint=hint)
    return node


def _parse_leniently(source: Source, problems: list[Problem]) -> Tree:
    """Return the front matter as a tree.

    An unknown escape in double quotes is kept literally, with a warning for each line.

    The format's own sample has such escapes.
    """
    lines = split_front_matter(source.text or "", source.file)[0].split("\n")
    repairs = 0
    while True:
        try:
            return parse_yaml("\n".join(lines), source.file, first_line=2)
        except ConfigError as error:
            if "unknown escape" not in error.message or repairs == _MOST_REPAIRS:
                raise ConfigError(
                    error.message, name="frontmatter.yaml", hint=error.hint, place=error.place
                ) from None
            wrong = to_problem(error, source.file, source.scope)
        at, column = wrong.origin.line - 2, wrong.origin.column - 1
        if wrong.origin.line not in [problem.origin.line for problem in problems]:
            wrong = wrong.replace(name="frontmatter.escape", severity="warning")
            message = f"`\\{lines[at][column]}` is no escape of YAML; its backslash is kept"
            problems.append(wrong.replace(message=message, hint="write the text in single quotes"))
        lines[at] = f"{lines[at][:column]}\\{lines[at][column:]}"
        repairs += 1


# -- what it runs ----------------------------------------------------------------------------------


def _read_handler(front: Node, source: Source, name: str) -> Handler:
    """Return the program of a hook, without a shell (docs/formats/agenthooks.md 6)."""
    companions, folder = source.companions, _folder(source)
    script = next((companions[path] for path in _INTERPRETERS if path in companions), None)
    if script is None:
        front.complain("entry.missing", f"the hook does not run: {_NO_SCRIPT}")
        return Broken(reason=f"{front.origin().place or NAME}: {_NO_SCRIPT}", absent=True)
    # The kernel splits a shebang into the interpreter and one argument.
    shebang = script.head[2:].strip().split(maxsplit=1) if script.head.startswith("#!") else []
    interpreter = shebang or list(filter(None, [_INTERPRETERS[script.path]]))
    # Text without a shebang is no program to the system, executable or not.
    is_program = shebang or not interpreter or script.head.startswith(_BINARY)
    if script.executable and is_program:
        interpreter = []
    elif not interpreter:
        why = f"the entry point `{script.path}` is not executable and has no shebang"
        front.complain("entry.not-executable", why, hint=f"chmod +x {script.path}")
    return Command(
        argv=(*interpreter, posixpath.join(folder, script.path)),
        env={
            "AGENT_HOOK_DIR": folder,
            # Escapes in YAML can say what no environment can hold.
            "AGENT_HOOK_NAME": name.replace("\0", "").encode("utf-8", "replace").decode("utf-8"),
            "AGENT_PROJECT_DIR": "${event.project}",
            "AGENT_SESSION_ID": "${event.session_id}",
        },
        kill_leftovers=source.mode == "strict",
    )
