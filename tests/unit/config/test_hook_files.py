"""Files and folders become sources; what cannot be read says why and where."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from hookline.config.hook_files import (
    LAYOUTS,
    guess_dialect,
    list_files,
    make_no_hooks_error,
    read_source,
)
from hookline.core.dialect import Companion, Source
from hookline.engine.catalog import NAMES
from hookline.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

SHARED = {"scope": "user", "mode": "strict", "trusted": False, "shadow": True, "placed": False}


def write(path: Path, content: str | bytes = "x") -> Path:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path, dialect: str = "docker-agent") -> Source:
    """A file as a source."""
    return read_source(Source(file=str(path), **SHARED), dialect)


def refused(path: Path) -> ConfigError:
    """The error that a file cannot be read with."""
    with pytest.raises(ConfigError) as caught:
        read(path)
    return caught.value


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("settings.json", "claude-code"),
        ("anything.json", "claude-code"),
        (".cursor/hooks.json", "cursor"),
        (".gemini/settings.json", "gemini"),
        (".qwen/settings.json", "qwen"),
        (".openhands/hooks.json", "openhands"),
        (".clinerules/hooks/PreToolUse", "cline"),
        (".cline/hooks/PreToolUse.sh", "cline"),
        ("Documents/Cline/Hooks/TaskStart", "cline"),
        ("hooks.yaml", "docker-agent"),
        ("hooks.yml", "docker-agent"),
        ("HOOK.md", "agenthooks"),
        ("hook.md", "agenthooks"),
        ("shell_hooks.yaml", "starchild"),
        (".hermes/config.yaml", "hermes"),
        (".kimi/config.toml", "kimi"),
        (".kimi-code/config.toml", "kimi"),
        ("config.yaml", "docker-agent"),
        (".codex/hooks.json", "codex"),
        (".codex/config.toml", "codex"),
    ],
)
def test_a_file_tells_its_dialect_by_its_name(tmp_path: Path, name: str, dialect: str) -> None:
    """Or by the folder that it lies in."""
    assert guess_dialect(str(write(tmp_path / name))) == dialect


@pytest.mark.parametrize(
    ("inside", "dialect"),
    [
        (".claude/settings.json", "claude-code"),
        (".gemini/settings.json", "gemini"),
        (".qwen/settings.json", "qwen"),
        (".openhands/hooks.json", "openhands"),
        ("settings.local.json", "claude-code"),
        ("hooks/hooks.json", "claude-code"),
        ("agent.yaml", "docker-agent"),
        ("my-hook/HOOK.md", "agenthooks"),
        ("HOOK.md", "agenthooks"),
        ("config/shell_hooks.yaml", "starchild"),
        (".codex/config.toml", "codex"),
        (".cursor/hooks.json", "cursor"),
    ],
)
def test_a_folder_tells_its_dialect_by_what_lies_in_it(
    tmp_path: Path, inside: str, dialect: str
) -> None:
    """A project, a plugin, a folder of drop-ins, a folder of hooks or one hook."""
    write(tmp_path / inside)

    assert guess_dialect(str(tmp_path)) == dialect
    assert guess_dialect(f"{tmp_path}/") == dialect


@pytest.mark.parametrize(
    ("folder", "inside", "dialect"),
    [
        (".gemini", "settings.json", "gemini"),
        (".codex", "hooks.json", "codex"),
        (".codex", "config.toml", "codex"),
        (".cursor", "hooks.json", "cursor"),
    ],
)
def test_a_folder_of_a_hosts_own_is_its(
    tmp_path: Path, folder: str, inside: str, dialect: str
) -> None:
    """The name of the file does not matter there."""
    write(tmp_path / folder / inside)

    assert guess_dialect(str(tmp_path / folder)) == dialect


@pytest.mark.parametrize(
    ("events", "beside", "host", "dialect"),
    [
        (("BeforeTool", "SessionStart"), "", "", "gemini"),
        (("SessionStart",), "gemini-extension.json", "", "gemini"),
        (("SessionStart",), ".codex-plugin/plugin.json", "", "codex"),
        (("SessionStart",), ".claude-plugin/plugin.json", "gemini", "claude-code"),
        (("SessionStart",), "", "gemini", "gemini"),
        (("PreToolUse",), "", "gemini", "claude-code"),
        (("PreToolUse",), "", "codex", "codex"),
        (("PreToolUse",), "", "", "claude-code"),
        (("beforeShellExecution",), "", "claude-code", "cursor"),
        ((), "", "", "claude-code"),
        (("PreToolUse", "SessionDelete"), "", "", "qwen"),
        (("SessionStart",), "qwen-extension.json", "gemini", "qwen"),
        (("PreToolUse",), "", "openhands", "openhands"),
        (("pre_tool_use", "stop"), "", "claude-code", "openhands"),
    ],
)
def test_a_hooks_file_tells_its_dialect_by_its_plugin_its_events_or_the_host(
    tmp_path: Path, events: tuple[str, ...], beside: str, host: str, dialect: str
) -> None:
    """In this order; the folder of the plugin tells the same."""
    file = write(tmp_path / "hooks/hooks.json")
    file.write_text(json.dumps({"hooks": {event: [] for event in events}}), encoding="utf-8")
    if beside:
        write(tmp_path / beside)

    assert guess_dialect(str(file), host) == dialect
    assert guess_dialect(str(tmp_path), host) == dialect


@pytest.mark.parametrize("name", ["notes.txt", "hooks", "settings.json.bak"])
def test_what_tells_nothing_is_asked_about(tmp_path: Path, name: str) -> None:
    """The hint tells how to name the dialect."""
    with pytest.raises(ConfigError) as caught:
        guess_dialect(str(write(tmp_path / name)))
    assert (caught.value.name, caught.value.hint) == ("config.dialect", "name it with --dialect")


def test_an_empty_folder_has_no_hook_files(tmp_path: Path) -> None:
    """The error says so, whatever the dialect could be."""
    with pytest.raises(ConfigError, match="no hook files found in this folder") as caught:
        guess_dialect(str(tmp_path))
    assert caught.value.name == "config.missing"


def test_what_is_not_there_is_missing(tmp_path: Path) -> None:
    """Whether its dialect is to be guessed or is known."""
    for ask in (guess_dialect, lambda path: list_files(path, "docker-agent")):
        with pytest.raises(ConfigError) as caught:
            ask(str(tmp_path / "nothing.yaml"))
        assert (caught.value.name, caught.value.place) == (
            "config.missing",
            str(tmp_path / "nothing.yaml"),
        )


def test_a_folders_files_come_in_the_dialects_order(tmp_path: Path) -> None:
    """Settings as they count, drop-ins and hooks by name; anything else is left alone."""
    for name in (
        ".claude/settings.local.json",
        ".claude/settings.json",
        "b.yaml",
        "a.yml",
        "c.txt",
        "two/hook.md",
        "one/HOOK.md",
        "one/x.md",
    ):
        write(tmp_path / name)

    def inside(dialect: str) -> list[str]:
        return [os.path.relpath(path, tmp_path) for path in list_files(str(tmp_path), dialect)]

    assert inside("claude-code") == [".claude/settings.json", ".claude/settings.local.json"]
    assert inside("docker-agent") == ["a.yml", "b.yaml"]
    assert inside("agenthooks") == ["one/HOOK.md", "two/hook.md"]


def test_a_folder_called_like_a_file_is_no_file(tmp_path: Path) -> None:
    """Neither among drop-ins nor as a hook's text."""
    (tmp_path / "x.yaml").mkdir()
    (tmp_path / "one/HOOK.md").mkdir(parents=True)

    assert list_files(str(tmp_path), "docker-agent") == []
    assert list_files(str(tmp_path), "agenthooks") == []


