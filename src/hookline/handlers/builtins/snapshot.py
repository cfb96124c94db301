"""`snapshot`: keeps the files of each turn, so that its changes can be undone.

Hosts and the command line call `list_snapshots`, `undo` and `reset`. docs/formats/docker-agent.md 9
"""

from __future__ import annotations

from hookline.errors import HandlerError
from hookline.handlers.builtins.call import Report
from hookline.handlers.builtins.checkpoints import History
from hookline.handlers.builtins.shadow_repository import (
    NoRepositoryError,
    find_repository,
    prepare_git,
)
from hookline.model.event import ToolCall
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.handlers.builtins.call import BuiltinCall
    from hookline.handlers.builtins.checkpoints import Checkpoint
    from hookline.handlers.builtins.shadow_repository import ShadowRepository
    from hookline.model.event import Event

# What a kind of event does: begins or ends a turn or a call. `pauses`: a turn that may go on.
_PARTS = {
    "session.start": "looks",
    "turn.start": "begins",
    "prompt.submit": "begins",
    "tool.before": "begins",
    "tool.after": "ends",
    "tool.failure": "ends",
    "stop": "pauses",
    "turn.end": "ends",
    "session.end": "leaves",
}
_SECONDS = 60.0  # for undo and reset


class Restored(Frozen):
    """What an undo did: the files that are as they were, and those that could not be restored."""

    checkpoints: tuple[Checkpoint, ...] = ()
    files: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


def snapshot(asked: BuiltinCall) -> Report | None:
    """Handle the beginning and the end of sessions, turns and calls of tools."""
    event = asked.event
    try:
        git = prepare_git(
            asked.environ,
            seconds=asked.timeout,
            limits=asked.limits,
            cancel=asked.cancel,
            declared=asked.declared,
            cookie=asked.cookie,
        )
        repository = find_repository(git, event.cwd, asked.environ)
        with repository.locked():
            _track(repository, event)
    except NoRepositoryError as error:
        return Report(text=f"snapshot: hookline takes no snapshots here, because {error}")
    except (HandlerError, OSError) as error:
        return Report(text=f"snapshot: hookline could not take a snapshot: {error}")
    return None


def _track(repository: ShadowRepository, event: Event) -> None:
    part = _PARTS[event.kind]
    history = History.read(repository)
    if part == "leaves":
        history.forget(event.session_id)
        history.drop_old()
        history.write()
        repository.collect_garbage()
        return
    tree = repository.write_tree()
    call, cause = "", "turn"
    if isinstance(event.body, ToolCall):
        call, cause = event.body.call_id or event.tool, event.tool
    if part == "begins":
        history.begin(event.session_id, call, tree)
    elif part in ("ends", "pauses"):
        before = history.end(event.session_id, call, tree, closes=part == "ends")
        scope = repository.scope
        changed = repository.list_changes(before, tree, scope) if before not in ("", tree) else ()
        if changed:
            history.add(
                session=event.session_id,
                cause=cause,
                before=before,
                after=tree,
                scope=scope,
                count=len(changed),
            )
    if part != "looks":
        history.write()


# -- what hosts and people ask for -----------------------------------------------------------------


def list_snapshots(
    cwd: str, environ: Mapping[str, str], *, session: str = ""
) -> tuple[Checkpoint, ...]:
    """Return the checkpoints of the work tree that a folder is in, oldest first.

    Args:
        cwd: the folder.
        environ: tells where Git is, and where hookline keeps its data.
        session: the id of the only session whose checkpoints count.

    Raises:
        HandlerError: there is no repository, or Git failed.
    """
    repository = _open(cwd, environ)
    return tuple(History.read(repository).list_of(session))


def undo(cwd: str, environ: Mapping[str, str], *, session: str = "") -> Restored:
    """Restore the files of the last checkpoint, and drop it; see `list_snapshots`.

    Raises:
        HandlerError: there is no repository, or Git failed.
    """
    repository = _open(cwd, environ)
    return _revert(repository, session, 0)


def reset(cwd: str, environ: Mapping[str, str], number: int, *, session: str = "") -> Restored:
    """Restore the files of a checkpoint and of all later ones, and drop these.

    See `list_snapshots`.

    Raises:
        HandlerError: there is no such checkpoint, no repository, or Git failed.
    """
    repository = _open(cwd, environ)
    return _revert(repository, session, number)


def _open(cwd: str, environ: Mapping[str, str]) -> ShadowRepository:
    return find_repository(prepare_git(environ, seconds=_SECONDS), cwd, environ)


def _revert(repository: ShadowRepository, session: str, number: int) -> Restored:
    """Revert the last checkpoint, or with a number that one and all later ones.

    The oldest tree that has a file's state wins.
    """
    try:
        with repository.locked():
            history = History.read(repository)
            known = history.list_of(session)
            chosen = [each for each in known if each.number >= number] if number else known[-1:]
            if number and number not in {each.number for each in known}:
                numbers = ", ".join(str(each.number) for each in known) or "none"
                raise HandlerError(f"there is no snapshot {number}; there are: {numbers}")
            trees: dict[str, str] = {}
            for each in chosen:
                for path in repository.list_changes(each.before, each.after, each.scope):
                    trees.setdefault(path, each.before)
            failed: list[str] = []
            for tree in dict.fromkeys(trees.values()):
                paths = [path for path, wanted in trees.items() if wanted == tree]
                failed += repository.restore(tree, paths)
            history.drop(chosen)
            if chosen:
                history.move_on(session, repository.write_tree())
            history.write()
    except OSError as error:
        raise HandlerError(f"the snapshots cannot be used: {error}") from error
    done = tuple(path for path in trees if path not in set(failed))
    return Restored(checkpoints=tuple(chosen), files=done, failed=tuple(failed))
