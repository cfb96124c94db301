"""A hook as declared in a file of any dialect: its conditions, its handler and its place."""

from __future__ import annotations

from hookline.errors import CODES
from hookline.model.frozen import Frozen
from hookline.model.verdict import Stance
from hookline.text.terminal_escape import escape_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self, TypeAlias

    from hookline.text.re2_regex import Regex

    Condition: TypeAlias = (
        "OneOf | Pattern | Leaves | Flattened | Glob | PathPattern | Rule | ShellCommand | Never"
    )
    from collections.abc import Mapping

    Handler: TypeAlias = "Command | Http | Model | Builtin | InProcess | Broken"


class Origin(Frozen):
    """A place in a source; `pointer` is the path of keys (`stop.0.hooks.0`); lines count from 1.

    Line and column are 0 if they are unknown: a tree has none, and the fast path of `answer` does
    not compute them. `search` then finds both.
    """

    UNDECLARED = frozenset({"search"})

    file: str = ""
    pointer: str = ""
    line: int = 0
    column: int = 0
    scope: str = "explicit"
    search: Callable[[], tuple[int, int]] | None = None

    def with_line(self) -> Origin:
        """Return the same place with its line and column, found now if they were left out."""
        if self.line or self.search is None:
            return self
        line, column = self.search()
        return self.replace(line=line, column=column, search=None)

    @property
    def place(self) -> str:
        """Return `file:line:column`, as far as known."""
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part)

    @property
    def pack(self) -> str:
        """Return the name of the installed pack, by the path of the file; empty if it is none."""
        *folders, name = self.file.split("/")[-4:-1] or [""]
        return name if folders == ["hookline", "packs"] else ""


class Problem(Frozen):
    """One finding about a source, with what to do about it.

    `name` is its key in `errors.CODES`; `severity` is "error" (the named part has no effect) or
    "warning". `hook`: the hook that it is about; `hooks`: the ids of all hooks lost by it, if there
    may be several. `tells_user`: hookline shows it to the user once a session, at an event that a
    hook of the same file is for.
    """

    name: str
    message: str
    hint: str = ""
    severity: str = "error"
    origin: Origin = Origin()
    hook: str = ""
    hooks: tuple[str, ...] = ()
    tells_user: bool = False

    @property
    def code(self) -> str:
        return CODES[self.name]

    @classmethod
    def warning(cls, name: str, message: str, hint: str = "", **fields: Any) -> Self:
        """Return a problem that keeps nothing from running; `fields` are all others."""
        return cls(name=name, message=message, hint=hint, severity="warning", **fields)

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            **self.as_dict("name", "severity", "message", "hint"),
            **self.origin.as_dict("file", "line", "column", "pointer"),
            "hook": self.hook,
        }

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        place = f"{self.origin.place}: " if self.origin.place else ""
        return escape_line(
            f"{place}{self.code} {self.message}{hint}"
        )  # one line, whatever the file contains


class OneOf(Frozen):
    """The field's text is exactly one of these names.

    A field is a canonical fact, `command`, `session_id`, or `input.<key>`: the text under a key of
    the tool's input. A missing text matches no name.
    """

    field: str
    names: frozenset[str]


class Pattern(Frozen):
    """A compiled expression matches somewhere in the field's text; with `full`, all of it."""

    field: str
    source: str
    regex: Regex
    full: bool = False


class Leaves(Frozen):
    """A compiled expression matches somewhere in at least one leaf value of the tool's input."""

    source: str
    regex: Regex


class Flattened(Frozen):
    """A compiled expression matches in a text of these facts, at any depth.

    A list of texts also counts as one line.
    """

    facts: tuple[str, ...]
    source: str
    regex: Regex


class Glob(Frozen):
    """A path of the tool's input matches one of these patterns, relative to cwd or absolute."""

    patterns: tuple[str, ...]


class PathPattern(Frozen):
    """A compiled expression matches the path under the first of these keys whose value is text.

    The path is tried absolute and relative to cwd; with `climbs`, also relative through `..`.
    """

    keys: tuple[str, ...]
    source: str
    regex: Regex
    climbs: bool = False


class Rule(Frozen):
    """A permission rule such as `Bash(git commit:*)`: tools, and a pattern for command or path.

    `pattern` is the text between the brackets; None covers every call of the tools.
    """

    source: str
    tools: frozenset[str]
    pattern: str | None = None


