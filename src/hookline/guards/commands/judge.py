"""Judges a shell call: reads its commands, and applies the rules of the profile."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain

from hookline.guards.commands.databases import DATABASE_RULES, judge_database_code
from hookline.guards.commands.disks import DISK_RULES, judge_disk_redirects
from hookline.guards.commands.flow import judge_flows
from hookline.guards.commands.foreign_code import judge_cloud_code, judge_process_code
from hookline.guards.commands.git import GIT_RULES
from hookline.guards.commands.hits import Hit
from hookline.guards.commands.overwrites import OVERWRITE_RULES, judge_redirects, judge_written_code
from hookline.guards.commands.paranoid import judge_paranoid
from hookline.guards.commands.permissions import PERMISSION_RULES
from hookline.guards.commands.places import Context
from hookline.guards.commands.profiles import RISKY, UNVERIFIED, choose_rules
from hookline.guards.commands.removal import REMOVAL_RULES
from hookline.guards.commands.services import SERVICE_RULES, judge_kernel_triggers
from hookline.guards.commands.tool_input import find_folder, find_language, list_commands
from hookline.guards.commands.windows import WINDOWS_RULES
from hookline.guards.finding import UNVERIFIED as UNVERIFIED_RULE
from hookline.guards.finding import Answer, Finding
from hookline.model.verdict import Stance
from hookline.text import lazy_re as re
from hookline.text.masking import mask_text
from hookline.text.script.budget import Budget, OverBudgetError
from hookline.text.script.evaluate import read_shell
from hookline.text.script.reading import MOST_BYTES, Word
from hookline.text.script.windows import read_started, read_windows

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
# Signs that look like a blank, and signs without a width.
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
_RULES = (
    REMOVAL_RULES,
    OVERWRITE_RULES,
    PERMISSION_RULES,
    DISK_RULES,
    GIT_RULES,
    SERVICE_RULES,
    DATABASE_RULES,
    WINDOWS_RULES,
)


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
            language=find_language(event),
            changes=tuple(options.get("rules", ())),
            clock=world.clock,
        )
    ]
    return Answer(findings=tuple(findings)) if findings else None


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
        reading = read_windows(plain, language, budget, cwd=cwd, home=home)
    else:
        reading = read_started(read_shell(plain, cwd=cwd, home=home, clock=clock), budget, home)
    context = Context(home, project or cwd, budget)
    found: dict[tuple[str, str], Finding] = {}
    try:
        for hit, call in _list_hits(reading, context, is_paranoid=profile == "paranoid"):
            stance = rules.get(hit.rule)
            if stance is not None and (hit.rule, hit.reason) not in found:
                found[hit.rule, hit.reason] = _make_finding(hit, call, text, stance)
    except OverBudgetError as error:
        reading = reading._replace(unverified=(*reading.unverified, str(error)))
    if reading.unverified and not any(each.stance >= Stance.DENY for each in found.values()):
        finding = _judge_unread(text, reading, profile)
        found[UNVERIFIED_RULE, ""] = finding
    return list(found.values())


def _list_hits(
    reading: Reading, context: Context, *, is_paranoid: bool = False
) -> Iterator[tuple[Hit, Call | None]]:
    """Yield each rule that a reading breaks, whatever the profile, with the call that breaks it.

    Raises:
        OverBudgetError: the judgement took too long.
    """
    for call in map(_resolve_program, reading.calls):
        context.budget.check()
        for rule in _list_rules(call):
            context.budget.check_now()
            for hit in rule(call, context):
                yield hit, call
    if reading.is_fork_bomb:
        yield Hit("dos.forkbomb", "it starts itself again and again", "use a bounded loop"), None
    of_all = [judge_flows(reading, context)]
    if is_paranoid:
        of_all.append(judge_paranoid(reading, context))
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
        yield from (judge_written_code, judge_process_code, judge_database_code, judge_cloud_code)
    if call.redirects or name == "tee":
        yield from (judge_redirects, judge_disk_redirects, judge_kernel_triggers)


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
