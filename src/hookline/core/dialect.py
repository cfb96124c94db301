"""The Dialect protocol, and the tables of facts by which dialects differ."""

from __future__ import annotations

from hookline.model.event import Body, Event, Lifecycle
from hookline.model.frozen import Frozen
from hookline.model.verdict import Decision, Outcome, Reply, Stance, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from hookline.model.event import Json
    from hookline.model.spec import HookSpec, Problem


# Kinds of event that start a turn, before the agent has begun to work.
TURNS = frozenset({"session.start", "prompt.submit", "prompt.expand", "prompt.steer", "turn.start"})


class Field(Frozen):
    """One payload field: its native name, and the canonical fact that it carries.

    A fact that starts with `@` is of the event itself (`@session_id`, `@cwd`, `@native`, `@raw` =
    only what the host sent). `default` is sent when there is no value; ABSENT leaves the field out.
    """

    native: str
    fact: str
    default: Any = None


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


# A word of a table -> its value; a number is its own value, and so is any
# other word.
_VALUES: Mapping[str, Any] = {
    "": "",
    "absent": ABSENT,
    "text": "",
    "null": None,
    "false": False,
    "0.0": 0.0,
    "{}": {},
    "object": {},
    "[]": [],
    "list": [],
}


def column(text: str, otherwise: Any = ABSENT) -> tuple[Field, ...]:
    """Return the fields that a table writes as `native=fact` pairs.

    A fact of the same name is left out.

    The word after `!` says what is sent when there is no value (`text`, `null`, `false`, `object`,
    `list`, `absent`, a number, or the word itself); without one it is `otherwise`.
    """
    fields = []
    for word in text.split():
        pair, mark, name = word.partition("!")
        native, _, fact = pair.partition("=")
        default = int(name) if name.isdigit() else _VALUES.get(name, name)
        fields.append(
            Field(native=native, fact=fact or native, default=default if mark else otherwise)
        )
    return tuple(fields)


