"""Sessions in files: what comes back, whose they are, and files that cannot be read."""

from __future__ import annotations

import json
import os

import pytest

from hookline.errors import ConfigError
from hookline.host.session import Session, SessionFiles


@pytest.fixture
def files(tmp_path):
    return SessionFiles({"HOME": str(tmp_path)})


def make(files, name="one", cwd="/work", **fields):
    session = Session(name, "root", cwd)
    for key, value in fields.items():
        setattr(session, key, value)
    files.save(session, [{"kind": "request"}])
    return session


def write(files, name, text):
    make(files, name)
    with open(f"{files.folder}/{name}.json", "w", encoding="utf-8") as file:
        file.write(text if isinstance(text, str) else json.dumps(text))


def test_what_comes_back(files):
    """All that the next run needs."""
    session = make(files, input_tokens=5, output_tokens=7, cost=0.25)
    session.contexts["session"] = ("a", "b")
    session.contexts["turn"] = ("not kept",)
    session.approvals.option = "strict"
    session.approvals.choose_mode("balanced")
    session.approvals.option = "autonomous"
    session.approvals.grants.append("shell:cmd=ls*")
    files.save(session, [{"kind": "request"}])

    found, messages = files.load("one")

    assert messages == [{"kind": "request"}]
    assert (found.id, found.agent, found.cwd, found.mode) == ("one", "root", "/work", "balanced")
    assert found.contexts == {"session": ("a", "b")}
    assert found.approvals.grants == ["shell:cmd=ls*"]
    assert (found.input_tokens, found.output_tokens, found.cost) == (5, 7, 0.25)
    assert found.is_resumed


def test_only_the_owner_reads_them(files):
    """A conversation may hold secrets."""
    previous = os.umask(0)
    try:
        make(files)
    finally:
        os.umask(previous)

    assert os.stat(files.folder).st_mode & 0o777 == 0o700
    assert os.stat(f"{files.folder}/one.json").st_mode & 0o777 == 0o600
    assert os.listdir(files.folder) == ["one.json"]


@pytest.mark.parametrize("name", ["", "../one", "a/b", ".", "x" * 81, "no\n", "missing"])
def test_a_session_that_is_not_there(files, name):
    """An id is no path."""
    make(files)

    with pytest.raises(ConfigError, match="there is no session"):
        files.load(name)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "5", '"x"', {}, {"version": 1}, {"version": 1, "id": "one", "agent": "root"},
     {"version": 1, "id": 5, "agent": [], "cwd": {}, "mode": 1, "context": 2, "grants": 3,
      "input_tokens": "x", "output_tokens": None, "cost": "y", "messages": []}, "\0\0\0"],
)  # fmt: skip
def test_a_file_that_cannot_be_read(files, text):
    """The error names the session, and says which file to remove."""
    write(files, "one", text)

    with pytest.raises(ConfigError, match="the session `one` cannot be read") as caught:
        files.load("one")

    assert caught.value.hint == f"remove {files.folder}/one.json"


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_a_file_of_another_version(files, version):
    """The error says that another release wrote it."""
    write(files, "one", {"version": version})

    with pytest.raises(ConfigError, match="another version of hookline wrote the session `one`"):
        files.load("one")


def test_the_last_session_of_a_folder(files):
    """It is the one that was saved last there."""
    for at, (name, cwd) in enumerate([("old", "/work"), ("new", "/work"), ("other", "/else")]):
        make(files, name, cwd)
        os.utime(f"{files.folder}/{name}.json", (at, at))

    assert files.find_last("/work") == "new"
    assert files.find_last("/else") == "other"
    assert files.find_last("/none") == ""


def test_the_last_session_beside_broken_files(files):
    """A file that cannot be read hides no other."""
    make(files, "good")
    os.utime(f"{files.folder}/good.json", (1, 1))
    write(files, "broken", "{")
    write(files, "newer", {"version": 9})
    write(files, "list", "[]")
    with open(f"{files.folder}/no id at all.json", "w", encoding="utf-8") as file:
        file.write("{}")

    assert files.find_last("/work") == "good"


def test_no_session_was_ever_saved(files):
    """Then there is no last one."""
    assert files.find_last("/work") == ""


def test_a_save_that_fails_keeps_the_old_file(files):
    """A file is whole or the one before."""
    make(files)
    session = Session("one", "root", "/work")

    with pytest.raises(TypeError):
        files.save(session, [object()])

    assert files.load("one")[1] == [{"kind": "request"}]
