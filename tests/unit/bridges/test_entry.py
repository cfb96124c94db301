"""Entries call hookline, refuse when it is broken, and are known again by their command."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hookline.bridges import entry
from hookline.bridges.entry import Call, close, find_own_commands, find_words, names_call, try_entry
from hookline.bridges.hosts import HOSTS
from hookline.engine.catalog import make_dialect
from hookline.errors import ConfigError
from hookline.model.kinds import ACTIONS

if TYPE_CHECKING:
    from pathlib import Path

CALL = Call(words=("/opt/py thon", "-I", "-m", "hookline"))


def list_handlers(host: str, call: Call = CALL) -> dict[str, dict[str, Any]]:
    """The handler of each event."""
    found = {}
    for keys, value in call.make_entries(HOSTS[host], "/f"):
        event = value.get("event") or keys[-1]
        found[event] = value["hooks"][0] if "hooks" in value else value
    return found


def test_only_events_before_an_action_are_closed() -> None:
    """A broken hookline at a stop would send the agent back again and again."""
    handlers = list_handlers("claude-code")
    closed = [name for name, each in handlers.items() if "exit 2" in each["command"]]

    assert closed == ["PreToolUse", "PermissionRequest"]
    assert [name for name, each in handlers.items() if "onFailure" in each] == closed
    assert handlers["Stop"] == {
        "type": "command",
        "command": "'/opt/py thon' -I -m hookline answer claude-code --deadline 65",
        "timeout": 70,
    }


def test_limits_are_in_the_units_and_bounds_of_the_host() -> None:
    """Gemini CLI counts milliseconds; Kimi has a maximum; Codex ends a session in 3 seconds."""
    call = CALL.replace(seconds=700)

    assert list_handlers("gemini", call)["BeforeTool"]["timeout"] == 700_000
    assert list_handlers("kimi", call)["Stop"]["timeout"] == 600
    assert "--deadline 595" in list_handlers("kimi", call)["Stop"]["command"]
    assert list_handlers("codex", call)["SessionEnd"]["timeout"] == 3


@pytest.mark.process
@pytest.mark.parametrize(
    ("command", "code", "is_told"),
    [
        ("exit 0", 0, False),
        ("(echo no >&2; exit 2)", 2, False),
        ("(exit 1)", 2, True),
        ("/nowhere/python answer", 2, True),
        ("sh -c 'kill -9 $$'", 2, True),
    ],
)
def test_the_closing_form_refuses_when_the_command_fails(
    command: str, code: int, is_told: bool
) -> None:
    """An answer passes unchanged; a failure is exit code 2 with a text, which some hosts need."""
    command = command.replace("exit 0", "true")
    done = subprocess.run(
        ["/bin/sh", "-c", close(command, "/home/o'neil/settings.json")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == code
    assert ("hookline did not run" in done.stderr) is is_told
    assert ("/home/o'neil/settings.json" in done.stderr) is is_told


@pytest.mark.process
@pytest.mark.parametrize(("exit_code", "becomes"), [(0, 0), (1, 1), (2, 2), (127, 1)])
def test_a_broken_hookline_does_not_lock_prompts(exit_code: int, becomes: int) -> None:
    """Gemini CLI takes each exit code but 0 and 1 for a refusal, at every event."""
    call = Call(words=("sh", "-c", f"exit {exit_code}"))
    command = list_handlers("gemini", call)["BeforeAgent"]["command"]

    assert subprocess.run(["/bin/sh", "-c", command], check=False).returncode == becomes


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_own_entries_are_known_again(host: Any) -> None:
    """By the command, in the form in which the host has them; another host's are not ours."""
    values = [value for _, value in CALL.make_entries(host, "/f")]

    assert all(find_own_commands(value, host) for value in values)
    assert not find_own_commands({"command": "echo 'hookline answer'"}, host)
    assert not find_own_commands({"hooks": [*values, {"command": "make lint"}]}, host)
    assert not find_own_commands({"hooks": []}, host)


