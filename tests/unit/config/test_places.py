"""Places: where each dialect's files are, and in which order they count."""

from __future__ import annotations

from pathlib import Path

import pytest

from hookline.config.hook_files import guess_dialect, list_files
from hookline.config.places import (
    PLACES,
    find_places,
    is_taken_over,
    list_patterns,
    project_path,
    project_root,
)
from hookline.engine.catalog import NAMES
from hookline.model.spec import CLONED, SCOPES


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder of its own."""
    return _made(tmp_path / "home")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder of its own."""
    return _made(tmp_path / "project")


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write(path: Path, text: str = "{}") -> str:
    """A file with its folders."""
    _made(path.parent)
    path.write_text(text, encoding="utf-8")
    return str(path)


def found(project: Path, environ: dict[str, str], only: str = "") -> list[tuple[str, str, str]]:
    """Dialect, scope and path of everything found below the two folders."""
    return [
        (each.dialect, each.scope, each.path)
        for each in find_places(str(project), environ, only)
        if not each.path.startswith("/etc/")
    ]


def test_a_claude_code_project_is_found_in_the_order_of_precedence(
    home: Path, project: Path
) -> None:
    """The user's settings, the project's, the project's local ones."""
    local = write(project / ".claude/settings.local.json")
    shared = write(project / ".claude/settings.json")
    user = write(home / ".claude/settings.json")

    assert found(project, {"HOME": str(home)}) == [
        ("claude-code", "user", user),
        ("claude-code", "project", shared),
        ("claude-code", "local", local),
    ]


def test_a_folder_of_drop_ins_is_found_sorted(home: Path, project: Path) -> None:
    """Whatever order the file system keeps them in; other files are left alone."""
    for name in ("20-b.yaml", "10-a.yaml", "notes.txt"):
        write(home / ".config/cagent/hooks.d" / name)
    main = write(home / ".config/cagent/config.yaml")

    assert [Path(path).name for _, _, path in found(project, {"HOME": str(home)})] == [
        "config.yaml",
        "10-a.yaml",
        "20-b.yaml",
    ]
    assert found(project, {"HOME": str(home)})[0] == ("docker-agent", "user", main)


def test_agent_hooks_are_found_as_folders(home: Path, project: Path) -> None:
    """The user's before the project's."""
    user = str(_made(home / ".config/agents/hooks"))
    shared = str(_made(project / ".agents/hooks"))

    assert found(project, {"HOME": str(home)}) == [
        ("agenthooks", "user", user),
        ("agenthooks", "project", shared),
    ]


def test_kimis_files_are_the_users_alone(home: Path, project: Path) -> None:
    """The file of the older edition comes first, then the one of the newer.

    A project's is never read (docs/formats/kimi.md 9).
    """
    newer, older = write(home / ".kimi-code/config.toml", ""), write(home / ".kimi/config.toml", "")
    write(project / ".kimi/config.toml", "")

    assert found(project, {"HOME": str(home)}) == [("kimi", "user", older), ("kimi", "user", newer)]


def test_geminis_settings_are_the_users_then_the_projects(home: Path, project: Path) -> None:
    """Each in its own `.gemini` (docs/formats/gemini.md)."""
    user, shared = write(home / ".gemini/settings.json"), write(project / ".gemini/settings.json")

    assert found(project, {"HOME": str(home)}) == [
        ("gemini", "user", user),
        ("gemini", "project", shared),
    ]


