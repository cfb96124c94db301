"""Job files: removes what the harness leaves of background jobs in the folder of a session."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_FOLDER = ".pydantic-ai-harness"


def remove_job_files(folder: str, jobs: Iterable[str]) -> None:
    """Remove the files of jobs that have ended, and then the folders above them if they are empty.

    `jobs`: their ids. The output of a job that still runs stays.
    """
    root = f"{folder}/{_FOLDER}"
    for job in jobs:
        if _has_ended(f"{root}/shell/{job}/status.json"):
            shutil.rmtree(f"{root}/shell/{job}", ignore_errors=True)
    with suppress(OSError):  # there are others
        os.rmdir(f"{root}/shell")
        if os.listdir(root) == [".gitignore"]:
            os.unlink(f"{root}/.gitignore")
        os.rmdir(root)


def _has_ended(path: str) -> bool:
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)["exit_code"] is not None
    except (OSError, ValueError, LookupError, TypeError):
        return False
