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
    found = filter(None, (shutil.which(each, path=path) for each in host.programs))
    return next((each for each in found if _is_of_host(each, host, environ)), "")


def _is_of_host(program: str, host: Host, environ: Mapping[str, str]) -> bool:
    """Whether a program is that of a host, and not another one of the same name."""
    return not host.prints or bool(re.search(host.prints, _print_version(program, environ)))


def find_version(host: Host, environ: Mapping[str, str]) -> str:
    """Return the version that a host's program prints; empty if there is none."""
    program = find_program(host, environ)
    found = _VERSION.search(_print_version(program, environ)) if program else None
    return found[0] if found else ""


def _print_version(program: str, environ: Mapping[str, str]) -> str:
    """Return what a program prints as its version; empty if it cannot."""
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
    return f"{done.stdout}\n{done.stderr}"
