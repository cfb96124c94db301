"""The commands that people type: a table of them, help for all of them, and the way to each."""

from __future__ import annotations

import os
from importlib import import_module

from hookline.cli.ending import OK, ended, say
from hookline.errors import ConfigError
from hookline.model.frozen import Frozen
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Command(Frozen):
    """One command: its group in the help, what it does, examples that run, and the exit codes beyond 0 and 2.

    `home` is the module and function; the commands that hosts start find their way without this table.
    """

    group: str
    does: str
    examples: tuple[str, ...]
    codes: str = ""
    home: tuple[str, str] = ("", "")


COMMANDS: Mapping[str, Command] = {
    "list": Command(
        group="look",
        does="every hook in firing order, event by event",
        examples=(
            "hookline list",
            "hookline list -c hooks.yaml --event pre_tool_use",
            "hookline list --source project --json",
        ),
        home=("look", "list_hooks"),
    ),
    "show": Command(
        group="look",
        does="one hook with every field that counts, or one event with all that a hook may do there",
        examples=(
            "hookline show tool.before",
            "hookline show pre_tool_use --dialect docker-agent",
            "hookline show -c hooks.yaml 'hooks.yaml#stop.0'",
        ),
        home=("look", "show"),
    ),
    "validate": Command(
        group="look",
        does="every problem of every file, with its place, its code and what to do about it",
        examples=(
            "hookline validate hooks.yaml",
            "hookline validate .agents/hooks --strict",
            "hookline validate --output-format github",
        ),
        codes="1 there are errors",
        home=("checking", "validate"),
    ),
    "explain": Command(
        group="look",
        does="why each hook was asked or not, in what order, and what it said; or what a code means",
        examples=(
            "hookline explain HKL1203",
            "hookline explain pre_tool_use -c hooks.yaml --input payload.json",
            "hookline explain stop --no-run < payload.json",
            "hookline explain last",
        ),
        home=("account", "explain"),
    ),
    "doctor": Command(
        group="look",
        does="every hook that may run tried on a harmless event, and what is wrong with it",
        examples=(
            "hookline doctor",
            "hookline doctor --fix",
            "hookline doctor -c hooks.yaml --json",
        ),
        codes="1 there are errors",
        home=("doctor", "doctor"),
    ),
    "schema": Command(
        group="look",
        does="the JSON Schema of a document that hookline prints",
        examples=("hookline schema", "hookline schema decision"),
        home=("contracts", "schema"),
    ),
    "completion": Command(
        group="look",
        does="the script by which a shell completes command lines: bash, zsh, fish or powershell",
        examples=("hookline completion bash", "hookline completion zsh"),
        home=("completing", "completion"),
    ),
    "fire": Command(
        group="try",
        does="fire one event at the hooks, and print the decision",
        examples=("hookline fire pre_tool_use -c hooks.yaml < payload.json",),
        codes="1 denied or halted",
    ),
    "convert": Command(
        group="try",
        does="hooks of one dialect as files of another, and what the other cannot express",
        examples=(
            "hookline convert hooks.yaml --from docker-agent --to claude-code",
            "hookline convert .claude/settings.json --to agenthooks --output .agents/hooks",
            "hookline convert --from claude-code --to codex --strict",
        ),
        codes="1 a loss with --strict",
        home=("convert", "convert"),
    ),
    "approve": Command(
        group="decide",
        does="let hooks run as they are now, after you saw what they run",
        examples=(
            "hookline approve --all --dry-run",
            "hookline approve .claude/settings.json --yes",
            "hookline approve 'settings.json#Stop.0.0' --yes",
        ),
        codes="1 declined, or left out",
        home=("approve", "approve"),
    ),
    "revoke": Command(
        group="decide",
        does="take the approval of hooks back, at once",
        examples=(
            "hookline revoke .claude/settings.json",
            "hookline revoke 'settings.json#Stop.0.0'",
        ),
        home=("approve", "revoke"),
    ),
    "on": Command(
        group="decide",
        does="switch hooks on again: of this project, everywhere, or a single one",
        examples=("hookline on", "hookline on --global", "hookline on 'settings.json#Stop.0.0'"),
        codes="1 still off",
        home=("switching", "on"),
    ),
    "off": Command(
        group="decide",
        does="switch hooks off: of this project, everywhere, or a single one",
        examples=(
            "hookline off",
            "hookline off --global --json",
            "hookline off 'settings.json#Stop.0.0'",
        ),
        home=("switching", "off"),
    ),
    "chat": Command(
        group="decide",
        does="one `/hooks` command, as a person types it in a chat",
        examples=('hookline chat "/hooks list"', 'hookline chat "/hooks off"'),
        codes="1 refused",
        home=("chat", "chat"),
    ),
    "log": Command(
        group="decide",
        does="what was decided, why, and whether the record of it is whole",
        examples=(
            "hookline log --stance deny --since 7d",
            "hookline log --hook guard --fault --json",
            "hookline log show last",
            "hookline log verify",
        ),
        codes="1 broken; 130 interrupted",
        home=("log", "log"),
    ),
    "answer": Command(
        group="run",
        does="answer a host's event in its own words; hosts start this",
        examples=("hookline answer claude-code < payload.json",),
        codes="as the host understands them",
    ),
    "serve": Command(
        group="run",
        does="answer events over HTTP, for agents in any language",
        examples=(
            "hookline serve",
            "hookline serve --http 127.0.0.1:8465 -c hooks.yaml",
            "hookline serve --unix /run/user/1000/hookline.sock",
        ),
        codes="130 interrupted",
        home=("serve", "serve"),
    ),
}
GROUPS: Mapping[str, str] = {"look": "Look", "try": "Try", "decide": "Decide", "run": "Run"}

