"""Terminal interface: a conversation with an agent, which shows what hooks decide about it."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Markdown, OptionList, Static
from textual.widgets.option_list import Option

from hookline.errors import HookError
from hookline.host.approval import Answer
from hookline.host.framework.conversation import list_entries
from hookline.host.headless import describe_call, describe_update
from hookline.host.slash_commands import QUIT, run_command
from hookline.text.terminal_escape import escape_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.binding import BindingType
    from textual.widget import Widget

    from hookline.host.host import Host
    from hookline.host.loop import Run
    from hookline.host.updates import Question, Update

_ANSWERS = {
    Answer.APPROVE: "run it",
    Answer.APPROVE_TOOL: "run it, and calls like it in this session",
    Answer.APPROVE_BALANCED: "run it, and from now on each call that only reads",
    Answer.APPROVE_AUTONOMOUS: "run it, and ask no more",
    Answer.REJECT: "refuse it",
}
_SHORT = 2_000  # characters of a tool's output that are shown


class Card(Static):
    """A box of the conversation: plain text, whose kind is its style."""

    def __init__(self, text: str, kind: str) -> None:
        super().__init__(escape_text(text, lines=True), classes=kind, markup=False)


class ApprovalScreen(ModalScreen[str]):
    """Asks whether a call may run."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss('reject')", "refuse")]

    def __init__(self, question: Question) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """Return the question, the call, and the answers."""
        question = self._question
        with Vertical(id="approval"):
            yield Static(f"May {question.agent} run {question.tool}?", markup=False)
            yield Card(write_call(question.input), "command")
            if question.reason:
                yield Static(escape_text(question.reason), markup=False)
            yield OptionList(*(Option(text, id=name) for name, text in _ANSWERS.items()))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the chosen answer."""
        self.dismiss(event.option.id)


class HostApp(App[None]):
    """A conversation with an agent; the host's face."""

    CSS_PATH = "tui.tcss"
    TITLE = "hookline"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "cancel_run", "stop the agent"),
        Binding("ctrl+d", "quit_if_empty", "leave", priority=True),
    ]
    is_interactive = True

    def __init__(self, prompt: str = "") -> None:
        super().__init__()
        self._first_prompt = prompt
        self._agent_task: asyncio.Task[Any] | None = None
        self._shown_reply: Markdown | None = None
        self._shown_text = ""
        self._leaving: asyncio.Task[None] | None = None
        self.is_canceled = False  # a signal ended it
        self.host: Host
        self.session_run: Run

    def connect(self, host: Host, run: Run) -> None:
        """Show the session of a run; before the app is started."""
        self.host = host
        self.session_run = run

    def compose(self) -> ComposeResult:
        """Return the conversation, the line to write in, and the state below it."""
        yield VerticalScroll(id="conversation")
        yield Input(placeholder="a message, or /help", id="prompt")
        yield Static(id="state", markup=False)

    async def on_mount(self) -> None:
        """Show the welcome of the agent or a resumed conversation, and run the given prompt."""
        self.query_one("#prompt").focus()
        session = self.session_run.session
        if session.is_resumed:
            await self._add(*map(_show_entry, list_entries(session.messages)))
        elif welcome := self.session_run.spec.welcome_message:
            await self._add(Markdown(welcome))
        self.refresh_state()
        if self._first_prompt:
            await self.submit(self._first_prompt)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send what the person wrote."""
        event.input.clear()
        if text := event.value.strip():
            await self.submit(text)

    async def submit(self, text: str) -> None:
        """Run a command or a prompt; a prompt during a run is for the agent's next turn."""
        await self._add(Card(text, "person"))
        if text.startswith("/"):
            answer, prompt = await self._run_slash_command(text)
            if answer:
                await self._add(Card(answer, "note"))
            self.refresh_state()
            if not prompt:
                return
            text = prompt
        if self.is_running_agent:
            self.session_run.session.queued.append(text)
            return
        self._agent_task = asyncio.ensure_future(self._run_prompt(text))

    async def _run_slash_command(self, text: str) -> tuple[str, str]:
        if text.split(maxsplit=1)[0] in (QUIT, "/exit"):
            await self.action_quit()
            return "", ""
        try:
            return await run_command(
                self.host, self.session_run, text, is_running=self.is_running_agent
            )
        except HookError as error:
            hint = f" ({error.hint})" if error.hint else ""
            return f"{error.message}{hint}", ""

    @property
    def is_running_agent(self) -> bool:
        """Whether the agent is at work."""
        return self._agent_task is not None and not self._agent_task.done()

    async def _run_prompt(self, text: str) -> None:
        """Run a prompt, and then what the person wrote after the agent's last turn."""
        while text:
            is_stopped = False
            try:
                await self.session_run.run(text)
            except asyncio.CancelledError:
                is_stopped = True
                await self._add(Card("stopped", "note"))
            except HookError as error:
                await self._add(Card(error.message, "blocked"))
            self.session_run = self.host.continue_session(self.session_run)
            self._end_reply()
            self.refresh_state()
            text = "" if is_stopped else self.session_run.session.take_waiting()

    def action_cancel_run(self) -> None:
        """Stop the agent; its turn and its run still end with their events."""
        if self.is_running_agent and self._agent_task is not None:
            self._agent_task.cancel()

    async def action_quit(self) -> None:
        """Stop the agent, and leave."""
        self.action_cancel_run()
        if self._agent_task is not None:
            await asyncio.wait([self._agent_task])
        self.exit()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is possible: ctrl+d deletes a character of what was written."""
        if action == "quit_if_empty" and self.query_one("#prompt", Input).value:
            return False
        return super().check_action(action, parameters)

    async def action_quit_if_empty(self) -> None:
        """Leave, if nothing was written."""
        await self.action_quit()

    def leave(self) -> None:
        """Stop the agent, and leave, because of a signal."""
        self.is_canceled = True
        if self._driver is not None and sys.__stderr__ and not sys.__stderr__.isatty():
            # The terminal is gone. The thread that wrote to it ended, and its queue would fill.
            self._driver.write = _drop  # type: ignore[method-assign]
        if self._leaving is None:
            self._leaving = asyncio.ensure_future(self.action_quit())

    # -- the face ----------------------------------------------------------------------------------

    def show(self, update: Update) -> None:
        """Show an update of the run, at the end of the conversation."""
        self.call_next(self._show, update)

    async def _show(self, update: Update) -> None:
        facts = update.facts
        match update.kind:
            case "text":
                await self._add_text(facts["text"])
                return
            case "tool.called":
                await self._add(Card(f"{facts['tool']}\n{write_call(facts['input'])}", "call"))
            case "tool.done":
                kind = "failed" if facts["failed"] else "result"
                await self._add(Card(shorten(facts["text"]), kind))
            case "tool.refused":
                card = Vertical(
                    Card(facts["reason"], "reason"),
                    Card(write_call(facts["input"]), "command"),
                    classes="blocked",
                )
                await self._add(card)
            case "hook.blocked" if facts["event"] not in _TOOL_EVENTS:
                await self._add(Card(f"{facts['event']}: {facts['reason']}", "blocked"))
            case "reply" | "turn.ended" | "session.ended":
                self._end_reply()
            case _:
                if line := describe_update(update):
                    await self._add(Card(line, "note"))
        self.refresh_state()

    async def approve(self, question: Question) -> tuple[str, str]:
        """Ask the person whether a call may run."""
        answer = await self.push_screen_wait_from_task(ApprovalScreen(question))
        return answer or Answer.REJECT.value, ""

    async def push_screen_wait_from_task(self, screen: ModalScreen[str]) -> str | None:
        """Show a screen, and return its result; unlike `push_screen_wait`, from any task."""
        done: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def finish(result: str | None) -> None:
            if not done.done():
                done.set_result(result)

        await self.push_screen(screen, finish)
        try:
            return await done
        except asyncio.CancelledError:
            if screen.is_active:
                screen.dismiss(None)
            raise

    async def may_extend(self, iterations: int) -> bool:
        """Ask the person whether the agent may go on."""
        screen = ContinueScreen(iterations)
        return await self.push_screen_wait_from_task(screen) == "yes"

    # -- the conversation --------------------------------------------------------------------------

    async def _add(self, *widgets: Widget) -> None:
        self._end_reply()
        conversation = self.query_one("#conversation", VerticalScroll)
        await conversation.mount(*widgets)
        conversation.scroll_end(animate=False)

    async def _add_text(self, text: str) -> None:
        if self._shown_reply is None:
            reply = Markdown("")
            await self._add(reply)
            self._shown_reply, self._shown_text = reply, ""
        self._shown_text += escape_text(text, lines=True)
        await self._shown_reply.update(self._shown_text)
        self.query_one("#conversation", VerticalScroll).scroll_end(animate=False)

    def _end_reply(self) -> None:
        self._shown_reply = None

    def refresh_state(self) -> None:
        """Show agent, model, mode, tokens and cost."""
        session = self.session_run.session
        cost = f"  ${session.cost:.4f}" if session.cost is not None else ""
        tokens = f"{session.input_tokens:,} in, {session.output_tokens:,} out"
        mode = session.mode or "asks"
        model = self.host.model_id(session.agent)
        text = f"{session.agent}  {model}  {mode}  {tokens}{cost}"
        self.query_one("#state", Static).update(text)


class ContinueScreen(ModalScreen[str]):
    """Asks whether the agent may go on."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "dismiss('no')", "stop")]

    def __init__(self, iterations: int) -> None:
        super().__init__()
        self._iterations = iterations

    def compose(self) -> ComposeResult:
        """Return the question and the answers."""
        with Vertical(id="approval"):
            yield Static(f"The agent has called its model {self._iterations} times.")
            yield OptionList(Option("go on", id="yes"), Option("stop", id="no"))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the chosen answer."""
        self.dismiss(event.option.id)


_TOOL_EVENTS = frozenset(
    {"tool_input_transform", "tool_guard", "pre_tool_use", "permission_request"}
)


def _drop(data: str) -> None:
    """Write nothing."""


def _show_entry(entry: tuple[str, str, Mapping[str, Any]]) -> Widget:
    """Return the widget of a part of an earlier conversation."""
    kind, text, given = entry
    match kind:
        case "reply":
            return Markdown(escape_text(text, lines=True))
        case "call":
            return Card(describe_call(text, given), "call")
        case "summary":
            return Card(shorten(text), "note")
    return Card(text, kind)


def write_call(given: Mapping[str, Any]) -> str:
    """Return the input of a call as a person reads it: a command as it is."""
    command = given.get("cmd") or given.get("command")
    if isinstance(command, str) and len(given) == 1:
        return command
    return json.dumps(dict(given), ensure_ascii=False, indent=1)


def shorten(text: str) -> str:
    """Return the start of a long text."""
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}\n..."
