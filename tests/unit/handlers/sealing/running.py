"""Running: a script as it is, and as it was sealed, with another one in its place by then."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess

import pytest

from hookline.handlers.sealing.memory import ready
from hookline.handlers.sealing.pieces import Pieces
from hookline.handlers.sealing.ways import sealed_words
from hookline.handlers.sight.contents import contents
from hookline.model.sight import Sealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SWAPPED = "exit 77\n"  # in any language that is tried here


def needs(program: str) -> pytest.MarkDecorator:
    """A test of what that program does."""
    return pytest.mark.skipif(
        shutil.which(program) is None, reason=f"{program} is not on this machine"
    )


class Ran:
    """What a run left behind: its exit code, what it said, and its errors."""

    def __init__(self, code: int, stdout: str, stderr: str = "") -> None:
        self.told = (code, stdout, stderr)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ran) and self.told == other.told

    def __repr__(self) -> str:
        return repr(self.told)

    __hash__ = None  # type: ignore[assignment]  # - compared only


class Script:
    """A script in a folder, and the words that run it; `family` says how it is sealed."""

    def __init__(self, folder: Path, name: str, text: str | bytes) -> None:
        self.folder = folder
        self.path = folder / name
        self.path.write_bytes(text.encode() if isinstance(text, str) else text)
        self.path.chmod(0o755)

    def sealed(
        self,
        family: str,
        before: Sequence[str],
        shown: str = "",
        env: Mapping[str, str] = os.environ,
    ) -> Sealed | None:
        """How it is run as it is now; None where that is from its place."""
        read = contents(str(self.path))
        assert read is not None
        pieces = Pieces(env, lambda name: shutil.which(name) or "")
        words = sealed_words(family, [*before, shown or f"./{self.path.name}"], read, pieces)
        assert pieces.in_place <= {read.real}
        return None if pieces.in_place else Sealed(argv=tuple(words), pieces=tuple(pieces.pieces))

    def plain(
        self,
        before: Sequence[str],
        rest: Sequence[str] = (),
        shown: str = "",
        env: Mapping[str, str] = os.environ,
    ) -> Ran:
        """What it does without us."""
        return self._run([*before, shown or f"./{self.path.name}", *rest], (), env)

    def run(
        self, sealed: Sealed, rest: Sequence[str] = (), env: Mapping[str, str] = os.environ
    ) -> Ran:
        """What it does as it was sealed."""
        with contextlib.ExitStack() as closing:
            argv, _, passed = ready(sealed, str(self.folder / "copies"), closing)
            return self._run([*argv, *rest], passed, env)

    def _run(self, words: Sequence[str], passed: Sequence[int], env: Mapping[str, str]) -> Ran:
        done = subprocess.run(
            words,
            cwd=self.folder,
            env=env,
            pass_fds=tuple(passed),
            input=b"in\nput\n",
            capture_output=True,
            check=False,
            timeout=300,
        )
        return Ran(
            done.returncode,
            done.stdout.decode("utf-8", "replace"),
            done.stderr.decode("utf-8", "replace"),
        )

    def swapped(self) -> None:
        """Put another one in its place."""
        beside = self.path.with_name("beside")
        beside.write_text(SWAPPED, encoding="utf-8")
        beside.replace(self.path)


def both(
    script: Script,
    family: str,
    before: Sequence[str],
    rest: Sequence[str] = (),
    *,
    shown: str = "",
    reads: bool = False,
) -> tuple[Ran, Ran]:
    """What a script does without us, and sealed; by then another one lies there, unless it reads its own file."""
    sealed = script.sealed(family, before, shown)
    assert sealed is not None, "it would run from its place"
    plain = script.plain(before, rest, shown)
    if not reads:
        script.swapped()
    return plain, script.run(sealed, rest)
