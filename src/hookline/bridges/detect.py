"""Detection: which hosts are on this machine, and in which version."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from hookline.bridges.hosts import HOSTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.bridges.hosts import Host

_SECONDS = 10  # for a version; some hosts load a second before they print it
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)?(?:[-+.][0-9A-Za-z.]+)?")


def find_hosts(environ: Mapping[str, str]) -> list[Host]:
    """Return the hosts whose program is on the PATH, or whose settings folder exists."""
    return [host for host in HOSTS.values() if is_present(host, environ)]


def is_present(host: Host, environ: Mapping[str, str]) -> bool:
    """Return whether a host is on this machine."""
    return bool(find_program(host, environ)) or os.path.isdir(host.find_folder(environ))


def find_program(host: Host, environ: Mapping[str, str]) -> str:
    """Return the path of a host's program; empty if it is not on the PATH."""
    path = environ.get("PATH")
    return next(filter(None, (shutil.which(each, path=path) for each in host.programs)), "")


def find_version(host: Host, environ: Mapping[str, str]) -> str:
    """Return the version that a host's program prints; empty if there is none."""
    program = find_program(host, environ)
    if not program:
        return ""
    try:
        done = subprocess.run(
            [program, "--version"],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = _VERSION.search(f"{done.stdout}\n{done.stderr}")
    return found[0] if found else ""
