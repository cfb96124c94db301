"""Handlers: where a hook's code lives, not how it runs."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    Handler: TypeAlias = "Command | Http | Model | Builtin | InProcess | Broken"

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
    for a stream). `body`: sent instead of the payload, unchanged.
    """

    url: str
    method: str = "POST"
    headers: Mapping[str, str] = NO_ENV
    env: tuple[str, ...] = ()
    secret: str = ""
    allow_local: bool = False
    largest: int = 0
    body: str = ""

    # Set by the user's options and the dialect.
    UNDECLARED = frozenset({"allow_local", "largest"})


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

    `env`, `expand`, `working_dir` and `in_folder` are those of a command.
    """

    name: str
    args: tuple[str, ...] = ()
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
    end the wait; the value is the `WorkerBudget` of its engine.
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
    """Return what a handler runs, as `approve` shows it: a command, an address, a name."""
    for field in ("script", "url", "name"):
        if text := getattr(handler, field, ""):
            return str(text)
    argv = getattr(handler, "argv", ())
    if argv:
        import shlex  # noqa: PLC0415 - only for display and records

        return shlex.join(argv)
    return type(handler).__name__.lower()