def test_one_hooks_own_folder_is_that_hook(tmp_path: Path) -> None:
    """Folders below it are no hooks."""
    write(tmp_path / "HOOK.md")
    write(tmp_path / "scripts/HOOK.md")

    assert list_files(str(tmp_path), "agenthooks") == [str(tmp_path / "HOOK.md")]


def test_a_level_is_never_one_hook(tmp_path: Path) -> None:
    """A HOOK.md beside the hooks' folders is a stray file (docs/formats/agenthooks.md 3)."""
    for name in ("HOOK.md", ".hidden/HOOK.md", "one/HOOK.md", "one/hook.md", "two/Hook.md"):
        write(tmp_path / name)

    assert list_files(str(tmp_path), "agenthooks") == [str(tmp_path / "HOOK.md")]
    assert list_files(str(tmp_path), "agenthooks", level=True) == [
        str(tmp_path / ".hidden/HOOK.md"),
        str(tmp_path / "one/HOOK.md"),
    ]


def test_a_linked_folder_is_a_hook(tmp_path: Path) -> None:
    """Under the name of the link; a link to a file is none."""
    write(tmp_path / "elsewhere/HOOK.md")
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks/linked").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "hooks/file").symlink_to(tmp_path / "elsewhere/HOOK.md")

    assert list_files(str(tmp_path / "hooks"), "agenthooks", level=True) == [
        str(tmp_path / "hooks/linked/HOOK.md")
    ]


