"""What a docker-agent hook runs: a command, a builtin, or nothing that hookline could run."""

from __future__ import annotations

from hookline.dialects.docker_agent.builtins import builtin
from hookline.model.handler import Command
from hookline.text.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.core.dialect import EventRow
    from hookline.model.handler import Handler
    from hookline.wire.fields import Node

_TYPES = ("command", "builtin", "model")
# Keys that not every type of hook has -> those that do (docs/formats/docker-agent.md 3).
_ONLY: Mapping[str, tuple[str, ...]] = {
    "args": ("builtin",), "working_dir": ("command", "builtin"),
    "model": ("model",), "prompt": ("model",), "schema": ("model",),
}  # fmt: skip


def handler(
    hook: Node,
    row: EventRow,
    shells: tuple[str, ...],
    *,
    strict: bool,
    allow_local: bool,
    models: Node | None = None,
) -> Handler | None:
    """The handler of a hook of an event; one without a reason where a complaint says why there is none.

    `models`: the file's own names of models.
    """
    env, working_dir = hook.mapping("env"), hook.text("working_dir")
    kind = hook.text("type", required=True)
    _complain_of_others(hook, kind)
    match kind:
        case "command":
            return Command(
                script=_command(hook, "command"),
                shell=shells,
                env=env,
                expand="dotenv",
                working_dir=working_dir,
                kill_leftovers=strict,
                in_folder=True,
            )
        case "builtin":
            return builtin(
                hook,
                row.payload_name,
                _command(hook, "builtin").strip(),
                env,
                working_dir,
                allow_local=allow_local,
            )
        case "model":
            from hookline.dialects.docker_agent.model_hook import model  # noqa: PLC0415 - few hooks ask a model

            return model(hook, row, models, allow_local=allow_local)
        case "":
            pass
        case other:
            hint = (
                did_you_mean(other, _TYPES)
                or f"one of {', '.join(f'`{known}`' for known in _TYPES)}"
            )
            hook.complain("handler.type", f"unsupported hook type `{other}`", "type", hint=hint)
    return None


def _complain_of_others(hook: Node, kind: str) -> None:
    for key, types in _ONLY.items():
        if kind in _TYPES and kind not in types and hook.value.get(key):
            hint = f"it belongs to {' and '.join(types)} hooks"
            hook.complain(
                "key.ignored",
                f"`{key}` has no effect on a {kind} hook",
                key,
                hint=hint,
                severity="warning",
            )


def _command(hook: Node, kind: str) -> str:
    command = hook.text("command")
    if not command.strip() and isinstance(hook.value.get("command"), str | None):
        hook.complain("handler.command", f"a {kind} hook needs a non-empty command", "command")
    return command
