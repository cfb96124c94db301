"""The guard `tool_audit_log`: what its lines hold, and where they go."""

import json

import pytest

import hookline

TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"


@pytest.fixture
def audit(tmp_path):
    """Fires calls at an engine with the guard, and reads its file."""

    class Audit:
        file = tmp_path / ".local/state/hookline/logs/tool-calls.jsonl"
        home = tmp_path

        def start(self, **options):
            hook = {"use": "tool_audit_log", **({"with": options} if options else {})}
            self.engine = hookline.Engine.from_config(
                {"version": 1, "hooks": [hook]},
                dialect="hookline",
                trust="all",
                environ={"HOME": str(tmp_path)},
                clock=lambda: 1_790_000_000.0,
            )

        def fire(self, event="tool.after", **payload):
            given = {"session_id": "s1", "cwd": "/", "tool": "shell", **payload}
            return self.engine.fire(event, given)

        def read(self, file=None):
            return [json.loads(line) for line in (file or self.file).read_text().splitlines()]

    audit = Audit()
    audit.start()
    return audit


def test_a_call_is_a_line(audit):
    """With time, host, session, folder, tool and input; the decision stays silent."""
    decision = audit.fire(input={"command": "ls"}, result="x")
    assert decision.stance is hookline.Stance.SILENT
    assert not decision.for_user
    assert audit.read() == [
        {
            "time": "2026-09-21T14:13:20.000+00:00",
            "host": "hookline",
            "session": "s1",
            "cwd": "/",
            "tool": "shell",
            "outcome": "done",
            "input": {"command": "ls"},
        }
    ]
    assert audit.file.stat().st_mode & 0o777 == 0o600


def test_a_failed_call_is_a_line_with_its_error(audit):
    """On `tool.failure`."""
    audit.fire("tool.failure", input={"command": "ls"}, error="no such file")
    assert [(each["outcome"], each["error"]) for each in audit.read()] == [
        ("failed", "no such file")
    ]


def test_results_are_written_if_wished(audit):
    """They may be long and private, so only with `results`."""
    audit.start(results=True)
    audit.fire(input={}, result={"lines": ["a", f"token {TOKEN}"]})
    assert audit.read()[0]["result"] == {"lines": ["a", "token [masked 40]"]}


def test_secrets_are_masked(audit):
    """By their form, and by the name beside them, at any depth."""
    audit.fire(
        input={
            "command": f"curl -H 'Authorization: Bearer {TOKEN}' x",
            "env": {"password": "hunter2!"},
        }
    )
    text = audit.file.read_text()
    assert TOKEN not in text
    assert "hunter2!" not in text
    assert "curl -H" in text


@pytest.mark.parametrize("blanks", [0, 1])
def test_long_values_are_cut_and_leave_no_half_of_a_secret(audit, blanks):
    """A line stays short, whatever a tool was given."""
    audit.fire(input={"content": ("x" * 79 + " ") * 99 + " " * blanks + f"{TOKEN} " * 9})
    long = {str(key): ["y" * 2500] * 90 for key in range(90)}
    audit.fire(input=long)
    deep = value = {}
    for _ in range(50):
        value["a"] = value = {}
    audit.fire(input=deep)
    first, second, third = audit.read()
    assert first["input"]["content"].endswith("more characters]")
    assert TOKEN[:9] not in str(first)
    assert "left_out" in second
    assert "[deeper values]" in str(third)
    assert max(map(len, audit.file.read_text().splitlines())) < 70_000


@pytest.mark.parametrize("file", ["calls.jsonl", "~/calls.jsonl", "/{home}/x/calls.jsonl"])
def test_the_file_may_be_chosen(audit, file):
    """In hookline's folder, from the home, or absolute."""
    audit.start(file=file.format(home=audit.home))
    audit.fire(input={})
    places = {"c": audit.file.parent, "~": audit.home, "/": audit.home / "x"}
    assert len(audit.read(places[file[0]] / "calls.jsonl")) == 1


def test_a_file_that_cannot_be_written_is_the_failure_of_the_guard(audit):
    """It stops no tool, and the decision says what is wrong."""
    audit.start(file="~/.bashrc")
    decision = audit.fire(input={})
    assert decision.stance is hookline.Stance.SILENT
    assert "must end in `.jsonl`" in decision.verdicts[0].fault
    assert "must end in" in decision.for_user[0]
    assert not (audit.home / ".bashrc").exists()