def test_a_levels_settings_come_before_its_hooks(tmp_path: Path) -> None:
    """They lie beside the folders of the hooks, and alone tell the dialect."""
    settings = str(write(tmp_path / "hooks.toml", "[hooks]"))
    assert guess_dialect(str(tmp_path)) == guess_dialect(settings) == "agenthooks"
    hook = str(write(tmp_path / "one/HOOK.md"))
    write(tmp_path / "one/hooks.toml")

    assert list_files(str(tmp_path), "agenthooks") == [settings, hook]
    assert list_files(settings, "agenthooks") == [settings]
    assert list_files(str(tmp_path / "one"), "agenthooks") == [hook]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("nowhere", "path.missing"),
        ("guard/scripts/run.sh", "path.not-dir"),
        ("guard/Hook.md", "path.not-dir"),
    ],
)
def test_a_format_has_its_own_names_for_what_is_not_there(
    tmp_path: Path, path: str, name: str
) -> None:
    """Where its description gives them (docs/formats/agenthooks.md 4)."""
    write(tmp_path / "guard/scripts/run.sh")
    write(tmp_path / "guard/Hook.md")
    with pytest.raises(ConfigError) as caught:
        list_files(str(tmp_path / path), "agenthooks")

    assert (caught.value.name, caught.value.place) == (name, str(tmp_path / path))


@pytest.mark.parametrize(
    ("dialect", "name"), [("agenthooks", "file.missing"), ("docker-agent", "config.missing")]
)
def test_a_folder_without_hooks_has_a_name_too(dialect: str, name: str) -> None:
    """A caller can show it."""
    assert (make_no_hooks_error("x", dialect).name, make_no_hooks_error("x", dialect).place) == (
        name,
        "x",
    )


def test_a_file_is_itself(tmp_path: Path) -> None:
    """Whatever it is called, when it is named with its dialect."""
    path = str(write(tmp_path / "odd name"))

    assert list_files(path, "docker-agent") == [path]


def test_a_source_carries_what_the_loader_must_know(tmp_path: Path) -> None:
    """Its text, where it stands, and how far it is trusted."""
    source = read(write(tmp_path / "hooks.yaml", "a: é\n"))

    assert (source.text, source.file) == ("a: é\n", str(tmp_path / "hooks.yaml"))
    assert (source.scope, source.mode, source.trusted, source.shadow, source.placed) == (
        "user",
        "strict",
        False,
        True,
        False,
    )


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    """Some editors write one."""
    assert read(write(tmp_path / "x.yaml", b"\xef\xbb\xbfa: 1")).text == "a: 1"


def test_line_endings_stay_as_they_are(tmp_path: Path) -> None:
    """Parsers know them; a script in a block must not change."""
    assert read(write(tmp_path / "x.yaml", b"a: 1\r\nb: 2\r")).text == "a: 1\r\nb: 2\r"


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"\xff", "1:1"),
        (b"a: 1\nb: \xe9\n", "2:4"),
        (b"a\xc3\xa9\n\n\xc3", "3:1"),
        (b"\x80", "1:1"),
    ],
)
def test_what_is_not_utf8_is_refused_with_its_place(
    tmp_path: Path, content: bytes, place: str
) -> None:
    """Line and column of the first byte that is none."""
    path = write(tmp_path / "x.yaml", content)

    assert str(refused(path)) == f"{path}:{place}: HKL1003 not UTF-8 text (save it as UTF-8)"


def test_what_is_larger_than_a_configuration_is_refused(tmp_path: Path) -> None:
    """One MiB is read at most."""
    assert refused(write(tmp_path / "x.yaml", b"#" * ((1 << 20) + 1))).name == "config.too-large"
    assert read(write(tmp_path / "y.yaml", b"#" * (1 << 20))).text is not None


def test_an_endless_file_is_refused() -> None:
    """No more than the bound is read of it."""
    with pytest.raises(ConfigError) as caught:
        read_source(Source(file="/dev/zero", **SHARED), "docker-agent")
    assert caught.value.name == "config.too-large"


