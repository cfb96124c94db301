"""What `hookline run` prints without a person, in each format."""

from __future__ import annotations

import asyncio
import json

import jsonschema
import pytest

from hookline import Engine
from hookline.cli.schema import read_schema
from hookline.host.start import Request, start
from hookline.host.updates import KINDS
from tests.unit.host.play import Play, agent, shell, write_script

pytestmark = pytest.mark.process


def run(play: Play, form: str) -> tuple[str, list[str]]:
    """Return what a run prints, and its messages."""
    printed: list[str] = []
    told: list[str] = []
    engine = Engine(cwd=str(play.work), environ=play.environ)
    request = Request(path=str(play.path), prompt="go", form=form)
    asyncio.run(start(request, engine, printed.append, told.append))
    return "".join(printed), told


@pytest.fixture
def play(tmp_path) -> Play:
    """An agent that calls the shell once."""
    write_script(tmp_path, shell("echo one"), "Done.")
    return Play(tmp_path, {"root": agent()}, permissions={"allow": ["shell"]})


def test_text_is_the_answer(play):
    """Standard output has the answer only; messages say what the agent did."""
    printed, [call, end] = run(play, "text")

    assert (printed, call) == ("Done.\n", "shell echo one")
    assert end.startswith(f"to go on: hookline run {play.path} --resume ")
    assert (play.home / f".local/state/hookline/host-sessions/{end.split()[-1]}.json").exists()


def test_a_refusal_names_its_call(tmp_path):
    """Calls of one reply are refused at once, so the line alone must say which."""
    calls = [shell(f"rm -rf {name}") for name in ("a", "b" * 80)]
    write_script(tmp_path, calls, "Done.")

    _, told = run(Play(tmp_path, {"root": agent()}, permissions={"deny": ["shell"]}), "text")

    refused = [line for line in told if line.startswith("refused: ")]
    assert refused[0].startswith("refused: shell rm -rf a: ")
    assert refused[1].startswith(f"refused: shell rm -rf {'b' * 53}...: ")


def test_json_is_one_document(play):
    """The document is that of its schema."""
    document = json.loads(run(play, "json")[0])

    jsonschema.validate(document, read_schema("run"))
    assert document["text"] == "Done."
    assert document["reason"] == "normal"
    assert {each["type"] for each in document["updates"]} <= set(KINDS)


def test_stream_json_is_a_line_for_each_update(play):
    """Each line has its type and the facts of that."""
    lines = [json.loads(line) for line in run(play, "stream-json")[0].splitlines()]

    assert [line["type"] for line in lines] == [
        "reply", "tool.called", "tool.done", "turn.ended", "reply", "turn.ended", "session.ended",
    ]  # fmt: skip
    for line in lines:
        assert set(KINDS[line["type"]].split()) <= set(line)


def test_a_cancelled_run_has_its_document(play):
    """Who stops a run still reads what it did."""
    write_script(play.folder, shell("sleep 60"))
    printed: list[str] = []

    async def stop() -> None:
        engine = Engine(cwd=str(play.work), environ=play.environ)
        request = Request(path=str(play.path), prompt="go", form="json")
        started = asyncio.Event()
        engine.on("tool.before")(lambda _: started.set())
        work = asyncio.ensure_future(start(request, engine, printed.append, lambda _: None))
        await started.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(stop())

    document = json.loads("".join(printed))
    jsonschema.validate(document, read_schema("run"))
    assert document["reason"] == "canceled"
