"""What becomes of a hook whose script is run from where it lies?"""

from __future__ import annotations

import shutil

import pytest

from hookline.model.outcome import Failure, Outcome
from hookline.model.verdict import Stance
from hookline.trust import approve, survey
from hookline.trust.gate import Pass
from tests.unit.trust.support import World, hook, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from hookline.model.spec import HookSpec

pytestmark = pytest.mark.process


@pytest.fixture
def world(tmp_path: Path) -> World:
    """With an interpreter that takes nothing but files."""
    made = World(tmp_path)
    (tmp_path / "bin").mkdir()
    ruby = made.script("", path=tmp_path / "bin/ruby")
    ruby.write_text('#!/bin/sh\nexec sh "$@"\n', encoding="utf-8")
    made.environ["PATH"] = f"{tmp_path / 'bin'}:{made.environ['PATH']}"
    made.script("ran", path=made.home / "guard.rb")
    return made


def own(world: World, scope: str = "user") -> HookSpec:
    """A hook of the user's own."""
    return hook("ruby", str(world.home / "guard.rb"), scope=scope)


@pytest.mark.parametrize("how", ["first use", "approved"])
def test_by_default_it_runs(world: World, how: str) -> None:
    """And is looked at again."""
    gate = world.gate()
    if how == "approved":
        approve(gate, [own(world)])
    given = gate.admit(world.run(own(world)))

    assert isinstance(given, Pass)
    assert (given.note, world.perform(given.run).exit_code, world.ran()) == ("", 0, ["ran"])
    (standing,) = survey(gate, [own(world)])
    assert (standing.state, standing.in_place, standing.reason) == (
        "trusted",
        (str(world.home / "guard.rb"),),
        "",
    )


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize(
    ("effect", "means"), [("skip", None), ("ask", Stance.ASK), ("deny", Stance.DENY)]
)
def test_it_may_be_kept_from_running(
    world: World, scope: str, effect: str, means: Stance | None
) -> None:
    """Although it is approved; one that is only left out has failed, and its own rule decides."""
    gate = world.gate(in_place=effect)
    approve(gate, [own(world, scope)])
    given = gate.admit(world.run(own(world, scope)))

    assert isinstance(given, Outcome)
    assert (given.failure, given.means, world.ran()) == (Failure.UNTRUSTED, means, [])
    assert (
        given.detail
        == f"`{world.home / 'guard.rb'}` is run from its place, and not as it was verified"
    )


def test_a_first_use_is_no_approval_then(world: World) -> None:
    """Neither where it is left out, nor where it is only told."""
    for effect in ("deny", "warn"):
        gate = world.gate(in_place=effect)
        gate.admit(world.run(own(world)))
        assert [standing.state for standing in survey(gate, [own(world)])] == ["unknown"]


def test_it_may_be_told(world: World) -> None:
    """Once a session, with the script."""
    gate = world.gate(in_place="warn")
    approve(gate, [own(world)])
    first, second = (gate.admit(world.run(own(world))) for _ in range(2))

    assert isinstance(first, Pass)
    assert isinstance(second, Pass)
    assert f"`{world.home / 'guard.rb'}` is run from its place" in first.note
    assert second.note == ""


def test_what_is_sealed_is_not_asked_about(world: World) -> None:
    """Nor is what would not run anyway told in another way."""
    gate = world.gate(in_place="deny")
    sealed = hook(str(world.script("sealed", path=world.home / "guard.sh")), scope="user")
    cloned = own(world, "project")

    assert isinstance(gate.admit(world.run(sealed)), Pass)
    given = gate.admit(world.run(cloned))
    assert isinstance(given, Outcome)
    assert given.means is Stance.SILENT


def test_a_setting_says_so(world: World) -> None:
    """In the table of trust."""
    folder = world.home / ".config/hookline"
    folder.mkdir(parents=True)
    (folder / "settings.toml").write_text('[trust]\nin_place = "ask"\n', encoding="utf-8")

    assert world.gate().policy.in_place == "ask"


ALLOW = "#!/bin/sh\nmv s/a.sh.good s/a.sh 2> /dev/null\necho allow\n"


@pytest.mark.parametrize(
    "line",
    [
        "eval ./s/a.sh",
        "xargs ./s/a.sh < /dev/null",
        "find . -maxdepth 0 -exec ./s/a.sh ';'",
        "ruby s/a.sh",
        "trap 'eval ./s/a.sh' EXIT",
        "cat s/a.sh | sh",
    ],
)
@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_script_that_puts_the_right_one_back_has_no_say(
    world: World, line: str, scope: str, what: str
) -> None:
    """Although all bytes are as they were by then; the next answer counts again."""
    folder = world.project / "s"
    folder.mkdir()
    good = world.script("good", path=folder / "a.sh")
    spec, gate = hook(handler=text(line), scope=scope), world.gate()
    approve(gate, [spec])
    given = gate.admit(world.run(spec))
    assert isinstance(given, Pass)
    moved = good if what == "file" else folder
    moved.rename(f"{moved}.good")
    folder.mkdir(exist_ok=True)
    good.write_text(ALLOW, encoding="utf-8")
    good.chmod(0o755)
    said = world.perform(given.run)
    if what == "folder":
        shutil.rmtree(folder)
        (world.project / "s.good").rename(folder)
    raced = gate.settled(given, said)
    again = gate.admit(world.run(spec))
    assert isinstance(again, Pass)

    assert (raced.failure, raced.stdout) == (Failure.CHANGED, "")
    assert gate.settled(again, world.perform(again.run)).failure is None


def test_a_script_that_leaves_something_beside_itself_has_its_say(world: World) -> None:
    """A log in its folder is no change."""
    good = world.script("good", path=world.project / "a.sh")
    good.write_text(
        '#!/bin/sh\necho ran >> "$(dirname "$0")/a.log"\nmkdir -p "$(dirname "$0")/cache"\n',
        encoding="utf-8",
    )
    spec, gate = hook(handler=text("eval ./a.sh")), world.gate()
    approve(gate, [spec])
    given = gate.admit(world.run(spec))
    assert isinstance(given, Pass)
    outcome = gate.settled(given, world.perform(given.run))

    assert (outcome.exit_code, (world.project / "a.log").exists()) == (0, True)
