"""Plays a conformance vector: real loading, planning, dispatch and answering.

Scripted outcomes instead of processes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hookline.core.dialect import Companion, Source
from hookline.core.dispatch import Run, dispatch
from hookline.core.plan import plan
from hookline.core.registry import Registry
from hookline.engine.catalog import make_dialect
from hookline.errors import CodecError, ConfigError
from hookline.model.spec import InProcess
from hookline.model.verdict import Failure, Outcome

VECTORS = Path(__file__).parent / "vectors"
USUAL_NAMES = {
    "hookline": "hookline.yaml",
    "docker-agent": "hooks.yaml",
    "cursor": "hooks.json",
    "claude-code": "settings.json",
    "copilot": "hooks.json",
    "codex": "hooks.json",
    "qwen": "settings.json",
    "openhands": "hooks.json",
    "cline": "PreToolUse",
    "kimi": "config.toml",
    "gemini": "settings.json",
    "agenthooks": "HOOK.md",
    "a3s": "hooks.json",
    "starchild": "shell_hooks.yaml",
    "hermes": "config.yaml",
}


def vectors() -> list[Path]:
    """Every vector file, sorted."""
    return sorted(VECTORS.glob("*/*.json"))


class Play:
    """What happened when a vector was played."""

    def __init__(self, vector: dict[str, Any], dialect_name: str) -> None:
        self.vector = vector
        self.dialect = make_dialect(dialect_name, vector.get("options", {}))
        self.sources = self._sources(dialect_name)
        self.specs, self.problems = self._load()
        self.ran: list[int] = []
        self.detached: list[int] = []
        self.sent: dict[int, str] = {}
        self.event: Any = None
        self.decision: Any = None
        self.reply: Any = None
        if "payload" in vector:
            self._fire()

    def _load(self) -> tuple[list[Any], list[Any]]:
        specs: list[Any] = []
        problems: list[Any] = []
        for source in self.sources:
            loaded = self.dialect.load(source)
            specs += loaded.specs
            problems += loaded.problems
        combined = self.dialect.combine(tuple(specs))
        return list(combined.specs), problems + list(combined.problems)

    def _sources(self, dialect_name: str) -> list[Source]:
        vector = self.vector
        if "sources" in vector:
            return [self._source(given, dialect_name) for given in vector["sources"]]
        given: dict[str, Any] = {"mode": vector.get("mode", "fidelity")}
        if "text" in vector:
            given |= {"text": vector["text"], "file": vector.get("file", USUAL_NAMES[dialect_name])}
        elif "config" in vector:
            given |= {"tree": vector["config"], "file": vector.get("file", "")}
        else:
            return []
        return [self._source(given, dialect_name)]

    @staticmethod
    def _source(given: dict[str, Any], dialect_name: str) -> Source:
        fields = {
            key: given[key]
            for key in ("text", "tree", "scope", "mode", "trusted", "names")
            if key in given
        }
        companions = {
            path: Companion(path=path, **facts)
            for path, facts in given.get("companions", {}).items()
        }
        return Source(
            file=given.get("file", USUAL_NAMES[dialect_name]), companions=companions, **fields
        )

    def _fire(self) -> None:
        event = self.event = self.dialect.decode_event(
            self.vector["payload"], self.vector.get("event", "")
        )
        registry = Registry().with_(self.specs, self.dialect)
        asking = dispatch(
            plan(registry, event, self.dialect, headless=self.vector.get("headless", False)), event
        )
        try:
            runs = next(asking)
            while True:
                runs = asking.send(tuple(self._perform(run) for run in runs))
        except StopIteration as stop:
            self.decision = stop.value
        self.reply = self.dialect.encode_decision(self.decision, event)

    def _perform(self, run: Run) -> Outcome:
        position = [spec.id for spec in self.specs].index(run.spec.id)
        (self.detached if run.detached else self.ran).append(position)
        if run.payload is not None:
            self.sent[position] = run.payload
        elif isinstance(run.spec.handler, InProcess):
            self.sent[position] = self.dialect.encode_event(run.event, run.spec)
        if run.detached:
            return Outcome()
        if self._script(position).get("own"):
            return Outcome(answer=run.spec.handler.call(run.event))
        return self.outcome(position)

    def outcome(self, position: int) -> Outcome:
        """What the vector says that the process of a hook does."""
        return scripted(self._script(position))

    def _script(self, position: int) -> dict[str, Any]:
        outcomes = self.vector.get("outcomes", [])
        if isinstance(outcomes, dict):
            return dict(outcomes.get(str(position), {}))
        return dict(outcomes[position]) if position < len(outcomes) else {}


def scripted(script: dict[str, Any]) -> Outcome:
    """An outcome as a vector writes it."""
    stdout = script.get("stdout", "")
    failure = Failure[script["failure"].upper()] if "failure" in script else None
    return Outcome(
        exit_code=None if failure else script.get("exit", 0),
        stdout=stdout if isinstance(stdout, str) else json.dumps(stdout),
        stderr=script.get("stderr", ""),
        answer=script.get("answer"),
        failure=failure,
        detail=script.get("detail", ""),
        truncated=script.get("truncated", False),
        leftovers=script.get("leftovers", False),
    )


def mismatches(vector: dict[str, Any], dialect_name: str) -> list[str]:
    """Everything in which a vector's play differs from what it expects; empty when it conforms."""
    expect = vector["expect"]
    dialect_name = vector.get("dialect", dialect_name)
    if "error" in expect:
        return _refused(vector, dialect_name)
    play = Play(vector, dialect_name)
    found: list[str] = []
    if "hooks" in expect:
        found += _compare(
            "hooks",
            [_shown(spec, want) for spec, want in zip(play.specs, expect["hooks"], strict=False)],
            expect["hooks"],
        )
        found += _compare("number of hooks", len(play.specs), len(expect["hooks"]))
    if "problems" in expect:
        found += _compare(
            "problems",
            sorted(problem.name for problem in play.problems),
            sorted(expect["problems"]),
        )
    printed = "\n".join(str(problem) for problem in play.problems)
    found += [
        f"no problem says {text!r}: {printed}"
        for text in expect.get("problem_texts", [])
        if text not in printed
    ]
    for key in ("ran", "detached"):
        if key in expect:
            found += _compare(key, getattr(play, key), expect[key])
    for position, want in expect.get("sent", {}).items():
        text = play.sent.get(int(position), "null")
        found += _compare(f"sent to {position}", json.loads(text), want)
    for position, want in expect.get("sent_text", {}).items():
        found += _compare(f"sent to {position}", play.sent.get(int(position)), want)
    if "decision" in expect:
        found += _decision(play.decision.to_dict(), expect["decision"])
    if "reply" in expect:
        found += _reply(play.reply, expect["reply"])
    return found


