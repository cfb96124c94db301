"""URLs: which ones hookline may call, judged from the text alone.

Only names with the same meaning on every machine are judged here (`_NAMES`). Any other name may
still resolve to a forbidden address: the caller must check each resolved address with
`text.ip_addresses.explain_refused_address`. Rules: docs/formats/starchild.md 8;
docs/explanation/security.md 3.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import urlsplit

from hookline.text.ip_addresses import explain_refused_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.text.ip_addresses import Address

_ODD = re.compile(r"[\x00-\x20\x7f\\\s]")
_PLACE = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::[0-9]*)?")
_LABELS = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_IPV4_PARTS = 4
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
# Names without public DNS: RFC 6762 3, RFC 8375, and `.internal`, which ICANN reserves for private
# use (2024).
_LOCAL_NAMES = (".local", ".home.arpa", ".internal")
# Names that mean the same address on every machine. All others are judged when they are called.
_NAMES: Mapping[str, str] = {
    "localhost": "loopback",
    "localhost.localdomain": "loopback",
    "ip6-localhost": "loopback",
    "ip6-loopback": "loopback",
    "metadata": "metadata",  # Google Cloud's short form
    "metadata.google.internal": "metadata",
    "instance-data": "metadata",  # AWS
}
_LOOPBACK = "loopback"
# Characters that IDNA2003 (Python) maps or drops, and UTS 46 (browsers, curl) keeps.
_AMBIGUOUS = re.compile(
    "[\u00df\u03c2\u1e9e\u200c\u200d\u115f\u1160\u17b4\u17b5\u1806\u3164\uffa0]"
)
# Everything before the last `@` of a URL's authority, and the values in a query.
_USERS = re.compile(r"(://)[^\s/?#\"'`<>]+(?=@)")
_QUERIES = re.compile(r"((?:://[^\s?\"'`<>]*\?|[&;])[\w.~%\[\]-]*=)[^\s&;#\"'`<>]+")
_LONGEST = 253  # characters of a name (RFC 1035 2.3.4)


def explain_refused_url(url: str, *, allow_local: bool = False) -> str:
    """Return why hookline must not call a URL.

    Empty if nothing in its text forbids it (docs/formats/starchild.md 8).

    hookline checks when it reads a file, and again at each call. This function looks up no name,
    for two reasons. The name's owner may answer a later call differently. And listing or approving
    hooks must not reveal itself to a name server. The call itself decides by the addresses that it
    connects to. `db.corp.example`, a private name in no table, passes here and is refused there.
    """
    if _ODD.search(url):
        return "it contains a blank, a backslash or a control character"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return f"it is not a URL: {str(error).lower()}"
    if parts.scheme not in ("http", "https"):
        return (
            "only http and https are called"
            if parts.scheme
            else "it has no scheme; it must begin with `http://` or `https://`"
        )
    if parts.username is not None or parts.password is not None:
        return "it contains a user name or a password"
    if not parts.hostname:
        return "it names no host"
    if port == 0:
        return "it names port 0"
    if not _PLACE.fullmatch(parts.netloc):
        return "its host cannot be read"
    return _explain_refused_host(parts.hostname, allow_local=allow_local)


def is_local(url: str) -> bool:
    """Return whether a URL shows by itself that it is on this machine or in a private network."""
    if explain_refused_url(url, allow_local=True):
        return False
    host = canonical_host(urlsplit(url).hostname or "")
    return bool(explain_refused_url(url)) or (
        parse_ip_literal(host) is None and ("." not in host or host.endswith(_LOCAL_NAMES))
    )


def describe_url(url: str) -> str:
    """Return a URL for messages: its scheme and host, because other parts may be secret."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    host = f"[{host}]" if ":" in host else host
    return f"`{parts.scheme}://{host:.200}`" if host else "its address"


def redact_urls(text: str) -> str:
    """Return a text whose URLs have no user, no password and no query values."""
    return _QUERIES.sub(r"\1***", _USERS.sub(r"\1***", text)) if "://" in text else text


def _explain_refused_host(host: str, *, allow_local: bool) -> str:
    if _AMBIGUOUS.search(host):
        return "programs read its host differently; write it in ASCII, with `xn--`"
    try:
        plain = canonical_host(host)
    except ValueError:
        return "its host cannot be read"
    kind = _LOOPBACK if plain.endswith(".localhost") else _NAMES.get(plain, "")
    if kind:
        is_allowed = allow_local and kind == _LOOPBACK
        return "" if is_allowed else f"its host is the name of a {kind} address"
    address = parse_ip_literal(plain)
    return explain_refused_address(address, allow_local=allow_local) if address else ""


def canonical_host(host: str) -> str:
    """Return the host of a URL in the spelling that resolvers, certificates and `Host` use.

    A name becomes lower-case ASCII without a final dot. An address becomes its canonical spelling
    without brackets.

    Raises:
        ValueError: the host cannot be read.
    """
    plain = host.rstrip(".").lower()
    if not plain.isascii():
        plain = plain.encode("idna").decode("ascii").lower().rstrip(".")
    address = parse_ip_literal(plain)
    if address is not None:
        return str(address)
    is_number = _NUMBER.fullmatch(plain.rpartition(".")[2])
    if len(plain) > _LONGEST or not _LABELS.fullmatch(plain) or is_number:
        raise ValueError(host)
    return plain


def parse_ip_literal(host: str) -> Address | None:
    """Return the address that a host's text means, in decimal, hexadecimal, octal or short form.

    None for a name.
    """
    parts = host.split(".")
    is_numeric = len(parts) <= _IPV4_PARTS and all(_NUMBER.fullmatch(part) for part in parts)
    if ":" not in host and not is_numeric:
        return None

    try:
        return (
            IPv6Address(host)
            if ":" in host
            else IPv4Address(_join_numbers([_parse_number(part) for part in parts]))
        )
    except ValueError:
        return None


def _join_numbers(numbers: list[int]) -> int:
    """Return the parts of an IPv4 address as one number; the last part fills the remaining bytes.

    Raises:
        ValueError: a part is too large.
    """
    *leading, last = numbers
    last_limit = 1 << 8 * (_IPV4_PARTS - len(leading))
    if any(number >= 1 << 8 for number in leading) or last >= last_limit:
        raise ValueError(numbers)
    return sum(number << 8 * (3 - at) for at, number in enumerate(leading)) + last


def _parse_number(text: str) -> int:
    if text.lower().startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8) if text.startswith("0") else int(text)
