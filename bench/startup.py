"""Start-up: whole processes from spawn to exit, beside an interpreter that does nothing.

Run it as `python -m bench.startup`. A host starts `hookline answer` for every event, so this is
what each of its tool calls waits for.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.measure import Case, Goal, Report, finish, options, rounds_of, wait_for_quiet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bench.measure import Measured

FLOOR = "python -c pass"
GAP = 0.01  # hosts start us when they were waiting for a model
SUPERVISOR_BOUND = 0.5
# What people and shells type, and needs no engine: at most this many times the floor.
LIGHT = ("--help", "explain HKL1203", "schema decision", "completion bash", "show tool.before")
LIGHT_BOUND = 4
OTHER_TOOLS = ("Write", "Edit", "Read", "WebFetch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A host that calls `hookline answer`: its settings file, their content, and its payload."""

    name: str
    settings: str
    event: str
    tool: str
    payload: Mapping[str, Any]

    def tree(self, tools: Sequence[str]) -> dict[str, Any]:
        """Settings with one command hook for each of these tools, by exact name."""
        hook = {"type": "command", "command": "true"}
        return {"hooks": {self.event: [{"matcher": tool, "hooks": [hook]} for tool in tools]}}


CLAUDE_CODE = Host(
    name="claude-code",
    settings=".claude/settings.json",
    event="PreToolUse",
    tool="Bash",
    payload={
        "session_id": "s",
        "transcript_path": "/nowhere/transcript.jsonl",
        "cwd": "/",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls", "description": "list"},
    },
)


# -- processes -------------------------------------------------------------------------------------


def shots(
    argv: Sequence[str], stdin: str, environ: Mapping[str, str], *, cpu: bool
) -> Callable[[int], float]:
    """Samples of a whole process, with `stdin` as its input and its output dropped.

    With `cpu` its processor time counts.
    """
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]

    def sample(times: int) -> float:
        began, worked = time.perf_counter(), 0.0
        for _ in range(times):
            pid = os.posix_spawn(argv[0], argv, environ, file_actions=actions)
            _, status, used = os.wait4(pid, 0)
            worked += used.ru_utime + used.ru_stime
            if code := os.waitstatus_to_exitcode(status):
                raise SystemExit(f"`{' '.join(argv)}` exited with status {code}")
        return worked if cpu else time.perf_counter() - began

    return sample


def homes(folder: Path, speaker: Host) -> dict[str, Path]:
    """Two home folders: in one no hook matches the event, in the other one does."""
    made = {}
    for label, tools in (
        ("no hook matches", OTHER_TOOLS),
        ("one command hook", (*OTHER_TOOLS, speaker.tool)),
    ):
        made[label] = folder / label.replace(" ", "-")
        settings = made[label] / speaker.settings
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps(speaker.tree(tools)))
    return made


def commands(speaker: Host, home: Mapping[str, Path]) -> dict[str, tuple[list[str], Path]]:
    """What hookline is asked to do: the words after its name, and the home folder in which."""
    asked: dict[str, tuple[list[str], Path]] = {
        "--version": (["--version"], home["no hook matches"])
    }
    for label, place in home.items():
        asked[f"answer, {label}"] = (["answer", speaker.name], place)
    place = home["one command hook"]
    named = ["--config", str(place / speaker.settings), "--dialect", speaker.name]
    asked["fire, one command hook"] = (["fire", speaker.event, *named], place)
    empty = place.with_name("empty")
    empty.mkdir()
    return asked | {words: (words.split(), empty) for words in LIGHT}


def cases(folder: Path, speaker: Host, notes: list[str], *, cpu: bool) -> list[Case]:
    """Interpreters that do little, then hookline, as a module and as an installed script."""
    payload = folder / "payload.json"
    payload.write_text(json.dumps(speaker.payload))
    asked = commands(speaker, homes(folder, speaker))

    # An installed package has its byte code written; the warm-up writes that of a checkout.
    environ = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }

    def case(name: str, argv: list[str], home: Path, heading: str) -> Case:
        sample = shots(argv, str(payload), {**environ, "HOME": str(home)}, cpu=cpu)
        return Case(name=name, sample=sample, floor="" if name == FLOOR else FLOOR, heading=heading)

    bare = {
        FLOOR: ["-c", "pass"],
        "python -I -S -c pass": ["-I", "-S", "-c", "pass"],
        "python -c 'import json, argparse'": ["-c", "import json, argparse"],
    }
    made = [
        case(name, [sys.executable, *words], folder, "the interpreter")
        for name, words in bare.items()
    ]
    for caller, argv in callers(notes).items():
        made += [
            case(f"{caller} {name}", [*argv, *words], home, f"as `{caller}`")
            for name, (words, home) in asked.items()
        ]
    words, home = asked["answer, one command hook"]
    made += [
        case(name, [sys.executable, "-c", text.format(words=words)], home, "the supervisor")
        for name, text in ((ALONE, _ALONE), (SUPERVISED, _SUPERVISED))
    ]
    return made


