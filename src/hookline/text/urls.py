"""URLs: what may be called at all, told from the text alone.

Of names only those are told that mean the same on every machine which knows them (`_NAMES`). Any other may still resolve to
an address that nobody may connect to: whoever calls must look at every resolved one, with `text.addresses.refused_address`.
Rules: `starchild.md` 8; `security.md` 5.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.text.addresses import Address

_ODD = re.compile(r"[\x00-\x20\x7f\\\s]")
_PLACE = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::[0-9]*)?")
_LABELS = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
# Names that no public look-up knows: RFC 6762 3, RFC 8375, and the one that ICANN keeps for private use (2024).
_LOCAL_NAMES = (".local", ".home.arpa", ".internal")
# Names that stand for one kind of address, wherever they stand for any: RFC 6761 6.3, what systems write into their own file
# of hosts, and what clouds call the place at which they hand out credentials (security.md 5.3).
_NAMES: Mapping[str, str] = {
    "localhost": "loopback",
    "localhost.localdomain": "loopback",
    "localhost4": "loopback",
    "localhost4.localdomain4": "loopback",
    "localhost6": "loopback",
    "localhost6.localdomain6": "loopback",
    "ip6-localhost": "loopback",
    "ip6-loopback": "loopback",
    "ip6-allnodes": "multicast",
    "ip6-allrouters": "multicast",
    "broadcasthost": "broadcast",
    "metadata": "metadata",  # Google Cloud's, as its machines may write it
    "metadata.google.internal": "metadata",
    "metadata.goog": "metadata",
    "instance-data": "metadata",  # AWS
    "instance-data.ec2.internal": "metadata",
    "metadata.tencentyun.com": "metadata",
    "api.metadata.cloud.ibm.com": "metadata",
}
_LOOPBACK = "loopback"
# What older rules of names (IDNA2003) turn into other letters or drop, and later ones keep; so do programs by either. Those
# of the first row are the ones that UTS 46 lists as deviations, which can be written as they are meant.
_DEVIATING = "\u00df\u03c2\u1e9e\u200c\u200d"
_AMBIGUOUS = re.compile(f"[{_DEVIATING}\u115f\u1160\u17b4\u17b5\u1806\u3164\uffa0]")
_IN_ASCII = "write it in ASCII, with `xn--`"
_STOPS = re.compile("[.\u3002\uff0e\uff61]")
# What stands before the last `@` of a host's part, and the values in a query.
_USERS = re.compile(r"(://)[^\s/?#\"'`<>]+(?=@)")
_QUERIES = re.compile(r"((?:://[^\s?\"'`<>]*\?|[&;])[\w.~%\[\]-]*=)[^\s&;#\"'`<>]+")
_LONGEST = 253  # characters of a name (RFC 1035 2.3.4)


def refusal(url: str, *, allow_local: bool = False) -> str:
    """Why an address must not be called, in words; empty if nothing in its text speaks against it (starchild.md 8).

    Asked when a file is read, and again at each call. No name is looked up here. What it resolves to while a file is read
    proves nothing about a later call, since its owner may answer each of them differently; and files are read in order to
    list, check or approve them, which must tell nobody that they were. The call decides, by the addresses that it connects to:
    a name of a private network that is in no table, such as `db.corp.example`, passes here and is refused there.
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
        return (
            "only http and https are called"
            if parts.scheme
            else "it has no scheme; it must begin with `http://` or `https://`"
        )
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
    return bool(refusal(url)) or (
        literal(host) is None and ("." not in host or host.endswith(_LOCAL_NAMES))
    )


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


def redacted(text: str) -> str:
    """A text with the addresses in it as people may see them: without a user, a password, and what a query says."""
    return _QUERIES.sub(r"\1***", _USERS.sub(r"\1***", text)) if "://" in text else text


def _refused_host(host: str, *, allow_local: bool) -> str:
    if several := _read_differently(host.lower()):
        return several
    try:
        plain = asked(host)
    except ValueError:
        return "its host cannot be read"
    kind = _LOOPBACK if plain.endswith(".localhost") else _NAMES.get(plain, "")
    if kind:
        return (
            "" if allow_local and kind == _LOOPBACK else f"its host is the name of a {kind} address"
        )
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
    if len(plain) > _LONGEST or _read_differently(plain):
        raise ValueError(host)
    if not plain.isascii():
        plain = plain.encode("idna").decode("ascii").lower().rstrip(".")
    address = literal(plain)
    if address is not None:
        return str(address)
    if not _LABELS.fullmatch(plain) or _NUMBER.fullmatch(plain.rpartition(".")[2]):
        raise ValueError(host)
    return plain


def _read_differently(name: str) -> str:
    """Why a name in lower case means one host to some programs and another one to others, in words; empty if it does not.

    What is sent to a name must reach the host that its author has seen it reach. Names are turned into ASCII by the rules of
    IDNA2003 here, and by those of UTS 46 in browsers and curl: these agree on whatever Unicode 3.2 knew, but for a few letters.
    """
    if name.isascii() or len(name) > _LONGEST:
        return ""
    if _AMBIGUOUS.search(name):
        plain = not _AMBIGUOUS.search(name.translate(dict.fromkeys(map(ord, _DEVIATING))))
        hint = f"write it as `{_spelt(name)}`" if plain else _IN_ASCII
        return f"programs read its host differently; {hint}"
    import unicodedata  # noqa: PLC0415 - nearly all names are ASCII
    from stringprep import in_table_a1  # noqa: PLC0415 - as above

    older = unicodedata.ucd_3_2_0.normalize("NFKC", name)
    if older != unicodedata.normalize("NFKC", name) or any(map(in_table_a1, name)):
        return f"programs read its host differently; {_IN_ASCII}"
    return ""


def _spelt(name: str) -> str:
    """A name in ASCII, each letter of it as it is (RFC 3492)."""
    from unicodedata import normalize  # noqa: PLC0415 - as above

    labels = _STOPS.split(normalize("NFC", name))
    return ".".join(
        part if part.isascii() else f"xn--{part.encode('punycode').decode('ascii')}"
        for part in labels
    )


def literal(host: str) -> Address | None:
    """The address that a host's text means: decimal, hexadecimal, octal and short forms as well; None for a name."""
    parts = host.split(".")
    if ":" not in host and (len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts)):  # noqa: PLR2004 - the parts of an IPv4 address
        return None
    from ipaddress import IPv4Address, IPv6Address  # noqa: PLC0415 - most hosts are names

    try:
        return (
            IPv6Address(host)
            if ":" in host
            else IPv4Address(_joined([_number(part) for part in parts]))
        )
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
