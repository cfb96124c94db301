"""When does the file beside them switch hooks off, and what of it is a mistake?"""

from __future__ import annotations

import pytest

from hookline.core.dialect import Companion, Source
from hookline.dialects.starchild import Starchild
from hookline.model.spec import Broken

HOOKS = (
    "hooks:\n  - {event: pre_tool_call, command: /bin/true}\n  - {event: on_stop, command: "
    "/bin/true}\n"
)


def loaded(
    beside: str | None, *, text: str = HOOKS, fault: str = ""
) -> tuple[list[str], list[tuple[str, str, str]]]:
    """Where the key stands that switches each hook off, and what is said."""
    companion = None if beside is None else Companion(path="agent.yaml", text=beside, fault=fault)
    source = Source(
        file="/p/config/shell_hooks.yaml",
        text=text,
        names={"folder": "/p/config"},
        companions={"agent.yaml": companion} if companion else {},
    )
    found = Starchild().load(source)
    said = [(problem.code, problem.severity, problem.origin.place) for problem in found.problems]
    return [spec.off.place if spec.off else "" for spec in found.specs], said


@pytest.mark.parametrize(
    ("beside", "off", "said"),
    [
        (None, "", []),
        ("", "/p/config/agent.yaml:1:1", [("HKL1608", "warning", "/p/config/agent.yaml:1:1")]),
        (
            "model: x\n",
            "/p/config/agent.yaml:1:1",
            [("HKL1608", "warning", "/p/config/agent.yaml:1:1")],
        ),
        (
            "shell_hooks:\n",
            "/p/config/agent.yaml:1:1",
            [("HKL1608", "warning", "/p/config/agent.yaml:1:1")],
        ),
        (
            "shell_hooks: {}\n",
            "/p/config/agent.yaml:1:1",
            [("HKL1608", "warning", "/p/config/agent.yaml:1:1")],
        ),
        ("shell_hooks:\n  enabled: true\n", "", []),
        (
            "shell_hooks:\n  timeout: 3\n",
            "/p/config/agent.yaml:1:1",
            [("HKL1608", "warning", "/p/config/agent.yaml:1:1")],
        ),
        ("- shell_hooks\n", "", []),
        (
            "a: 1\nshell_hooks:\n  enabled: false # for now\n",
            "/p/config/agent.yaml:3:3",
            [("HKL1608", "warning", "/p/config/agent.yaml:3:3")],
        ),
        (
            "{shell_hooks: {enabled: False}}",
            "/p/config/agent.yaml:1:16",
            [("HKL1608", "warning", "/p/config/agent.yaml:1:16")],
        ),
        ("shell_hooks:\n  enabled: off\n", "", [("HKL1401", "error", "/p/config/agent.yaml:2:3")]),
        (
            "shell_hooks:\n  enabled: 'false'\n",
            "",
            [("HKL1401", "error", "/p/config/agent.yaml:2:3")],
        ),
        ("shell_hooks:\n  enabled: 0\n", "", [("HKL1401", "error", "/p/config/agent.yaml:2:3")]),
        ("shell_hooks:\n  enabled:\n", "", [("HKL1401", "error", "/p/config/agent.yaml:2:3")]),
        ("shell_hooks: false\n", "", [("HKL1401", "error", "/p/config/agent.yaml:1:1")]),
        ("shell_hooks: [\n", "", [("HKL1001", "warning", "/p/config/agent.yaml:2:1")]),
    ],
)
def test_hooks_are_on_where_the_key_is_true(
    beside: str | None, off: str, said: list[tuple[str, str, str]]
) -> None:
    """Without the key they are off, as in the host.

    What is neither true nor false is an error with its place, and switches nothing off.
    """
    assert loaded(beside) == ([off, off], said)


def test_a_file_that_cannot_be_read_is_said() -> None:
    """It switches no hook off."""
    assert loaded("", fault="cannot be read: permission denied") == (
        ["", ""],
        [("HKL1003", "warning", "/p/config/agent.yaml")],
    )


def test_hooks_that_cannot_be_read_are_off_like_any() -> None:
    """A hook that is off needs no notice."""
    off, said = loaded("shell_hooks: {enabled: false}", text="hooks: [\n")

    assert set(off) == {"/p/config/agent.yaml:1:15"}
    assert [code for code, _, _ in said] == ["HKL1001", "HKL1608"]


def test_without_hooks_nothing_is_said() -> None:
    """There is nothing to switch off."""
    assert loaded("shell_hooks: {enabled: false}", text="") == ([], [])


def test_what_is_off_is_no_other_hook() -> None:
    """Only that it is off tells them apart, so that an approval of one is an approval of both."""
    source = Source(file="/p/config/shell_hooks.yaml", text=HOOKS)
    beside = {"agent.yaml": Companion(path="agent.yaml", text="shell_hooks: {enabled: false}")}
    on, off = (
        Starchild().load(source.replace(companions=companions)).specs[0]
        for companions in ({}, beside)
    )

    assert off.off is not None
    assert off.replace(off=None) == on
    assert not isinstance(on.handler, Broken)


@pytest.mark.parametrize(
    ("text", "off"), [("model: x", False), ("shell_hooks: {enabled: false}", True)]
)
def test_the_variable_of_older_hosts_switches_on(text: str, off: bool) -> None:
    """Where the file does not say; a `false` in the file goes first."""
    source = Source(
        file="/p/config/shell_hooks.yaml",
        text=HOOKS,
        companions={"agent.yaml": Companion(path="agent.yaml", text=text)},
    )

    assert (Starchild(shell_hooks=True).load(source).specs[0].off is not None) is off
