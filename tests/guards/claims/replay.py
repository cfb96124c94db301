"""Replays replies with their tool calls through the guard, and counts what it refuses.

`python -m tests.guards.claims.replay FILE` prints the counts of a file: YAML in the form of
`replayed.yaml`, or JSON with one case a line.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ruamel.yaml import YAML

import hookline
from hookline import Stance
from tests.guards.measure import Share

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = Path(__file__).parent
REPLAYED = FOLDER / "replayed.yaml"
NOW = 1_790_000_000.0
REGISTRIES = {"preview": "previews", "post": "posts", "job": "jobs"}
LANGUAGES = {"en": "english", "zh": "chinese"}
_MINUTES = "_minutes_ago"


class Case(NamedTuple):
    """A reply with the tool calls before it, and whether the guard has to refuse it.

    `calls` are the arguments of events, in order. `registries` are the contents of the files that
    the options of the guard name. `is_recorded` is False if the guard cannot know all calls.
    """

    name: str
    reply: str
    kinds: tuple[str, ...]
    form: str
    language: str
    is_caught: bool
    calls: tuple[dict[str, Any], ...] = ()
    registries: Mapping[str, list[dict[str, Any]]] = MappingProxyType({})
    is_recorded: bool = True


class Outcome(NamedTuple):
    """What the guard did about a case."""

    case: Case
    is_refused: bool
    text: str


def load_replies(path: Path = REPLAYED) -> list[Case]:
    """Return the cases of a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [_read_case(json.loads(line)) for line in text.splitlines() if line.strip()]
    document = YAML(typ="safe").load(text)
    claims = [
        _read_case(
            {
                **row,
                **row[verdict],
                "verdict": verdict,
                "id": f"{place}-{verdict}",
                "form": "true claim" if verdict == "pass" else "false claim",
            }
        )
        for place, row in enumerate(document["claims"])
        for verdict in ("pass", "caught")
        if verdict in row
    ]
    return claims + [
        _read_case({"reply": text, "form": form, "id": f"{form}-{place}", "verdict": "pass"})
        for form, texts in document["no_claims"].items()
        for place, text in enumerate(texts)
    ]


def replay(cases: list[Case]) -> list[Outcome]:
    """Return what the guard does about each reply, after the tool calls of its session."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        files = {name: home / f"{name}.json" for name in REGISTRIES.values()}
        options = {name: str(file) for name, file in files.items()}
        engine = hookline.Engine.from_config(
            {"version": 1, "hooks": [{"use": "claims", "with": options}]},
            dialect="hookline",
            trust="all",
            cwd=home,
            environ={"HOME": str(home)},
            clock=lambda: NOW,
        )
        outcomes = []
        for case in cases:
            for name, file in files.items():
                file.write_text(json.dumps(case.registries.get(name, [])), encoding="utf-8")
            outcomes.append(_replay_case(engine, case))
        return outcomes


def count_replies(outcomes: list[Outcome]) -> tuple[Share, Share]:
    """The share of false claims that the guard refuses, and of other replies that it refuses."""
    caught = [each.is_refused for each in outcomes if each.case.is_caught]
    passed = [each.is_refused for each in outcomes if not each.case.is_caught]
    return Share(sum(caught), len(caught)), Share(sum(passed), len(passed))


def report_replies(outcomes: list[Outcome]) -> None:
    """Print the counts by language, kind and form, and each reply that the guard gets wrong."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for each in outcomes:
        groups[f"1 language: {LANGUAGES[each.case.language]}"].append(each)
        for kind in each.case.kinds:
            groups[f"2 kind: {kind}"].append(each)
        groups[f"3 form: {each.case.form}"].append(each)
    groups["4 all"] = outcomes
    for name, own in sorted(groups.items()):
        recall, false = count_replies(own)
        parts = [
            f"refused {recall}" if recall.of else "",
            f"false alarms {false}" if false.of else "",
        ]
        print(f"  {name[2:]:24} {'; '.join(filter(None, parts))}")  # noqa: T201 - a report
    for each in outcomes:
        if each.is_refused != each.case.is_caught:
            label = "false alarm" if each.is_refused else "missed"
            print(f"  {label} {each.case.name}: {each.case.reply!r} {each.text}")  # noqa: T201


def _replay_case(engine: hookline.Engine, case: Case) -> Outcome:
    session = {"session_id": case.name, "cwd": "/srv"} if case.is_recorded else {"cwd": "/srv"}
    for call in case.calls:
        given = {"tool": call["tool"], "input": call["input"]}
        engine.fire("tool.before", {**session, **given})
        engine.fire(call["event"], {**session, **given, **call["end"]})
    decision = engine.fire("stop", {**session, "last_message": case.reply})
    text = decision.reason or "; ".join(decision.for_user)
    return Outcome(case, decision.stance is Stance.DENY, text)


def _read_case(row: dict[str, Any]) -> Case:
    registries: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in row.get("objects", ()):
        registries[REGISTRIES[entry["object"]]].append(_read_entry(entry))
    return Case(
        name=row["id"],
        reply=row["reply"],
        kinds=tuple(row.get("claims", ())),
        form=row["form"],
        language=row.get("language") or ("en" if row["reply"].isascii() else "zh"),
        is_caught=row["verdict"] == "caught",
        calls=tuple(map(_read_call, row.get("ledger", ()))),
        registries=registries,
        is_recorded=row.get("ledger_complete", True),
    )


def _read_entry(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of a registry, with times instead of minutes ago."""
    return {
        (f"{key.removesuffix(_MINUTES)}_at" if key.endswith(_MINUTES) else key): (
            NOW - 60 * value if key.endswith(_MINUTES) else value
        )
        for key, value in entry.items()
        if key != "object"
    }


def _read_call(call: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of the events of a call: a shell gives its exit code."""
    output, code, is_ok = call.get("output", ""), call.get("exit_code"), call.get("ok", True)
    if code is None and not is_ok:
        event, end = "tool.failure", {"error": output or "failed"}
    else:
        shell = {"exit_code": code, "stdout": output}
        event, end = "tool.after", {"result": output if code is None else shell}
    return {"tool": call["tool"], "input": call.get("input", {}), "event": event, "end": end}


if __name__ == "__main__":
    report_replies(replay(load_replies(Path(sys.argv[1]))))
