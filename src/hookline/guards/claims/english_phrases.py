"""English states in words that stand apart, such as `The remote is up to date`, as patterns."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.guards.claims.claim import Kind

# Words that stand for one another in the patterns below.
_TERMS = {
    "IS": r"(?:is|are|'s|'re)",
    "NOW": r"(?: (?:all|both|now|already|together|out|up|live|available|listed))*",
    "SUITE": r"(?:tests?|test-suite|suite|specs?|pytest|jest|vitest|ci|unit-tests)",
    "BUILD": r"(?:build|compilation|mypy|tsc|ruff|eslint|lint|linter|typecheck|type-check|image)",
    "REQUEST": r"(?:pr|mr|pull-request|merge-request)",
    "HASH": r"(?:\d\S*(?: [a-f]\w+)?|[a-f]+\d\S*|\ue000)",
    "REGISTRY": r"(?:pypi|npm|crates\.io|rubygems|maven|docker|the (?:marketplace|app|store))",
    "RELEASE": r"(?:the |your )?(?:new )?(?:release|version|gem|crate|package|update|library)",
    "PLACE": r"the (?:forum|channel|thread|board|community|issue|pr|pull-request|ticket)",
    "POST": r"(?:announcement|post|thread|tweet|reply|comment|answer|review)",
    "MAIL": r"(?:e?mails?|messages?|invitations?|invites?|newsletters?|reminders?)",
    "PAPER": r"(?:invoice|report|contract|offer|quote|summary)",
    "WHOM": r"(?:supplier|client|customer|team|support|vendor|landlord|bank|them|him|her)",
    "STAGE": r"(?:production|prod|staging|server|cluster)",
    "CHANGE": r"(?:hotfix|fix|version|release|change|update|v\d\S*)",
}
# One pattern a line, for the words of a clause with a space between them.
_PATTERNS: dict[Kind, str] = {
    "tests_pass": r"""
        {SUITE} (?:now )?(?:exits|exited|returns|returned) (?:with )?(?:code )?(?:0|zero)$
        {SUITE}(?: now)? (?:goes|go|comes|come|came) (?:through|back|out)$
        {SUITE}(?: now)? (?:goes|go|comes|come|came) (?:through|back|out) (?:now|again|clean|green)
    """,
    "build_works": r"""
        {BUILD}(?: now)? (?:goes|comes|came) (?:through|back|out)(?:$| (?:now|again|clean|fine))
        {BUILD}(?: now)? (?:has|have) (?:nothing|no (?:more )?complaints)
        (?:{BUILD}|compiler) {IS}(?: now)? (?:quiet|silent)
    """,
    "committed": r"""
        {IS}(?: saved)?{NOW} (?:in|as) (?:one|a single|a separate) commit
        {IS}(?: saved)?{NOW} (?:in|as) commit {HASH}
        {IS}(?: now)? on \S+ as {HASH}
        ^commit {HASH} (?:has|contains|holds|carries)\b
        \bwent in(?:to)? (?:one|a single|the same|two|three|separate) commits?\b
    """,
    "pushed": r"""
        \b(?:remote|origin|fork)(?: branch)? {IS}{NOW} (?:current|in sync)
        \b(?:remote|origin|fork)(?: branch| now)? (?:has|holds) (?:your|my|all|both|the fix)
    """,
    "request_opened": r"""
        there {IS}(?: now)? an? (?:draft |new )?{REQUEST}(?: for (?:this|it|that))?(?: now|$)
        {REQUEST}(?: #?\d+)?(?: now)? exists(?:$| (?:and|,|now))
    """,
    "published": r"""
        ^(?:{RELEASE}|it|v?\d\S*)(?: v?\d\S*)? {IS}{NOW} on {REGISTRY}
        ^(?:{RELEASE})(?: v?\d\S*)? {IS} (?:now )?out(?:$| ,| on)
        ^(?:your|the) \w+ {IS} (?:now (?:public|visible)|(?:public|visible) now)
        {IS} now (?:publicly )?(?:reachable|accessible|listed)
    """,
    "posted": r"""
        {POST} {IS}{NOW} (?:on|in) {PLACE}
    """,
    "sent": r"""
        \b(?:{MAIL}|{PAPER}) {IS}(?: now)? out to\b
        \b{MAIL} {IS}(?: now| all)? out$
        \bi (?:have )?(?:wrote|written) to (?:the |your |our )?{WHOM}\b
        {IS}(?: now)? in your (?:\w+ )?(?:inbox|chat|dms?|mailbox|telegram|slack|whatsapp)
    """,
    "deployed": r"""
        \b{STAGE} (?:now )?(?:runs|is on|is running|serves) (?:the new|v?\d\S*)(?: \w+)? now
        \b{STAGE} (?:is )?now (?:runs|running|on|serves)\b
        \b{STAGE} (?:have |has )?(?:been|was|is now|were) (?:updated|upgraded|switched|moved) to\b
        (?<!old ){CHANGE} {IS}(?: now| already)? (?:in|on) (?:production|prod)\b
        \bnew \w+ {IS} (?:now )?(?:running|up|live) (?:on|in) (?:the |our |your )?{STAGE}
    """,
    "scheduled": r"""
        \bnow runs? (?:every|each|daily|nightly|weekly|hourly|at \d)
        {IS}(?: now)? (?:on|in) (?:the|your|our) (?:schedule|calendar)
    """,
}


def _compile(source: str) -> re.Pattern[str]:
    for name, term in _TERMS.items():
        source = source.replace(f"{{{name}}}", term)
    return re.compile("|".join(line.strip() for line in source.strip().splitlines()))


STATES = tuple((kind, _compile(source)) for kind, source in _PATTERNS.items())
