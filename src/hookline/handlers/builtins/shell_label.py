"""`safer_shell`: labels a shell command by what it could destroy. It refuses nothing."""

from __future__ import annotations

import re
import time

from hookline.guards.commands.judge import judge_command
from hookline.guards.commands.profiles import choose_rules
from hookline.guards.commands.tool_input import find_folder, list_commands
from hookline.handlers.builtins.call import make_output
from hookline.handlers.builtins.tool_facts import find_category
from hookline.paths import find_home
from hookline.text.script.evaluate import read_shell
from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.guards.finding import Finding
    from hookline.handlers.builtins.call import BuiltinCall, Output
    from hookline.text.script.reading import Call

# The weakest profile of the guard `commands` that has a rule -> how much the rule's commands
# destroy.
_RADII = (("baseline", "high"), ("strict", "medium"), ("paranoid", "low"))
_OPAQUE = "run.opaque"  # what is not known destroys nothing that is known
# Programs that change nothing and start nothing, whatever their arguments are.
_READERS = make_set("""
basename cat cut df diff dirname du echo false file grep head id ls nl pwd readlink realpath stat
tail test true uname uptime wc whoami
""")
_GIT_READERS = frozenset(("diff", "log", "show", "status"))
# Options of Git that write a file or start a program, also shortened.
_GIT_WRITES = re.compile(r"--(?:ou|ext|te)")


def safer_shell(asked: BuiltinCall) -> Output:
    """Handle a call of a shell: its label as metadata.

    Nothing on the lane of docker-agent that has no metadata.
    """
    event = asked.event
    if find_category(event) != "shell" or asked.native == "pre_tool_use":
        return None
    home, folder = find_home(asked.environ), find_folder(event)
    texts = list_commands(event.input)
    findings = [
        finding
        for text in texts
        for finding in judge_command(
            text,
            cwd=folder,
            home=home,
            project=event.project or event.cwd,
            profile="paranoid",
            clock=time.perf_counter,
        )
    ]
    if findings:
        return make_output(metadata=_describe(findings))
    if texts and all(_only_reads(text, folder, home) for text in texts):
        why = "it only reads"
        label = {"safety_label": "safe", "blast_radius": "none", "category": "read"}
    else:
        why = "no rule of the guard `commands` knows what it does"
        label = {"safety_label": "unknown", "blast_radius": "unknown", "category": "other"}
    return make_output(metadata={**label, "reason": why})


def _describe(findings: list[Finding]) -> dict[str, str]:
    """Return the label of the finding that destroys most."""
    for profile, radius in _RADII:
        rules = choose_rules(profile, ())
        for finding in findings:
            if finding.rule in rules and finding.rule != _OPAQUE:
                return {
                    "safety_label": "destructive",
                    "blast_radius": radius,
                    "category": finding.rule,
                    "reason": finding.reason,
                }
    unread = findings[0]
    return {
        "safety_label": "unknown",
        "blast_radius": "unknown",
        "category": unread.rule,
        "reason": unread.reason,
    }


def _only_reads(text: str, cwd: str, home: str) -> bool:
    """Return whether each program of a text is known to read only."""
    reading = read_shell(text, cwd=cwd, home=home, clock=time.perf_counter)
    return (
        bool(reading.calls)
        and not reading.unverified
        and not reading.files
        and all(map(_is_reader, reading.calls))
    )


def _is_reader(call: Call) -> bool:
    if call.language or call.redirects or call.assigned:
        return False
    words = call.texts
    if call.words and "/" in words[0]:
        return False
    if call.program == "git":
        return (
            words[1:2] != []
            and words[1] in _GIT_READERS
            and not any(_GIT_WRITES.match(word) for word in words)
        )
    return call.program in _READERS
