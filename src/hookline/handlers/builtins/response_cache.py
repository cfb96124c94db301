"""`cache_response`: keeps the answer to a message, so that a host can replay it."""

from __future__ import annotations

import json
import os
import time

from hookline.handlers.builtins.call import Report
from hookline.model.frozen import Frozen
from hookline.paths import data_folder, make_private_folder, read_private, write_private
from hookline.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.handlers.builtins.call import BuiltinCall

_SCHEMA = "hookline.response/1"
_MOST = 1024  # answers
_LARGEST = 1 << 20  # bytes of one


class CachedResponse(Frozen):
    """An answer that was given to a message. `at`: seconds since 1970."""

    message: str
    answer: str
    at: float


def cache_response(asked: BuiltinCall) -> Report | None:
    """Handle `stop`: keep the model's answer to the last message of the user."""
    event = asked.event
    message, answer = event.body.value("last_user_message"), event.body.value("last_message")
    if not isinstance(message, str) or not message.strip():
        why = "this host does not send the last message of the user"
        return Report(text=f"cache_response: keeps no answers, because {why}")
    if not isinstance(answer, str) or not answer:
        return None
    path = _find_file(message, event.project or event.cwd, _find_agent(asked), asked.environ)
    document = {"schema": _SCHEMA, "message": message, "answer": answer, "at": time.time()}
    data = json.dumps(document).encode()
    if len(data) > _LARGEST:
        return None
    try:
        is_new = not os.path.exists(path)
        make_private_folder(os.path.dirname(path))
        write_private(path, data)
        if is_new:
            _prune(path)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return Report(text=f"cache_response: `{path}` cannot be written: {why}")
    return None


def find_cached_response(
    message: str, *, project: str, agent: str = "", environ: Mapping[str, str]
) -> CachedResponse | None:
    """Return the answer that was given to a message; None if there is none.

    Args:
        message: the user's message; blanks around it do not count.
        project: the folder of the project, or the working folder where there is none.
        agent: the agent's name, if the host has several.
        environ: says where hookline keeps its data.
    """
    try:
        data = read_private(_find_file(message, project, agent, environ), _LARGEST + 1)
        found = json.loads(data)
        if found["schema"] != _SCHEMA or found["message"].strip() != message.strip():
            return None
        return CachedResponse(message=found["message"], answer=found["answer"], at=found["at"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _find_agent(asked: BuiltinCall) -> str:
    agent = asked.event.body.value("agent")
    return agent if isinstance(agent, str) else ""


def _find_file(message: str, project: str, agent: str, environ: Mapping[str, str]) -> str:
    key = json.dumps([os.path.realpath(project), agent, message.strip()])
    return f"{data_folder(environ)}/responses/{sha256(key.encode())[:32]}.json"


def _prune(new: str) -> None:
    """Remove the oldest answers of too many."""
    with os.scandir(os.path.dirname(new)) as entries:
        others = [each for each in entries if each.path != new and each.name.endswith(".json")]
    ages = sorted((each.stat().st_mtime, each.path) for each in others)
    for _, path in ages[: max(0, len(others) + 1 - _MOST)]:
        os.unlink(path)
