"""`hookline schema`: each schema is valid, and each document that hookline prints fits its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import hookline
from hookline.cli.schema import list_schemas, read_schema
from hookline.engine.catalog import make_dialect
from hookline.engine.decorators import make_own_hook
from hookline.model import kinds
from hookline.model.verdict import Stance
from tests.unit.cli.support import AGENTHOOKS, DOCKER, LS, SUDO, Desk


def closed(schema: Any) -> Any:
    """The schema in which every object that lists its keys refuses other keys."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return (
        inner | {"additionalProperties": False}
        if "properties" in schema and schema.get("type") == "object"
        else inner
    )


def check(document: dict[str, Any], name: str) -> None:
    """The document is exactly what its schema says."""
    schema = read_schema(name) if name in ("event", "hook") else closed(read_schema(name))
    embedded = [
        (inner["$id"], Resource.from_contents(inner))
        for inner in schema.get("$defs", {}).values()
        if "$id" in inner
    ]
    errors = Draft202012Validator(schema, registry=Registry().with_resources(embedded)).iter_errors(
        document
    )

    assert [f"{error.json_path}: {error.message}" for error in errors] == []


@pytest.mark.parametrize("name", list_schemas())
def test_a_schema_is_one(name: str) -> None:
    """Draft 2020-12, named by its document, and complete in itself."""
    schema = read_schema(name)

    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:hookline:{name}:1"
    assert (
        json.dumps(schema).count('"$ref": "urn:hookline:')
        <= json.dumps(schema).count('"$id": "urn:hookline:') * 3
    )


COMMANDS = [
    (("list", "-c", DOCKER, "-c", AGENTHOOKS, "-c", "bad.yaml", "--json"), "hooks"),
    (("show", "-c", DOCKER, "summarize shell output", "--json"), "hook"),
    (("show", "-c", AGENTHOOKS, "tighten-timeout", "--json"), "hook"),
    (
        (
            "show",
            "-c",
            DOCKER,
            "docker-agent/hooks.yaml#root.turn_start.add_prompt_files-vhcscv",
            "--json",
        ),
        "hook",
    ),
    (("show", "-c", "bad.yaml", "bad.yaml#stop.0", "--json"), "hook"),
    (("show", "stop", "--json"), "kind"),
    (("show", "on_tool_approval_decision", "--json"), "kind"),
    (("status", "codex", "kimi", "--json"), "status"),
    (("install", "codex", "--diff", "--json"), "installation"),
    (("validate", "bad.yaml", "--json"), "problems"),
    (("validate", "nowhere.yaml", "--json"), "problems"),
    (("explain", "HKL1203", "--json"), "code"),
    (("explain", "pre_tool_use", "-c", DOCKER, "-c", "bad.yaml", "--json"), "explanation"),
    (("explain", "pre_tool_use", "-c", DOCKER, "--no-run", "--json"), "explanation"),
    (("fire", "pre_tool_use", "-c", DOCKER, "--json"), "decision"),
    (("convert", DOCKER, "--to", "claude-code", "--json"), "conversion"),
    (("convert", DOCKER, "--to", "agenthooks", "--plain", "--json"), "conversion"),
]


@pytest.mark.parametrize(
    ("words", "name"), COMMANDS, ids=lambda value: value if isinstance(value, str) else "-"
)
@pytest.mark.parametrize("payload", [LS, SUDO], ids=["allow", "deny"])
def test_what_a_command_prints_holds_to_its_schema(
    words: tuple[str, ...], name: str, payload: object, desk: Desk
) -> None:
    """With --json a command prints one document that names its schema."""
    desk.file(
        "bad.yaml", "hooks: {stop: [{type: comand}], turn_end: [{type: command, command: x}]}"
    )

    document = desk.type(*words, stdin=payload).document

    assert document["schema"] == f"hookline.{name}/1"
    check(document, name)


def test_what_the_journal_holds_holds_to_its_schema(desk: Desk) -> None:
    """Every record, one decision in full, and what verify and prune say."""
    desk.type("fire", "pre_tool_use", "-c", DOCKER, stdin=SUDO)
    folder = desk.folder.parent / "home/.local/state/hookline/journal"
    records = [
        json.loads(line)
        for path in folder.glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    entry = desk.type("log", "show", records[-1]["id"], "--json").document

    assert [written["type"] for written in records] == ["run", "run", "event"]
    for written in records:
        check(written, "journal")
    check(entry, "entry")
    assert len(entry["runs"]) == 2
    check(desk.type("log", "verify", "--json").document, "verification")
    check(desk.type("log", "prune", "--dry-run", "--json").document, "pruned")


def test_every_effect_of_a_decision_holds_to_the_schema() -> None:
    """Rewrites, contexts, notes, retries, faults and what was lowered."""
    engine = hookline.Engine()
    engine.on("tool.before")(lambda _: hookline.rewrite({"cmd": "ls"}))
    engine.on("tool.before")(lambda _: hookline.context("c"))
    engine.on("tool.before")(lambda _: hookline.retry(1.5, "r"))
    engine.on("tool.before")(lambda _: 1 / 0)

    check(engine.fire("tool.before", {"tool": "bash", "input": {"cmd": "x"}}).to_dict(), "decision")


@pytest.mark.parametrize("kind", kinds.NAMES)
def test_a_canonical_payload_holds_to_the_schema(kind: str) -> None:
    """What hookline's own dialect sends, for every event."""
    native = make_dialect("hookline")
    sent = {
        "event": kind,
        "session_id": "s",
        "cwd": "/",
        "tool": "bash",
        "input": {},
        "prompt": "p",
        "summary": "s",
        "text": "t",
    }
    spec = make_own_hook(
        print,
        kind,
        tool=None,
        command=None,
        path=None,
        name="",
        rank=0,
        timeout=1,
        on_failure=Stance.SILENT,
        shadow=False,
        once=False,
    )

    check(json.loads(native.encode_event(native.decode_event(sent, kind), spec)), "event")


def test_the_schema_of_events_knows_every_event() -> None:
    """Its events and their fields are those of the vocabulary."""
    schema = read_schema("event")
    fields = {field for kind in kinds.NAMES for field in kinds.kind(kind).payload}

    assert schema["properties"]["event"]["anyOf"][0]["enum"] == list(kinds.NAMES)
    assert fields <= set(schema["properties"])
