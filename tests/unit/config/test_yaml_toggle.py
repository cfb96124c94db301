"""YAML toggles: the key is turned on, and the rest of the file stays the same."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from hookline.config.yaml_toggle import turn_on
from hookline.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

KEY = "shell_hooks.enabled"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("shell_hooks:\n  enabled: false\n", "shell_hooks:\n  enabled: true\n"),
        ("shell_hooks:\r\n  enabled: False # no\r\n", "shell_hooks:\r\n  enabled: true # no\r\n"),
        ("# é ü\nmodel:   x   # keep\nshell_hooks: {a: [1,  2], enabled: false}",
         "# é ü\nmodel:   x   # keep\nshell_hooks: {a: [1,  2], enabled: true}"),
        ("other:\n    enabled: false\n\n\nshell_hooks:\n    enabled:    FALSE\n# end",
         "other:\n    enabled: false\n\n\nshell_hooks:\n    enabled:    true\n# end"),
        ("\ufeffshell_hooks:\n  enabled: false\n", "\ufeffshell_hooks:\n  enabled: true\n"),
        ('"shell_hooks":\n  "enabled": false', '"shell_hooks":\n  "enabled": true'),
        ("", "shell_hooks:\n  enabled: true\n"),
        ("model: x # keep", "model: x # keep\nshell_hooks:\n  enabled: true\n"),
        ("a: 1\r\n", "a: 1\r\nshell_hooks:\r\n  enabled: true\r\n"),
    ],
)  # fmt: skip
def test_nothing_but_the_value_is_another(before: str, after: str, tmp_path: Path) -> None:
    """Comments, order, layout, ends of lines and the mode of the file stay."""
    path = tmp_path / "agent.yaml"
    path.write_bytes(before.encode())
    path.chmod(0o640)

    turn_on(str(path), KEY)

    assert path.read_bytes().decode() == after
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["agent.yaml"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"shell_hooks: {enabled: true}", "no plain `shell_hooks.enabled: false` is in it"),
        (b"shell_hooks: {enabled: !!bool 'false'}", "no plain"),
        (b"shell_hooks: [enabled]", "no plain"),
        (b"shell_hooks: {timeout: 3}\n", "no plain"),
        (b"{model: x}", "no plain"),
        (b"- a", "no plain"),
        (b"a: &a {enabled: false}\nshell_hooks: *a\n", "no plain"),
        (b"shell_hooks: {enabled: \xff}", "it is no text in UTF-8"),
        (b"# " + b"x" * (1 << 20), "no plain"),
    ],
)
def test_what_cannot_be_turned_alone_is_left(text: bytes, why: str, tmp_path: Path) -> None:
    """The message tells what a person can do."""
    path = tmp_path / "agent.yaml"
    path.write_bytes(text)

    with pytest.raises(ConfigError) as caught:
        turn_on(str(path), KEY)
    assert (caught.value.code, why in caught.value.message, caught.value.hint) == (
        "HKL1009",
        True,
        "write it there by hand",
    )
    assert path.read_bytes() == text


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A clone may have laid it, to anywhere."""
    (tmp_path / "mine.yaml").write_text("shell_hooks: {enabled: false}", encoding="utf-8")
    (tmp_path / "agent.yaml").symlink_to("mine.yaml")

    with pytest.raises(ConfigError, match="it is a link, or no plain file"):
        turn_on(str(tmp_path / "agent.yaml"), KEY)
    with pytest.raises(ConfigError, match="no such file"):
        turn_on(str(tmp_path / "none.yaml"), KEY)
    assert "false" in (tmp_path / "mine.yaml").read_text(encoding="utf-8")
    assert not (tmp_path / "none.yaml").exists()


@pytest.mark.parametrize("by", ["its name", "a link to it"])
def test_a_link_does_not_lead_out_of_a_project(by: str, tmp_path: Path) -> None:
    """Not by a folder either.

    Links are the user's own within a project, and to other places.
    """
    for name in ("clone/inner", "mine/config"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "agent.yaml").write_text(
            "shell_hooks: {enabled: false}", encoding="utf-8"
        )
    (tmp_path / "clone/config").symlink_to(tmp_path / "mine/config")
    (tmp_path / "clone/near").symlink_to("inner")
    (tmp_path / "linked").symlink_to("clone")
    (tmp_path / "stowed").symlink_to("mine")
    project = str(tmp_path / ("clone" if by == "its name" else "linked"))

    for folder in ("clone", "linked"):
        with pytest.raises(ConfigError, match="a link leads out of this project to it"):
            turn_on(f"{tmp_path}/{folder}/config/agent.yaml", KEY, str(tmp_path / "clone"))
    with pytest.raises(ConfigError, match="a link leads out of this project to it"):
        turn_on(f"{project}/config/agent.yaml", KEY, project)
    assert "false" in (tmp_path / "mine/config/agent.yaml").read_text(encoding="utf-8")
    turn_on(f"{project}/near/agent.yaml", KEY, project)
    turn_on(f"{tmp_path}/stowed/config/agent.yaml", KEY, project)
    assert "true" in (tmp_path / "clone/inner/agent.yaml").read_text(encoding="utf-8")
    assert "true" in (tmp_path / "mine/config/agent.yaml").read_text(encoding="utf-8")


def test_a_key_is_turned_off_again(tmp_path: Path) -> None:
    """By the same rule: nothing but the value is another."""
    path = tmp_path / "agent.yaml"
    path.write_text("shell_hooks:\n  enabled: True # mine\n", encoding="utf-8")

    turn_on(str(path), KEY, on=False)

    assert path.read_text(encoding="utf-8") == "shell_hooks:\n  enabled: false # mine\n"
    with pytest.raises(ConfigError, match=r"no plain .* is in it"):
        turn_on(str(path), KEY, on=False)
