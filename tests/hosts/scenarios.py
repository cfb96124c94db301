"""The table of scenarios: what the model says, which hooks the user has, and what must follow."""

from __future__ import annotations

import json
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING
from zlib import crc32

from hookline.model.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping


class Hook(Frozen):
    """A hook of the user: at an event it says a text, by a word of `_PROGRAMS`.

    `pattern`: what the input of a tool must hold. Its file is in a format that no tested host reads
    by itself.
    """

    on: str
    word: str
    text: str
    pattern: str = ""

    def files(self, name: str) -> dict[str, str]:
        """Return the files of the hook by their paths in the home."""
        is_prompt = self.on == "prompt.submit"
        word = "text" if is_prompt and self.word == "context" else self.word
        program = _PROGRAMS[word].replace("$text", self.text)
        if is_prompt:  # the one event that the other format does not have
            hook = json.dumps({"type": "command", "command": program})
            return {f".config/cagent/hooks.d/{name}.yaml": f"user_prompt_submit: [{hook}]\n"}
        head = f"name: {name}\ndescription: For a test.\ntrigger: {_TRIGGERS[self.on]}\n"
        matcher = f"matcher: {{pattern: {self.pattern}}}\n" if self.pattern else ""
        folder = f".config/agents/hooks/{name}"
        return {
            f"{folder}/HOOK.md": f"---\n{head}{matcher}---\n",
            f"{folder}/scripts/run": f"#!/bin/sh\n{program}\n",
        }


class FileCall(Frozen):
    """A call of the host's own tool that can `read`, `write` or `edit` a file.

    `$project`, `$gate`, `$event` and `$other` are filled in: the folder of the project, the file
    with the entry that refuses calls, the event of that entry, and one of the other events. A file
    gets `text`, or `new` for `old`.
    """

    kind: str
    path: str
    text: str = ""
    old: str = ""
    new: str = ""


_TRIGGERS = {
    "session.start": "pre-session",
    "tool.before": "pre-tool-call",
    "tool.after": "post-tool-call",
    "stop": "pre-agent-turn-stop",
}
_PROGRAMS = {
    "deny": "echo $text >&2; exit 2",
    "slow deny": "sleep 15; echo $text >&2; exit 2",
    "ask": """echo '{"decision": "ask", "reason": "$text"}'""",
    "context": """echo '{"additional_context": "$text"}'""",
    "text": "echo $text",
    "rewrite": """echo '{"modified_input": {"command": "$text"}}'""",
}


class Scenario(Frozen):
    """One way in which a host, the model and hookline meet.

    `turns`: the commands that the model runs, and the files that it writes, at once, turn by turn.
    `hooks`: those of the user. `prompt`: what the user asks for. `foreign`: the user has a guard of
    another host. `install`: the option of the installation; with `--take-over` the user has a hook
    in the host's own file. `then`: the command of hookline that the user types afterwards; the name
    of the host takes the place of `$host`. `damage`: what happens to hookline before the host
    starts. `ran` and `not_ran`: files that calls make, or must not make. `keeps`: the file with the
    entries must stay as it is. `reads`: a text that the model must read first in the request of
    that number, from 0. `hidden`: a text that no request may hold. `requests`: how often the host
    must ask the model for a turn, if that matters. `needs`: the event, and what a decision there
    must be able to carry.
    """

    name: str
    title: str
    turns: tuple[tuple[str | FileCall, ...], ...] = (("touch first",),)
    hooks: tuple[Hook, ...] = ()
    prompt: str = "Please make the file."
    foreign: bool = False
    install: str = ""
    then: str = ""
    damage: str = ""
    ran: tuple[str, ...] = ()
    not_ran: tuple[str, ...] = ()
    keeps: bool = False
    reads: Mapping[int, str] = MappingProxyType({})
    hidden: str = ""
    requests: int | None = None
    needs: tuple[str, str] = ("tool.before", "deny")

    @property
    def is_refusal(self) -> bool:
        """Whether hookline has to refuse a call."""
        return self.needs == ("tool.before", "deny") and bool(self.not_ran or self.keeps)

    @property
    def is_recorded(self) -> bool:
        """Whether `make test` can play it again: it needs the user's files only."""
        return not (self.damage or self.install or self.then or self.keeps)

    def files(self, foreign: str) -> dict[str, str]:
        """Return the user's files by their paths in the home; `foreign`: whose guard it is."""
        own = (hook.files(f"hook-{at}") for at, hook in enumerate(self.hooks))
        guard = dict([_GUARDS[foreign]] if self.foreign else [])
        return {name: text for files in (*own, guard) for name, text in files.items()}


