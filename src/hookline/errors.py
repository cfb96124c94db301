"""What can go wrong, typed by who erred: the file, the wire, the trust, the handler."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


# One stable code for each problem's name. A code is never reused; `hookline explain CODE` tells its
# page. 1xxx configuration, 2xxx hooks at run time, 3xxx trust, 4xxx host and wire, 5xxx service,
# 6xxx journal, 7xxx checks, 8xxx packs, 9xxx internal.
_TABLE = """
HKL1001 config.syntax
HKL1002 config.missing
HKL1003 config.unreadable
HKL1004 config.type
HKL1005 config.duplicate-key
HKL1006 config.dialect
HKL1007 config.option
HKL1008 config.too-large
HKL1009 config.unwritable
HKL1010 config.last-good
HKL1011 config.gone
HKL1101 key.unknown
HKL1102 key.missing
HKL1103 key.misplaced
HKL1104 key.ignored
HKL1105 key.unsupported
HKL1203 event.unknown
HKL1204 event.legacy
HKL1205 group.shape
HKL1206 group.empty
HKL1301 handler.type
HKL1302 handler.command
HKL1303 handler.unsupported
HKL1304 handler.builtin
HKL1305 handler.relative-path
HKL1306 handler.url
HKL1307 handler.template
HKL1308 handler.model
HKL1309 guard.rule
HKL1401 value.type
HKL1402 value.range
HKL1403 value.choice
HKL1501 matcher.regex
HKL1502 matcher.ignored
HKL1503 matcher.rule
HKL1504 matcher.type
HKL1505 matcher.unknown-field
HKL1506 matcher.not-applicable
HKL1507 matcher.control
HKL1508 matcher.may-miss
HKL1601 hook.async
HKL1602 hook.duplicate
HKL1603 hook.override
HKL1604 hook.never-runs
HKL1605 hook.skipped
HKL1606 async.cannot-block
HKL1607 async.type
HKL1608 hook.off
HKL1701 entry.missing
HKL1702 entry.not-executable
HKL1801 frontmatter.absent
HKL1802 frontmatter.unclosed
HKL1803 frontmatter.yaml
HKL1804 frontmatter.not-mapping
HKL1805 frontmatter.escape
HKL1811 name.missing
HKL1812 name.style
HKL1813 name.dir-mismatch
HKL1814 description.missing
HKL1815 description.length
HKL1816 trigger.missing
HKL1817 name.empty
HKL1818 name.length
HKL1819 name.case
HKL1820 name.chars
HKL1821 name.hyphen-edge
HKL1822 name.hyphen-double
HKL1823 description.empty
HKL1824 trigger.unknown
HKL1825 trigger.legacy
HKL1826 timeout.type
HKL1827 timeout.range
HKL1828 priority.type
HKL1829 priority.range
HKL1830 field.unknown
HKL1831 metadata.type
HKL1832 metadata.fail-mode
HKL1841 path.missing
HKL1842 path.not-dir
HKL1843 file.missing
HKL1901 install.host
HKL1902 install.home
HKL1903 install.foreign
HKL1904 install.temporary
HKL1905 install.trial
HKL1906 install.unreadable
HKL1907 install.unwritable
HKL1908 install.outdated
HKL1909 install.silent
HKL1910 install.trust
HKL1911 install.off
HKL1912 install.limit
HKL1951 agent.unknown
HKL1952 model.unknown
HKL1953 toolset.unknown
HKL1954 permission.pattern
HKL1955 toolset.start
HKL1956 toolset.clash
HKL2001 hook.failed
HKL2002 hook.reentered
HKL2003 hook.refused
HKL2004 session.unusable
HKL2005 session.damaged
HKL2006 hook.dropped
HKL2007 session.nameless
HKL2008 hook.unbound
HKL2101 script.ended
HKL3001 trust.untrusted
HKL3002 trust.changed
HKL3003 trust.revoked
HKL3004 trust.switched-off
HKL3005 trust.missing
HKL3006 trust.exposed
HKL3007 trust.store
HKL3008 trust.newer
HKL3009 trust.unwritable
HKL3010 trust.allowlist
HKL3011 trust.unmatched
HKL3012 trust.setting
HKL3016 trust.self-approve
HKL3017 trust.not-asked
HKL3018 trust.unattended
HKL3019 trust.ambiguous
HKL3020 trust.left-to-host
HKL3021 trust.unapproved-caller
HKL3022 trust.not-switched
HKL3023 trust.project-env
HKL3024 trust.open-start
HKL3025 trust.below-agent
HKL4001 wire.payload
HKL4002 wire.event
HKL4003 wire.lowered
HKL5001 serve.missing
HKL5002 serve.address
HKL5003 serve.token
HKL5004 serve.origin
HKL5005 serve.request
HKL5006 serve.size
HKL5007 serve.busy
HKL5008 serve.unsaid
HKL5009 serve.gone
HKL5010 serve.ending
HKL5011 serve.loop
HKL6001 journal.unwritable
HKL6002 journal.busy
HKL6003 journal.place
HKL6004 journal.torn
HKL6005 journal.gap
HKL6006 journal.broken
HKL6007 journal.unknown
HKL6008 journal.missing
HKL6010 journal.telemetry
HKL6011 journal.lost
HKL5101 remote.missing
HKL5102 remote.address
HKL5103 remote.token
HKL5104 remote.protocol
HKL5105 remote.taken
HKL5106 remote.unreachable
HKL5107 remote.bounds
HKL5108 remote.state
HKL5109 remote.rejected
HKL5201 adapter.missing
HKL5202 adapter.unsupported
HKL7001 check.off
HKL7002 check.unapproved
HKL7003 check.changed
HKL7004 check.missing
HKL7005 check.relative
HKL7006 check.interpreter
HKL7007 check.not-executable
HKL7008 check.broken
HKL7009 check.timed-out
HKL7010 check.not-json
HKL7011 check.noise
HKL7012 check.failed
HKL7013 check.fails-open
HKL7014 check.never-matched
HKL7015 check.duplicate
HKL7016 check.conflict
HKL7017 check.refuses
HKL7018 check.slow
HKL7019 check.exposed
HKL7020 check.unseen
HKL7021 check.in-place
HKL7022 check.gone
HKL7025 check.sample
HKL7034 check.failures
HKL7035 check.no-tool
HKL8001 pack.invalid
HKL8002 pack.failed
HKL8003 pack.changed
HKL9001 internal
"""
CODES: Mapping[str, str] = {
    name: code for code, name in (row.split() for row in _TABLE.split("\n")[1:-1])
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