def test_a_call_names_its_host() -> None:
    """A path before the name is fine; another host is another call."""
    claude = HOSTS["claude-code"]

    assert names_call("/opt/bin/hookline answer claude-code", claude)
    assert names_call("http://127.0.0.1:8465/v1/answer/claude-code", claude)
    assert not names_call("hookline answer codex", claude)
    assert not names_call("hookline list", claude)


def test_an_entry_over_http_has_the_token_of_the_server() -> None:
    """The host takes it from its environment."""
    handler = list_handlers("claude-code", CALL.replace(http="http://127.0.0.1:8465"))["PreToolUse"]

    assert handler["url"] == "http://127.0.0.1:8465/v1/answer/claude-code"
    assert handler["allowedEnvVars"] == ["HOOKLINE_TOKEN"]
    assert handler["onFailure"] == "block"


# -- this hookline -------------------------------------------------------------------------------


@pytest.mark.process
def test_the_entry_of_this_hookline_runs() -> None:
    """As a host starts it; a command that does not run is an error."""
    command, payload = Call(words=find_words()).make_trial(HOSTS["codex"], "/f")
    assert "hookline did not run" in command
    try_entry(command, payload, os.environ)


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("/nowhere/python",), "not found"),
        ((sys.executable, "-I", "--no-such-flag"), "-h'"),
        ((sys.executable, "-I", "-m", "hookline.none"), "No module named"),
    ],
)
def test_an_entry_that_does_not_run_is_an_error(words: tuple[str, ...], why: str) -> None:
    """Python itself ends with 2 for a wrong flag, which a host would take for a refusal."""
    command, payload = Call(words=words).make_trial(HOSTS["codex"], "/f")

    with pytest.raises(ConfigError) as caught:
        try_entry(command, payload, os.environ)
    assert caught.value.name == "install.trial"
    assert "(exit code 2: " in caught.value.message
    assert why in caught.value.message.partition("), so nothing")[0]


@pytest.mark.parametrize("host", HOSTS)
def test_a_trial_is_a_call_that_no_hook_refuses(host: str) -> None:
    """Each host's payload can be read, so the answer is that of hookline without a hook."""
    command, payload = CALL.make_trial(HOSTS[host], "/f")
    dialect = make_dialect(HOSTS[host].dialect)
    event = dialect.decode_event(json.loads(payload), _event_of(command))

    assert event.kind in ACTIONS
    assert event.body.value("tool")


def _event_of(command: str) -> str:
    words = shlex.split(command.partition(";")[0])
    return words[words.index("--event") + 1]


@pytest.mark.parametrize(
    "prefix", ["/home/a/.cache/uv/archive-v0/x1", "/home/a/.local/pipx/.cache/123"]
)
def test_a_temporary_environment_is_refused(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the command that installs hookline for good."""
    monkeypatch.setattr(sys, "prefix", prefix)

    with pytest.raises(ConfigError) as caught:
        find_words()
    assert "uv tool install" in caught.value.hint


def test_a_hookline_in_the_user_site_is_started_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`-I` leaves out the user's own packages."""
    assert find_words()[1] == "-I"
    monkeypatch.setattr(entry, "__file__", f"{tmp_path}/hookline/bridges/entry.py")
    monkeypatch.setattr("site.getusersitepackages", lambda: str(tmp_path))
    assert find_words()[1:3] == ("-E", "-P")


def test_the_limit_is_longer_than_that_of_each_hook_that_hookline_runs() -> None:
    """What the host runs itself has its own limit, until hookline takes it over."""
    call = Call(words=("hookline",), limits={"claude-code": 600, "codex": 90, "": 80})

    assert call.find_limit(HOSTS["claude-code"]) == 100
    assert call.find_limit(HOSTS["codex"]) == 610
    assert call.take_over(HOSTS["claude-code"]).find_limit(HOSTS["claude-code"]) == 610
    assert Call(words=("hookline",)).find_limit(HOSTS["pi"]) == 70
