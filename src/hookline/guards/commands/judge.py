"""Judges a shell call: reads its commands, and applies the rules of the profile."""

from __future__ import annotations

import shlex
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain

from hookline.guards.commands.cloud_code import judge_cloud_code
from hookline.guards.commands.databases import DATABASE_RULES, judge_database_code
from hookline.guards.commands.disks import DISK_RULES, judge_disk_redirects
from hookline.guards.commands.files import FILE_RULES, judge_redirects, judge_written_code
from hookline.guards.commands.flow import judge_flows
from hookline.guards.commands.git import GIT_RULES
from hookline.guards.commands.hits import Hit
from hookline.guards.commands.paranoid import judge_paranoid
from hookline.guards.commands.places import Scene
from hookline.guards.commands.profiles import RISKY, UNVERIFIED, choose_rules
from hookline.guards.commands.services import SERVICE_RULES, judge_kernel_triggers
from hookline.guards.commands.windows import WINDOWS_RULES
from hookline.guards.finding import UNVERIFIED as UNVERIFIED_RULE
from hookline.guards.finding import Answer, Finding
from hookline.model.verdict import Stance
from hookline.text import lazy_re as re
from hookline.text.masking import mask_text
from hookline.text.script.budget import Budget, OverBudgetError
from hookline.text.script.evaluate import read_shell
from hookline.text.script.reading import MOST_BYTES, Word
from hookline.text.script.windows import read_cmd, read_powershell, read_started

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from hookline.guards.commands.hits import Rule, Rules
    from hookline.guards.world import World
    from hookline.model.event import Event
    from hookline.text.script.reading import Call, Reading

_SECONDS = 0.03  # of the reading and the judgement
_LONGEST_PATTERN = 64
_LONGEST_EVIDENCE = 4096
_KEYS = ("command", "cmd", "script", "commands")
_FOLDERS = ("cwd", "workdir", "working_dir", "directory", "dir_path")
# Blanks that look like one, and signs that nobody sees.
_ODD = {
    **dict.fromkeys(
        map(
            ord,
            "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
        ),
        " ",
    ),
    **dict.fromkeys(
        map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u200e\u200f\u2061\u2062\u2063"), None
    ),
}
_WORD = re.compile(r"[\w.-]+")
_RULES = (FILE_RULES, DISK_RULES, GIT_RULES, SERVICE_RULES, DATABASE_RULES, WINDOWS_RULES)


def judge(event: Event, options: Mapping[str, Any], world: World) -> Answer | None:
    """Return what the guard `commands` has against a call of a tool."""
    findings = [
        finding
        for text in list_commands(event.input)
        for finding in judge_command(
            text,
            cwd=find_folder(event),
            home=world.home,
            project=world.project or event.cwd,
            profile=options.get("profile", "baseline"),
            language=_find_language(event),
            changes=tuple(options.get("rules", ())),
            clock=world.clock,
        )
    ]
    return Answer(findings=tuple(findings)) if findings else None


def _find_language(event: Event) -> str:
    """Return the shell of Windows that a tool runs a text in; empty for another one."""
    given = event.input if isinstance(event.input, dict) else {}
    name = f"{event.tool} {given.get('shell', '')}".lower()
    if "powershell" in name or "pwsh" in name:
        return "powershell"
    return "cmd" if re.search(r"\bcmd(?:\.exe)?\b", name) else ""


def judge_command(
    text: str,
    *,
    cwd: str,
    home: str,
    project: str = "",
    profile: str = "baseline",
    changes: tuple[str, ...] = (),
    language: str = "",
    clock: Callable[[], float] | None = None,
) -> list[Finding]:
    """Return what a profile has against a shell text.

    Args:
        text: the text.
        cwd: the folder that it runs in.
        home: the user's home folder.
        project: the folder of the project; by default `cwd`.
        profile: `baseline`, `strict` or `paranoid`.
        changes: rules to add, or with `-` before them to leave out.
        language: `powershell` or `cmd`; by default that of bash.
        clock: seconds of processor time, to end a long reading after 25 ms, and the judgement after
            30 ms.
    """
    budget = Budget(clock, _SECONDS)
    rules = choose_rules(profile, changes)
    is_plain = text.isascii() or len(text) > MOST_BYTES
    plain = text if is_plain else text.translate(_ODD)
    if language:
        read = read_powershell if language == "powershell" else read_cmd
        reading = read(plain, budget, cwd=cwd, home=home)
    else:
        reading = read_started(read_shell(plain, cwd=cwd, home=home, clock=clock), budget, home)
    scene = Scene(home, project or cwd, budget)
    found: dict[tuple[str, str], Finding] = {}
    try:
        for hit, call in list_hits(reading, scene, is_paranoid=profile == "paranoid"):
            stance = rules.get(hit.rule)
            if stance is not None and (hit.rule, hit.reason) not in found:
                found[hit.rule, hit.reason] = _make_finding(hit, call, text, stance)
    except OverBudgetError as error:
        reading = reading._replace(unverified=(*reading.unverified, str(error)))
    if reading.unverified and not any(each.stance >= Stance.DENY for each in found.values()):
        finding = _judge_unread(text, reading, profile)
        found[UNVERIFIED_RULE, ""] = finding
    return list(found.values())