def _refused(vector: dict[str, Any], dialect_name: str) -> list[str]:
    wanted = {"codec": CodecError, "config": ConfigError}[vector["expect"]["error"]]
    try:
        Play(vector, dialect_name)
    except wanted as error:
        text = vector["expect"].get("error_text", "")
        return [] if text in str(error) else [f"the error says {error}, not {text!r}"]
    return ["nothing was refused"]


def _shown(spec: Any, want: dict[str, Any]) -> dict[str, Any]:
    known: dict[str, Any] = {
        "handler": type(spec.handler).__name__.lower(),
        "line": spec.origin.line,
        "pointer": spec.origin.pointer,
        "on_failure": spec.on_failure.name.lower(),
        "script": getattr(spec.handler, "script", None),
        "argv": list(getattr(spec.handler, "argv", ())),
    }
    return {key: known[key] if key in known else getattr(spec, key) for key in want}


def _decision(document: dict[str, Any], want: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for key, value in want.items():
        if key == "lowered":
            found += _compare("lowered", [entry["effect"] for entry in document["lowered"]], value)
        elif key == "verdicts":
            found += _compare("number of verdicts", len(document["verdicts"]), len(value))
            for at, (verdict, partial) in enumerate(zip(document["verdicts"], value, strict=False)):
                found += _compare(
                    f"verdict {at}", {part: verdict[part] for part in partial}, partial
                )
        else:
            found += _compare(key, document.get(key), value)
    return found


def _reply(reply: Any, want: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for key, value in want.items():
        got = getattr(reply, key)
        if isinstance(value, dict):
            got = json.loads(got) if got.strip() else None
        found += _compare(f"reply.{key}", got, value)
    return found


def _compare(what: str, got: Any, want: Any) -> list[str]:
    return [] if got == want else [f"{what}: got {got!r}, expected {want!r}"]
