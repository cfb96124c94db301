"""The guards `claims`, `code_changes` and `commitments`, event by event, through an engine."""

from __future__ import annotations

import json

import pytest

import hookline
from hookline import Stance

NOW = 1_790_000_000.0


class Session:
    """Fires the events of one session at an engine with one guard."""

    def __init__(self, home, guard, **options) -> None:
        self.now = NOW
        hook = {"use": guard, **({"with": options} if options else {})}
        self.engine = hookline.Engine.from_config(
            {"version": 1, "hooks": [hook]},
            dialect="hookline",
            trust="all",
            cwd=home,
            environ={"HOME": str(home)},
            clock=lambda: self.now,
        )

    def run(self, command, result="", *, event="tool.after", **extra):
        call = {"tool": "shell", "input": {"command": command}}
        self.fire("tool.before", **call)
        return self.fire(event, **call, result=result, **extra)

    def edit(self, path):
        call = {"tool": "edit", "input": {"file_path": path}}
        self.fire("tool.before", **call)
        self.fire("tool.after", **call, result="ok")

    def stop(self, reply, **extra):
        return self.fire("stop", last_message=reply, **extra)

    def fire(self, event, **payload):
        return self.engine.fire(event, {"session_id": "s1", "cwd": "/srv", **payload})


@pytest.fixture
def claims(tmp_path):
    return Session(tmp_path, "claims")


def test_a_claim_without_evidence_is_sent_back(claims) -> None:
    """The reason says what is missing, and what to do."""
    decision = claims.stop("All tests pass.")

    assert decision.stance is Stance.DENY
    assert "no test run was seen" in decision.reason
    assert "run the tests" in decision.reason
    assert decision.labels == ("claim.tests_pass",)


def test_a_run_backs_a_claim(claims) -> None:
    """A run that ended well, and an honest reply, pass."""
    claims.run("pytest -q", "42 passed in 1.0s")

    assert claims.stop("All 42 tests pass.").stance is Stance.SILENT
    assert claims.stop("I have not pushed anything.").stance is Stance.SILENT


@pytest.mark.parametrize(
    ("result", "extra", "reason"),
    [
        ("3 failed, 4 passed", {}, "the last test run failed"),
        ("boom\nexit code: 1", {}, "the last test run failed"),
        ({"exit_code": 2, "stdout": ""}, {}, "the last test run failed"),
        ("", {"event": "tool.failure", "error": "exit 1"}, "the last test run failed"),
        ("7 passed", {}, "passed 7 tests, not 42"),
    ],
)
def test_the_last_run_decides(claims, result, extra, reason) -> None:
    """A failed run, and one of fewer tests, back nothing."""
    claims.run("pytest", "42 passed")
    claims.run("pytest", result, **extra)
    decision = claims.stop("All 42 tests pass.")

    assert decision.stance is Stance.DENY
    assert reason in decision.reason


def test_an_edit_after_the_run_takes_its_backing(claims) -> None:
    """Code that was edited is to be tested again; a document is not."""
    claims.run("pytest", "42 passed")
    claims.edit("README.md")
    assert claims.stop("Tests pass.").stance is Stance.SILENT
    claims.edit("src/app.py")
    assert "`app.py` was edited" in claims.stop("Tests pass.").reason


def test_a_part_of_the_tests_is_not_all(claims) -> None:
    """A run of one file backs "tests pass", and not "all tests pass"."""
    claims.run("pytest tests/test_a.py", "3 passed")
    assert claims.stop("The tests pass.").stance is Stance.SILENT
    assert "only some of the tests" in claims.stop("All tests pass.").reason
    claims.run("pytest", "90 passed")
    claims.run("pytest tests/test_a.py", "3 passed")
    assert claims.stop("All tests pass.").stance is Stance.SILENT


def test_without_a_session_it_only_warns(claims) -> None:
    """A host that names no session leaves no record, and nothing counts the redos."""
    decision = claims.engine.fire("stop", {"cwd": "/srv", "last_message": "All tests pass."})

    assert decision.stance is Stance.SILENT
    assert "were not seen" in decision.for_user[0]


def test_a_run_in_the_background_is_unknown(claims) -> None:
    """Its start does not tell how it ends."""
    call = {"tool": "shell", "input": {"command": "pytest", "run_in_background": True}}
    claims.fire("tool.before", **call)
    claims.fire("tool.after", **call, result="started")
    decision = claims.stop("Tests pass.")

    assert decision.stance is Stance.SILENT
    assert "in the background" in decision.for_user[0]


def test_a_word_is_no_run(claims) -> None:
    """A search for a test tool, or its installation, backs nothing."""
    claims.run("grep -r pytest . && pip install pytest", "ok")

    assert claims.stop("Tests pass.").stance is Stance.DENY