def supervisor_cost(results: Mapping[str, Measured]) -> float:
    """What a supervisor costs an answer, as a part of `python -c pass`.

    The median round by round.
    """
    rounds = zip(*(results[name].rounds for name in (SUPERVISED, ALONE, FLOOR)), strict=True)
    return statistics.median((with_one - without) / floor for with_one, without, floor in rounds)


# What `answer` does before and after its work: fork, and pass a reply on. What that costs is the
# difference to one without.
ALONE = "answer, unsupervised"
_ALONE = """import gc, sys
gc.set_threshold(200_000)
from hookline.cli.answer import answer_main
code = answer_main({words!r}[1:])
gc.freeze()
sys.exit(code)"""
SUPERVISED = "answer, supervised"
_SUPERVISED = "import sys; sys.argv[1:] = {words!r}; from hookline.__main__ import main; main()"


def callers(notes: list[str]) -> dict[str, list[str]]:
    """The ways to start hookline that there are here."""
    ways = {"-m hookline": [sys.executable, "-m", "hookline"]}
    beside = Path(sys.executable).with_name("hookline")
    script = str(beside) if beside.exists() else shutil.which("hookline")
    if script:
        ways["hookline"] = [script]
    else:
        notes.append("no `hookline` script is installed beside this interpreter or on PATH")
    return ways


def extra_files() -> int:
    """How many `.pth` files every start of this interpreter reads.

    Each is time that is not ours.
    """
    return sum(
        len(list(Path(folder).glob("*.pth")))
        for folder in sys.path
        if folder.endswith("site-packages")
    )


def goals(present: Sequence[str]) -> tuple[Goal, ...]:
    """The goal: as the installed script, or as the module where there is none."""
    caller = "hookline" if "hookline --version" in present else "-m hookline"
    wanted = (
        "--version",
        "answer, no hook matches",
        "answer, one command hook",
        "fire, one command hook",
    )
    return (
        *(
            Goal(
                text=f"21: {caller} {name}",
                case=f"{caller} {name}",
                against=FLOOR,
                target=3,
                bound=4,
            )
            for name in wanted
        ),
        *(
            Goal(
                text=f"{caller} {name}",
                case=f"{caller} {name}",
                against=FLOOR,
                target=LIGHT_BOUND,
                bound=LIGHT_BOUND,
            )
            for name in LIGHT
        ),
    )


def main() -> int:
    """Measure, print, and return the exit code."""
    made = options("Start-up of whole processes.", rounds=30)
    made.add_argument(
        "--cpu",
        action="store_true",
        help="count processor time instead of waiting time: for a machine that is never quiet",
    )
    given = made.parse_args()
    busy = wait_for_quiet(given.wait)
    notes: list[str] = ["processor time, not waiting time"] if given.cpu else []
    if count := extra_files():
        notes.append(
            f"{count} .pth file(s) are read at every start of this interpreter, the floor "
            f"included: ratios look better than they are"
        )
    with tempfile.TemporaryDirectory(prefix="hookline-bench-") as folder:
        measured = cases(Path(folder), CLAUDE_CODE, notes, cpu=given.cpu)
        results = rounds_of(measured, rounds=given.rounds, batch=0, gap=GAP)
    cost = supervisor_cost(results)
    verdict = "met" if cost <= SUPERVISOR_BOUND else "MISSED"
    notes.append(
        f"the supervisor costs {cost:.2f} x `{FLOOR}` an answer, bound "
        f"{SUPERVISOR_BOUND:g}: {verdict}"
    )
    code = finish(
        Report(name="startup", unit="ms", results=results, goals=goals(list(results)), notes=notes),
        given,
        busy,
    )
    return 1 if given.check and cost > SUPERVISOR_BOUND else code


if __name__ == "__main__":
    sys.exit(main())
