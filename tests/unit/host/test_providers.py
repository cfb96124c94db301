"""Real clients of providers, asked over HTTP: the service plays a script."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import pytest

from hookline import context
from tests.hosts.model_server import Script, serve_model
from tests.hosts.wires import Call, Turn
from tests.unit.host.play import Play, agent

pytestmark = pytest.mark.process
TURNS = (
    Turn(text="I look.", calls=(Call(tool="shell", input={"cmd": "echo one"}),)),
    Turn(text="It is one."),
)
BASES = {"openai/gpt-4o": "/v1", "anthropic/claude-opus-5-5": ""}


def make_play(folder, model: str, port: int, **rest) -> Play:
    """Return an agent whose model is asked at a port of this machine."""
    provider, _, name = model.partition("/")
    spec = {
        "provider": provider,
        "model": name,
        "base_url": f"http://127.0.0.1:{port}{BASES[model]}",
        "token_key": "TEST_KEY",
        **rest,
    }
    play = Play(
        folder,
        {"root": agent(model="served")},
        models={"served": spec},
        permissions={"allow": ["shell"]},
    )
    play.environ["TEST_KEY"] = "key-of-a-test"
    return play


@pytest.mark.parametrize("model", BASES)
def test_a_client_streams_text_and_calls(tmp_path, model):
    """The same run over either wire, with what hooks added in the request."""
    script = Script(TURNS)
    with serve_model(script) as port:
        play = make_play(tmp_path, model, port)
        play.engine.on("turn.start")(lambda _: context("REMEMBER-THIS"))
        result = play.run("what is it?")

    assert result.text == "It is one."
    assert len(script.requests) == 2
    assert "REMEMBER-THIS" in script.requests[0]
    assert "[stdout]\none" in script.requests[1]
    assert "".join(each["text"] for each in play.shown("text")) == "I look.It is one."
    [after, _] = play.payloads("after_llm_call")
    assert after["usage"]["output_tokens"] == 10


def test_the_price_of_the_file_counts(tmp_path):
    """What the file says that a million tokens cost is the cost of a reply."""
    with serve_model(Script((Turn(text="Hello."),))) as port:
        model = "anthropic/claude-opus-5-5"
        play = make_play(tmp_path, model, port, cost={"input": 1, "output": 2})
        play.run()

    assert play.session.cost == pytest.approx((10 * 1 + 10 * 2) / 1_000_000)


CUT_OFF = (
    {"type": "message_start", "message": {
        "id": "1", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    }},
    {"type": "content_block_start", "index": 0, "content_block": {
        "type": "tool_use", "id": "t1", "name": "shell", "input": {},
    }},
    {"type": "content_block_delta", "index": 0, "delta": {
        "type": "input_json_delta", "partial_json": '{"cmd": "touch made"}',
    }},
)  # fmt: skip


class _Broken(BaseHTTPRequestHandler):
    """Sends the start of an answer, its count of tokens if there is one, and never that it ends."""

    usage: ClassVar[dict[str, int] | None] = None

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        if self.path.endswith("/messages"):
            for event in CUT_OFF:
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            return
        choice = {"index": 0, "delta": {"role": "assistant", "content": "One, two"}}
        chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        event = chunk | {"choices": [choice], "usage": self.usage}
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(("counts", "reason"), [(False, "error"), (True, "normal")])
def test_an_answer_that_breaks_off(tmp_path, counts, reason):
    """It is no answer, unless the service counted its tokens: some never say that they are done."""
    usage = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}
    handler = type("Handler", (_Broken,), {"usage": usage if counts else None})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        result = make_play(tmp_path, "openai/gpt-4o", server.server_address[1]).run()
        server.shutdown()

    assert result.reason == reason
    assert result.error == ("" if counts else "the answer broke off before the model was done")


def test_a_call_of_anthropic_that_breaks_off_does_not_run(tmp_path):
    """Its input may be whole, but the model had not finished."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Broken) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        play = make_play(tmp_path, "anthropic/claude-opus-5-5", server.server_address[1])
        result = play.run()
        server.shutdown()

    assert result.error == "the answer broke off before the model was done"
    assert not (play.work / "made").exists()


def test_a_service_that_is_not_there_ends_the_run(tmp_path):
    """The error names no key, and the events of the end are fired."""
    play = make_play(tmp_path, "openai/gpt-4o", 9)

    result = play.run()

    assert result.reason == "error"
    assert "key-of-a-test" not in result.error
    assert play.names[-2:] == ["after_agent_complete", "session_end"]
