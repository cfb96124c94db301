"""Whether a repository has approvals, which decides whether its files of hooks are parsed at an event."""

from __future__ import annotations

import os

from hookline.errors import TrustError
from hookline.paths import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def has_approvals(project: str, environ: Mapping[str, str]) -> bool:
    """Whether a hook of this project is approved, or the approvals cannot be read.

    Also true for the user's home, which is no project.
    """
    from hookline.trust.owner import find_project  # noqa: PLC0415 - most projects have no files of hooks
    from hookline.trust.store import Store  # noqa: PLC0415 - as above

    found = find_project(project, environ)
    if found is None:
        return True
    folder = state_folder(environ)
    if not os.path.lexists(f"{folder}/approvals"):
        return False
    try:
        return bool(Store(folder).read_approvals(found.owner.key).versions)
    except TrustError:
        return True
