"""URLs: what may be called at all, told from the text alone.

A name may still resolve to an address that nobody may connect to: whoever calls must look at every resolved one, with
`text.addresses.refused_address`. Rules: `starchild.md` 8; `security.md` 5.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.text.addresses import Address

_ODD = re.compile(r"[\x00-\x20\x7f\\\s]")
_PLACE = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::[0-9]*)?")
_LABELS = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
# Names that no public look-up knows: RFC 6762 3, RFC 8375, and the one that ICANN keeps for private use (2024).
_LOCAL_NAMES = (".local", ".home.arpa", ".internal")
_LONGEST = 253  # characters of a name (RFC 1035 2.3.4)


def refusal(url: str, *, allow_local: bool = False) -> str:
    """Why an address must not be called, in words; empty if nothing in its text speaks against it (starchild.md 8).

    Asked when a file is read, and again at each call. No name is looked up here. What it resolves to while a file is read
    proves nothing about a later call, since its owner may answer each of them differently; and files are read in order to
    list, check or approve them, which must tell nobody that they were. The call decides, by the addresses that it connects to.
    """
    from urllib.parse import urlsplit  # noqa: PLC0415 - only HTTP hooks need it

    if _ODD.search(url):
        return "it holds a blank, a backslash or a control character"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return f"it is no URL: {str(error).lower()}"
    if parts.scheme not in ("http", "https"):
        return "only http and https are called" if parts.scheme else "it has no scheme; it must begin with `http://` or `https://`"
    if parts.username is not None or parts.password is not None:
        return "it holds a user name or a password"
    if not parts.hostname:
        return "it names no host"
    if port == 0:
        return "it names port 0"
    if not _PLACE.fullmatch(parts.netloc):
        return "its host cannot be read"
    return _refused_host(parts.hostname, allow_local=allow_local)


def is_local(url: str) -> bool:
    """Whether an address says by itself that it is on this machine or in a private network: no public name reads like that."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - as above

    if refusal(url, allow_local=True):
        return False
    host = asked(urlsplit(url).hostname or "")
    return bool(refusal(url)) or (literal(host) is None and ("." not in host or host.endswith(_LOCAL_NAMES)))


def spoken(url: str) -> str:
    """An address as messages say it: its scheme and its host, because what stands beside these may be a secret."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - as above

    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    host = f"[{host}]" if ":" in host else host
    return f"`{parts.scheme}://{host:.200}`" if host else "its address"


def _refused_host(host: str, *, allow_local: bool) -> str:
    try:
        plain = asked(host)
    except ValueError:
        return "its host cannot be read"
    if plain == "localhost" or plain.endswith(".localhost"):
        return "" if allow_local else "its host is this machine (loopback)"
    address = literal(plain)
    if address is None:
        return ""
    from hookline.text.addresses import refused_address  # noqa: PLC0415 - most hosts are names

    return refused_address(address, allow_local=allow_local)


def asked(host: str) -> str:
    """The host of a URL as it is called, as resolvers, certificates and `Host` spell it.

    A name is in ASCII and lower case, without a final dot; an address is in its one canonical spelling, without brackets.

    Raises:
        ValueError: it cannot be read; what two programs may read differently is called by neither.
    """
    plain = host.rstrip(".").lower()
    if len(plain) > _LONGEST:
        raise ValueError(host)
    if not plain.isascii():
        plain = plain.encode("idna").decode("ascii").lower().rstrip(".")
    address = literal(plain)
    if address is not None:
        return str(address)
    if not _LABELS.fullmatch(plain) or _NUMBER.fullmatch(plain.rpartition(".")[2]):
        raise ValueError(host)
    return plain


def literal(host: str) -> Address | None:
    """The address that a host's text means: decimal, hexadecimal, octal and short forms as well; None for a name."""
    parts = host.split(".")
    if ":" not in host and (len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts)):  # noqa: PLR2004 - the parts of an IPv4 address
        return None
    from ipaddress import IPv4Address, IPv6Address  # noqa: PLC0415 - most hosts are names

    try:
        return IPv6Address(host) if ":" in host else IPv4Address(_joined([_number(part) for part in parts]))
    except ValueError:
        return None


def _joined(numbers: list[int]) -> int:
    """The parts of an IPv4 address as one number; the last part fills what the others leave.

    Raises:
        ValueError: one is too large.
    """
    *leading, last = numbers
    if any(number > 0xFF for number in leading) or last >= 1 << 8 * (4 - len(leading)):  # noqa: PLR2004 - a byte
        raise ValueError(numbers)
    return sum(number << 8 * (3 - at) for at, number in enumerate(leading)) + last


def _number(text: str) -> int:
    if text.lower().startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8) if text.startswith("0") else int(text)