@pytest.mark.parametrize("name", ["nothing.yaml", "folder"])
def test_what_cannot_be_opened_says_why(tmp_path: Path, name: str) -> None:
    """In the words of the system, in lower case, without its number."""
    (tmp_path / "folder").mkdir()
    error = refused(tmp_path / name)

    assert error.name == "config.unreadable"
    assert error.message in (
        "cannot be read: no such file or directory",
        "cannot be read: is a directory",
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_says_so(tmp_path: Path) -> None:
    """A file without the right to read it is a problem, not a crash."""
    path = write(tmp_path / "x.yaml")
    path.chmod(0)

    assert refused(path).message == "cannot be read: permission denied"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list everything")
def test_a_folder_that_may_not_be_listed_says_so(tmp_path: Path) -> None:
    """So does a folder."""
    folder = tmp_path / "hooks"
    folder.mkdir(mode=0)
    with pytest.raises(ConfigError) as caught:
        list_files(str(folder), "docker-agent")
    assert caught.value.message == "cannot be read: permission denied"


def test_a_hooks_scripts_are_its_companions(tmp_path: Path) -> None:
    """Each with its first line and whether it may be executed; what is no file is none."""
    write(tmp_path / "scripts/run.sh", "#!/bin/sh\r\nexit 0\n").chmod(0o755)
    write(tmp_path / "scripts/run.py", "#" * 1000).chmod(0o644)
    (tmp_path / "scripts/run").mkdir()
    companions = read(write(tmp_path / "HOOK.md"), "agenthooks").companions

    assert companions == {
        "scripts/run.sh": Companion(path="scripts/run.sh", executable=True, head="#!/bin/sh"),
        "scripts/run.py": Companion(path="scripts/run.py", executable=False, head="#" * 256),
    }


@pytest.mark.parametrize(
    ("name", "key", "folder"),
    [
        (".claude/settings.json", "project_dir", ""),
        ("hooks/hooks.json", "plugin_root", ""),
        ("one/HOOK.md", "folder", "one"),
    ],
)
def test_where_a_file_lies_tells_what_its_host_knows(
    tmp_path: Path, name: str, key: str, folder: str
) -> None:
    """The project of a `.claude` folder, the root of a plugin, the folder of a hook."""
    source = Source(file=str(write(tmp_path / name)), **{**SHARED, "scope": "project"})

    assert read_source(source, "claude-code").names[key] == str(tmp_path / folder).rstrip("/")


@pytest.mark.parametrize(
    ("scope", "home"), [("user", False), ("managed", False), ("explicit", True)]
)
def test_the_folder_of_a_home_or_of_policy_tells_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scope: str, *, home: bool
) -> None:
    """Its hooks run in every project."""
    monkeypatch.setenv("HOME", str(tmp_path if home else "/nowhere"))
    source = Source(
        file=str(write(tmp_path / ".claude/settings.json")), **{**SHARED, "scope": scope}
    )

    assert "project_dir" not in read_source(source, "claude-code").names


def test_every_dialect_has_a_layout() -> None:
    """A folder of any dialect can be named."""
    assert set(LAYOUTS) == set(NAMES)


# -- stamps ----------------------------------------------------------------------------------------


def test_a_stamp_changes_with_what_lies_beside_a_file_and_with_what_a_link_leads_to(
    tmp_path: Path,
) -> None:
    """Of what is not there it is the reason why."""
    from hookline.config.hook_files import make_stamp  # noqa: PLC0415 - of these tests only

    file, script, link = tmp_path / "HOOK.md", tmp_path / "scripts/run", tmp_path / "link"
    file.write_text("a", encoding="utf-8")
    link.symlink_to(file)
    alone = make_stamp(str(file), "agenthooks")
    script.parent.mkdir()
    script.write_text("", encoding="utf-8")
    together = make_stamp(str(file), "agenthooks")

    assert alone[1:] == ((2,), (2,), (2,))
    assert (together[0], together[2:]) == (alone[0], alone[2:])
    assert together[1] != alone[1]
    assert (
        make_stamp(str(link), "codex")
        == make_stamp(str(file), "codex")
        != make_stamp(str(script), "codex")
    )


def test_a_pipe_without_a_writer_is_refused(tmp_path: Path) -> None:
    """No read waits for a writer that may never come."""
    os.mkfifo(tmp_path / "hooks.yaml")
    with pytest.raises(ConfigError, match="no data arrived within a second"):
        read_source(Source(file=str(tmp_path / "hooks.yaml"), **SHARED), "docker-agent")


def test_a_pipe_with_data_is_read(tmp_path: Path) -> None:
    """`--config <(program)` gives such a pipe."""
    readable, writable = os.pipe()
    os.write(writable, b"agents: {}")
    os.close(writable)
    try:
        source = read_source(Source(file=f"/dev/fd/{readable}", **SHARED), "docker-agent")
    finally:
        os.close(readable)
    assert source.text == "agents: {}"