class EventRow(Frozen):
    """What one dialect says of one of its events. A column is one way in which dialects differ.

    `subject`: the fact that a matcher is compared with ("" = no matcher). `powers`: what a decision
    may carry here. `parallel`: hooks start at once, or one after the other, each seeing the
    former's rewrite. `blocks`: what a block means (SILENT: it cannot). `fails`: what a failure
    means unless the hook says otherwise. `plain_context`: plain stdout is context for the model.
    `feedback`: the model reads a denial, which neither undoes nor repeats anything. `secondary`:
    another event of the same moment speaks for it to hooks of other dialects, so that each of these
    runs once. `fold`: how the event's verdicts become one, where not as the table says. `carries`:
    where hooks run in turn, the event as the next one sees it because of a verdict, apart from its
    rewrite. `context_redoes`: at this stop, any text for the agent sends it back to work, as a
    refusal does. `timeout`: seconds that the host gives a hook of this event which names none; 0:
    as the table's `default_timeout`. `longest`: seconds that the host gives a hook at most; 0:
    without a limit. `only_for`: powers that there are for some tools only, and how the names of
    these begin.

    The other columns are read by the dialects alone, each by those that need it. Of files and
    matchers: `called`: the event's other name. `newer`: only newer releases know it. `grouped`: its
    hooks are in matcher groups. `literal`: a matcher is names between `|`. `known`: the values
    that a matcher can name. `constant`: the word that a matcher is compared with. `searched`: the
    facts that a matcher looks into. `honoured`: values of the reason for which a denial counts.
    `takes_http`: hooks over HTTP take part. `awaited`: the host waits for its hooks. `decisive`:
    the format describes what its denial does.

    Of payloads: `payload_name`: the name that hooks are sent. `section`: the key under which the
    fields stand. `snake`: the payload is spelled in snake case. `tells`: words, the fields by which
    a payload without a name is known. `tool` and `made_of`: the tool that the event is about where
    no field names one, and the fields that are its input. `cut`: field -> so many characters are
    sent. `sessionless`: it carries no session.

    Of what a hook prints: `accepts`: keys that the top of an answer may have. `reads`: keys that
    count (in `hookSpecificOutput`, where there is one) -> the power that each uses, "" for none.
    `refused`: known keys that make a hook failed. `words`: what a `decision` means. `verdicts`:
    what a `permissionDecision` means. `stops`: what `continue: false` means. `judged`: what a
    model's no means (SILENT: no model is asked). `rewrites`: the key for a new text. `output`: how
    the output is read. `asks`: a person may be asked instead of blocking. `appends`: a note is put
    at the end of a result. `bare_reason`: a reason without a decision is overlooked. `only_json`:
    plain stdout is a failure. `always_strict`: output is one object or nothing. `unread`: the host
    reads no output.

    Of exit codes and failures: `ignores_exit`: exit 2 does not block. `nonzero`: what any exit code
    but 0 means. `shows`: at exit 2 the model reads stdout. `spared`: a fact, and the value of it
    for which a block is ignored. `timed_out`: what a timeout means. `unmatched`: what it means that
    a matcher cannot be applied, or a payload not be written. `all_run`: a block does not keep other
    hooks from running. `lenient`: unreadable output, and most exit codes, are no failure. `exact`:
    the host's own program, without hookline's deviations.
    """

    native: str
    kind: str
    body: type[Body] = Lifecycle
    fields: tuple[Field, ...] = ()
    subject: str = ""
    powers: frozenset[str] = frozenset()
    parallel: bool = True
    blocks: Stance = Stance.SILENT
    fails: Stance = Stance.SILENT
    plain_context: bool = False
    feedback: bool = False
    secondary: bool = False
    fold: FoldRule | None = None
    carries: Callable[[Event, Verdict], Event] | None = None
    only_for: Mapping[str, str] = {}
    context_redoes: bool = False
    timeout: float = 0.0
    longest: float = 0.0
    # Files and matchers.
    called: str = ""
    newer: bool = False
    grouped: bool = False
    literal: bool = False
    known: tuple[str, ...] = ()
    constant: str = ""
    searched: tuple[str, ...] = ()
    honoured: frozenset[str] = frozenset()
    takes_http: bool = True
    awaited: bool = True
    decisive: bool = False
    # Payloads.
    payload_name: str = ""
    section: str = ""
    snake: bool = False
    tells: str = ""
    tool: str = ""
    made_of: tuple[str, ...] = ()
    cut: Mapping[str, int] = {}
    sessionless: bool = False
    # What a hook prints.
    accepts: frozenset[str] = frozenset()
    reads: Mapping[str, str] = {}
    refused: frozenset[str] = frozenset()
    words: Mapping[str, Stance] = {}
    verdicts: Mapping[str, Stance] = {}
    stops: Stance = Stance.SILENT
    judged: Stance = Stance.SILENT
    rewrites: str = ""
    output: str = ""
    asks: bool = False
    appends: bool = False
    bare_reason: bool = False
    only_json: bool = False
    always_strict: bool = False
    unread: bool = False
    # Exit codes and failures.
    ignores_exit: bool = False
    nonzero: Stance = Stance.SILENT
    shows: bool = False
    spared: tuple[str, str] = ("", "")
    timed_out: Stance = Stance.SILENT
    unmatched: Stance = Stance.SILENT
    all_run: bool = False
    lenient: bool = False
    exact: bool = False

    @property
    def can_block(self) -> bool:
        """Whether a block means anything."""
        return self.blocks is not Stance.SILENT

    def powers_on(self, tool: str) -> frozenset[str]:
        """What a decision may carry where the event is about this tool."""
        if not self.only_for:
            return self.powers
        return frozenset(
            power for power in self.powers if tool.startswith(self.only_for.get(power, ""))
        )


