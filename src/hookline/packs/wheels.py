"""The environment of a pack from a package index: wheels only, each by its hash, without a run."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import PathDistribution
from importlib.util import find_spec

from hookline.errors import ConfigError
from hookline.installation import install_command
from hookline.model.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GROUP = "hookline.packs"
_PATIENCE = 900.0  # seconds for one run of pip
# A name, perhaps a version. An address could lead to a source that pip would build.
_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)(==[\w.+!-]+)?")
# What would lead pip's Python to other code, or pip to another folder.
_DROPPED = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PIP_TARGET", "PIP_PREFIX", "PIP_USER")
_START_PIP = """
import runpy, sys
sys.path[:0] = filter(None, [sys.argv.pop(1)])
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
# A package may need another one by an address, which `--only-binary` does not concern. Its build
# would run its code.
_REFUSE_BUILDS = """
import sys
def refuse(event, _):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork"):
        raise PermissionError("a package without a wheel would have to be built")
sys.addaudithook(refuse)
"""


class Offer(Frozen):
    """What a package offers: its version, and the folder of its pack in the wheel."""

    version: str
    folder: str


def read_package_name(requirement: str) -> str:
    """Return the name of a package as an index compares it.

    Raises:
        ConfigError: the requirement is more than a name with a version.
    """
    found = _REQUIREMENT.fullmatch(requirement)
    if found is None:
        hint = "for example pkg:my-pack, or pkg:my-pack==1.2.0"
        raise ConfigError(f"`{requirement}` is no package", name="pack.invalid", hint=hint)
    return re.sub(r"[-_.]+", "-", found[1]).lower()


def download_wheels(requirement: str, folder: str, environ: Mapping[str, str]) -> list[str]:
    """Download the wheels of a package and of what it needs; return their paths.

    pip finds the index by its own settings, such as `PIP_INDEX_URL`. No code of a package runs.

    Raises:
        ConfigError: `pack.failed`, one of them has no wheel, or pip cannot get it.
    """
    words = ["download", "--only-binary", ":all:", "--dest", folder, "--", requirement]
    _run_pip(_REFUSE_BUILDS, words, folder, environ, requirement)
    return sorted(glob.glob(f"{glob.escape(folder)}/*.whl"))


def digest_wheels(wheels: Sequence[str]) -> dict[str, str]:
    """Return the SHA-256 of wheels by their file names."""
    found = {}
    for path in wheels:
        with open(path, "rb") as file:
            found[os.path.basename(path)] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def read_offer(name: str, wheels: Sequence[str]) -> Offer:
    """Return the pack that a package offers, by the metadata of its wheel.

    Raises:
        ConfigError: `pack.invalid`, it offers none, or more than one.
    """
    named = {read_package_name(os.path.basename(path).split("-")[0]): path for path in wheels}
    with zipfile.ZipFile(named[name]) as archive:
        names = archive.namelist()
        info = next(each.split("/")[0] for each in names if each.endswith(".dist-info/METADATA"))
        found = PathDistribution(zipfile.Path(archive, f"{info}/"))
        values = [each.value for each in found.entry_points.select(group=GROUP)]
        version = found.version
    folders = [value.strip().replace(".", "/") for value in values]
    if len(folders) != 1 or f"{folders[0]}/hookline.yaml" not in names:
        wrong = f": its entry points name {', '.join(values)}" if values else ""
        hint = f"its author names a folder with a hookline.yaml by one entry point `{GROUP}`"
        why = f"`{name}` {version} offers no pack{wrong}"
        raise ConfigError(why, name="pack.invalid", hint=hint)
    return Offer(version=version, folder=folders[0])


def install_wheels(folder: str, wheels: Sequence[str], environ: Mapping[str, str]) -> str:
    """Make a virtual environment with these wheels; return its folder of packages.

    pip compares each wheel with its hash. No code of a wheel runs.

    Raises:
        ConfigError: `pack.failed`, pip refuses a wheel.
    """
    from venv import EnvBuilder  # noqa: PLC0415 - a folder that is copied needs no environment

    EnvBuilder(symlinks=True).create(folder)
    scratch, lines = os.path.dirname(wheels[0]), []
    for file, digest in digest_wheels(wheels).items():
        name, version, *_ = file.split("-")
        lines.append(f"{name}=={version} --hash=sha256:{digest}\n")
    with open(f"{scratch}/requirements.txt", "w", encoding="utf-8") as requirements:
        requirements.writelines(lines)
    words = ["--python", f"{folder}/bin/python", "install", "--no-index", "--find-links", scratch]
    words += ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", "requirements.txt"]
    _run_pip("", words, scratch, environ, "its wheels")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"{folder}/lib/python{version}/site-packages"


def _run_pip(
    before: str, words: Sequence[str], cwd: str, environ: Mapping[str, str], what: str
) -> None:
    """Run pip in an empty folder, where no file of a project is imported, after some code."""
    env = {name: value for name, value in environ.items() if name not in _DROPPED}
    env |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    command = [sys.executable, "-I", "-c", before + _START_PIP, _find_pip(), *words]
    try:
        done = subprocess.run(
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, errors="replace", timeout=_PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise _make_error(what, f"no end after {_PATIENCE:g} s") from None
    if done.returncode:
        lines = [each for each in done.stderr.splitlines() if each.strip()] or ["no reason given"]
        errors = [each for each in lines if each.startswith("ERROR: ")]
        raise _make_error(what, (errors or lines)[-1].removeprefix("ERROR: "))


def _make_error(what: str, why: str) -> ConfigError:
    hint = "packages must have wheels; pip's settings (`pip config list`) name the index"
    return ConfigError(f"pip cannot get {what}: {why}", name="pack.failed", hint=hint)


def _find_pip() -> str:
    """Return where pip lies that came with this Python; empty if its own one is installed."""
    if find_spec("pip"):
        return ""
    bundled = find_spec("ensurepip")
    folder = os.path.dirname(bundled.origin or "") if bundled else ""
    found = sorted(glob.glob(f"{glob.escape(folder)}/_bundled/pip-*.whl")) if folder else []
    if not found:
        raise ConfigError("there is no pip", name="pack.failed", hint=install_command("pip"))
    return found[-1]