class ShellCommand(Frozen):
    """The command line runs one of these programs with these flags, on one of these paths.

    A flag lists its spellings, without dashes, between `|`; the command must have each flag. Paths
    are globs. Without flags, or without paths, any will do.
    """

    names: frozenset[str]
    flags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


class Never(Frozen):
    """Holds for no event; `reason` says why the hook can never run."""

    reason: str


NO_ENV: Mapping[str, str] = {}
NO_SCHEMA: Mapping[str, Any] = {}


class Command(Frozen):
    """A program. Either `argv` (no shell) or `script`, a text for the shell named in `shell`.

    The first part of `argv` may be `{python}`, the interpreter that runs hookline, or `{shell}`,
    bash or else sh.

    `shell` lists interpreters in order of preference ("bash", "sh", "powershell"). `env` is added
    to the inherited environment, without the names that match `drop_env`. `expand` says which
    references to the environment in `env` and `working_dir` are expanded when the hook runs (""
    none, "dotenv" `${env.X}`, "shell" `$X` `${X}`; in paths both, and `~`). `env` and substituted
    values always expand `${event.cwd}`, `${event.session_id}`, `${event.project}`, `${event.tool}`
    and `${event.facts.X}`. `working_dir` is relative to the event's cwd; with `in_folder`, to the
    engine's folder. `substitute` are literal replacements in `script`, `argv`. `kill_leftovers`:
    processes that the hook left running are ended; otherwise only their output is ignored.
    `host_env`: variables that the host sets for each of its hooks; `env` overrides them.
    """

    argv: tuple[str, ...] = ()
    script: str = ""
    shell: tuple[str, ...] = ()
    env: Mapping[str, str] = NO_ENV
    drop_env: tuple[str, ...] = ()
    expand: str = ""
    working_dir: str = ""
    substitute: Mapping[str, str] = NO_ENV
    kill_leftovers: bool = False
    host_env: Mapping[str, str] = NO_ENV
    in_folder: bool = False

    # Set by the gate, the mode, the dialect and the host, never by a file.
    UNDECLARED = frozenset({"kill_leftovers", "host_env", "in_folder"})


class Http(Frozen):
    """An address that receives the payload as `application/json`.

    Its answer is read like a program's output.

    In the values of `headers`, `$NAME` and `${NAME}` are expanded from the environment when the
    hook runs, if the name is one of `env`; any other becomes empty. `secret` names the variable
    with the key that signs the payload ("" = no signature). With `allow_local` the address may be
    on this machine or in a private network. `largest`: bytes of an answer (0: the engine's limit
    for a stream). `body`: sent instead of the payload, unchanged; with `fills_body` it is a
    template over the payload.
    """

    url: str
    method: str = "POST"
    headers: Mapping[str, str] = NO_ENV
    env: tuple[str, ...] = ()
    secret: str = ""
    allow_local: bool = False
    largest: int = 0
    body: str = ""
    fills_body: bool = False

    # Set by the user's options and the dialect.
    UNDECLARED = frozenset({"allow_local", "largest", "fills_body"})


class Model(Frozen):
    """A question to a language model about the payload; its reply is read like a program's output.

    `names`: the model as `provider/model`, in order of preference; a name that begins with `$`
    refers to an environment variable and counts if that is set. `provider`: for names without one.
    `prompt` is the question: in the `language` "template" it is jinja2 or the basic part of Go's
    text/template; in "arguments" it is a text in which `$ARGUMENTS` is the payload. `system`
    precedes it. `schema`: the JSON Schema of the reply, empty for free text, and `shape` the name
    by which the dialect reads it.

    `base_url`: the address of the provider's API, if it is not the provider's own or the one in the
    environment. With `allow_local` a name in it may resolve to this machine or a private network; a
    literal local address always may. `key`: the variable with the key, if it is not the provider's.
    `most_tokens`: a longer reply is a failure. `most_prompt`: characters of a prompt; longer
    quotations of the event are cut, and the model is told so.
    """

    names: tuple[str, ...]
    prompt: str
    provider: str = ""
    language: str = "template"
    system: str = ""
    schema: Mapping[str, Any] = NO_SCHEMA
    shape: str = ""
    base_url: str = ""
    key: str = ""
    allow_local: bool = False
    most_tokens: int = 1024
    most_prompt: int = 64 << 10

    # hookline's own words and limits, which no file declares and another version may change; and
    # the user's options.
    UNDECLARED = frozenset({"system", "schema", "allow_local", "most_prompt"})


