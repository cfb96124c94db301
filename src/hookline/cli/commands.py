"""The table of commands that people type, and what other tools call them."""

from __future__ import annotations

from importlib import import_module

from hookline.cli.output import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


# The variable by which the script of `hookline completion` asks; typer chose its form.
COMPLETION_VARIABLE = "_HOOKLINE_COMPLETE"


class Command:
    """One command: its group in the help, what it does, where its function is, and examples.

    The examples run. `codes`: the exit codes beyond 0 and 2.
    """

    def __init__(self, group: str, does: str, home: str, *examples: str, codes: str = "") -> None:
        self.group = group
        self.does = does
        self.home = home
        self.examples = examples
        self.codes = codes

    def load(self) -> Callable[..., Any]:
        """Import the function that runs the command; its options are its keyword parameters."""
        module, _, function = self.home.partition(".")
        loaded: Callable[..., Any] = getattr(import_module(f"hookline.cli.{module}"), function)
        return loaded


COMMANDS = {
    "list": Command(
        "look",
        "every hook in firing order, event by event",
        "list_command.list_all",
        "hookline list",
        "hookline list -c hooks.yaml --event pre_tool_use",
        "hookline list --source project --json",
    ),
    "show": Command(
        "look",
        "one hook with every field that counts, or one event with all that a hook may do there",
        "list_command.show",
        "hookline show tool.before",
        "hookline show pre_tool_use --dialect docker-agent",
        "hookline show -c hooks.yaml 'hooks.yaml#stop.0'",
    ),
    "validate": Command(
        "look",
        "every problem of every file, with its place, its code and what to do about it",
        "validate.validate",
        "hookline validate hooks.yaml",
        "hookline validate .agents/hooks --strict",
        "hookline validate --output-format github",
        codes="1 there are errors",
    ),
    "explain": Command(
        "look",
        "why each hook was asked or not, in what order, and what it answered; or what a code means",
        "explain.explain",
        "hookline explain HKL1203",
        "hookline explain pre_tool_use -c hooks.yaml --input payload.json",
        "hookline explain stop --no-run < payload.json",
        "hookline explain last",
    ),
    "doctor": Command(
        "look",
        "every hook that may run tried on a harmless event, and what is wrong with it",
        "doctor.doctor",
        "hookline doctor",
        "hookline doctor --fix",
        "hookline doctor -c hooks.yaml --json",
        codes="1 there are errors",
    ),
    "schema": Command(
        "look",
        "the JSON Schema of a document that hookline prints",
        "schema.schema",
        "hookline schema",
        "hookline schema decision",
    ),
    "completion": Command(
        "look",
        "the script by which a shell completes command lines: bash, zsh, fish or powershell",
        "typer_help.print_script",
        "hookline completion bash",
        "hookline completion zsh",
    ),
    "fire": Command(
        "try",
        "fire one event at the hooks, and print the decision",
        "fire.fire",
        "hookline fire pre_tool_use -c hooks.yaml < payload.json",
        codes="1 denied or halted",
    ),
    "convert": Command(
        "try",
        "hooks of one dialect as files of another, and what the other cannot express",
        "convert.convert",
        "hookline convert hooks.yaml --from docker-agent --to claude-code",
        "hookline convert .claude/settings.json --to agenthooks --output .agents/hooks",
        "hookline convert --from claude-code --to codex --strict",
        codes="1 a loss with --strict",
    ),
    "approve": Command(
        "decide",
        "let hooks run as they are now, after you saw what they run",
        "approve.approve",
        "hookline approve --all --dry-run",
        "hookline approve .claude/settings.json --yes",
        "hookline approve 'settings.json#Stop.0.0' --yes",
        codes="1 declined, or left out",
    ),
    "revoke": Command(
        "decide",
        "take the approval of hooks back, at once",
        "approve.revoke",
        "hookline revoke .claude/settings.json",
        "hookline revoke 'settings.json#Stop.0.0'",
    ),
    "on": Command(
        "decide",
        "switch hooks on again: of this project, everywhere, or a single one",
        "switches.on",
        "hookline on",
        "hookline on --global",
        "hookline on 'settings.json#Stop.0.0'",
        codes="1 still off",
    ),
    "off": Command(
        "decide",
        "switch hooks off: of this project, everywhere, or a single one",
        "switches.off",
        "hookline off",
        "hookline off --global --json",
        "hookline off 'settings.json#Stop.0.0'",
    ),
    "chat": Command(
        "decide",
        "one `/hooks` command, as a person types it in a chat",
        "chat.chat",
        'hookline chat "/hooks list"',
        'hookline chat "/hooks off"',
        codes="1 refused",
    ),
    "log": Command(
        "decide",
        "what was decided, why, and whether the record of it is whole",
        "log.log",
        "hookline log --stance deny --since 7d",
        "hookline log --hook pre_tool_use --fault --json",
        "hookline log show last",
        "hookline log verify",
        codes="1 broken; 130 interrupted",
    ),
    "answer": Command(
        "run",
        "answer a host's event in its own words; hosts start this",
        "answer.make_request",
        "hookline answer claude-code < payload.json",
        codes="the host's own",
    ),
    "serve": Command(
        "run",
        "answer events over HTTP, for agents in any language",
        "serve.serve",
        "hookline serve",
        "hookline serve --http 127.0.0.1:8465 -c hooks.yaml",
        "hookline serve --unix /run/user/1000/hookline.sock",
        codes="130 interrupted",
    ),
}
GROUPS = ("look", "try", "decide", "run")

# What others call it -> what we do. `run` is kept free for running an agent.
ELSEWHERE = read_table("""
run              to fire an event: hookline fire EVENT
eval             to fire an event: hookline fire EVENT
check            to fire an event: hookline fire EVENT; to check files: hookline validate
validate-config  hookline validate
lint             hookline validate
trust            hookline approve; for one command only: --trust all
untrust          hookline revoke; for one command only: --trust none
allow            that is a stance; to let a hook run: hookline approve
deny             that is a stance; to let a hook run no more: hookline revoke
enable           hookline on, or hookline on HOOK; what is not approved: hookline approve
disable          hookline off, or hookline off HOOK; for one command only: HOOKLINE_SKIP=ID
sample-config    an example to copy, `init --example`, is not in this version
check-install    the state of a host, `status`, is not in this version
version          hookline --version
events           hookline show EVENT
audit            hookline log, and hookline log verify
journal          hookline log
history          hookline log
hooks            hookline list
""")
