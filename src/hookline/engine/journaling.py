"""Opens the journal that the environment and the user's settings name."""

from __future__ import annotations

import os

from hookline.config.settings import read_settings
from hookline.errors import CODES, ConfigError, HookError
from hookline.installation import install_command
from hookline.journal.journal import Journal, default_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookline.journal.journal import Export

VARIABLE = "HOOKLINE_JOURNAL"
_OFF, _ON = frozenset({"off", "0", "no", "false"}), frozenset({"on", "1", "yes", "true"})
_MIB = 1 << 20
_DESTINATIONS = (
    "OTEL_TRACES_EXPORTER",
    "OTEL_METRICS_EXPORTER",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
)


def open_journal(
    environ: Mapping[str, str], tell: Callable[[str], None], exports: Sequence[Export] = ()
) -> Journal | None:
    """The journal to keep.

    It is None where it is switched off, or where there is no place for it, which `tell` is told.

    Wrong settings are told as well, and do not switch it off.
    """
    try:
        chosen: Mapping[str, Any] = {}
        try:
            chosen = read_settings(environ).get("journal", {})
        except ConfigError as error:
            tell(str(error))
        named = environ.get(VARIABLE, "").lower()
        if named in _OFF or (not named and chosen.get("enabled") is False):
            return Journal(None, tell=tell, exports=exports) if exports else None
        return Journal.open(
            _find_folder(environ, chosen),
            environ=environ,
            tell=tell,
            exports=exports,
            **_read_log_settings(chosen),
        )
    except HookError as error:
        tell(f"{error.code} {error}" if not getattr(error, "place", "") else str(error))
    except Exception as error:  # noqa: BLE001 - whatever it is, the hooks are asked all the same
        tell(f"{CODES['journal.unwritable']} no journal is kept: {type(error).__name__}: {error}")
    return None


def find_journal_folder(environ: Mapping[str, str]) -> str:
    """Return the folder of the journal to read.

    Raises:
        ConfigError: what names it is no absolute path, or the settings are wrong.
        JournalError: there is no home to have it in.
    """
    return _find_folder(environ, read_settings(environ).get("journal", {}))


def read_limits(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return how long records are kept, and how many bytes of them.

    Raises:
        ConfigError: the settings are wrong.
    """
    chosen = read_settings(environ).get("journal", {})
    given = _read_log_settings(chosen)
    return {name: given[name] for name in ("keep_days", "keep_bytes") if name in given}


def make_telemetry(
    environ: Mapping[str, str],
    tell: Callable[[str], None],
    pending: Callable[[], int] | None = None,
) -> tuple[Export, ...]:
    """What a server tells OpenTelemetry by.

    There is nothing where the environment names nowhere to send it to.

    `pending` tells how many approvals wait for a person.
    """
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return ()
    if all(environ.get(name, "none") in ("", "none") for name in _DESTINATIONS):
        return ()
    asked = f"{CODES['journal.telemetry']} telemetry is asked for, and"
    try:
        from hookline.journal.otel import Telemetry, set_up  # noqa: PLC0415 - the extra `otel`
    except ModuleNotFoundError:
        tell(f"{asked} `opentelemetry-api` is missing ({install_command(extra='otel')})")
        return ()
    if not set_up():
        tell(f"{asked} no SDK sends it ({install_command('opentelemetry-distro')})")
    return (Telemetry(environ=environ, pending=pending),)


def _read_log_settings(chosen: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: chosen[name] for name in ("payload", "keep_days", "sync") if name in chosen}
    return given | ({"keep_bytes": chosen["keep_mb"] * _MIB} if "keep_mb" in chosen else {})


def _find_folder(environ: Mapping[str, str], chosen: Mapping[str, Any]) -> str:
    named = environ.get(VARIABLE, "")
    named = "" if named.lower() in _OFF | _ON else named
    path = named or os.path.expanduser(chosen.get("path", ""))
    if path and not os.path.isabs(path):
        # A relative one would be another one in every project.
        who = VARIABLE if named else "journal.path"
        raise ConfigError(
            f"`{who}` is `{path}`, which is no absolute path", name="config.option", hint="or `off`"
        )
    return path or default_folder(environ)
