"""A program that would run is an act; a word in an argument is none."""

from __future__ import annotations

import pytest

from hookline.guards.claims.acts import find_acts, find_command_acts, find_edited_files

RUNS = {
    "pytest -q": ("test",),
    "cd app && python -m pytest tests": ("test",),
    "uv run pytest": ("test",),
    "uv run --group dev pytest": ("test",),
    "hatch run test": ("test",),
    "pnpm vitest run": ("test",),
    "python manage.py test": ("test",),
    "docker compose -f a.yml build": ("build",),
    "gh workflow run deploy.yml": ("http",),
    "npm test": ("test",),
    "pytest tests/test_a.py": ("test", "part"),
    "pytest tests/unit/guards": ("test",),
    "pytest -k login": ("test", "part"),
    "npm run test:unit": ("test",),
    "make check": ("test",),
    "bash -c 'go test ./...'": ("test",),
    "cargo build --release": ("build",),
    "make": ("build",),
    "mypy src && ruff check .": ("types", "lint"),
    "git -C app commit -am fix": ("commit",),
    "git add . && git commit -m 'run pytest' && git push origin main": ("commit", "push"),
    "gh pr create --fill": ("request",),
    "twine upload dist/*": ("publish",),
    "./deploy.sh production": ("deploy",),
    "python publish_article.py": ("publish",),
    "python main.py": ("unknown",),
    "curl -X POST https://api.example.com -d '{}'": ("http",),
    "echo '0 9 * * * x' | crontab -": ("schedule",),
    "kubectl apply -f app.yaml": ("deploy",),
}
NO_RUNS = (
    "grep -rn pytest .",
    "pip install pytest",
    "echo git push",
    "cat pytest.ini",
    "git log --grep pytest",
    "pytest --collect-only",
    "git push --dry-run",
    "git stash push -m x",
    "bash -n deploy.sh",
    "npm install jest",
    "uv pip install pytest",
    "poetry add pytest",
    "which jest",
    "curl https://example.com",
    "crontab -l",
    "man git-push",
    "ls tests",
)


@pytest.mark.parametrize("command", RUNS)
def test_programs_that_run_are_acts(command: str) -> None:
    """Each program of the line counts, through wrappers and shells."""
    assert find_command_acts(command) == RUNS[command]


@pytest.mark.parametrize("command", NO_RUNS)
def test_words_are_no_acts(command: str) -> None:
    """A search, an installation, a message and a dry run back nothing."""
    assert find_command_acts(command) == ()


@pytest.mark.parametrize(
    ("tool", "acts"),
    [
        ("send_to_telegram", ("send",)),
        ("mcp__github__create_pull_request", ("request",)),
        ("mcp__github__list_commits", ()),
        ("schedule_task", ("schedule",)),
        ("mcp__google_calendar__create_event", ("schedule",)),
        ("mcp__acme__trigger", ("http",)),
        ("mcp__acme__get_thing", ()),
        ("browser_click", ("http",)),
        ("TodoWrite", ()),
        ("Task", ("agent",)),
        ("Read", ()),
        ("publishPreview", ("publish",)),
    ],
)
def test_tools_act_by_their_names(tool: str, acts: tuple[str, ...]) -> None:
    """A tool that is no shell acts by the words of its name, unless it reads."""
    assert find_acts(tool, {}) == acts


@pytest.mark.parametrize(
    ("given", "files"),
    [
        ({"file_path": "/srv/app.py"}, ("/srv/app.py",)),
        ({"file_path": "README.md"}, ()),
        ({"command": "sed -i s/a/b/ src/a.py"}, ("src/a.py",)),
        ({"command": "cat > src/b.ts <<'X'\nx\nX"}, ("src/b.ts",)),
        ({"command": "echo 'a -> b > c.py'"}, ()),
        ({"command": "pytest > out.log"}, ()),
        ({"input": "*** Begin Patch\n*** Update File: lib/c.rb\n"}, ("lib/c.rb",)),
    ],
)
def test_edits_are_of_source_files(given: dict, files: tuple[str, ...]) -> None:
    """Editors, patches, redirections and edits in place; documents and data are exempt."""
    assert find_edited_files(given) == files
