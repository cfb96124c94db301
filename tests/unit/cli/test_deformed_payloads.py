"""Payloads that are hard to read: each dialect's guard is asked about them, by each way in.

What cannot be read is refused.
"""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hookline.cli.answer import Answer, parse_request
from hookline.cli.fire import read_payload
from hookline.core.dialect import Declaration
from hookline.engine.catalog import NAMES, make_dialect
from hookline.engine.engine import Engine
from hookline.model.verdict import Stance
from tests.unit.server.support import served

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Deform = Callable[[bytes], bytes]

pytestmark = pytest.mark.process
CWD, DEEP = b"/nowhere/x", b'"@@"'
FACTS = {"@session_id": "s", "@cwd": CWD.decode(), "tool": "Bash"}
REFUSALS = {"deny", "block", "Block", "cancel"}
COMMAND = "cat > {}; echo GUARDED >&2; exit 2"
# Cline reads no exit code.
CANCEL = """cat > {}; echo '{{"cancel": true, "errorMessage": "GUARDED"}}'"""
READABLE: dict[str, Deform] = {
    "1,000 levels": lambda sent: sent.replace(DEEP, b'{"a":' * 1000 + b"1" + b"}" * 1000),
    "nearly 5,000 levels": lambda sent: sent.replace(DEEP, b"[" * 4990 + b"1" + b"]" * 4990),
    "5,000 digits": lambda sent: sent.replace(DEEP, b"9" * 5000),
    "no UTF-8": lambda sent: sent.replace(b"@@", b"\xff").replace(CWD, b"/nowhere/\xff"),
    "NUL": lambda sent: sent.replace(CWD, b"/nowhere/\\u0000").replace(b'"s"', b'"s\\u0000"'),
    "raw NUL": lambda sent: sent.replace(CWD, b"/nowhere/\x00"),
    "half a pair": lambda sent: sent.replace(CWD, b"/nowhere/\\ud800").replace(b"@@", b"\\udfff"),
}
UNREADABLE: dict[str, Deform] = {
    "cut off": lambda sent: sent[:-1],
    "6,000 levels": lambda sent: sent.replace(DEEP, b"[" * 6000 + b"1" + b"]" * 6000),
    "text behind": lambda sent: sent + b" x",
}


def payload_of(dialect: str, kind: str = "tool.before") -> bytes:
    """What a host of the dialect sends."""
    table = make_dialect(dialect).table
    row = table.row_of_kind(kind)
    assert row is not None
    facts: dict[str, Any] = {**FACTS, "@native": row.native, "input": {"deep": "@@"}}
    payload = {table.event_keys()[0]: row.native}
    fields = (*table.base, *row.fields)
    given = {field.native: facts[field.fact] for field in fields if field.fact in facts}
    section = getattr(row, "section", "")
    payload |= {section: given, "workspaceRoots": [CWD.decode()]} if section else given
    named = {"event_type": row.native, "payload": payload}
    return json.dumps(named if dialect == "a3s" else payload).encode()


def write_guard(dialect: str, folder: Path) -> tuple[str, str, Path]:
    """A guard's file, dialect and payload. A dialect without commands uses Claude Code's."""
    sent = folder / "sent"
    made: Any = make_dialect(dialect)
    own = dialect if getattr(made, "export", None) else "claude-code"
    made = make_dialect(own)
    row = made.table.row_of_kind("tool.before")
    command = (CANCEL if own == "cline" else COMMAND).format(sent)
    written = made.export((Declaration(row=row, command=command, name="guard"),))
    for name, text in written.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if name in written.programs:
            path.chmod(0o755)
    file = next((name for name in written.files if name not in written.programs), row.native)
    return str(folder / file), own, sent


def stdin_of(sent: bytes) -> io.TextIOWrapper:
    """What a host writes to standard input."""
    return io.TextIOWrapper(io.BytesIO(sent), encoding="utf-8")


