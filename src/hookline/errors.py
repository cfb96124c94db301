"""What can go wrong, typed by who erred: the file, the wire, the trust, the handler."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


# One stable code for each problem's name. A code is never reused; `hookline explain CODE` tells its
# page. 1xxx configuration, 2xxx hooks at run time, 3xxx trust, 4xxx host and wire, 5xxx service,
# 6xxx journal, 9xxx internal.
CODES: Mapping[str, str] = {
    "config.syntax": "HKL1001",
    "config.missing": "HKL1002",
    "config.unreadable": "HKL1003",
    "config.type": "HKL1004",
    "config.duplicate-key": "HKL1005",
    "config.dialect": "HKL1006",
    "config.option": "HKL1007",
    "config.too-large": "HKL1008",
    "config.unwritable": "HKL1009",
    "config.last-good": "HKL1010",
    "config.gone": "HKL1011",
    "key.unknown": "HKL1101",
    "key.missing": "HKL1102",
    "key.misplaced": "HKL1103",
    "key.ignored": "HKL1104",
    "event.unknown": "HKL1203",
    "event.legacy": "HKL1204",
    "group.shape": "HKL1205",
    "group.empty": "HKL1206",
    "handler.type": "HKL1301",
    "handler.command": "HKL1302",
    "handler.unsupported": "HKL1303",
    "handler.builtin": "HKL1304",
    "handler.relative-path": "HKL1305",
    "handler.url": "HKL1306",
    "handler.template": "HKL1307",
    "handler.model": "HKL1308",
    "value.type": "HKL1401",
    "value.range": "HKL1402",
    "value.choice": "HKL1403",
    "matcher.regex": "HKL1501",
    "matcher.ignored": "HKL1502",
    "matcher.rule": "HKL1503",
    "matcher.type": "HKL1504",
    "matcher.unknown-field": "HKL1505",
    "matcher.not-applicable": "HKL1506",
    "matcher.control": "HKL1507",
    "matcher.may-miss": "HKL1508",
    "hook.async": "HKL1601",
    "hook.duplicate": "HKL1602",
    "hook.override": "HKL1603",
    "hook.never-runs": "HKL1604",
    "hook.skipped": "HKL1605",
    "async.cannot-block": "HKL1606",
    "async.type": "HKL1607",
    "hook.off": "HKL1608",
    "entry.missing": "HKL1701",
    "entry.not-executable": "HKL1702",
    "frontmatter.absent": "HKL1801",
    "frontmatter.unclosed": "HKL1802",
    "frontmatter.yaml": "HKL1803",
    "frontmatter.not-mapping": "HKL1804",
    "frontmatter.escape": "HKL1805",
    "name.missing": "HKL1811",
    "name.style": "HKL1812",
    "name.dir-mismatch": "HKL1813",
    "description.missing": "HKL1814",
    "description.length": "HKL1815",
    "trigger.missing": "HKL1816",
    "name.empty": "HKL1817",
    "name.length": "HKL1818",
    "name.case": "HKL1819",
    "name.chars": "HKL1820",
    "name.hyphen-edge": "HKL1821",
    "name.hyphen-double": "HKL1822",
    "description.empty": "HKL1823",
    "trigger.unknown": "HKL1824",
    "trigger.legacy": "HKL1825",
    "timeout.type": "HKL1826",
    "timeout.range": "HKL1827",
    "priority.type": "HKL1828",
    "priority.range": "HKL1829",
    "field.unknown": "HKL1830",
    "metadata.type": "HKL1831",
    "metadata.fail-mode": "HKL1832",
    "path.missing": "HKL1841",
    "path.not-dir": "HKL1842",
    "file.missing": "HKL1843",
    "install.host": "HKL1901",
    "install.home": "HKL1902",
    "install.taken": "HKL1903",
    "install.temporary": "HKL1904",
    "install.trial": "HKL1905",
    "install.shape": "HKL1906",
    "hook.failed": "HKL2001",
    "hook.reentered": "HKL2002",
    "hook.refused": "HKL2003",
    "session.unusable": "HKL2004",
    "session.damaged": "HKL2005",
    "hook.dropped": "HKL2006",
    "session.nameless": "HKL2007",
    "hook.unbound": "HKL2008",
    "trust.untrusted": "HKL3001",
    "trust.changed": "HKL3002",
    "trust.revoked": "HKL3003",
    "trust.switched-off": "HKL3004",
    "trust.missing": "HKL3005",
    "trust.exposed": "HKL3006",
    "trust.store": "HKL3007",
    "trust.newer": "HKL3008",
    "trust.unwritable": "HKL3009",
    "trust.allowlist": "HKL3010",
    "trust.unmatched": "HKL3011",
    "trust.setting": "HKL3012",
    "trust.self-approve": "HKL3016",
    "trust.not-asked": "HKL3017",
    "trust.unattended": "HKL3018",
    "trust.ambiguous": "HKL3019",
    "trust.left-to-host": "HKL3020",
    "trust.unapproved-caller": "HKL3021",
    "trust.not-switched": "HKL3022",
    "trust.project-env": "HKL3023",
    "trust.open-start": "HKL3024",
    "trust.below-agent": "HKL3025",
    "wire.payload": "HKL4001",
    "wire.event": "HKL4002",
    "wire.lowered": "HKL4003",
    "serve.missing": "HKL5001",
    "serve.address": "HKL5002",
    "serve.token": "HKL5003",
    "serve.origin": "HKL5004",
    "serve.request": "HKL5005",
    "serve.size": "HKL5006",
    "serve.busy": "HKL5007",
    "serve.unsaid": "HKL5008",
    "serve.gone": "HKL5009",
    "serve.ending": "HKL5010",
    "serve.loop": "HKL5011",
    "journal.unwritable": "HKL6001",
    "journal.busy": "HKL6002",
    "journal.place": "HKL6003",
    "journal.torn": "HKL6004",
    "journal.gap": "HKL6005",
    "journal.broken": "HKL6006",
    "journal.unknown": "HKL6007",
    "journal.missing": "HKL6008",
    "journal.telemetry": "HKL6010",
    "journal.lost": "HKL6011",
    "remote.missing": "HKL5101",
    "remote.address": "HKL5102",
    "remote.token": "HKL5103",
    "remote.protocol": "HKL5104",
    "remote.taken": "HKL5105",
    "remote.unreachable": "HKL5106",
    "remote.bounds": "HKL5107",
    "remote.state": "HKL5108",
    "remote.rejected": "HKL5109",
    "check.off": "HKL7001",
    "check.unapproved": "HKL7002",
    "check.changed": "HKL7003",
    "check.missing": "HKL7004",
    "check.relative": "HKL7005",
    "check.interpreter": "HKL7006",
    "check.not-executable": "HKL7007",
    "check.broken": "HKL7008",
    "check.timed-out": "HKL7009",
    "check.not-json": "HKL7010",
    "check.noise": "HKL7011",
    "check.failed": "HKL7012",
    "check.fails-open": "HKL7013",
    "check.never-matched": "HKL7014",
    "check.duplicate": "HKL7015",
    "check.conflict": "HKL7016",
    "check.refuses": "HKL7017",
    "check.slow": "HKL7018",
    "check.exposed": "HKL7019",
    "check.unseen": "HKL7020",
    "check.in-place": "HKL7021",
    "check.gone": "HKL7022",
    "check.sample": "HKL7025",
    "check.failures": "HKL7034",
    "internal": "HKL9001",
}


class HookError(Exception):
    """The root of everything hookline raises on purpose.

    `name` is the problem's name in `CODES`, `code` its stable number, `hint` what to do about it.
    """

    name = "internal"

    def __init__(self, message: str, *, name: str | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.name = name or self.name
        self.hint = hint

    @property
    def code(self) -> str:
        return CODES[self.name]

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class ConfigError(HookError):
    """A file or a tree that declares hooks is wrong; `place` says where (`file:line:column`)."""

    name = "config.syntax"

    def __init__(
        self, message: str, *, name: str | None = None, hint: str = "", place: str = ""
    ) -> None:
        super().__init__(message, name=name, hint=hint)
        self.place = place

    def __str__(self) -> str:
        return f"{self.place}: {self.code} {super().__str__()}" if self.place else super().__str__()


class CodecError(HookError):
    """A payload that a host sent, or the name of an event, cannot be understood."""

    name = "wire.payload"


class TrustError(HookError):
    """A hook was to run that no person has approved."""

    name = "trust.untrusted"


class JournalError(HookError):
    """What happened could not be written down, or what was written cannot be read."""

    name = "journal.unwritable"


class HandlerError(HookError):
    """A handler could not be run at all on this machine."""

    name = "hook.failed"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint such as "did you mean `PreToolUse`?"; empty if no known word is near."""
    import difflib  # noqa: PLC0415 - only errors need it

    by_fold: dict[str, list[str]] = {}
    for name in known:
        by_fold.setdefault(_fold(name), []).append(name)
    near = difflib.get_close_matches(_fold(word), by_fold, n=1, cutoff=0.6)
    if not near:
        return ""
    # Of several spellings of one word, take the one closest to the input.
    likest = max(
        by_fold[near[0]], key=lambda name: difflib.SequenceMatcher(None, word, name).ratio()
    )
    return f"did you mean `{likest}`?"


def _fold(word: str) -> str:
    return word.replace("_", "").replace("-", "").replace(".", "").lower()
