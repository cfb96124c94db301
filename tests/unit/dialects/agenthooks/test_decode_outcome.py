"""Reading an outcome where the host is not of the format, and where the hook is in doubt."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hookline.core.dialect import Source
from hookline.dialects.agenthooks import AgentHooks
from hookline.model.event import Event, Stop, ToolCall
from hookline.model.verdict import Outcome, Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.model.spec import HookSpec

DIALECT = AgentHooks()


def spec(trigger: str) -> HookSpec:
    tree = {"name": "guard", "description": "d", "trigger": trigger}
    return DIALECT.load(Source(tree=tree)).specs[0]


FOREIGN = Event(
    kind="tool.before",
    dialect="claude-code",
    native_name="PreToolUse",
    body=ToolCall(tool="Bash", input={}),
)


def read(
    stdout: str, *, trigger: str = "before_tool", event: Event = FOREIGN, exit_code: int = 0
) -> Verdict:
    return DIALECT.decode_outcome(Outcome(exit_code=exit_code, stdout=stdout), spec(trigger), event)


def test_an_ask_on_another_host_stays_an_ask() -> None:
    """That host may be able to ask; otherwise its own table says what becomes of it."""
    assert read('{"decision": "ask"}').stance is Stance.ASK


def test_an_allow_never_vouches() -> None:
    """HOOK.md cannot skip another host's prompt."""
    assert read('{"decision": "allow"}').stance is Stance.SILENT


def test_a_stop_of_another_host_has_no_stop_reason_and_honours_a_denial() -> None:
    """Only a stop reason of another kind lifts the denial."""
    event = Event(kind="stop", dialect="claude-code", native_name="Stop", body=Stop())

    assert read("", trigger="before_stop", event=event, exit_code=2).stance is Stance.DENY


def test_unreadable_decision_keeps_the_rest() -> None:
    """Anything but the three words is an allow; what else was said still counts."""
    verdict = read('{"decision": "block", "additional_context": "x", "modified_input": {"a": 1}}')

    assert (verdict.stance, verdict.for_agent) == (Stance.SILENT, "x")
    assert verdict.rewrite is not None
    assert verdict.fault is not None


@settings(deadline=None)  # the first example pays for the imports
@given(
    stdout=st.text()
    | st.sampled_from(
        [
            "{}",
            "[" * 100000,
            '{"decision": ["deny"]}',
            '{"decision": {}, "reason": 1, "log": []}',
            '{"a": NaN}',
        ]
    )
)
def test_no_output_makes_reading_raise(stdout: str) -> None:
    """An unreadable answer is a verdict with a fault."""
    assert isinstance(read(stdout), Verdict)