@pytest.mark.parametrize("deform", READABLE.values(), ids=READABLE)
@pytest.mark.parametrize("dialect", NAMES)
def test_a_guard_decides_about_what_can_be_read(
    dialect: str, deform: Deform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`answer` runs it, with JSON that every parser accepts."""
    file, own, sent = write_guard(dialect, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", stdin_of(deform(payload_of(dialect))))
    request = parse_request([dialect, "--dialect", own, "-c", file])
    reply = Answer(request).make_reply()

    assert "GUARDED" in reply.stdout + reply.stderr
    assert json.loads(sent.read_bytes())


@pytest.mark.parametrize("deform", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("dialect", NAMES)
def test_what_cannot_be_read_is_refused(
    dialect: str, deform: Deform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`answer` runs no hook, and refuses in the host's format."""
    file, own, sent = write_guard(dialect, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", stdin_of(deform(payload_of(dialect))))
    request = parse_request([dialect, "--dialect", own, "-c", file])
    reply = Answer(request).make_reply()

    assert "hookline: stdin is n" in reply.stdout + reply.stderr
    assert reply.exit_code == 2 or REFUSALS & set(reply.stdout.split('"'))
    assert not sent.exists()


@pytest.mark.parametrize("deform", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize(
    "dialect", [name for name in NAMES if name != "a3s" and make_dialect(name).table.raises("stop")]
)
def test_a_stop_that_cannot_be_read_is_never_refused(
    dialect: str, deform: Deform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal would send the agent back for no reason."""
    file, own, _ = write_guard(dialect, tmp_path)
    monkeypatch.chdir(tmp_path)
    stop = json.loads(payload_of(dialect, "stop")) | {"deep": "@@"}
    monkeypatch.setattr(sys, "stdin", stdin_of(deform(json.dumps(stop).encode())))
    request = parse_request([dialect, "--dialect", own, "-c", file, "--mode", "strict"])
    reply = Answer(request).make_reply()

    assert reply.exit_code == 0
    assert not REFUSALS & set(reply.stdout.split('"'))
    assert "hookline: stdin is n" in reply.stdout + reply.stderr


@pytest.mark.parametrize("deform", READABLE.values(), ids=READABLE)
@pytest.mark.parametrize("dialect", NAMES)
def test_fire_asks_the_guard(dialect: str, deform: Deform, tmp_path: Path) -> None:
    """The payload in a file, as `hookline fire` reads it, and the decision as it prints it."""
    file, own, sent = write_guard(dialect, tmp_path)
    payload = tmp_path / "payload.json"
    payload.write_bytes(deform(payload_of(dialect)))
    row = make_dialect(dialect).table.row_of_kind("tool.before")
    assert row is not None
    with Engine(cwd=tmp_path) as engine:
        engine.add_source(file, dialect=own)
        decision = engine.fire(row.native, read_payload(str(payload)), dialect=dialect)

    assert decision.stance is Stance.DENY
    assert json.loads(json.dumps(decision.to_dict()))["stance"] == "deny"
    assert json.loads(sent.read_bytes())


@pytest.mark.parametrize("dialect", NAMES)
def test_a_server_asks_the_guard_or_refuses(dialect: str, tmp_path: Path) -> None:
    """`/v1/answer` gives the reply of a command hook, whatever it is sent."""
    file, own, sent = write_guard(dialect, tmp_path)
    with Engine(cwd=tmp_path) as engine:
        engine.add_source(file, dialect=own)
        with served(engine, tmp_path) as server:
            whole = {"Accept": "application/vnd.hookline.reply+json"}
            for named, deform in {**READABLE, **UNREADABLE}.items():
                body = deform(payload_of(dialect))
                answer = server.unix.ask("POST", f"/v1/answer/{dialect}", body, **whole)
                said = answer.document["stdout"] + answer.document["stderr"]

                assert answer.status == 200, named
                assert ("GUARDED" if named in READABLE else "hookline: the body is n") in said
                assert sent.exists() is (named in READABLE)
                sent.unlink(missing_ok=True)
