"""URLs: what may be called at all, told from the text alone; and which addresses nobody may connect to.

A name may still resolve to a refused address; whoever calls must look at every resolved address with `refused_address`.
Rules: `starchild.md` 8; `security.md` 5.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address
    from typing import TypeAlias

    Address: TypeAlias = IPv4Address | IPv6Address

# Stay shut even where local targets are open: there a cloud hands out its credentials (security.md 5.3).
_METADATA = frozenset(
    {
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd20:ce::254",
    }
)
_SHARED = "100.64.0.0/10"  # carrier-grade NAT
# Mapped and compatible addresses, NAT64 of everybody and of one's own network.
_PACKED = ("::ffff:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48")
_LOCAL = ("loopback", "private")
_DOTS = re.compile("[\u3002\uff0e\uff61]")  # what IDNA takes for a dot
_ODD = re.compile(r"[\x00-\x20\x7f\\\s]")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")


def refusal(url: str, *, allow_local: bool = False) -> str:
    """Why an address must not be called, in words; empty if nothing in its text speaks against it (starchild.md 8)."""
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
    return _refused_host(parts.hostname, allow_local=allow_local)


def _refused_host(host: str, *, allow_local: bool) -> str:
    import unicodedata  # noqa: PLC0415 - as above

    plain = _DOTS.sub(".", unicodedata.normalize("NFKC", host)).lower().rstrip(".")
    if not plain or "%" in plain:
        return "its host cannot be read"
    if plain == "localhost" or plain.endswith(".localhost"):
        return "" if allow_local else "its host is this machine (loopback)"
    address = literal(plain)
    if address is not None:
        return refused_address(address, allow_local=allow_local)
    return "its host cannot be read" if ":" in plain or _NUMBER.fullmatch(plain.rpartition(".")[2]) else ""


def literal(host: str) -> Address | None:
    """The address that a host's text means: decimal, hexadecimal, octal and short forms as well; None for a name."""
    from ipaddress import IPv4Address, IPv6Address  # noqa: PLC0415 - as above

    if ":" in host:
        try:
            return IPv6Address(host)
        except ValueError:
            return None
    parts = host.split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):  # noqa: PLR2004 - the parts of an IPv4 address
        return None
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return None
    *leading, last = numbers
    if any(number > 0xFF for number in leading) or last >= 1 << 8 * (4 - len(leading)):  # noqa: PLR2004 - a byte
        return None
    return IPv4Address(sum(number << 8 * (3 - at) for at, number in enumerate(leading)) + last)


def _number(text: str) -> int:
    if text.lower().startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8) if text.startswith("0") else int(text)


def refused_address(address: Address, *, allow_local: bool = False) -> str:
    """Why this address must not be connected to, in words; empty if it may be."""
    kind = _kind(_behind(address))
    return "" if not kind or (allow_local and kind in _LOCAL) else f"its host is a {kind} address"


def _behind(address: Address) -> Address:
    """The IPv4 address that an IPv6 address leads to, where one is packed into it; else the address itself."""
    from ipaddress import IPv4Address, IPv6Address, ip_network  # noqa: PLC0415 - as above

    if not isinstance(address, IPv6Address) or int(address) in (0, 1):  # `::` and `::1` are no IPv4 addresses in disguise
        return address
    if address.sixtofour is not None:
        return address.sixtofour
    packed = any(address in ip_network(prefix) for prefix in _PACKED)
    return IPv4Address(int(address) & 0xFFFFFFFF) if packed else address


def _kind(address: Address) -> str:
    """What kind of address nobody may call it is; empty for a public one."""
    from ipaddress import IPv4Address, IPv6Address, ip_network  # noqa: PLC0415 - as above

    shared = isinstance(address, IPv4Address) and address in ip_network(_SHARED)
    site = isinstance(address, IPv6Address) and address.is_site_local
    tests = (
        ("metadata", str(address) in _METADATA),
        ("link-local", address.is_link_local),
        ("unspecified", address.is_unspecified),
        ("multicast", address.is_multicast),
        ("carrier-grade NAT", shared),
        ("loopback", address.is_loopback),
        ("reserved", address.is_reserved or site),
        ("private", address.is_private),
    )
    return next((kind for kind, holds in tests if holds), "")