class FoldRule(Frozen):
    """How many verdicts become one.

    `joins_reasons`: a denial gives all its reasons, one a line, instead of the first.
    `drops_rewrite_when_denied`: the effective input of a denied call is the original. `firsts`:
    rewrite targets of which the first wins, not the last. `exclusive`: effects of which two
    different values are a denial, by its reason; a denial drops such effects. `lasts`: effects of
    which the last value stands whole, instead of being joined with the former; they share the fate
    of a rewrite when something denied. `unions`: effects that are objects whose lists add up; by
    the name of a part, its words from the weakest to the strongest, which wins. `lone_patches`: of
    hooks that were asked at once each rewrite is one of the original, so that the last stands
    alone; otherwise they add up. `input_keys`: what a rewrite of the input may do to its keys,
    beside changing their values: "add", "remove".
    """

    joins_reasons: bool = False
    drops_rewrite_when_denied: bool = False
    firsts: frozenset[str] = frozenset({"summary"})
    exclusive: Mapping[str, str] = {}
    lasts: frozenset[str] = frozenset()
    unions: Mapping[str, Mapping[str, tuple[str, ...]]] = {}
    lone_patches: bool = False
    input_keys: frozenset[str] = frozenset(("add", "remove"))


class Table(Frozen):
    """A dialect's facts.

    `rows`: native event -> row, in the order in which one moment passes through them. `aliases`:
    other spellings of native events. `covers`: natives whose hooks an event also selects. `base`:
    fields of every payload, sent first. `ticks_per_second`: the unit of its timeouts.
    `default_timeout` in seconds. `compact`, `ascii_only` and `echo_safe` are the wire text.
    `detached_after_denial`: whether detached hooks start although something denied. `folders`: keys
    of a payload that name the project's folder better than its `@cwd` does; of a list it is the
    first entry. `project_variables`: by which the host tells its hooks the project's folder,
    wherever the agent has gone meanwhile. `climbs`: where it sends a folder only, the project is
    the nearest one around that; otherwise it is that folder. `detached_in_turn`: where hooks run in
    turn, a detached one starts when its turn comes, not after all others. `ask_becomes`: the stance
    that an ask is lowered to where the host cannot ask; None is a denial before an action, and
    silence on every other event. `asks_at_terminal`: the host can ask only the person at its own
    terminal, and `programs` are the names of its executable, by which that terminal is found.
    `redo_limit`: how often a stop gate may send the agent back in one turn. `redo_flag`: the key of
    a payload by which a host reliably says whether a stop comes after one that was refused; where
    it is there and false, or 0, a new count begins. `repeats`: kinds that begin a turn
    elsewhere, and that this host also raises within one. `raises_facets`: whether the host
    raises an event for the call of a tool and one for what the tool does, where the dialect has
    both. `late`: what a detached hook may say that still counts after its moment: context, note,
    wake (it sends the agent on). `delivers`: kinds of event at which an agent is told what came
    late. `detached_untimed`: the timeout of a detached hook is not enforced, but in strict mode.
    `background_line`: a command hook goes to the background by `{"async": true}` as its first line
    of output. `ends_session`: kinds of event after which a session's hooks that run once may run
    again. `approvals`: where a gate is, its hooks wait for an approval even when they are the
    user's own. `unknown_keys`: where keys may stand that the host does not know (`file`, `group`,
    `hook`): it ignores them, or with `refuses_unknown_keys` refuses the entry that has one.
    `regex_flavour`: the engine that the host runs matchers on, a key of `text.flavours.FLAVOURS`.
    `closes`: what a hook says, in the words of its file, so that its failure refuses; "" where the
    format has no word for that. `suspends_after`: failures in a row after which a hook that fails
    open is not asked for a while; 0 is never. `resolves_names`: `validate`, `list` and `doctor`
    look up the host names of its HTTP hooks. `names_event`: keys of a payload that name the event,
    where no field of a row is `@native`.
    """

    name: str
    rows: Mapping[str, EventRow]
    base: tuple[Field, ...] = ()
    aliases: Mapping[str, str] = {}
    covers: Mapping[str, tuple[str, ...]] = {}
    fold: FoldRule = FoldRule()
    ticks_per_second: int = 1
    default_timeout: float = 60.0
    compact: bool = False
    ascii_only: bool = False
    echo_safe: bool = True
    detached_after_denial: bool = True
    detached_in_turn: bool = False
    folders: tuple[str, ...] = ()
    project_variables: tuple[str, ...] = ()
    climbs: bool = True
    ask_becomes: Stance | None = None
    asks_at_terminal: bool = False
    programs: tuple[str, ...] = ()
    redo_limit: int = 3
    redo_flag: str = ""
    repeats: frozenset[str] = frozenset()
    raises_facets: bool = True
    late: frozenset[str] = frozenset()
    delivers: frozenset[str] = TURNS
    detached_untimed: bool = False
    background_line: bool = False
    ends_session: frozenset[str] = frozenset({"session.end"})
    approvals: bool = False
    closes: str = ""
    names_event: tuple[str, ...] = ()
    regex_flavour: str = "re2"
    unknown_keys: str = ""
    refuses_unknown_keys: bool = False
    suspends_after: int = 0
    resolves_names: bool = False

    def row(self, native: str) -> EventRow | None:
        """Return the row of a native event name or alias; None for an unknown one."""
        return self.rows.get(native) or self.rows.get(self.aliases.get(native, ""))

    def severity_of_unknown_key(self, place: str, mode: str) -> str:
        """Return the severity of an unknown key: an error in strict mode or if the host refuses it.

        Args:
            place: `file`, `group` or `hook`.
            mode: that of the source.
        """
        refused = self.refuses_unknown_keys and place in self.unknown_keys.split()
        return "error" if refused or mode == "strict" else "warning"

    def fields(self) -> tuple[Field, ...]:
        """Return the fields of every payload, those of all events first."""
        return (*self.base, *(field for row in self.rows.values() for field in row.fields))

    def folder_keys(self) -> tuple[str, ...]:
        """Return the keys of a payload that may name the project's folder, best first."""
        named = (field.native for field in self.fields() if field.fact == "@cwd")
        return tuple(dict.fromkeys((*self.folders, *named)))

    def host_timeout(self, native: str) -> float:
        """Return after how many seconds the host goes on without a hook that names no limit."""
        row = self.row(native)
        return (row.timeout if row else 0.0) or self.default_timeout

    def event_keys(self) -> tuple[str, ...]:
        """Return the keys of a payload that name its event."""
        named = (field.native for field in self.fields() if field.fact == "@native")
        return tuple(dict.fromkeys((*self.names_event, *named)))

    def attribute_keys(self) -> Mapping[str, str]:
        """Return a payload's key for each attribute of an event: `native`, `session_id`, `cwd`."""
        keys: dict[str, str] = {}
        for field in self.fields():
            if field.fact.startswith("@"):
                keys.setdefault(field.fact[1:], field.native)
        return {name: keys.get(name, name) for name in ("native", "session_id", "cwd")}

    def raises(self, kind: str) -> bool:
        """Return whether the host raises a narrower kind itself (docs/formats/vocabulary.md 4)."""
        return self.raises_facets and self.row_of_kind(kind) is not None

    def selects(self, native: str) -> tuple[str, ...]:
        """Return the rows, by native name, whose hooks an event of this native name selects."""
        row = self.row(native)
        return self.covers.get(native, (row.native,) if row else (native,))

    def row_of_kind(self, kind: str) -> EventRow | None:
        """Return the row for a canonical kind; None if the dialect has no such event."""
        rows = [row for row in self.rows.values() if row.kind == kind]
        return next((row for row in rows if not row.secondary), rows[0] if rows else None)


