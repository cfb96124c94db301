"""A conversion played on a vector: the hooks in their own dialect, and in another dialect."""

from __future__ import annotations

import json
import shlex
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hookline.core.dialect import Companion, Source
from hookline.core.dispatch import dispatch
from hookline.core.plan import plan
from hookline.core.registry import Registry
from hookline.core.tool_aliases import rename_for_hook
from hookline.engine.catalog import make_dialect
from hookline.engine.convert import convert
from hookline.engine.engine import Engine
from hookline.engine.relay_scripts import Originals
from hookline.engine.sources import Given
from hookline.model.verdict import Outcome
from tests.conformance.player import Play

if TYPE_CHECKING:
    from hookline.core.dispatch import Run
    from hookline.engine.convert import Conversion
    from hookline.model.event import Event
    from hookline.model.spec import HookSpec
    from hookline.model.verdict import Decision


class Converted:
    """A vector's hooks as files of another dialect, and what these decide on the vector's event."""

    def __init__(self, vector: dict[str, Any], dialect_name: str, target: str) -> None:
        self.play = Play(vector, dialect_name)
        self.own = self.play.dialect
        self.target = make_dialect(target)
        self.engine = Engine(cwd="/w")
        options = vector.get("options", {})
        dialect = self.engine.loader.dialects.make_host(dialect_name, options)
        for source in self.play.sources:
            self.engine.loader.load(Given(source=source, dialect=dialect))
        self.originals = Originals(self.engine)
        self.conversion: Conversion = convert(self.engine, self.target)
        self.hooks = self._loaded()

    def _loaded(self) -> list[HookSpec]:
        """The hooks of the written files, as their dialect loads them."""
        files = self.conversion.files
        companions = {
            "scripts/run": Companion(path="scripts/run", executable=True, head="#!/bin/sh")
        }
        loaded = [
            self.target.load(
                Source(
                    file=path,
                    text=text,
                    companions=companions,
                    names={"folder": path.rpartition("/")[0]},
                )
            )
            for path, text in files.items()
            if not path.endswith("/run")
        ]
        assert [
            str(problem)
            for held in loaded
            for problem in held.problems
            if problem.severity == "error"
        ] == []
        return list(
            self.target.combine(tuple(spec for held in loaded for spec in held.specs)).specs
        )

    @cached_property
    def event(self) -> Event:
        """The vector's event with the target host's own names of tools and inputs."""
        row = self.target.table.row_of_kind(self.play.event.kind)
        assert row is not None
        spec = next(spec for spec in self.hooks if spec.kind == self.play.event.kind)
        told = rename_for_hook(
            spec.replace(match_tools="canonical", conditions=()), self.play.event
        )
        return self.target.decode_event(
            json.loads(self.target.encode_event(told, spec)), row.native
        )

    def expected(self) -> Decision:
        """What the hooks themselves decide when the target's host tells of the event."""
        ids = [spec.id for spec in self.play.specs]
        hooks = [spec.replace(match_tools="canonical") for spec in self.play.specs]
        return self._asked(
            Registry().with_(hooks, self.own),
            self.event,
            lambda run: self.play.outcome(ids.index(run.spec.id)),
        )

    def decided(self) -> Decision:
        """What the written files decide of the same event."""
        return self._asked(Registry().with_(self.hooks, self.target), self.event, self._relay)

    def _asked(self, registry: Registry, event: Event, perform: Any) -> Decision:
        asking = dispatch(plan(registry, event, self.target), event)
        try:
            runs = next(asking)
            while True:
                runs = asking.send(tuple(perform(run) for run in runs))
        except StopIteration as stop:
            decision: Decision = stop.value
            return decision

    def _relay(self, run: Run) -> Outcome:
        """What `hookline answer` does with the one hook that stands on its command line."""
        words = shlex.split(self._command(run.spec))
        position = self._position(words)
        config = words[words.index("--config") + 1]
        spec = self.play.specs[position]
        if config.startswith("{"):  # else it is the hook's own folder
            mode = words[words.index("--mode") + 1] if "--mode" in words else "fidelity"
            (spec,) = self.own.load(Source(tree=json.loads(config), mode=mode)).specs
        event = self.target.decode_event(json.loads(run.payload or "{}"), run.spec.native_event)
        registry = Registry().with_([spec.replace(match_tools="canonical")], self.own)
        decision = self._asked(registry, event, lambda _: self.play.outcome(position))
        reply = self.target.encode_decision(decision, event)
        return Outcome(exit_code=reply.exit_code, stdout=reply.stdout, stderr=reply.stderr)

    def _command(self, spec: HookSpec) -> str:
        handler: Any = spec.handler
        if handler.script:
            return str(handler.script)
        if spec.origin.file in self.conversion.programs:  # the file is the hook
            return self.conversion.files[spec.origin.file].splitlines()[1]
        folder = f"{spec.facts.get('directory', '')}/scripts/run"
        return (
            self.conversion.files[folder].splitlines()[1]
            if folder in self.conversion.files
            else shlex.join(handler.argv)
        )

    def _position(self, words: list[str]) -> int:
        ours = [at for at, spec in enumerate(self.play.specs) if self._is(spec, words)]
        return ours[0]

    def _is(self, spec: HookSpec, words: list[str]) -> bool:
        known = {held.id for held in self.engine.hooks}
        return (
            spec.id in known and self.originals.config(spec) == words[words.index("--config") + 1]
        )
