"""Which rules count in each profile, and what a hit or an unread part asks for."""

from __future__ import annotations

from hookline.model.verdict import Stance
from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROFILES = ("baseline", "strict", "paranoid")
# A rule, from which profile on it counts, and what a hit asks for there.
_TIERS = (
    ("baseline", Stance.DENY, """fs.root fs.overwrite disk.erase dos.forkbomb perm.recursive
     git.remote_reset exfil.file exfil.env exfil.commit"""),
    ("strict", Stance.DENY, """git.discard fs.local fs.outside db.drop infra.destroy
     container.prune exfil.encode system"""),
    ("strict", Stance.ASK, "exfil.copy"),
    ("paranoid", Stance.ASK, """read.secret run.fetched run.opaque net.upload git.publish
     exec.deferred"""),
    ("paranoid", Stance.DENY, "system.guard"),
)  # fmt: skip
# What an unverified text asks for: (with a risky word in it, without one).
UNVERIFIED: Mapping[str, tuple[Stance, Stance]] = {
    "baseline": (Stance.ASK, Stance.SILENT),
    "strict": (Stance.ASK, Stance.ASK),
    "paranoid": (Stance.DENY, Stance.ASK),
}
# Words that make an unread part risky: what destroys, what carries code, what sends.
RISKY = make_set("""
rm shred dd mkfs wipefs find chmod chown git curl wget nc ncat ssh scp rsync bash sh zsh eval exec
python python3 perl ruby node php base64 xxd openssl xargs parallel sudo docker kubectl terraform
psql mysql mv tee truncate unlink rmdir env printenv source dropdb systemctl crontab
""")


def choose_rules(profile: str, changes: Sequence[str]) -> Mapping[str, Stance]:
    """Return the rules that count, each with what a hit asks for.

    Args:
        profile: `baseline`, `strict` or `paranoid`.
        changes: further rules, or with `-` before them those that do not count.
    """
    level = PROFILES.index(profile)
    rules = {}
    everything = {}
    for name, stance, ids in _TIERS:
        for rule in ids.split():
            everything[rule] = stance
            if PROFILES.index(name) <= level:
                rules[rule] = stance
    for change in changes:
        rule = change.removeprefix("-")
        if change.startswith("-"):
            rules.pop(rule, None)
        elif rule in everything:
            rules[rule] = everything[rule]
    return rules
