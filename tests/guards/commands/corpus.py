"""Loads the labelled shell commands with which the guard `commands` is measured.

Nothing here runs a command: a case is a text and its label. Labels follow the policy, which the
README beside this file sums up, and never what a guard answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.guards.commands.templates import Expansion, build, expand

FOLDER = Path(__file__).parent / "cases"
CWD = "/home/ada/src/shop"  # a git work tree; the context of the parts `work` and `held`
HOME = "/home/ada"
BLIND_CWD = "/home/dev/work/app"  # the same for the part `blind`
BLIND_HOME = "/home/dev"

TIERS = ("baseline", "strict", "none")
PARTS = ("work", "held", "blind")
RULES = {
    "baseline": (
        "fs.root",
        "fs.overwrite",
        "disk.erase",
        "dos.forkbomb",
        "perm.recursive",
        "git.remote_reset",
        "exfil.file",
        "exfil.env",
        "exfil.commit",
    ),
    "strict": (
        "git.discard",
        "fs.local",
        "fs.outside",
        "db.drop",
        "infra.destroy",
        "container.prune",
        "exfil.encode",
        "system",
    ),
}
# Why a text cannot be decided; the first three are reported as unverified.
UNDECIDED = (
    "over-budget",
    "unreadable-risky",
    "unreadable",
    "unknown-program",
    "unknown-code",
    "unknown-operand",
)
# How a dangerous command is disguised; `none` is a command written as it is.
EVASIONS = (
    "none",
    "quoting",
    "splitting",
    "wrapper",
    "control_flow",
    "shell_string",
    "stdin_shell",
    "variables",
    "substitution",
    "encoding",
    "interpreter",
    "item_carrier",
    "remote",
    "cwd",
    "deferred",
)
DISGUISES = EVASIONS[1:]
# Why an ordinary command could raise a false alarm; `everyday` has no particular reason.
ALARMS = (
    "mention",
    "cleanup",
    "secret_handling",
    "dry_run",
    "network",
    "words",
    "prose",
    "near_miss",
    "everyday",
)


@dataclass(frozen=True, slots=True)
class Case:
    """One command and its label.

    Attributes:
        text: The command, as an agent would hand it to a shell.
        tier: The lowest profile that must block it: `baseline`, `strict`, or `none` for an
            ordinary command; `unverified` for a text that no guard can decide.
        rule: The id of the rule that blocks it, or one of `UNDECIDED`; empty if ordinary.
        class_name: One of `EVASIONS` for a dangerous command, else one of `ALARMS`.
        family: The template or idea behind the case; a family lies in one part only.
        part: `work` to improve the guard with, `held` and `blind` to measure it with.
        depth: How many layers of disguise surround the command.
        why: The reason of the label, where the text does not show it.
        source: The file that holds the case, below `FOLDER`.
    """

    text: str
    tier: str
    rule: str
    class_name: str
    family: str
    part: str
    depth: int
    why: str
    source: str

    @property
    def cwd(self) -> str:
        """The folder that the command runs in: the project's."""
        return BLIND_CWD if self.part == "blind" else CWD

    @property
    def home(self) -> str:
        """The user's home folder."""
        return BLIND_HOME if self.part == "blind" else HOME


@cache
def read_groups(path: Path) -> list[dict[str, Any]]:
    """Return the groups of cases that a file holds."""
    groups: list[dict[str, Any]] = YAML(typ="safe", pure=True).load(path)
    return groups


def list_files(kind: str) -> list[Path]:
    """Return the files of one kind, `dangerous` or `ordinary`, in the order of their names."""
    return [*sorted((FOLDER / kind).glob("*.yaml")), FOLDER / "blind" / f"{kind}.yaml"]


def read_lines(block: str) -> list[str]:
    """Return the commands of a block that holds one command a line."""
    return [line for line in block.split("\n") if line.strip()]


def read_texts(group: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the commands of a group, each with its class and its reason.

    `lines` holds one command a line, and `classes` the same for each class; `texts` holds commands
    of several lines, or commands with a reason of their own; `built` holds recipes of long texts.
    """
    why = str(group.get("why", ""))
    blocks = {group.get("class", ""): group.get("lines", ""), **group.get("classes", {})}
    found = [(line, name, why) for name, block in blocks.items() for line in read_lines(block)]
    for entry in [*group.get("texts", []), *group.get("built", [])]:
        own = entry if isinstance(entry, dict) else {"text": entry}
        text = own["text"] if "text" in own else build(own)
        class_name = own.get("class", group.get("class", ""))
        found.append((text.rstrip("\n"), class_name, own.get("why", why)))
    return found


def make_cases(path: Path) -> list[Case]:
    """Return the cases of one file."""
    return [
        Case(
            text=text,
            tier=group.get("tier", "none"),
            rule=group.get("rule", ""),
            class_name=class_name,
            family=group["family"],
            part=group["part"],
            depth=group.get("depth", int(class_name in DISGUISES)),
            why=why,
            source=path.relative_to(FOLDER).as_posix(),
        )
        for group in read_groups(path)
        for text, class_name, why in read_texts(group)
    ]


def make_expanded_case(expansion: Expansion) -> Case:
    """Return the case that a template makes."""
    return Case(
        text=expansion.text,
        tier=expansion.payload.tier,
        rule=expansion.payload.rule,
        class_name=expansion.class_name,
        family=expansion.family,
        part=expansion.part,
        depth=expansion.depth,
        why="",
        source="templates.yaml",
    )


def load_cases() -> list[Case]:
    """Return every decided case, dangerous ones first, in a fixed order."""
    dangerous = [case for path in list_files("dangerous") for case in make_cases(path)]
    by_hand = {case.text for case in dangerous}
    expanded = [
        make_expanded_case(each)
        for each in expand(FOLDER / "templates.yaml")
        if each.text not in by_hand
    ]
    ordinary = [case for path in list_files("ordinary") for case in make_cases(path)]
    return [*dangerous, *expanded, *ordinary]


def load_unverified() -> list[Case]:
    """Return the texts that no guard can decide, each with its reason."""
    return make_cases(FOLDER / "unverified.yaml")
