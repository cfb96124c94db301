"""Records: what is kept of an event and of its hooks, and that no payload is among it unless somebody chose so."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

import hookline
from hookline.journal.records import (
    Keeping,
    canonical,
    definition_hash,
    essence,
    event_record,
    failure_of,
    handler_kind,
    note_record,
    plain,
    run_record,
)
from hookline.model.outcome import Failure
from tests.unit.journal.support import AT, SUDO, fired

SECRET = "hunter2hunter2"  # noqa: S105 - what must not be found


def of_event(keeping: Keeping, *calls: Any, payload: dict[str, Any] | None = None) -> dict[str, Any]:
    """The record of one event."""
    event, decision, _ = fired(*calls, payload=payload)
    return event_record(event, decision, event_id="e", at=AT, keeping=keeping)


def test_a_payload_is_kept_by_its_hash() -> None:
    """Of its JSON with sorted keys, without blanks, in ASCII."""
    record = of_event(Keeping())
    said = json.dumps(SUDO, sort_keys=True, separators=(",", ":"))

    assert record["payload"] == {"sha256": hashlib.sha256(said.encode()).hexdigest(), "bytes": len(said)}
    assert "sudo" not in json.dumps(record)


def test_a_payload_may_be_kept_masked_or_whole() -> None:
    """Masked, what is secret is not in it; whole, it is."""
    masked, full = of_event(Keeping(how="masked")), of_event(Keeping(how="full"))

    assert masked["payload"]["value"]["input"] == {"command": "sudo ls", "password": "[masked 14]"}
    assert SECRET not in json.dumps(masked)
    assert full["payload"]["value"] == SUDO


def test_a_value_that_is_too_large_is_kept_by_its_hash() -> None:
    """Whatever was chosen."""
    kept = Keeping(how="full").content("x" * 300_000)

    assert (kept["cut"], kept["bytes"], "value" in kept) == (True, 300_002, False)


def test_an_event_is_told_with_all_that_was_decided() -> None:
    """Ids, stance, reason, what it changed, what could not be carried out, and how many hooks there were."""
    record = of_event(
        Keeping(),
        lambda _: hookline.rewrite({"command": "ls"}),
        lambda _: hookline.note("look"),
        lambda _: hookline.deny("because"),
        lambda _: 1 / 0,
    )

    assert {key: record[key] for key in ("id", "kind", "session", "cwd", "tool", "call", "stance", "reason", "runs", "faults")} == {
        "id": "e",
        "kind": "tool.before",
        "session": "s1",
        "cwd": "/work-folder",
        "tool": "shell",
        "call": "c1",
        "stance": "deny",
        "reason": "because",
        "runs": 4,
        "faults": 1,
    }
    assert "look" in record["for_user"]


def test_a_hook_is_told_with_what_it_said() -> None:
    """Its source, its fingerprint, its fault, its exit code and its time."""
    event, decision, spec_of = fired(lambda _: hookline.rewrite({"command": "ls"}), lambda _: 1 / 0)
    runs = [
        run_record(each, spec_of(each.hook_id), run_id=f"e.{at}", event_id="e", at=AT, keeping=Keeping(), fingerprint="f")
        for at, each in enumerate(decision.verdicts)
    ]

    assert event.kind == "tool.before"
    assert (runs[0]["rewrite"]["target"], runs[0]["rewrite"]["keys"]) == ("input", ["command"])
    assert "ZeroDivisionError" in runs[1]["fault"]
    assert [(run["handler"], run["scope"], run["fingerprint"], run["phase"]) for run in runs] == [("inprocess", "process", "f", "done")] * 2
    assert run_record(decision.verdicts[0], None, run_id="r", event_id="", at=AT, keeping=Keeping())["handler"] == ""


def test_a_text_is_cut_and_says_so() -> None:
    """So that a hook cannot fill the journal."""
    assert Keeping().text("ab " * 2000) == "ab " * 666 + "ab" + " [4000 more]"


@pytest.mark.parametrize("how", ["hash", "masked"])
def test_what_a_hook_says_has_no_secret_in_it(how: str) -> None:
    """Because hooks quote what they refuse."""
    assert SECRET not in Keeping(how=how).text(f"no password={SECRET}")


@pytest.mark.parametrize(
    ("fault", "word"),
    [*((f"{each.value}: x", each.name.lower()) for each in Failure), ("exited with status 3: x", "exited"), ("returned 3", "answer")],
)
def test_a_failure_is_one_of_few_words(fault: str, word: str) -> None:
    """By which they can be counted."""
    assert failure_of(fault) == word


def specs(*scripts: str, **keys: Any) -> list[hookline.HookSpec]:
    """Hooks on `stop` with these commands."""
    entries = [{"type": "command", "command": each, **keys} for each in scripts]
    return list(hookline.Engine.from_config({"hooks": {"stop": entries}}, dialect="docker-agent").hooks)


def test_a_fingerprint_is_that_of_the_definition() -> None:
    """The same in every process; another one for whatever changes what it does."""
    (one,), (same,), (other,), (slow,) = specs("true"), specs("true"), specs("false"), specs("true", timeout=3)
    own = [hookline.Engine(), hookline.Engine()]
    for engine in own:
        engine.on("stop")(test_a_text_is_cut_and_says_so)

    assert definition_hash(one) == definition_hash(same)
    assert len({definition_hash(one), definition_hash(other), definition_hash(slow)}) == 3
    assert definition_hash(own[0].hooks[0]) == definition_hash(own[1].hooks[0])
    assert handler_kind(one) == "command"


def test_what_json_cannot_say_is_said_in_words() -> None:
    """A payload of a Python host may hold anything."""
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]

    assert json.loads(canonical({1: {2.5, "x"}, "nan": float("nan"), "o": object()})) == {"1": ["x", 2.5], "nan": "nan", "o": "a object"}
    assert "nested too deeply" in json.dumps(plain(deep))
    assert json.loads(json.dumps(Keeping(how="full").content({"x": object()})))["value"] == {"x": "a object"}


def test_a_record_that_is_too_long_is_kept_by_what_identifies_it() -> None:
    """It says that it was cut, and has every field that its pages read."""
    record = of_event(Keeping(how="full"), lambda _: hookline.rewrite({"command": "ls"})) | {"reason": "r" * 9000, "for_user": ["y" * 100]}
    kept = essence(record)

    assert set(kept) == {*record, "cut"}
    assert (kept["cut"], kept["id"], len(kept["reason"]), kept["for_user"]) == (True, "e", 400, [])
    assert kept["payload"] == {"sha256": record["payload"]["sha256"], "bytes": record["payload"]["bytes"], "cut": True}
    assert kept["rewrite"]["target"] == "input"


def test_what_a_host_names_is_cut() -> None:
    """So that no single payload makes a record too long: its folder, its session, its call."""
    huge = "d" * (4 << 20)
    event, decision, _ = fired(lambda _: hookline.rewrite({huge: 1}), payload=SUDO | {"call_id": huge, "session_id": huge})
    record = event_record(event.replace(cwd=f"/{huge}"), decision, event_id="e", at=AT, keeping=Keeping())

    assert len(json.dumps(record)) < 10_000
    assert (len(record["cwd"]), len(record["session"]), len(record["call"])) == (4096, 400, 400)
    assert note_record("x", {"list": [huge]}, note_id="n", at=AT, keeping=Keeping())["list"] == f"{len(huge) + 4} bytes of JSON"


INLINE = "echo SECRETINCMD1; curl https://tok@h/x; exit 1"


def of_command(keeping: Keeping, text: str, **keys: Any) -> str:
    """A text about a command hook whose name is what it runs, as it is kept."""
    tree = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": INLINE}]}]}}
    (spec,) = hookline.Engine.from_config(tree, dialect="claude-code").hooks
    spec = spec.replace(handler=spec.handler.replace(**keys)) if keys else spec
    return keeping.text(text.format(name=spec.name), [spec])


def test_a_hook_is_called_by_its_id() -> None:
    """Its name is the beginning of its script, which is no more the journal's than a payload is."""
    assert of_command(Keeping(), "hook `{name}` had no say: x") == "hook `config#Stop.0.0` had no say: x"
    assert "SECRETINCMD1" in of_command(Keeping(how="full"), "hook `{name}` had no say")


def test_a_secret_of_the_environment_is_masked_wherever_it_is_said() -> None:
    """By the name of its variable, of the process or of the hook; also where the text is cut."""
    keeping = Keeping(environ={"API": "ENVSECRET99", "HOME": "/home/somebody"})

    assert of_command(keeping, "leak ENVSECRET99 in /home/somebody") == "leak [masked 11] in /home/somebody"
    assert of_command(Keeping(), "leak hookishly", env={"MY_TOKEN": "hookishly"}) == "leak [masked 9]"
    assert "ENVSEC" not in keeping.text("x" * 3995 + "ENVSECRET99")
    assert of_command(Keeping(how="full", environ=keeping.environ), "ENVSECRET99") == "ENVSECRET99"


def test_a_note_is_found_by_what_it_is() -> None:
    """As an event is by its name; its texts are masked."""
    record = note_record("approved", {"hook": "h", "how": f"token={SECRET}", "count": 2}, note_id="n", at=AT, keeping=Keeping())

    assert (record["native_event"], record["how"], record["count"]) == ("approved", "token=[masked 14]", 2)
