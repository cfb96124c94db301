"""Event: one lifecycle moment, independent of any dialect."""

from __future__ import annotations

from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, ClassVar, TypeAlias

    Json: TypeAlias = Any


NOTHING: Mapping[str, Any] = {}


class Rewrite(Frozen):
    """A change of an action, or of what the model or the user sees.

    `target` is input, text, messages, output or summary. With `merge` the value is a patch of
    top-level keys (input only); without it the value replaces the whole target. `patch` is set when
    the rewrite is applied: what changed.
    """

    target: str
    value: Json
    merge: bool = False
    patch: Json = None

    def to_dict(self) -> dict[str, Json]:
        """Return the whole new value, as in a decision document; for an input also what changed."""
        if self.target == "input":
            return {"input": self.value, "patch": self.patch}
        return {self.target: self.value}


class Body(Frozen):
    """What an event carries. `facts` are further canonical fields by name, as in `events.json`."""

    facts: Mapping[str, Json] = NOTHING

    # target of a rewrite -> the attribute that it changes
    rewritable: ClassVar[Mapping[str, str]] = {}

    def value(self, name: str) -> Json:
        """Return a fact by its canonical name: an attribute of this body, or an entry of `facts`.

        None if absent.
        """
        if name in type(self).__fields__:
            return getattr(self, name)
        return self.facts.get(name)


class ToolCall(Body):
    """A tool about to run, running, or done.

    `input` is an object, or None if the arguments were not an object.
    """

    tool: str
    input: Json = None
    call_id: str = ""
    result: Json = None
    error: Json = None

    rewritable: ClassVar[Mapping[str, str]] = {"input": "input", "output": "result"}


class Prompt(Body):
    """Text from the user."""

    prompt: str = ""

    rewritable: ClassVar[Mapping[str, str]] = {"text": "prompt"}


class Generation(Body):
    """A call of a model: `messages` go in, `response` comes out."""

    model: Json = None
    messages: Json = None
    response: Json = None

    rewritable: ClassVar[Mapping[str, str]] = {"messages": "messages", "text": "response"}


class Message(Body):
    """Text for the user: a reply, a notification, something on its way out."""

    text: Json = None

    rewritable: ClassVar[Mapping[str, str]] = {"text": "text"}


class Compaction(Body):
    """A transcript about to be summarised, or just summarised."""

    trigger: Json = None
    summary: Json = None

    rewritable: ClassVar[Mapping[str, str]] = {"summary": "summary"}


class Stop(Body):
    """The agent, or a sub-agent, is about to stop."""

    stop_hook_active: bool = False
    last_message: Json = None


class Lifecycle(Body):
    """Any other moment: everything it carries is in `facts`."""


_LIFECYCLE = Lifecycle()


class Event(Frozen):
    """One lifecycle moment, independent of any dialect.

    `kind` is canonical (`tool.before`) or `x.<dialect>.<native>`; `native_name` is the host's name
    for it, verbatim; `raw` is what the host sent, never trimmed; `agent` names the agent if it is
    known. `project`: the project folder that contains `cwd`, if an engine looked it up. `folder`:
    where hooks run if their host does not run them in `cwd`, or if `cwd` does not exist; an engine
    sets it when needed.
    """

    kind: str
    dialect: str = "hookline"
    native_name: str = ""
    session_id: str = ""
    cwd: str = ""
    body: Body = _LIFECYCLE
    raw: Mapping[str, Json] = NOTHING
    project: str = ""
    folder: str = ""

    @property
    def tool(self) -> str:
        """Return the tool's name; empty if the event has none."""
        return self.body.tool if isinstance(self.body, ToolCall) else ""

    @property
    def input(self) -> Json:
        """Return the tool's input; None if the event has none."""
        return self.body.input if isinstance(self.body, ToolCall) else None

    @property
    def command(self) -> str:
        """Return the command line of a shell call (`command` or `cmd` of its input).

        Empty if there is none.
        """
        found = self.input
        if not isinstance(found, dict):
            return ""
        text = found.get("command", found.get("cmd", ""))
        return text if isinstance(text, str) else ""

    @property
    def text(self) -> str:
        """Return the prompt, reply or message; empty if the event has none."""
        attribute = type(self.body).rewritable.get("text")
        found = getattr(self.body, attribute) if attribute else ""
        return found if isinstance(found, str) else ""

    def apply_rewrite(self, rewrite: Rewrite) -> Event:
        """Return the event after that rewrite.

        The event itself if its body has no such target, or a patch is not an object.
        """
        attribute = type(self.body).rewritable.get(rewrite.target)
        value = rewrite.value
        if attribute is None or (rewrite.merge and not isinstance(value, dict)):
            return self
        if rewrite.merge:
            before = getattr(self.body, attribute)
            value = {**before, **value} if isinstance(before, dict) else dict(value)
        return self.replace(body=self.body.replace(**{attribute: value}))


def diff_inputs(before: Json, after: Json) -> Json:
    """Return what differs between two tool inputs, by top-level key.

    The whole of `after` if one is not an object.
    """
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    return {key: value for key, value in after.items() if key not in before or before[key] != value}
