"""Which HTTP hooks have an address that cannot be called now, and who says so?"""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

from hookline.cli.app import app_main
from hookline.engine.doctor.checkup import run_checkup
from hookline.engine.doctor.static_checks import find_unresolved
from hookline.engine.engine import Engine

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def starchild(*urls: str) -> Engine:
    """An engine with a hook for each address."""
    hooks = [{"event": "pre_tool_call", "type": "http", "url": url} for url in urls]
    return Engine.from_config({"hooks": hooks}, dialect="starchild")


def resolver(known: dict[str, str]) -> Any:
    """A resolver that knows these names."""

    def resolve(host: str, port: int, **_: object) -> list[Any]:
        if host not in known:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (known[host], port))]

    return resolve


def test_each_hook_with_such_an_address_is_named() -> None:
    """A name without an address, and one whose address must not be called.

    A name that resolves is fine.
    """
    engine = starchild("https://good.test/", "https://gone.test/a", "https://inside.test/")
    known = {"good.test": "93.184.215.14", "inside.test": "10.0.0.1"}
    found = list(find_unresolved(engine, resolve=resolver(known)))

    assert [(each.severity, each.name, each.hook) for each in found] == [
        ("warning", "handler.url", engine.hooks[1].id),
        ("warning", "handler.url", engine.hooks[2].id),
    ]
    assert "`gone.test` cannot be resolved" in found[0].message
    assert "10.0.0.1" in found[1].message


def test_formats_that_do_not_ask_for_it_look_up_no_name() -> None:
    """A row of the dialect's table says so."""
    tree = {"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "https://gone.invalid/"}]}]}}

    assert list(find_unresolved(Engine.from_config(tree, dialect="claude-code"))) == []


def test_validate_list_and_doctor_warn_and_an_event_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a name that never resolves (RFC 6761)."""
    config = tmp_path / "shell_hooks.yaml"
    config.write_text(
        "hooks:\n  - event: on_session_start\n    type: http\n    url: https://gone.invalid/\n"
    )
    assert Engine.load(config).problems == ()
    for words in (["validate", "--json", str(config)], ["list", "--json", "-c", str(config)]):
        app_main(words)
        document = json.loads(capsys.readouterr().out)
        messages = [each["message"] for each in document["problems"]]
        assert ["`gone.invalid`" in each for each in messages] == [True], words

    with Engine.load(config, trust="none") as engine:
        assert any("`gone.invalid`" in each.message for each in run_checkup(engine).all_findings)