def test_a_push_comes_after_the_commit(claims) -> None:
    """A commit after the push, or a rejected push, is not pushed."""
    claims.run("git push", "ok")
    claims.run("git commit -m x", "[main 3f2a9c1] x")
    assert "after the last push" in claims.stop("I pushed the fix.").reason
    claims.run("git push", " ! [rejected] main -> main")
    assert "failed" in claims.stop("I pushed the fix.").reason
    claims.run("git push", "main -> main")
    assert claims.stop("Committed as 3f2a9c1 and pushed.").stance is Stance.SILENT
    assert claims.stop("Committed as 1111aaa.").for_user  # no redo is left


def test_after_two_redos_it_warns(claims) -> None:
    """A session is sent back twice; then the user is told, until two idle hours are over."""
    stances = [claims.stop("Published the page.").stance for _ in range(3)]
    assert stances == [Stance.DENY, Stance.DENY, Stance.SILENT]
    assert "nothing was published" in claims.stop("Published the page.").for_user[0]
    claims.now += 3 * 3600
    assert claims.stop("Published the page.").stance is Stance.DENY


def test_an_agent_or_a_script_makes_it_unknown(claims) -> None:
    """What nobody can see is a warning, never a refusal."""
    claims.run("python main.py", "done")
    decision = claims.stop("I published the page.")

    assert decision.stance is Stance.SILENT
    assert "not known" in decision.for_user[0]


def test_a_reply_gets_an_honest_note(claims) -> None:
    """Where a reply can only be rewritten, a note follows it, which is no claim itself."""
    decision = claims.fire("response.before", response="Deployed to production.")

    assert "> Not verified: Deployed to production (" in decision.rewrite.value
    again = claims.fire("response.before", response=decision.rewrite.value.partition("\n")[2])
    assert again.rewrite is None


@pytest.mark.parametrize(
    ("url", "stance", "text"),
    [
        ("https://community.example.org/p/live", Stance.SILENT, ""),
        ("https://community.example.org/p/hidden", Stance.DENY, "publish it first"),
        ("https://community.example.org/p/none", Stance.DENY, "does not know"),
    ],
)
def test_the_registry_of_previews_decides(tmp_path, url, stance, text) -> None:
    """A link has to lead to a published preview."""
    registry = tmp_path / "previews.json"
    rows = [{"id": "live", "published": True}, {"id": "hidden", "published": False}]
    registry.write_text(json.dumps(rows))
    decision = Session(tmp_path, "claims", previews=str(registry)).stop(f"Published! {url}")

    assert decision.stance is stance
    assert text in decision.reason


def test_a_missing_registry_only_warns(tmp_path) -> None:
    """An unknown ledger is no evidence against a claim."""
    session = Session(tmp_path, "claims", previews=str(tmp_path / "none.json"))
    decision = session.stop("Published! https://community.example.org/p/x")

    assert decision.stance is Stance.SILENT
    assert "does not exist" in decision.for_user[0]


@pytest.mark.parametrize(
    ("job", "stance"),
    [
        ({"name": "dentist", "created_at": NOW - 60}, Stance.SILENT),
        ({"name": "backup", "created_at": NOW - 60}, Stance.DENY),
        ({"name": "dentist", "created_at": NOW - 3600}, Stance.DENY),
        ({"name": "dentist", "created_at": NOW - 60, "status": "paused"}, Stance.DENY),
    ],
)
def test_a_job_has_to_be_the_one(tmp_path, job, stance) -> None:
    """A job backs a claim if it is active, new, and about the same."""
    file = tmp_path / "jobs.json"
    file.write_text(json.dumps({"jobs": [{"id": "1", **job}]}))
    session = Session(tmp_path, "claims", jobs=str(file))

    assert session.stop("I've set a reminder for the dentist.").stance is stance


# -- code_changes ----------------------------------------------------------------------------------


def test_edited_code_is_to_be_checked_once(tmp_path) -> None:
    """One redo for one set of files; a run that passed clears them."""
    session = Session(tmp_path, "code_changes")
    session.edit("notes.md")
    assert session.stop("Done.").stance is Stance.SILENT
    session.edit("src/app.py")
    session.run("pip install pytest", "ok")
    assert "src/app.py" in session.stop("Done.").reason
    assert session.stop("Done.").stance is Stance.SILENT
    session.edit("src/other.py")
    session.run("pytest", "1 failed")
    assert session.stop("Done.").stance is Stance.DENY
    session.run("pytest", "1 passed")
    session.edit("src/third.py")
    assert session.stop("Done.", stop_hook_active=True).stance is Stance.SILENT
    session.now += 1801
    assert session.stop("Done.").stance is Stance.SILENT


# -- commitments -----------------------------------------------------------------------------------


def test_a_promise_needs_what_keeps_it(tmp_path) -> None:
    """A schedule or a waiting agent keeps a promise; without one the agent is sent back."""
    session = Session(tmp_path, "commitments")
    promise = "I'll let you know when the build finishes."
    assert "promises to tell" in session.stop(promise).reason
    assert session.stop("I can let you know if you like.").stance is Stance.SILENT
    session.fire("tool.before", tool="schedule_task", input={"at": "9:00"})
    assert session.stop(promise).stance is Stance.SILENT
