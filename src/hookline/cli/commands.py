"""The table of commands that people type, and what other tools call them."""

from __future__ import annotations

import sys

from hookline.cli.output import read_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


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
        return load(self.home)


def load(home: str) -> Callable[..., Any]:
    """Import a function of this package, `module.function`, that only some command lines need."""
    module, _, function = home.partition(".")
    __import__(f"hookline.cli.{module}")
    loaded: Callable[..., Any] = getattr(sys.modules[f"hookline.cli.{module}"], function)
    return loaded


COMMANDS = {
    "install": Command(
        "start",
        "have hosts on this machine call hookline",
        "install.install",
        "hookline install claude-code --diff",
        "hookline install claude-code --yes",
        codes="1 declined",
    ),
    "uninstall": Command(
        "start",
        "take hookline out of the files of hosts",
        "install.uninstall",
        "hookline uninstall --diff",
        codes="1 declined",
    ),
    "status": Command(
        "start",
        "show whether each host calls hookline, and what it did last",
        "status.status",
        "hookline status",
        "hookline status claude-code --json",
        codes="1 a problem, or not installed",
    ),
    "init": Command(
        "start",
        "write a hookline.yaml with a first guard for all hosts",
        "init.init",
        "hookline init --example list",
    ),
    "add": Command(
        "start",
        "switch guards on in your hookline.yaml, or install a pack",
        "guard_files.add",
        "hookline add commands --profile strict",
        "hookline add --recommended --dry-run",
        "hookline add ./my-pack",
    ),
    "remove": Command(
        "start",
        "take guards out of your hookline.yaml, or remove packs",
        "guard_files.remove",
        "hookline remove commands",
        "hookline remove pkg:my-pack",
    ),
    "update": Command(
        "start",
        "install the present version of packs, after showing what differs",
        "packs.update",
        "hookline update",
        "hookline update my-pack --dry-run",
        codes="1 declined",
    ),
    "guard": Command(
        "look",
        "show the guards, try one on a command, or allow what it refuses",
        "guard.guard",
        "hookline guard check 'rm -rf build'",
        "hookline guard scan hooks.yaml",
        "hookline guard allow fs.outside --path '~/scratch/**' --until 2027-01-31",
        codes="1 refused, or found",
    ),
    "new": Command(
        "start",
        "write a guard as a script of your own, for any host",
        "new.new",
        "hookline new guard commands",
        "hookline new guard secrets --dialect starchild",
    ),
    "skill": Command(
        "start",
        "teach agents to write hooks: put a skill where hosts look for it",
        "skill.skill",
        "hookline skill install claude-code --dry-run",
        "hookline skill remove claude-code --dry-run",
    ),
    "list": Command(
        "look",
        "list the hooks of each file, and whether they run",
        "list_command.list_all",
        "hookline list",
        "hookline list -c hooks.yaml --event pre_tool_use",
        "hookline list --source project --json",
    ),
    "show": Command(
        "look",
        "show one hook, or one event and what a hook can do there",
        "show.show",
        "hookline show tool.before",
        "hookline show pre_tool_use --dialect docker-agent",
        "hookline show -c hooks.yaml 'summarize shell output'",
    ),
    "validate": Command(
        "look",
        "check hook files; each problem with its place and its remedy",
        "validate.validate",
        "hookline validate hooks.yaml",
        "hookline validate .agents/hooks --strict",
        "hookline validate --output-format github",
        codes="1 there are errors",
    ),
    "explain": Command(
        "look",
        "explain what the hooks do with an event, or an error code",
        "explain.explain",
        "hookline explain HKL1203",
        "hookline explain pre_tool_use -c hooks.yaml --input payload.json",
        "hookline explain stop --no-run < payload.json",
        "hookline explain last",
    ),
    "doctor": Command(
        "look",
        "run each approved hook on a harmless event, and report problems",
        "doctor.doctor",
        "hookline doctor",
        "hookline doctor --fix",
        "hookline doctor -c hooks.yaml --json",
        codes="1 there are errors",
    ),
    "test": Command(
        "try",
        "run the tests of a hookline.yaml",
        "hook_tests.run_tests",
        "hookline test .hookline.yaml",
        codes="1 a test failed",
    ),
    "fire": Command(
        "try",
        "run the hooks on one event, and print the decision",
        "fire.fire",
        "hookline fire pre_tool_use -c hooks.yaml < payload.json",
        codes="1 denied or halted",
    ),
    "convert": Command(
        "try",
        "write hooks in another dialect, and report what is lost",
        "convert.convert",
        "hookline convert hooks.yaml --from docker-agent --to claude-code",
        "hookline convert .claude/settings.json --to agenthooks --output .agents/hooks",
        "hookline convert --from claude-code --to codex --strict",
        codes="1 a loss with --strict",
    ),
    "approve": Command(
        "decide",
        "review hooks, and let them run as they are now",
        "approve.approve",
        "hookline approve --all --dry-run",
        "hookline approve .claude/settings.json --yes",
        "hookline approve --event Stop --all --yes",
        codes="1 declined, or left out",
    ),
    "revoke": Command(
        "decide",
        "take approvals back",
        "approve.revoke",
        "hookline revoke .claude/settings.json",
        "hookline revoke .claude/settings.json --event Stop",
    ),
    "on": Command(
        "decide",
        "switch hooks on again: one hook, this project, or all",
        "switches.on",
        "hookline on",
        "hookline on --global",
        "hookline on .claude/settings.json",
        codes="1 still off",
    ),
    "off": Command(
        "decide",
        "switch hooks off: one hook, this project, or all",
        "switches.off",
        "hookline off",
        "hookline off --global --json",
        "hookline off .claude/settings.json",
    ),
    "chat": Command(
        "decide",
        "run one `/hooks` command of a chat",
        "chat.chat",
        'hookline chat "/hooks list"',
        'hookline chat "/hooks off"',
        codes="1 refused",
    ),
    "log": Command(
        "decide",
        "print the journal of decisions, or verify it",
        "log.log",
        "hookline log --stance deny --since 7d",
        "hookline log --hook pre_tool_use --fault --json",
        "hookline log show last",
        "hookline log verify",
        codes="1 verify: changed, or no journal; 130 interrupted",
    ),
    "snapshots": Command(
        "decide",
        "list the snapshots that the builtin `snapshot` took, or undo them",
        "snapshots.snapshots",
        "hookline snapshots",
        "hookline snapshots undo",
        "hookline snapshots reset 3",
        codes="1 a file could not be restored",
    ),
    "answer": Command(
        "run",
        "answer one event of a host; hosts start this",
        "answer.make_request",
        "hookline answer claude-code < payload.json",
        codes="as the host expects",
    ),
    "run": Command(
        "run",
        "run an agent of a docker-agent file, with hooks of every format",
        "run.run",
        "hookline run agent.yaml 'list the files here'",
        "hookline run agent.yaml --output-format json 'what is new?'",
        codes="1 a hook or a limit ended it, 4 the model did not answer, 130 interrupted",
    ),
    "serve": Command(
        "run",
        "answer events over HTTP and gRPC",
        "serve.serve",
        "hookline serve",
        "hookline serve --http 127.0.0.1:8465 -c hooks.yaml",
        "hookline serve --unix /run/user/1000/hookline.sock",
        codes="130 interrupted",
    ),
    "schema": Command(
        "other",
        "print the JSON Schema of a document that hookline prints or reads",
        "schema.schema",
        "hookline schema",
        "hookline schema decision",
    ),
    "completion": Command(
        "other",
        "print the completion script of a shell",
        "completion.print_script",
        "hookline completion bash",
        "hookline completion zsh",
    ),
}
GROUPS = ("start", "look", "try", "decide", "run", "other")

# What others call it -> what we do.
ELSEWHERE = read_table("""
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
sample-config    hookline init --example NAME
check-install    hookline status
version          hookline --version
events           hookline show EVENT
audit            hookline log, and hookline log verify
journal          hookline log
history          hookline log
hooks            hookline list
""")