def list_hits(
    reading: Reading, scene: Scene, *, is_paranoid: bool = False
) -> Iterator[tuple[Hit, Call | None]]:
    """Yield each rule that a reading breaks, whatever the profile, with the call that breaks it.

    Raises:
        OverBudgetError: the judgement took too long.
    """
    for call in map(_resolve_program, reading.calls):
        scene.budget.check()
        for rule in _list_rules(call):
            scene.budget.check_now()
            for hit in rule(call, scene):
                yield hit, call
    if reading.is_fork_bomb:
        yield Hit("dos.forkbomb", "it starts itself again and again", "use a bounded loop"), None
    of_all = [judge_flows(reading, scene)]
    if is_paranoid:
        of_all.append(judge_paranoid(reading, scene))
    for hit in chain.from_iterable(of_all):
        yield hit, None


def _list_rules(call: Call) -> Iterator[Rule]:
    """Yield the rules that concern a call, by its program and its redirections."""
    name = call.program
    if not call.language:
        for rules in _RULES:
            rule = rules.get(name) or _find_family(rules, name)
            if rule is not None:
                yield rule
    else:
        yield from (judge_written_code, judge_database_code, judge_cloud_code, _judge_forks)
    if call.redirects or name == "tee":
        yield from (judge_redirects, judge_disk_redirects, judge_kernel_triggers)


_FORKS = re.compile(
    r"(?:while|loop|until|for ?\( ?;).{0,60}\bfork\b"
    r"|\bfork\b.{0,20}(?:while|until|for \w+ in (?:iter|itertools))\b"
)


def _judge_forks(call: Call, _scene: Scene) -> Iterator[Hit]:
    """Judge a loop in another language that starts itself without end."""
    if _FORKS.search(" ".join(call.code.split())):
        yield Hit("dos.forkbomb", "it starts itself again and again", "use a bounded loop")


def _find_family(rules: Rules, name: str) -> Rule | None:
    """Return the rule of `mkfs` for `mkfs.ext4`."""
    head, dot, _ = name.partition(".")
    return rules.get(head) if dot and head == "mkfs" else None


def _resolve_program(call: Call) -> Call:
    """Return a call whose program is a glob, such as `/bin/r?`, with a program that it may be."""
    name = call.program
    if len(name) > _LONGEST_PATTERN or not any(sign in name for sign in "?*["):
        return call
    found = _find_program(name)
    return call._replace(words=(Word(found), *call.words[1:])) if found else call


@lru_cache(maxsize=64)
def _find_program(pattern: str) -> str:
    """Return a program with rules that a glob names; empty if it names none."""
    known = (each for rules in _RULES for each in rules)
    return next((each for each in known if fnmatchcase(each, pattern)), "")


def _make_finding(hit: Hit, call: Call | None, text: str, stance: Stance) -> Finding:
    shown = call.text if call is not None and call.words else text
    if call is not None and call.via and call.words:
        shown = f"{shown} (by {' > '.join(call.via)})"
    return Finding(
        rule=hit.rule,
        reason=hit.reason,
        evidence=mask_text(_shorten(shown)),
        instead=hit.instead,
        stance=stance,
        command=text.strip(),
        paths=hit.paths,
    )


def _shorten(text: str) -> str:
    """Return the beginning of a long text, up to the end of a word."""
    if len(text) <= _LONGEST_EVIDENCE:
        return text
    return f"{text[:_LONGEST_EVIDENCE].rpartition(' ')[0]} ..."


def _judge_unread(text: str, reading: Reading, profile: str) -> Finding:
    """Return that a part was not read, with what the profile makes of that."""
    risky, harmless = UNVERIFIED[profile]
    is_risky = not RISKY.isdisjoint(_WORD.findall(text[: 1 << 16])) or len(text) > 1 << 16
    return Finding(
        rule=UNVERIFIED_RULE,
        reason=f"hookline could not check all of this command: {reading.unverified[0]}",
        instead="write it as shorter, plain commands",
        stance=risky if is_risky else harmless,
        command=text.strip(),
    )


# -- the input of a tool ---------------------------------------------------------------------------


def list_commands(given: Any) -> list[str]:
    """Return the shell texts in a tool's input, whatever its shape."""
    if not isinstance(given, dict):
        return []
    found: list[str] = []
    for key in _KEYS:
        value = given.get(key)
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            found += list_commands(value)
        elif isinstance(value, list):
            found += _read_list(value, are_commands=key == "commands")
    return found


def _read_list(value: list[Any], *, are_commands: bool) -> list[str]:
    """Return a list of words as one command; a list of commands or objects as several."""
    if value and all(isinstance(word, str) for word in value):
        is_lines = are_commands or (len(value) > 1 and all(" " in word for word in value))
        return list(value) if is_lines else [shlex.join(value) if len(value) > 1 else value[0]]
    return [text for each in value for text in list_commands(each)]


def find_folder(event: Event) -> str:
    """Return the folder that a shell call names, else that of the event."""
    given = event.input
    if isinstance(given, dict):
        for key in _FOLDERS:
            folder = given.get(key)
            if isinstance(folder, str) and folder:
                if folder.startswith("/"):
                    return folder
                return f"{event.cwd.rstrip('/')}/{folder}"
    return event.cwd