class Companion(Frozen):
    """A file that belongs to a source, with what loading needs of it.

    `head` is its first line; `text` all of it, where the dialect reads that; `fault`: why it could
    not be read.
    """

    path: str
    executable: bool = False
    head: str = ""
    text: str = ""
    fault: str = ""


class Source(Frozen):
    """One thing to load hooks from: a tree or a text, and what is known of it.

    `mode` is "fidelity" or "strict". `match_tools` is that of its hooks (`HookSpec`). `companions`:
    files beside it, by relative path. `placed`: find line numbers too. `names`: what the host knows
    of the source (plugin root and data folder, project folder), by the dialect's words. `gated`: a
    gate is asked whenever one of its hooks is about to run; `trusted` then only says who has a say
    about others. `label`: how ids name it, where its file's name alone is not enough.
    """

    file: str = ""
    text: str | None = None
    tree: Json = None
    scope: str = "explicit"
    mode: str = "fidelity"
    trusted: bool = True
    shadow: bool = False
    match_tools: str = "native"
    placed: bool = True
    companions: Mapping[str, Companion] = {}
    names: Mapping[str, str] = {}
    gated: bool = False
    label: str = ""


class Loaded(Frozen):
    """The content of a source: hooks in declared order, and all problems with it."""

    specs: tuple[HookSpec, ...] = ()
    problems: tuple[Problem, ...] = ()


