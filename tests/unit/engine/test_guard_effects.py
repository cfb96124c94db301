"""Lines of guards: to which files they go, to which they do not, and when a file is put aside."""

import os
import socket

import pytest

from hookline.engine.guard_effects import append_line
from hookline.errors import HandlerError
from hookline.guards.finding import Append


@pytest.fixture
def environ(tmp_path):
    return {"HOME": str(tmp_path)}


def append(path, environ, line="x", largest=1000, *, is_cloned=False):
    """Append a line."""
    append_line(Append(path=str(path), line=line, largest=largest), environ, is_cloned=is_cloned)


def test_lines_are_appended(environ, tmp_path):
    """Below hookline's state, for the user only; a surrogate harms nothing."""
    append("a.jsonl", environ)
    append("a.jsonl", environ, "\ud800")
    file = tmp_path / ".local/state/hookline/logs/a.jsonl"
    assert file.read_text() == "x\n?\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_a_full_file_is_put_aside(environ, tmp_path):
    """The one before it goes; a line larger than the limit is written all the same."""
    file = tmp_path / "a.jsonl"
    for at in range(7):
        append(file, environ, str(at), largest=4)
    assert file.read_text() == "6\n"
    assert (tmp_path / "a.jsonl.1").read_text() == "4\n5\n"
    append(file, environ, "long line", largest=4)
    assert file.read_text() == "long line\n"


@pytest.mark.parametrize("path", ["~/.bashrc", "/etc/profile", "authorized_keys"])
def test_only_log_files_are_written(environ, path):
    """A line in a start-up file of a shell could run a command."""
    with pytest.raises(HandlerError, match="must end in"):
        append(path, environ)


@pytest.mark.parametrize("path", ["../sessions/a.jsonl", "~/a.jsonl", "/tmp/a.jsonl"])
def test_a_project_chooses_no_other_folder(environ, path):
    """A file of a project can choose a name in hookline's folder only."""
    with pytest.raises(HandlerError, match="a project's file"):
        append(path, environ, is_cloned=True)
    append("a.jsonl", environ, is_cloned=True)


def test_links_and_what_is_no_file_are_refused(environ, tmp_path):
    """None of them is opened for long, and nothing is written through a link."""
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "target")
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(tmp_path / "socket.jsonl"))
    for name in ("link", "folder", "pipe", "socket"):
        with pytest.raises(OSError, match=name):
            append(tmp_path / f"{name}.jsonl", environ)
    assert not (tmp_path / "target").exists()