class Builtin(Frozen):
    """A handler that hookline ships, by name.

    `env`, `expand`, `working_dir` and `in_folder` are those of a command. `options`: those of a
    guard, with the exceptions of its file.
    """

    name: str
    args: tuple[str, ...] = ()
    options: Mapping[str, Any] = NO_ENV
    env: Mapping[str, str] = NO_ENV
    expand: str = ""
    working_dir: str = ""
    in_folder: bool = False

    # Set by the dialect.
    UNDECLARED = frozenset({"in_folder"})


class InProcess(Frozen):
    """A Python callable, plain or asynchronous: takes the event, returns a Verdict or None.

    `read_by_dialect`: it returns an answer in its dialect's own form, for `decode_outcome`.
    `worker`: set for a plain function that runs on a thread of its own, so that its time limit can
    end the wait; the value is the `Workers` of its engine.
    """

    call: Callable[..., Any]
    name: str = ""
    read_by_dialect: bool = False
    worker: Any = None


class Broken(Frozen):
    """A hook that could not be loaded: running it is a failure that says why.

    `url`: the address that it would have called. The reason does not repeat it, because it may hold
    a secret. `absent`: the declaration is valid, and only the program is missing.
    """

    reason: str
    url: str = ""
    absent: bool = False

    UNDECLARED = frozenset({"absent"})


def describe_command(handler: Handler) -> str:
    """Return what a handler runs, as `approve` shows it: a command, an address, a name.

    The name of a guard is followed by its options.
    """
    if isinstance(handler, Builtin) and handler.options:
        import json  # noqa: PLC0415 - only for display and records

        return f"{handler.name} {json.dumps(handler.options)}"
    for field in ("script", "url", "name"):
        if text := getattr(handler, field, ""):
            return str(text)
    argv = getattr(handler, "argv", ())
    if argv:
        import shlex  # noqa: PLC0415 - only for display and records

        return shlex.join(argv)
    return type(handler).__name__.lower()


# Across sources: managed policy first, in-process hooks last (docs/architecture.md 4.3).
SCOPES = ("managed", "user", "project", "local", "explicit", "process")
MANAGED, USER = SCOPES[:2]
# The scopes of files in a repository, which a clone brings along.
CLONED = frozenset({"project", "local"})
NO_FACTS: Mapping[str, Any] = {}


def nearness(scope: str) -> int:
    """Return the rank of a scope; of files that contradict each other, the highest one counts."""
    return len(SCOPES) if scope == MANAGED else SCOPES.index(scope)


class HookSpec(Frozen):
    """A hook as declared.

    `rank`: lower runs first, in every dialect. `timeout` is in seconds, in every dialect.
    `on_failure`: what a failure of this hook means (SILENT = fail open, ASK, DENY = fail closed).
    `detached`: started without waiting. `shadow`: run and recorded, never enforced. `identity`:
    hooks of one dialect with equal identity run once per event; empty means never equal. `in_turn`:
    if it is selected, the hooks of its dialect run one after the other, even if they otherwise run
    in parallel. `match_tools`: "native" compares a tool's name as its host says it; "auto" also its
    names in other hosts, at another host than the hook's own, whose calls the hook receives in its
    own host's words; "canonical" does so at its own host too. `facts` belong to the dialect.
    `trusted` is False until you approve the source; `gated`: a gate checks that whenever the hook
    is about to run. `owner`: a party outside every file and this program that registered it; it can
    end or order only that owner's hooks. `off`: the key of a file that disables it by being false;
    `on`: that key where it is true.
    """

    id: str
    dialect: str
    kind: str
    native_event: str
    handler: Handler
    conditions: tuple[Condition, ...] = ()
    rank: int = 0
    timeout: float = 60.0
    detached: bool = False
    shadow: bool = False
    once: bool = False
    on_failure: Stance = Stance.SILENT
    strict: bool = False
    origin: Origin = Origin()
    name: str = ""
    identity: str = ""
    in_turn: bool = False
    facts: Mapping[str, Any] = NO_FACTS
    trusted: bool = True
    gated: bool = False
    match_tools: str = "native"
    files: tuple[str, ...] = ()
    sworn: Mapping[str, Any] = NO_FACTS
    owner: str = ""
    off: Origin | None = None
    on: Origin | None = None