TAKE_OVER, HTTP = "--take-over", "--http"
REASON = "REASON-OF-THE-GUARD"
_CONTEXT = "CONTEXT-OF-A-HOOK"
_RECOMMENDED = "add --recommended"
_SKILL = "Write, declare, test and check lifecycle hooks of AI agents"


def _make_token() -> str:
    """Return a token of GitHub that has a valid checksum, and that GitHub never issued."""
    letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    body = "".join(Random(8).choices(letters, k=30))  # noqa: S311 - opens nothing
    number, check = crc32(body.encode()), ""
    while number:
        number, digit = divmod(number, len(letters))
        check = letters[digit] + check
    return f"ghp_{body}{check:0>6}"


_TOKEN = _make_token()


def _guard(event: str, tool: str) -> str:
    command = f"echo {REASON} >&2; exit 2"
    group = {"matcher": tool, "hooks": [{"type": "command", "command": command}]}
    return json.dumps({"hooks": {event: [group]}}) + "\n"


# Guards of two hosts in their own files: a path in the home, and the text.
_GUARDS = {
    "claude-code": (".claude/settings.json", _guard("PreToolUse", "Bash")),
    "gemini": (".gemini/settings.json", _guard("BeforeTool", "run_shell_command")),
}

SCENARIOS = (
    Scenario(
        name="call",
        title="a call that no hook refuses runs",
        hooks=(Hook(on="tool.before", word="deny", text=REASON, pattern="never"),),
        ran=("first",),
        requests=2,
    ),
    Scenario(
        name="refusal",
        title="a refused call does not run, and the model reads the reason",
        hooks=(Hook(on="tool.before", word="deny", text=REASON),),
        not_ran=("first",),
        reads={1: REASON},
    ),
    Scenario(
        name="rewrite",
        title="a rewritten call runs with the new input",
        hooks=(Hook(on="tool.before", word="rewrite", text="touch second"),),
        ran=("second",),
        not_ran=("first",),
        needs=("tool.before", "input"),
    ),
    Scenario(
        name="context at session start",
        title="the model reads what a hook says when the session starts",
        hooks=(Hook(on="session.start", word="context", text=_CONTEXT),),
        ran=("first",),
        reads={0: _CONTEXT},
        needs=("session.start", "context"),
    ),
    Scenario(
        name="context at the prompt",
        title="the model reads what a hook says about the prompt",
        hooks=(Hook(on="prompt.submit", word="context", text=_CONTEXT),),
        ran=("first",),
        reads={0: _CONTEXT},
        needs=("prompt.submit", "context"),
    ),
    Scenario(
        name="context before a tool",
        title="the model reads what a hook says before a call",
        hooks=(Hook(on="tool.before", word="context", text=_CONTEXT),),
        ran=("first",),
        reads={1: _CONTEXT},
        needs=("tool.before", "context"),
    ),
    Scenario(
        name="context after a tool",
        title="the model reads what a hook says after a call",
        hooks=(Hook(on="tool.after", word="context", text=_CONTEXT),),
        ran=("first",),
        reads={1: _CONTEXT},
        needs=("tool.after", "context"),
    ),
    Scenario(
        name="prompt block",
        title="a refused prompt does not reach the model",
        hooks=(Hook(on="prompt.submit", word="deny", text=REASON),),
        not_ran=("first",),
        requests=0,
        needs=("prompt.submit", "deny"),
    ),
    Scenario(
        name="stop redo",
        title="a hook sends the agent back to work, and not without end",
        turns=((),),
        hooks=(Hook(on="stop", word="deny", text=REASON),),
        reads={1: REASON},
        needs=("stop", "deny"),
    ),
    Scenario(
        name="foreign guard",
        title="a guard that is written for another host applies",
        foreign=True,
        not_ran=("first",),
        reads={1: REASON},
    ),
    Scenario(
        name="parallel calls",
        title="of three calls in one turn, hookline refuses the one that a guard refuses",
        turns=(("touch first", "touch second", "touch third"),),
        hooks=(Hook(on="tool.before", word="deny", text=REASON, pattern="second"),),
        ran=("first", "third"),
        not_ran=("second",),
        reads={1: REASON},
    ),
    Scenario(
        name="ask",
        title="a question that no person can answer is a refusal",
        hooks=(Hook(on="tool.before", word="ask", text=REASON),),
        not_ran=("first",),
        requests=2,
    ),
    Scenario(
        name="removed",
        title="hookline was removed: the host refuses the call",
        damage="removed",
        not_ran=("first",),
        reads={1: "hookline"},
    ),
    Scenario(
        name="no interpreter",
        title="the environment of hookline was removed: the host refuses the call",
        damage="no interpreter",
        not_ran=("first",),
        reads={1: "hookline"},
    ),
    Scenario(
        name="broken",
        title="hookline does not start: the host refuses the call",
        damage="broken",
        not_ran=("first",),
        reads={1: "hookline"},
    ),
    Scenario(
        name="misconfigured",
        title="a file of guards cannot be read: hookline refuses the call",
        damage="misconfigured",
        not_ran=("first",),
    ),
    Scenario(
        name="uninstall",
        title="the files of the host are what they were, and it does not call hookline",
        hooks=(Hook(on="tool.before", word="deny", text=REASON),),
        damage="uninstall",
        ran=("first",),
    ),
    Scenario(
        name="take-over",
        title="a hook of the host's own file runs once, under hookline, and then moves back",
        install=TAKE_OVER,
        not_ran=("first",),
        reads={1: REASON},
    ),
    Scenario(
        name="http",
        title="the host asks `hookline serve`, which refuses the call that a guard refuses",
        turns=(("touch first", "touch second"),),
        install=HTTP,
        hooks=(Hook(on="tool.before", word="deny", text=REASON, pattern="second"),),
        ran=("first",),
        not_ran=("second",),
        reads={1: REASON},
    ),
    Scenario(
        name="no server",
        title="`hookline serve` has ended: the host refuses the call",
        install=HTTP,
        damage="no server",
        not_ran=("first",),
    ),
    Scenario(
        name="slow call",
        title="a hook refuses a call after 15 seconds: the host waits",
        hooks=(Hook(on="tool.before", word="slow deny", text=REASON),),
        not_ran=("first",),
        reads={1: REASON},
    ),
    Scenario(
        name="slow prompt",
        title="a hook refuses a prompt after 15 seconds: the host waits",
        hooks=(Hook(on="prompt.submit", word="slow deny", text=REASON),),
        not_ran=("first",),
        requests=0,
        needs=("prompt.submit", "deny"),
    ),
    Scenario(
        name="commands",
        title="`commands` refuses a hidden `rm -rf` of the home, and no ordinary command",
        turns=(("touch first",), ('touch second; x=rm; $x -r""f $home',)),
        then=_RECOMMENDED,
        ran=("first",),
        not_ran=("second",),
        keeps=True,
        reads={2: "[commands] it removes a home folder (fs.root)"},
    ),
    Scenario(
        name="secrets",
        title="`secrets` refuses a prompt with a secret, which does not reach the model",
        prompt=f"Please make the file. The token is {_TOKEN}",
        then=_RECOMMENDED,
        not_ran=("first",),
        hidden=_TOKEN,
        requests=0,
        needs=("prompt.submit", "deny"),
    ),
    Scenario(
        name="secrets in files",
        title="`secrets` refuses a file with a secret; it only notes one in a command",
        turns=(
            (FileCall(kind="write", path="$project/first", text="nothing"),),
            (f": {_TOKEN}; touch second",),
            (FileCall(kind="write", path="$project/third", text=f"token = {_TOKEN}"),),
        ),
        then=_RECOMMENDED,
        ran=("first", "second"),
        not_ran=("third",),
        reads={3: "(secret.written)"},
    ),
    Scenario(
        name="own_config",
        title="`own_config` refuses commands that approve, switch off, uninstall or edit hooks",
        turns=(
            ("touch first",),
            ("touch second; hookline approve",),
            ("touch third; hookline off",),
            ("touch fourth; hookline uninstall --yes",),
            ("touch fifth; sed -i s/hookline/nothing/ '$gate'",),
        ),
        ran=("first",),
        not_ran=("second", "third", "fourth", "fifth"),
        keeps=True,
        reads={
            2: "(own.command): hookline approve",
            3: "(own.command): hookline off",
            4: "(own.command): hookline uninstall",
            5: "(own.entry): sed -i",
        },
    ),
    Scenario(
        name="own_config and tools",
        title="`own_config` refuses that the host's own tools edit or write its hooks",
        turns=(
            (
                FileCall(kind="write", path="$project/first", text="nothing"),
                FileCall(kind="read", path="$gate"),
                "touch second",
            ),
            (FileCall(kind="edit", path="$gate", old="$event", new="$other"),),
            (FileCall(kind="write", path="$gate", text="{}"),),
        ),
        ran=("first", "second"),
        keeps=True,
        reads={2: "(own.entry)"},
    ),
    Scenario(
        name="skill",
        title="the model sees the skill that `hookline skill install` put there",
        then="skill install $host",
        reads={0: _SKILL},
    ),
)
