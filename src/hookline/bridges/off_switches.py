"""Off switches: settings of a host because of which it does not run the entries of hookline."""

from __future__ import annotations

from hookline.engine.engine import Engine
from hookline.engine.host_calls import is_call
from hookline.engine.loader import explain_absence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.bridges.hosts import Host


def find_off_switches(host: Host, environ: Mapping[str, str], folder: str) -> list[str]:
    """Return which settings of a host switch the entries of hookline off; empty if none does.

    Settings of your own, of the organisation and of the project in `folder` count, by the rules of
    the host's dialect. An entry has to be there already.
    """
    if host.is_guest:  # plugins have no such settings
        return []
    engine = Engine.discover(folder, trust="all", dialect=host.dialect, environ=environ)
    snapshot = engine.snapshot
    active = {entry.spec.id for entry in snapshot.whole.entries()}
    calls = (spec for each in snapshot.sources for spec in each.loaded.specs if is_call(spec))
    reasons = (explain_absence(snapshot, spec) for spec in calls if spec.id not in active)
    return [*dict.fromkeys(reasons)]
