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

    As its first part `argv` may have `{python}`, the interpreter that runs hookline, or `{shell}`, bash or else sh.

    `shell` lists interpreters in order of preference ("bash", "sh", "powershell"). `env` is added to the inherited
    environment, from which names that match `drop_env` are left out. `expand` says which references in `env` and
    `working_dir` are filled in from the environment when the hook runs ("" none, "dotenv" `${env.X}`, "shell" `$X` `${X}`,
    and in paths both, and `~`). Always filled in, in `env` and in what is substituted, are `${event.cwd}`, `${event.session_id}`,
    `${event.project}`, `${event.tool}` and `${event.facts.X}`. `working_dir` is relative to the event's cwd;
    with `in_folder`, to the engine's folder. `substitute` are literal replacements in `script`, `argv`.
    `kill_leftovers`: what the hook left running in the background dies with it; otherwise it is only no longer read.
    `host_env`: variables that the host sets for each of its hooks; `env` goes before them.
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

    # What a gate, the mode of reading, the dialect and the host add, which no file declares.
    UNDECLARED = frozenset({"kill_leftovers", "host_env", "in_folder"})


class Http(Frozen):
    """An address that the payload is sent to as `application/json`; what it answers is read as what a program prints.

    In the values of `headers`, `$NAME` and `${NAME}` are filled in from the environment when the hook runs, if the name is
    one of `env`; any other becomes nothing. `secret` names the variable with the key by which the payload is signed ("" =
    it is not). With `allow_local` the address may be on this machine or in a private network. `largest`: bytes of an answer
    (0: as many as the engine's limits keep of a stream). `body`: what is sent instead of the payload, as it stands.
    """

    url: str
    method: str = "POST"
    headers: Mapping[str, str] = NO_ENV
    env: tuple[str, ...] = ()
    secret: str = ""
    allow_local: bool = False
    largest: int = 0
    body: str = ""

    # What the user's options and the dialect say.
    UNDECLARED = frozenset({"allow_local", "largest"})


class Model(Frozen):
    """A question to a language model, about the payload; its reply is read as what a program prints is.

    `names`: what it is called, `provider/model`, in order of preference; a name that begins with `$` stands in that variable
    of the environment, and counts when that is set. `provider`: whose it is where a name does not say so. `prompt` is what
    the model is asked: in the `language` "template" jinja2 or the plain part of Go's text/template, in "arguments" a text in
    which `$ARGUMENTS` is the payload. `system` is said before it. `schema`: the JSON Schema of the reply, empty for free text,
    and `shape` the name by which the dialect reads it.

    `base_url`: the address of the provider's interface, where it is not the provider's own or the one that the environment names.
    With `allow_local` a name in it may stand for this machine or a private network; an address that says so itself always may.
    `key`: the variable with the key, where it is not the provider's. `most_tokens` of a reply; one that is longer is
    a failure. `most_prompt` characters of a prompt: what it quotes of the event is cut so far, and the model is told so.
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

    # hookline's own words and limits, which no file declares, and which another version of it may say otherwise; and the user's options.
    UNDECLARED = frozenset({"system", "schema", "allow_local", "most_prompt"})


class Builtin(Frozen):
    """A handler that hookline ships, by name. `env`, `expand`, `working_dir` and `in_folder` are those of a command."""

    name: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = NO_ENV
    expand: str = ""
    working_dir: str = ""
    in_folder: bool = False

    # What the dialect says.
    UNDECLARED = frozenset({"in_folder"})


class InProcess(Frozen):
    """A Python callable, plain or asynchronous: takes the event, returns a Verdict or None.

    `read_by_dialect`: what it returns is an answer in its dialect's own words, for `decode_outcome`. `worker`: it is plain,
    and called on a thread of its own, so that its time limit can end the wait; the value is the `WorkerBudget` of its engine.
    """

    call: Callable[..., Any]
    name: str = ""
    read_by_dialect: bool = False
    worker: Any = None


class Broken(Frozen):
    """A hook that could not be loaded: running it is a failure that says why.

    `url`: the address that it would have called. The reason does not repeat it, because it may hold a secret. `absent`: what
    is declared is sound, and only the program is not there yet.
    """

    reason: str
    url: str = ""
    absent: bool = False

    UNDECLARED = frozenset({"absent"})


def command_of(handler: Handler) -> str:
    """What a handler runs, in one text, as `approve` takes it: a command, an address, a name."""
    for field in ("script", "url", "name"):
        if text := getattr(handler, field, ""):
            return str(text)
    argv = getattr(handler, "argv", ())
    if argv:
        import shlex  # noqa: PLC0415 - a person reads it, or it is written down once

        return shlex.join(argv)
    return type(handler).__name__.lower()
