"""The builtins: the events of each, and whether one guards (docs/formats/docker-agent.md 8)."""

from __future__ import annotations

from hookline.model import kinds
from hookline.model.frozen import Frozen
from hookline.model.spec import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.spec import Handler

# `events`: their names in docker-agent. `kinds`: the canonical ones, more where other hosts have no
# such event; `context` stands for each event that can add context. `mounts`: the kinds of a hook of
# `hookline.yaml` that names no event; empty: as `kinds`.
_TABLE = """
name                        | events                      | kinds                    | mounts
add_context                 |                             | context                  |
add_date                    | turn_start                  | turn.start               |
add_directory_listing       | session_start               | session.start            |
add_environment_info        | session_start               | session.start            |
add_git_diff                | turn_start                  | turn.start               |
add_git_status              | turn_start                  | turn.start               |
add_prompt_files            | turn_start                  | turn.start               |
add_recent_commits          | session_start               | session.start            |
add_user_info               | session_start               | session.start            |
cache_response              | stop                        | stop                     |
elide_repeated_tool_results | tool_response_transform session_start after_compaction session_end
                            | tool.result tool.after session.start compact.after session.end |
handle_large_tool_output    | tool_response_transform     | tool.result tool.after   |
limit_large_tool_results    | tool_response_transform session_end
                            | tool.result tool.after session.end |
max_iterations              | before_llm_call             | model.request            |
redact_secrets              | tool_input_transform pre_tool_use before_llm_call
                              tool_response_transform
                            | tool.before model.request tool.result tool.after |
safer_shell                 | pre_tool_use                | tool.before              |
snapshot                    | session_start turn_start turn_end pre_tool_use post_tool_use
                              session_end
                            | session.start turn.start prompt.submit tool.before tool.after
                              tool.failure stop turn.end session.end
                            | session.start turn.start prompt.submit stop turn.end session.end
unload                      | on_agent_switch             | agent.switch             |
"""
# Those whose failure counts as the failure of a guard. Any other one refuses nothing by failing.
_GUARDING = frozenset({"max_iterations", "redact_secrets"})
_POWER = "context"


class BuiltinRow(Frozen):
    """A builtin: its name, and its events in the words of docker-agent and of hookline."""

    name: str
    events: tuple[str, ...]
    kinds: tuple[str, ...]
    mounts: tuple[str, ...]

    @property
    def adds_any_context(self) -> bool:
        """Whether it is for each event that can add context."""
        return self.kinds == (_POWER,)

    def is_for_kind(self, kind: str) -> bool:
        """Return whether it does something on a kind of event."""
        if self.adds_any_context:
            return _POWER in kinds.kind(kind).powers
        return kind in self.kinds

    def is_for(self, native: str, kind: str) -> bool:
        """Return whether it does something for a hook of this event.

        Args:
            native: the event in the words of the hook's file.
            kind: what the event is.
        """
        name = native.partition(":")[0]
        is_named = self.adds_any_context or name in self.events or name in self.kinds
        return is_named and self.is_for_kind(kind)


def _read_table() -> Mapping[str, BuiltinRow]:
    cells: list[list[str]] = []
    for line in _TABLE.strip().splitlines()[1:]:
        first, *rest = line.split("|")
        if first.strip() and not first.startswith(" "):
            cells.append([first])
        else:
            cells[-1][-1] += f" {first}"
        cells[-1] += rest
    rows = {}
    for name, events, names, mounts in cells:
        found = tuple(names.split())
        rows[name.strip()] = BuiltinRow(
            name=name.strip(),
            events=tuple(events.split()),
            kinds=found,
            mounts=tuple(mounts.split()) or (() if found == (_POWER,) else found),
        )
    return rows


BUILTINS: Mapping[str, BuiltinRow] = _read_table()


def is_observing(handler: Handler | None) -> bool:
    """Return whether a handler is a builtin that refuses nothing, also when it fails."""
    return (
        isinstance(handler, Builtin) and handler.name in BUILTINS and handler.name not in _GUARDING
    )
