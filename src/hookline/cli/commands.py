"""The table of commands that people type, and what other tools call them."""

from __future__ import annotations

from importlib import import_module

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


# The variable by which the script of `hookline completion` asks; typer chose its form.
COMPLETION_VARIABLE = "_HOOKLINE_COMPLETE"


class Command(Frozen):
    """One command: its group in the help, what it does, examples that run, and the exit codes beyond 0 and 2.

    `home`: its module and its function.
    """

    group: str
    does: str
    home: str
    examples: tuple[str, ...]
    codes: str = ""

    def load(self) -> Callable[..., Any]:
        """Import the function that runs the command; its options are its keyword parameters."""
        module, _, function = self.home.partition(".")
        loaded: Callable[..., Any] = getattr(import_module(f"hookline.cli.{module}"), function)
        return loaded


COMMANDS: Mapping[str, Command] = {
    "list": Command(
        group="look",
        does="every hook in firing order, event by event",
        examples=(
            "hookline list",
            "hookline list -c hooks.yaml --event pre_tool_use",
            "hookline list --source project --json",
        ),
        home="list_command.list_all",
    ),
    "show": Command(
        group="look",
        does="one hook with every field that counts, or one event with all that a hook may do there",
        examples=(
            "hookline show tool.before",
            "hookline show pre_tool_use --dialect docker-agent",
            "hookline show -c hooks.yaml 'hooks.yaml#stop.0'",
        ),
        home="list_command.show",
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
        home="validate.validate",
    ),
    "explain": Command(
        group="look",
        does="why each hook was asked or not, in what order, and what it answered; or what a code means",
        examples=(
            "hookline explain HKL1203",
            "hookline explain pre_tool_use -c hooks.yaml --input payload.json",
            "hookline explain stop --no-run < payload.json",
            "hookline explain last",
        ),
        home="explain.explain",
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
        home="doctor.doctor",
    ),
    "schema": Command(
        group="look",
        does="the JSON Schema of a document that hookline prints",
        examples=("hookline schema", "hookline schema decision"),
        home="schema.schema",
    ),
    "completion": Command(
        group="look",
        does="the script by which a shell completes command lines: bash, zsh, fish or powershell",
        examples=("hookline completion bash", "hookline completion zsh"),
        home="typer_help.print_script",
    ),
    "fire": Command(
        group="try",
        does="fire one event at the hooks, and print the decision",
        examples=("hookline fire pre_tool_use -c hooks.yaml < payload.json",),
        codes="1 denied or halted",
        home="fire.fire",
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
        home="convert.convert",
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
        home="approve.approve",
    ),
    "revoke": Command(
        group="decide",
        does="take the approval of hooks back, at once",
        examples=(
            "hookline revoke .claude/settings.json",
            "hookline revoke 'settings.json#Stop.0.0'",
        ),
        home="approve.revoke",
    ),
    "on": Command(
        group="decide",
        does="switch hooks on again: of this project, everywhere, or a single one",
        examples=("hookline on", "hookline on --global", "hookline on 'settings.json#Stop.0.0'"),
        codes="1 still off",
        home="switches.on",
    ),
    "off": Command(
        group="decide",
        does="switch hooks off: of this project, everywhere, or a single one",
        examples=(
            "hookline off",
            "hookline off --global --json",
            "hookline off 'settings.json#Stop.0.0'",
        ),
        home="switches.off",
    ),
    "chat": Command(
        group="decide",
        does="one `/hooks` command, as a person types it in a chat",
        examples=('hookline chat "/hooks list"', 'hookline chat "/hooks off"'),
        codes="1 refused",
        home="chat.chat",
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
        home="log.log",
    ),
    "answer": Command(
        group="run",
        does="answer a host's event in its own words; hosts start this",
        examples=("hookline answer claude-code < payload.json",),
        codes="the host's own",
        home="answer.make_request",
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
        home="serve.serve",
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
    "enable": "hookline on, or hookline on HOOK; what is not approved: hookline approve",
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