class Declaration(Frozen):
    """A hook as a file could declare it, in the words of the dialect that is to write it.

    `row` is that dialect's own event. `tools`: exact names, or `pattern`: an expression that is
    searched in the tool's name; neither: every tool. `command` is a line for a POSIX shell, `split`
    where it is nothing but words, quoted. `timeout` is in seconds. `closed`: a failure is a denial.
    """

    row: EventRow
    command: str
    split: bool = False
    tools: tuple[str, ...] = ()
    pattern: str = ""
    timeout: float = 60.0
    closed: bool = False
    name: str = ""


class Written(Frozen):
    """Declarations as files of a dialect, by relative path.

    `lost`: position of a declaration, and what of it the format has no word for. `left_out`:
    positions of those that are in no file, and why. `programs`: files that must be executable.
    """

    files: Mapping[str, str]
    lost: tuple[tuple[int, str], ...] = ()
    left_out: Mapping[int, str] = {}
    programs: frozenset[str] = frozenset()


if TYPE_CHECKING:

    class Dialect(Protocol):
        """One table of facts, a `load` and a `combine`, and four small functions.

        A dialect whose hooks can be commands also has `export(declarations) -> Written`, into which
        others are converted; one whose hosts read another answer from an HTTP hook than from a
        command has `encode_response(decision, event) -> Reply`.
        """

        @property
        def table(self) -> Table: ...

        def load(self, source: Source) -> Loaded:
            """Read a source. Never raises for what a person wrote: problems are values.

            Raises:
                ConfigError: the source as a whole is no configuration.
            """

        def combine(self, specs: tuple[HookSpec, ...]) -> Loaded:
            """Combine the hooks of this dialect's sources: overrides, duplicates, disable flags."""

        def decode_event(self, payload: Json, native: str = "") -> Event:
            """Return a host's payload as an event; `native` names it if the payload does not.

            Raises:
                CodecError: the payload cannot be read.
            """

        def encode_decision(self, decision: Decision, event: Event) -> Reply:
            """Return a decision as the host expects it."""

        def encode_event(self, event: Event, spec: HookSpec) -> str:
            """Return what the hook's handler receives: one line of JSON, newline included.

            Raises:
                ValueError, TypeError, RecursionError: the payload cannot be serialised.
            """

        def decode_outcome(self, outcome: Outcome, spec: HookSpec, event: Event) -> Verdict:
            """Return the meaning of a handler's outcome.

            Never raises: an unreadable answer becomes a verdict with a fault.
            """