def test_claude_config_dir_moves_the_users_settings(
    home: Path, project: Path, tmp_path: Path
) -> None:
    """And only those."""
    write(home / ".claude/settings.json")
    moved = write(tmp_path / "elsewhere/settings.json")
    environ = {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")}

    assert found(project, environ) == [("claude-code", "user", moved)]


def test_a_codex_project_is_found_in_the_order_in_which_its_hooks_run(
    home: Path, project: Path, tmp_path: Path
) -> None:
    """The user's folder, which CODEX_HOME moves, then the project's.

    In each the JSON before the TOML.
    """
    mine = [write(home / f".codex/{name}") for name in ("hooks.json", "config.toml")]
    moved = write(tmp_path / "elsewhere/config.toml")
    shared = [write(project / f".codex/{name}") for name in ("hooks.json", "config.toml")]
    ours = [("codex", "project", path) for path in shared]

    assert found(project, {"HOME": str(home)}) == [
        *(("codex", "user", path) for path in mine),
        *ours,
    ]
    assert found(project, {"HOME": str(home), "CODEX_HOME": str(tmp_path / "elsewhere")}) == [
        ("codex", "user", moved),
        *ours,
    ]


def test_xdg_config_home_moves_the_users_agent_hooks(
    home: Path, project: Path, tmp_path: Path
) -> None:
    """Where it is an absolute path."""
    moved = str(_made(tmp_path / "xdg/agents/hooks"))

    assert found(project, {"HOME": str(home), "XDG_CONFIG_HOME": str(tmp_path / "xdg")}) == [
        ("agenthooks", "user", moved)
    ]


@pytest.mark.parametrize("value", ["", "relative/path"])
def test_an_empty_or_relative_xdg_config_home_is_ignored(
    home: Path, project: Path, value: str
) -> None:
    """As the specification of these folders demands (docs/formats/agenthooks.md 3)."""
    user = str(_made(home / ".config/agents/hooks"))

    assert found(project, {"HOME": str(home), "XDG_CONFIG_HOME": value}) == [
        ("agenthooks", "user", user)
    ]


def test_one_dialect_can_be_looked_for(home: Path, project: Path) -> None:
    """The files of others are not even listed."""
    write(project / ".claude/settings.json")
    _made(project / ".agents/hooks")

    assert [dialect for dialect, _, _ in found(project, {"HOME": str(home)}, "agenthooks")] == [
        "agenthooks"
    ]


def test_in_the_home_folder_a_file_counts_once_and_as_the_users(home: Path) -> None:
    """There the user's settings are the project's settings too.

    They stay trusted and do not run twice.
    """
    user = write(home / ".claude/settings.json")

    assert found(home, {"HOME": str(home)}) == [("claude-code", "user", user)]


def test_a_project_cannot_hide_a_users_file_behind_a_link(home: Path, project: Path) -> None:
    """A link to another dialect's file takes nothing away from that dialect."""
    user = write(home / ".config/cagent/config.yaml")
    _made(project / ".claude")
    (project / ".claude/settings.json").symlink_to(user)

    assert ("docker-agent", "user", user) in found(project, {"HOME": str(home)})


def test_letters_of_patterns_in_folder_names_mean_themselves(tmp_path: Path) -> None:
    """A home called `[a]*` is a home called `[a]*`."""
    home, project = _made(tmp_path / "[a]*"), _made(tmp_path / "{home}")
    drop_in = write(home / ".config/cagent/hooks.d/x.yaml")
    shared = write(project / ".claude/settings.json")

    assert found(project, {"HOME": str(home)}) == [
        ("claude-code", "project", shared),
        ("docker-agent", "user", drop_in),
    ]


def test_nothing_is_found_where_nothing_is(home: Path, project: Path) -> None:
    """An empty machine has no hooks."""
    assert found(project, {"HOME": str(home)}) == []


def test_every_place_is_of_a_known_dialect_and_scope() -> None:
    """A clone's files are in the scopes that are not trusted by default."""
    assert {dialect for dialect, _, _ in PLACES} <= set(NAMES)
    assert {scope for _, scope, _ in PLACES} <= set(SCOPES)
    assert {scope for _, scope, path in PLACES if "{cwd}" in path} == CLONED
    assert not {scope for _, scope, path in PLACES if "{cwd}" not in path} & CLONED


@pytest.mark.parametrize("dialect", sorted({dialect for dialect, _, _ in PLACES}))
def test_a_dialects_places_stand_in_the_order_of_their_scopes(dialect: str) -> None:
    """Managed policy first, the project's local files last."""
    order = [SCOPES.index(scope) for each, scope, _ in PLACES if each == dialect]

    assert order == sorted(order)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place[0]}: {place[2]}")
