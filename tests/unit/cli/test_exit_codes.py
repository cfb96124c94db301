"""How commands end, and what they never print."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from hookline.cli.output import (
    format_error,
    print_document,
    print_message,
    print_text,
    run_command,
)
from hookline.errors import CodecError, ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def _raise(error: BaseException) -> int:
    raise error


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (
            ConfigError("no", name="config.missing", place="a.yaml:1:2", hint="h"),
            2,
            "a.yaml:1:2: HKL1002 no (h)\n",
        ),
        (CodecError("no"), 2, "hookline x: HKL4001 no\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_an_error_is_one_line_and_a_code(
    error: BaseException, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its place, its code, and its hint."""
    assert run_command("hookline x", lambda: _raise(error)) == code
    assert capsys.readouterr().err == said


def test_what_a_command_ends_by_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Within one command an earlier step may have reported it. Each command reports it."""
    error = ConfigError("no", name="config.missing", place="a.yaml", hint="h")

    def run() -> int:
        print_message(str(error))
        raise error

    for _ in range(2):
        assert run_command("hookline x", run) == 2
        assert capsys.readouterr().err == "a.yaml: HKL1002 no (h)\n"


def test_a_fault_of_ours_leaves_a_log_and_no_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Exit 3, and the path of the log, which only its owner may read."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    log = tmp_path / "hookline" / "crash.log"

    assert run_command("hookline x", lambda: _raise(RuntimeError("boom\n\x1b"))) == 3
    assert capsys.readouterr().err == (
        f"hookline x: HKL9001 internal error: RuntimeError: boom\\x0a\\x1b\n"
        f"this is a fault of hookline; please report it, with {log}\n"
    )
    assert "Traceback" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_log_that_cannot_be_written_is_not_promised(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The message stands without a path."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))

    assert run_command("hookline x", lambda: _raise(RuntimeError("boom"))) == 3
    assert capsys.readouterr().err.endswith("please report it\n")


def test_closed_streams_are_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writing to a closed stream raises nothing."""
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)

    print_text("x")
    print_message("x")
    assert run_command("hookline x", lambda: 0) == 0


def test_json_stays_json_in_any_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the encoding is not UTF-8, the document is ASCII.

    Lone surrogates are escaped as JSON does.
    """
    for encoding, expected in (
        ("ascii", b'{"a": "\\u00fc"}\n'),
        ("utf-8", '{"a": "ü"}\n'.encode()),
    ):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
        run_command("hookline x", lambda: print_document({"a": "ü"}) or 0)

        assert raw.getvalue() == expected

    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="utf-8"))
    run_command("hookline x", lambda: print_document({"a": "\ud800"}) or 0)

    assert raw.getvalue() == b'{"a": "\\ud800"}\n'


def test_a_line_names_the_program_where_no_file_is_at_fault() -> None:
    """Otherwise the place stands first, as compilers write it."""
    assert (
        format_error(CodecError("m", hint="h"), "hookline fire") == "hookline fire: HKL4001 m (h)"
    )
    assert format_error(ConfigError("m", place="f:1:2"), "hookline fire") == "f:1:2: HKL1001 m"
