"""Whether a repository has approvals, which decides whether its files of hooks are parsed at an event."""

from __future__ import annotations

import os

from hookline.errors import TrustError
from hookline.paths import state_folder
from hookline.trust.owner import find_project
from hookline.trust.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def has_approvals(project: str, environ: Mapping[str, str]) -> bool:
    """Whether a hook of this project is approved, or the approvals cannot be read.

    Also true for the user's home, which is no project.
    """
    found = find_project(project, environ)
    if found is None:
        return True
    folder = state_folder(environ)
    if not os.path.lexists(f"{folder}/approvals"):
        return False
    try:
        return bool(Store(folder).read_approvals(found.key).versions)
    except TrustError:
        return True
