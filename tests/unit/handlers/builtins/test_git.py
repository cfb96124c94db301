"""Git builtins: what they report of a repository, and what a repository cannot make them do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hookline.core.dispatch import Run
from hookline.handlers.builtins.git import MOST, truncate
from hookline.handlers.process import Cancel
from hookline.handlers.table import perform_all
from hookline.model.event import Event
from hookline.model.spec import Builtin, Command, HookSpec
from hookline.model.verdict import Failure
from tests.unit.handlers.builtins.support import PATH, asked, session, told, turn

pytestmark = pytest.mark.process
WHO = (
    "-c",
    "user.name=Ada",
    "-c",
    "user.email=ada@example.org",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "commit.gpgSign=false",
)
HERMETIC = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
ON_TURN = ("add_git_status", "add_git_diff")


def git(folder: Path, *words: str) -> str:
    """Run git in a folder without any user's configuration and return its stdout."""
    environ = {"PATH": PATH, **HERMETIC}
    argv = ["git", *WHO, *words]
    done = subprocess.run(
        argv, cwd=folder, env=environ, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two commits, of which each test has a copy."""
    folder = tmp_path_factory.mktemp("repo")
    git(folder, "init")
    for number in (1, 2):
        (folder / "a.txt").write_text(f"line {number}\n", encoding="utf-8")
        git(folder, "add", "a.txt")
        git(folder, "commit", "-m", f"commit {number}")
    return folder


@pytest.fixture
def repo(made_once: Path, tmp_path: Path) -> Path:
    """A repository with two commits, and nothing changed since."""
    return Path(shutil.copytree(made_once, tmp_path / "repo"))


@pytest.fixture
def changed(repo: Path) -> Path:
    """The same with a changed file and a new one."""
    (repo / "a.txt").write_text("line 3\n", encoding="utf-8")
    (repo / "new.txt").write_text("new\n", encoding="utf-8")
    return repo


def asks(name: str, folder: Path) -> Event:
    """The event that a builtin is for."""
    return turn(folder) if name in ON_TURN else session(folder)


# -- what is told ----------------------------------------------------------------------------------


def test_the_status_is_branch_and_files(changed):
    """As `git status --short --branch` says it."""
    assert (
        told("add_git_status", turn(changed), environ=HERMETIC)
        == "Git status:\n## main\n M a.txt\n?? new.txt"
    )


def test_the_status_of_a_clean_tree_is_its_branch(repo):
    """That nothing changed is worth knowing."""
    assert told("add_git_status", turn(repo), environ=HERMETIC) == "Git status:\n## main"


def test_the_diff_is_statistics(changed):
    """Without `full`; an untracked file is no difference."""
    told_stat = told("add_git_diff", turn(changed), environ=HERMETIC)

    assert (
        told_stat == f"Current working-tree diff (stat):\n{git(changed, 'diff', '--stat').rstrip()}"
    )
    assert told_stat.endswith(" a.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)")


def test_the_diff_is_told_whole_on_demand(changed):
    """With `full` the model gets the changed lines."""
    assert (
        told("add_git_diff", turn(changed), "full", environ=HERMETIC)
        == f"Current working-tree diff:\n{git(changed, 'diff').rstrip()}"
    )
    assert told("add_git_diff", turn(changed), "fully", environ=HERMETIC).startswith(
        "Current working-tree diff (stat):"
    )


@pytest.mark.parametrize("args", [(), ("full",)])
def test_a_clean_tree_has_no_diff(args, repo):
    """Nothing changed, nothing said."""
    assert told("add_git_diff", turn(repo), *args, environ=HERMETIC) is None


def test_a_long_diff_is_cut_between_characters(repo):
    """At 4 KB, without half a character, and saying so."""
    (repo / "a.txt").write_text("x" + "é" * 5000, encoding="utf-8")
    text = told("add_git_diff", turn(repo), "full", environ=HERMETIC)
    body = text.removeprefix("Current working-tree diff:\n").removesuffix("\n... (cut at 4 KB)")

    assert body.encode() == git(repo, "diff").encode()[: len(body.encode())]
    assert MOST - 1 <= len(body.encode()) <= MOST
    assert body.endswith("é")


@pytest.mark.parametrize(
    ("text", "kept"),
    [("x" * 4096, "x" * 4096), ("é" * 2048, "é" * 2048), ("x" + "é" * 2048, "x" + "é" * 2047)],
)
def test_a_text_of_4_kb_is_whole(text, kept):
    """The limit counts bytes of UTF-8, and itself still fits."""
    assert truncate(text) == kept + ("" if text == kept else "\n... (cut at 4 KB)")


@pytest.mark.parametrize(
    ("args", "count"),
    [
        ((), 10),
        (("3",), 3),
        (("0",), 10),
        (("-2",), 10),
        (("many",), 10),
        (("",), 10),
        (("9" * 5000,), 10),
        (("99",), 12),
    ],
)
def test_the_last_commits_are_told(args, count, repo):
    """Ten, or as many as asked for; a bad number is none."""
    for number in range(3, 13):
        git(repo, "commit", "--allow-empty", "-m", f"commit {number}")
    heading, *lines = told(
        "add_recent_commits", session(repo), *args, environ=HERMETIC
    ).splitlines()

    assert heading == "Recent commits:"
    assert [line.partition(" ")[2] for line in lines] == [
        f"commit {number}" for number in range(12, 12 - count, -1)
    ]
    assert "\n".join(lines) == git(repo, "log", "--oneline", "-n", str(count)).rstrip()


def test_a_folder_below_is_the_same_repository(changed):
    """Git is asked where the agent works; `working_dir` of the hook is seen from there."""
    (changed / "deep").mkdir()
    below = told("add_git_diff", turn(changed / "deep"), environ=HERMETIC)

    assert below == told("add_git_diff", turn(changed), environ=HERMETIC)
    assert below == told("add_git_diff", turn(changed.parent), environ=HERMETIC, working_dir="repo")


# -- nothing to tell -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*ON_TURN, "add_recent_commits"])
def test_without_a_repository_nothing_is_said(name, repo, tmp_path):
    """No folder, a missing one, one outside, one with a broken link, the inside of `.git`.

    Each is no trouble.
    """
    (tmp_path / "plain").mkdir()
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn/.git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    folders = [
        "",
        *(str(tmp_path / folder) for folder in ("plain", "torn", "missing", "repo/a.txt")),
    ]
    if name in ON_TURN:
        folders.append(str(repo / ".git"))

    assert [told(name, asks(name, folder), environ=HERMETIC) for folder in folders] == [None] * len(
        folders
    )


@pytest.mark.parametrize("name", [*ON_TURN, "add_recent_commits"])
def test_without_git_nothing_is_said(name, changed, tmp_path):
    """On a machine without git the builtin does not fail."""
    assert told(name, asks(name, changed), environ={"PATH": str(tmp_path)}) is None


@pytest.mark.parametrize("name", [*ON_TURN, "add_recent_commits"])
@pytest.mark.parametrize("kind", ["tool.before", "stop", "model.request", "compact.before"])
def test_on_another_event_nothing_is_said(name, kind, changed):
    """A wrong event is no error."""
    assert told(name, Event(kind=kind, cwd=str(changed)), environ=HERMETIC) is None
    wrong = session(changed) if name in ON_TURN else turn(changed)
    assert told(name, wrong, environ=HERMETIC) is None


def test_a_repository_without_a_commit_has_none_to_tell(tmp_path):
    """In a new repository the builtin does not fail."""
    git(tmp_path, "init")

    assert told("add_recent_commits", session(tmp_path), environ=HERMETIC) is None
    assert (
        told("add_git_status", turn(tmp_path), environ=HERMETIC)
        == "Git status:\n## No commits yet on main"
    )


# -- trouble ---------------------------------------------------------------------------------------


def test_an_unreadable_repository_is_reported(repo):
    """A repository that git cannot read is a failure of the hook, in git's words."""
    (repo / ".git/index").write_bytes(b"no index")
    outcome = asked("add_git_status", turn(repo), environ=HERMETIC)

    assert (outcome.exit_code, outcome.stdout) == (128, "")
    assert "index" in outcome.stderr


def slow_git(folder: Path) -> dict[str, str]:
    """An environment in which git is slow and leaves a slow process behind."""
    program = folder / "git"
    program.write_text("#!/bin/sh\nsleep 60 & sleep 60\n", encoding="utf-8")
    program.chmod(0o755)
    return {"PATH": f"{folder}:{PATH}"}


def test_a_slow_git_ends_at_the_limit_of_its_hook(repo, tmp_path):
    """The time limit of the hook is git's."""
    outcome = asked("add_git_status", turn(repo), environ=slow_git(tmp_path), timeout=0.2)

    assert outcome.failure is Failure.TIMED_OUT
    assert outcome.stdout == ""


def test_git_is_cancelled_with_the_other_hooks(repo, tmp_path):
    """The switch that ends a batch ends what a builtin is waiting for."""
    handler = Builtin(name="add_git_status")
    spec = HookSpec(
        id="h",
        dialect="docker-agent",
        kind="turn.start",
        native_event="turn_start",
        handler=handler,
    )
    cancel = Cancel()
    cancel.set()
    (outcome,) = perform_all(
        [Run(spec=spec, event=turn(repo))], cancel=cancel, environ=slow_git(tmp_path)
    )
    cancel.close()

    assert outcome.failure is Failure.CANCELLED


def test_git_runs_beside_the_other_hooks_of_its_event(repo, tmp_path):
    """A hook that waits for git, and a git that waits for that hook, both end."""
    program = tmp_path / "git"
    program.write_text(
        f"#!/bin/sh\necho asked > {tmp_path}/to\nread answer < {tmp_path}/fro\necho $answer\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    for pipe in ("to", "fro"):
        os.mkfifo(tmp_path / pipe)
    script = Command(  # noqa: S604 - a shell is what it tests
        script=f"read said < {tmp_path}/to; echo yes > {tmp_path}/fro; echo $said", shell=("sh",)
    )
    runs = [
        Run(
            spec=HookSpec(
                id=str(at),
                dialect="docker-agent",
                kind="turn.start",
                native_event="turn_start",
                handler=handler,
                timeout=20.0,
            ),
            event=turn(repo),
            payload="{}\n",
        )
        for at, handler in enumerate((Builtin(name="add_git_status"), script))
    ]
    first, second = perform_all(runs, environ={"PATH": f"{tmp_path}:{PATH}"})

    assert (
        json.loads(first.stdout)["hook_specific_output"]["additional_context"] == "Git status:\nyes"
    )
    assert second.stdout == "asked\n"


def test_a_flood_is_cut_like_any_long_text(repo, tmp_path):
    """An endless diff is stopped, and the context has its beginning."""
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\nyes line\n", encoding="utf-8")
    program.chmod(0o755)
    text = told("add_git_diff", turn(repo), "full", environ={"PATH": f"{tmp_path}:{PATH}"})

    assert text.startswith("Current working-tree diff:\nline\nline\n")
    assert text.endswith("\n... (cut at 4 KB)")


# -- what a repository, and an environment, may not do ---------------------------------------------


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A program that leaves a trace of having run, and does nothing else."""
    program = tmp_path / "canary"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/sang\ncat\n", encoding="utf-8")
    program.chmod(0o755)
    return program


def sign(folder: Path) -> None:
    """Give the last commit an invalid signature."""
    head, body = git(folder, "cat-file", "commit", "HEAD").split("\n\n", 1)
    signed = (
        f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n"
        f"{body}"
    )
    (folder / ".git/signed").write_text(signed, encoding="utf-8")
    git(
        folder,
        "update-ref",
        "HEAD",
        git(folder, "hash-object", "-t", "commit", "-w", ".git/signed").strip(),
    )


@pytest.mark.parametrize(
    "key", ["core.fsmonitor", "diff.external", "diff.x.textconv", "diff.x.command", "gpg.program"]
)
@pytest.mark.parametrize("name", [*ON_TURN, "full", "add_recent_commits"])
def test_a_repository_starts_no_program(name, key, changed, canary):
    """Git runs no program that its configuration names."""
    (changed / ".gitattributes").write_text("*.txt diff=x\n", encoding="utf-8")
    sign(changed)
    git(changed, "config", key, str(canary))
    git(changed, "config", "log.showSignature", "true")
    args = (name,) if name == "full" else ()
    builtin = "add_git_diff" if args else name

    assert told(builtin, asks(builtin, changed), *args, environ=HERMETIC) is not None
    assert not (canary.parent / "sang").exists()


def test_a_repository_runs_no_hook_of_its_own(changed, canary):
    """Neither from its folder nor from one that its configuration names.

    And its index stays as it is.
    """
    for name in ("post-index-change", "query-watchman", "fsmonitor-watchman"):
        (changed / ".git/hooks" / name).write_text(
            canary.read_text(encoding="utf-8"), encoding="utf-8"
        )
        (changed / ".git/hooks" / name).chmod(0o755)
    os.utime(changed / "a.txt", (1, 1))
    before = (changed / ".git/index").read_bytes()
    for name in ON_TURN:
        assert told(name, turn(changed), environ=HERMETIC) is not None

    assert not (canary.parent / "sang").exists()
    assert (changed / ".git/index").read_bytes() == before
    assert not (changed / ".git/index.lock").exists()


def test_a_submodule_starts_no_program(repo, canary, tmp_path):
    """Git looks into submodules with the same care."""
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init")
    git(inner, "commit", "--allow-empty", "-m", "inner")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "add", str(inner), "sub")
    git(repo, "commit", "-m", "submodule")
    git(repo / "sub", "config", "core.fsmonitor", str(canary))
    (repo / "sub/new.txt").touch()

    assert told("add_git_status", turn(repo), environ=HERMETIC) == "Git status:\n## main\n ? sub"
    assert told("add_git_diff", turn(repo), "full", environ=HERMETIC) is None
    assert not (canary.parent / "sang").exists()


def test_a_partial_clone_fetches_nothing(repo, canary, tmp_path):
    """The diff fetches no left-out object, whatever program the configuration names."""
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--filter=blob:none", "--no-checkout", f"file://{repo}", "part")
    part = tmp_path / "part"
    git(part, "config", "remote.origin.url", f"ext::{canary}")
    git(part, "config", "protocol.ext.allow", "always")
    git(part, "reset", "--mixed")
    (part / "a.txt").write_text("changed\n", encoding="utf-8")
    outcome = asked("add_git_diff", turn(part), "full", environ=HERMETIC)

    assert outcome.exit_code == 128
    assert not (tmp_path / "sang").exists()


@pytest.mark.parametrize(
    "name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"]
)
def test_an_inherited_variable_does_not_redirect_git(name, changed, tmp_path):
    """An agent that a git hook started inherits GIT_DIR and GIT_INDEX_FILE of another one."""
    (tmp_path / "other").mkdir()
    git(tmp_path / "other", "init")
    text = told(
        "add_git_status", turn(changed), environ={**HERMETIC, name: str(tmp_path / "other/.git")}
    )

    assert text == "Git status:\n## main\n M a.txt\n?? new.txt"


@pytest.mark.parametrize("name", ["GIT_EXTERNAL_DIFF", "GIT_TRACE"])
def test_an_inherited_variable_starts_and_writes_nothing(name, changed, canary):
    """What git would run, or write a trace to, is not inherited."""
    before = canary.read_bytes()

    assert (
        told("add_git_diff", turn(changed), "full", environ={**HERMETIC, name: str(canary)})
        is not None
    )
    assert not (canary.parent / "sang").exists()
    assert canary.read_bytes() == before


def test_a_declared_variable_is_meant(changed, tmp_path):
    """A variable that the hook declares reaches git: a repository beside its work tree."""
    env = {"GIT_DIR": "${env.PLACE}/.git", "GIT_WORK_TREE": "${env.PLACE}"}
    text = told(
        "add_git_status", turn(tmp_path), environ={**HERMETIC, "PLACE": str(changed)}, env=env
    )

    assert text.splitlines()[1] == "## main"


def test_colours_and_words_do_not_depend_on_the_user(changed, tmp_path):
    """The model gets neither colours nor the user's language."""
    config = tmp_path / "config"
    config.write_text(
        "[color]\n\tui = always\n\tstatus = always\n\tdiff = always\n[log]\n\tshowSignature = "
        "true\n",
        encoding="utf-8",
    )
    environ = {
        **HERMETIC,
        "GIT_CONFIG_GLOBAL": str(config),
        "LC_ALL": "de_DE.UTF-8",
        "LANGUAGE": "de",
    }
    texts = [
        told(name, asks(name, changed), environ=environ)
        for name in (*ON_TURN, "add_recent_commits")
    ]

    assert all(text and "\x1b" not in text for text in texts)