# What others call it -> what we do. `run` is kept free for running an agent.
ELSEWHERE: Mapping[str, str] = {
    "run": "to fire an event: hookline fire EVENT",
    "eval": "to fire an event: hookline fire EVENT",
    "check": "to fire an event: hookline fire EVENT; to check files: hookline validate",
    "validate-config": "hookline validate",
    "lint": "hookline validate",
    "trust": "hookline approve; for one command only: --trust all",
    "untrust": "hookline revoke; for one command only: --trust none",
    "allow": "that is a stance; to let a hook run: hookline approve",
    "deny": "that is a stance; to let a hook run no more: hookline revoke",
    "enable": "hookline on, or hookline on HOOK; what nobody approved: hookline approve",
    "disable": "hookline off, or hookline off HOOK; for one command only: HOOKLINE_SKIP=ID",
    "sample-config": "an example to copy, `init --example`, is not in this version",
    "check-install": "the state of a host, `status`, is not in this version",
    "version": "hookline --version",
    "events": "hookline show EVENT",
    "audit": "hookline log, and hookline log verify",
    "journal": "hookline log",
    "history": "hookline log",
    "hooks": "hookline list",
}

# How the script of `hookline completion` asks, after the name that the toolkit gives it.
ASKING = "_HOOKLINE_COMPLETE"
_FIRST = """hookline runs the hooks of AI agents, whatever dialect they are written in

examples:
  hookline list                          every hook that is found here
  hookline fire pre_tool_use -c hooks.yaml < payload.json
  hookline explain pre_tool_use -c hooks.yaml < payload.json
"""
_CODES = """exit codes:
  0  ok; from fire also: silent, allow or ask
  1  findings; from fire: denied or halted (--exit-zero makes it 0)
  2  usage or configuration error
  3  internal error; a log of the crash is kept
  130  interrupted
`hookline answer` ends as its host understands it, and in no other way.
"""


def app_main(words: list[str]) -> int:
    """Run a command by its words; returns the exit code."""
    program = f"hookline {words[0]}" if words and words[0] in COMMANDS else "hookline"
    return ended(program, lambda: _run(words))


def _run(words: list[str]) -> int:
    match words:
        case [] if ASKING in os.environ:
            from hookline.cli.completing import completed  # noqa: PLC0415 - a shell asks, and nobody else

            return completed(COMMANDS, os.environ[ASKING])
        case []:
            say(_FIRST + "\n" + "".join(_listed()) + "\nmore: hookline --help\n")
        case ["-h" | "--help" | "help"]:
            say(
                "usage: hookline COMMAND [OPTIONS]\n\n"
                + _FIRST
                + "\n"
                + "".join(_listed())
                + "\n"
                + _OPTIONS
                + "\n"
                + _CODES
            )
        case ["help", "exit-codes"]:
            say(_CODES)
        case ["help", name]:
            return _run([name, "--help"])
        case [name, *rest] if name in COMMANDS:
            return _command(name, rest)
        case [name, *_]:
            raise ConfigError(f"unknown command `{name}`", name="config.option", hint=_meant(name))
    return OK


_OPTIONS = """options of most commands:
  -c, --config PATH    a file or folder of hooks; repeatable; without it, what is found for the user and the project
  --dialect NAME       of the files named, and of the event
  --trust WHOM         which hooks may run: all, user or none
  --mode MODE          fidelity, or strict: a failed guard asks or denies
  --match-tools NAMES  native, or canonical: a matcher knows a tool's names in all hosts
  -C DIR               as if started there
  --home DIR           your home, whatever the environment says
  --json               one JSON document; its schema: hookline schema
  --color WHEN         auto, always or never
  -V, --version        the version
"""


def _listed() -> Iterator[str]:
    for group, title in GROUPS.items():
        yield f"{title}:\n"
        yield from (
            f"  {name:12}{command.does}\n"
            for name, command in COMMANDS.items()
            if command.group == group
        )


def _meant(name: str) -> str:
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    if name.startswith("-"):
        return "options follow the command: hookline list --json"
    return did_you_mean(name, COMMANDS) or "`hookline` lists the commands"


def _command(name: str, rest: list[str]) -> int:
    command = COMMANDS[name]
    home = import_module(f"hookline.cli.{command.home[0] or name}")
    if not command.home[0]:
        code: int = getattr(home, f"{name}_main")(rest)
        return code
    import typer  # noqa: PLC0415 - the help of everything comes without it

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    settings = {"help_option_names": ["-h", "--help"]}
    app.command(name, help=_help(command), epilog=_epilog(command), context_settings=settings)(
        getattr(home, command.home[1])
    )
    try:
        code = typer.main.get_command(app).main(
            rest, prog_name=f"hookline {name}", standalone_mode=False
        )
    except typer.TyperException as error:
        from hookline.cli.refusing import refused  # noqa: PLC0415 - most words are right

        raise refused(error, f"hookline {name}", rest) from None
    return code


def _help(command: Command) -> str:
    # A line of its own with a backspace keeps what follows as it is written.
    return "\n".join(
        (
            f"{command.does[:1].upper()}{command.does[1:]}",
            "",
            "\b",
            "examples:",
            *(f"  {example}" for example in command.examples),
        )
    )


def _epilog(command: Command) -> str:
    return f"exit codes: 0 ok{'; ' * bool(command.codes)}{command.codes}; 2 usage or configuration error"