def test_a_file_and_its_folder_are_of_the_dialect_that_has_its_place_there(
    place: tuple[str, str, str], tmp_path: Path
) -> None:
    """A user who names one of them to `--config` need not give the dialect.

    And the folder's files are found in it.
    """
    names = {
        "home": "home",
        "cwd": "project",
        "config": "home/.config",
        "claude": "home/.claude",
        "codex": "home/.codex",
        "copilot": "home/.copilot",
        "qwen": "home/.qwen",
        "cline": "home/.cline",
    }
    path = place[2].format(**names).replace("*", "policy").lstrip("/")
    path += "/guard/HOOK.md" if path.endswith("agents/hooks") else ""
    path += "/PreToolUse" if place[0] == "cline" else ""
    file = write(tmp_path / path)
    folder = str(Path(file).parent)

    assert guess_dialect(file) == guess_dialect(folder) == place[0]
    assert list_files(folder, place[0]) == [file]


@pytest.mark.parametrize(
    ("folder", "files"),
    [
        (".copilot", ["hooks/a.json", "hooks/b.json", "settings.json"]),
        (".github/copilot", ["settings.json", "settings.local.json"]),
        (
            "etc/claude-code",
            ["managed-settings.json", "managed-settings.d/10.json", "managed-settings.d/20.json"],
        ),
    ],
)
def test_a_folder_s_other_files_are_no_hooks(folder: str, files: list[str], tmp_path: Path) -> None:
    """A host keeps more than hooks there."""
    for name in (*files, "config.json", "mcp-config.json", "hooks/notes.txt"):
        write(tmp_path / folder / name)

    found = list_files(str(tmp_path / folder), guess_dialect(str(tmp_path / folder)))
    assert found == [str(tmp_path / folder / name) for name in files]


@pytest.mark.parametrize(
    ("start", "only", "found"),
    [
        ("work/clone", "", "work/clone"),
        ("work/clone/sub/deep", "", "work/clone"),
        ("work/plain/deep", "", "work/plain"),
        ("work/plain/deep", "claude-code", "work/plain"),
        ("work/plain/deep", "codex", ""),
        ("work/hooks/deep", "agenthooks", "work/hooks"),
        ("work/copilot/deep", "copilot", "work/copilot"),
        ("work/empty", "", ""),
        (".claude/hooks", "", ""),
        (".", "", ""),
        ("..", "", ""),
    ],
)
def test_a_project_is_the_nearest_folder_with_a_repository_or_hooks(
    start: str, only: str, found: str, tmp_path: Path
) -> None:
    """The home is no project: its hooks are the user's."""
    home = tmp_path / "home"
    files = (
        "work/clone/.git",
        "work/clone/sub/deep/x",
        "work/plain/.claude/settings.json",
        "work/plain/deep/x",
        ".git/x",
    )
    files += (
        "work/hooks/.agents/hooks/x/HOOK.md",
        "work/hooks/deep/x",
        "work/copilot/.github/hooks/x.json",
        "work/copilot/deep/x",
    )
    for name in (*files, "work/empty/x", ".claude/settings.json", ".claude/hooks/x"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).touch()

    assert project_root(str(home / start), {"HOME": str(home)}, only) == (
        str(home / found) if found else ""
    )


@pytest.mark.parametrize(
    ("dialect", "file", "kept"),
    [
        ("claude-code", "/p/.claude/settings.json", ".claude/settings.json"),
        ("claude-code", ".claude/settings.json", ".claude/settings.json"),
        ("agenthooks", "/p/.agents/hooks/EVIL NAME/HOOK.md", ".agents/hooks/"),
        ("copilot", "/p/.github/hooks/EVIL NAME.json", ".github/hooks/"),
        ("starchild", "/p/EVIL/config/shell_hooks.yaml", "config/shell_hooks.yaml"),
        ("starchild", "/p/EVIL.yaml", ""),
        ("kimi", "/p/.claude/settings.json", ""),
    ],
)
def test_where_a_file_is_kept_is_told_in_the_formats_words(
    dialect: str, file: str, kept: str
) -> None:
    """Never in the words of the user who named the file."""
    assert project_path(dialect, file) == kept


def test_where_was_looked_is_told_by_scope() -> None:
    """Every place as a pattern, whether it exists or not."""
    told = list_patterns("/project", {"HOME": "/home/ann"})

    assert list(told) == ["managed", "user", "project", "local"]
    assert sum(map(len, told.values())) == sum(not is_taken_over(row[2]) for row in PLACES)
    assert "/etc/hookline/hooks.d/*.yaml" in told["managed"]
    assert "/home/ann/.claude/settings.json" in told["user"]
    assert "/project/.claude/settings.local.json" in told["local"]
