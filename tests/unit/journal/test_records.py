"""Records: what is kept of an event and of its hooks; payloads only where the settings say so."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

import hookline
from hookline.journal.records import (
    PayloadPolicy,
    event_record,
    note_record,
    run_record,
    shorten_digest,
)
from hookline.model.verdict import Outcome, Verdict
from tests.unit.journal.support import AT, SUDO, fired

SECRET = "hunter2hunter2"  # noqa: S105 - what must not be found


def of_event(
    keeping: PayloadPolicy, *calls: Any, payload: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The record of one event."""
    event, decision, _ = fired(*calls, payload=payload)
    return event_record(event, decision, event_id="e", at=AT, policy=keeping)


def test_a_payload_is_kept_by_its_hash() -> None:
    """Of its JSON with sorted keys, without blanks, in ASCII."""
    record = of_event(PayloadPolicy())
    said = json.dumps(SUDO, sort_keys=True, separators=(",", ":"))

    assert record["payload"] == {
        "sha256": hashlib.sha256(said.encode()).hexdigest(),
        "bytes": len(said),
    }
    assert "sudo" not in json.dumps(record)


def test_a_payload_may_be_kept_masked_or_whole() -> None:
    """Masked, what is secret is not in it; whole, it is."""
    masked, full = of_event(PayloadPolicy(how="masked")), of_event(PayloadPolicy(how="full"))

    assert masked["payload"]["value"]["input"] == {"command": "sudo ls", "password": "[masked 14]"}
    assert SECRET not in json.dumps(masked)
    assert full["payload"]["value"] == SUDO


def test_an_event_is_told_with_all_that_was_decided() -> None:
    """Ids, stance, reason, what it changed, what it lowered, and how many hooks there were."""
    record = of_event(
        PayloadPolicy(),
        lambda _: hookline.rewrite({"command": "ls"}),
        lambda _: hookline.note("look"),
        lambda _: hookline.deny("because"),
        lambda _: 1 / 0,
    )

    assert {
        key: record[key]
        for key in (
            "id",
            "kind",
            "session",
            "cwd",
            "tool",
            "call",
            "stance",
            "reason",
            "runs",
            "faults",
        )
    } == {
        "id": "e",
        "kind": "tool.before",
        "session": "s1",
        "cwd": "/project",
        "tool": "shell",
        "call": "c1",
        "stance": "deny",
        "reason": "because",
        "runs": 4,
        "faults": 1,
    }
    assert "look" in record["for_user"]


def test_a_hook_is_told_with_what_it_said() -> None:
    """Its source, its fault, its exit code and its time."""
    event, decision, spec_of = fired(lambda _: hookline.rewrite({"command": "ls"}), lambda _: 1 / 0)
    runs = [
        run_record(
            each,
            spec_of(each.hook_id),
            run_id=f"e.{at}",
            event_id="e",
            at=AT,
            policy=PayloadPolicy(),
        )
        for at, each in enumerate(decision.verdicts)
    ]

    assert event.kind == "tool.before"
    assert (runs[0]["rewrite"]["target"], runs[0]["rewrite"]["keys"]) == ("input", ["command"])
    assert "ZeroDivisionError" in runs[1]["fault"]
    assert [(run["handler"], run["scope"], run["phase"]) for run in runs] == [
        ("inprocess", "process", "done")
    ] * 2


def test_what_a_host_names_is_cut() -> None:
    """So that no single payload makes a record too long: its folder, its session, its call."""
    huge = "d" * (4 << 20)
    event, decision, _ = fired(lambda _: None, payload=SUDO | {"call_id": huge, "session_id": huge})
    record = event_record(
        event.replace(cwd=f"/{huge}"), decision, event_id="e", at=AT, policy=PayloadPolicy()
    )

    assert len(json.dumps(record)) < 10_000
    assert (len(record["cwd"]), len(record["session"]), len(record["call"])) == (2000, 2000, 2000)


def test_a_note_is_found_by_what_it_is() -> None:
    """As an event is by its name; its texts are masked."""
    record = note_record(
        "approved",
        {"hook": "h", "how": f"token={SECRET}", "count": 2},
        note_id="n",
        at=AT,
        policy=PayloadPolicy(),
    )

    assert (record["native_event"], record["how"], record["count"]) == (
        "approved",
        "token=[masked 14]",
        2,
    )


def test_a_hook_is_told_with_what_it_was_approved_as() -> None:
    """Short, as notes on approvals have it."""
    verdict = Verdict(hook_id="h", identity="ab" * 32, content="cd" * 32)
    record = run_record(verdict, None, run_id="r", event_id="", at=AT, policy=PayloadPolicy())

    assert (record["identity"], record["content"]) == (shorten_digest("ab" * 32), "cd" * 32)
    assert len(record["identity"]) == 16


PRINTED = Outcome(stdout=f"password={SECRET}", stderr="MYVALUE7", truncated=True)


@pytest.mark.parametrize(
    ("how", "values"),
    [
        ("hash", [None, None]),
        ("masked", ["password=[masked 14]", "[masked 8]"]),
        ("full", [PRINTED.stdout, PRINTED.stderr]),
    ],
)
def test_what_a_hook_printed_is_kept_as_payloads_are(how: str, values: list[str | None]) -> None:
    """By hash and length, masked or whole; where it printed nothing, None.

    And a hook that was waited for has no such fields.
    """
    event, decision, spec_of = fired(lambda _: None)
    verdict, keeping = Verdict(hook_id="h"), PayloadPolicy(how=how, environ={"A_TOKEN": "MYVALUE7"})
    spec = spec_of(decision.verdicts[0].hook_id)
    given = {
        "run_id": "r",
        "event_id": "e",
        "at": AT,
        "policy": keeping,
    }
    record = run_record(verdict, spec, printed=PRINTED, **given)

    assert event.kind == "tool.before"
    assert [record[name].get("value") for name in ("stdout", "stderr")] == values
    assert (record["stdout"]["bytes"], record["truncated"]) == (len(PRINTED.stdout) + 2, True)
    assert run_record(verdict, spec, printed=Outcome(), **given)["stdout"] is None
    assert "stdout" not in run_record(verdict, spec, **given)


def test_what_a_hook_printed_is_bounded() -> None:
    """Of too much of it there is the hash."""
    given = {
        "run_id": "r",
        "event_id": "e",
        "at": AT,
        "policy": PayloadPolicy(how="full"),
    }
    record = run_record(Verdict(), None, printed=Outcome(stdout="x" * (1 << 20)), **given)

    assert set(record["stdout"]) == {"sha256", "bytes", "cut"}
