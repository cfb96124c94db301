"""Special-purpose IP addresses: which ones hookline refuses to connect to.

The rows follow the IANA registries of special-purpose IPv4 and IPv6 addresses (as of 2025-10-09). They include addresses
of those registries that are globally reachable, multicast, withdrawn ranges, and the endpoints where clouds hand out
credentials. The table is our own, so that a new Python release changes no verdict. The most specific row counts.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_network

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Address: TypeAlias = IPv4Address | IPv6Address

PUBLIC = ""
# The kinds that `allow_local` opens. Every other kind stays closed, above all the metadata endpoints of clouds.
LOCAL = ("loopback", "private")

# Prefix, kind, and the document that defines it.
IPV4_ROWS = (
    ("0.0.0.0/0", PUBLIC, "what no other row names"),
    ("0.0.0.0/8", "unspecified", "RFC 791 3.2: this network"),
    ("10.0.0.0/8", "private", "RFC 1918"),
    ("100.64.0.0/10", "carrier-grade NAT", "RFC 6598"),
    ("100.100.100.200/32", "metadata", "Alibaba Cloud"),
    ("127.0.0.0/8", "loopback", "RFC 1122 3.2.1.3"),
    ("168.63.129.16/32", "metadata", "Azure: WireServer"),
    ("169.254.0.0/16", "link-local", "RFC 3927"),
    ("169.254.0.23/32", "metadata", "Tencent Cloud"),
    ("169.254.42.42/32", "metadata", "Scaleway"),
    ("169.254.169.254/32", "metadata", "AWS and most others"),
    ("169.254.170.2/32", "metadata", "AWS: tasks"),
    ("169.254.170.23/32", "metadata", "AWS: pods"),
    ("172.16.0.0/12", "private", "RFC 1918"),
    ("192.0.0.0/24", "reserved", "RFC 6890 2.1: protocols of the IETF"),
    ("192.0.0.192/32", "metadata", "Oracle Cloud, the older one"),
    ("192.0.2.0/24", "documentation", "RFC 5737"),
    ("192.31.196.0/24", "reserved", "RFC 7535: AS112"),
    ("192.52.193.0/24", "reserved", "RFC 7450: tunnels of multicast"),
    ("192.88.99.0/24", "reserved", "RFC 7526: relays of 6to4"),
    ("192.168.0.0/16", "private", "RFC 1918"),
    ("192.175.48.0/24", "reserved", "RFC 7534: AS112"),
    ("198.18.0.0/15", "benchmarking", "RFC 2544"),
    ("198.51.100.0/24", "documentation", "RFC 5737"),
    ("203.0.113.0/24", "documentation", "RFC 5737"),
    ("224.0.0.0/4", "multicast", "RFC 5771"),
    ("240.0.0.0/4", "reserved", "RFC 1112 4: class E, and the broadcast address"),
)
IPV6_ROWS = (
    ("::/0", "reserved", "RFC 4291 2.4: no global unicast address"),
    ("::/96", PUBLIC, "RFC 4291 2.5.5.1: as what is packed into it"),
    ("::/128", "unspecified", "RFC 4291 2.5.2"),
    ("::1/128", "loopback", "RFC 4291 2.5.3"),
    ("::ffff:0:0/96", PUBLIC, "RFC 4291 2.5.5.2: as what is packed into it"),
    ("64:ff9b::/96", PUBLIC, "RFC 6052: as what is packed into it"),
    (
        "64:ff9b:1::/48",
        "reserved",
        "RFC 8215: where the IPv4 address stands is each operator's own choice",
    ),
    ("100::/64", "reserved", "RFC 6666: discarded"),
    ("100:0:0:1::/64", "reserved", "RFC 9780: a dummy"),
    ("2000::/3", PUBLIC, "RFC 4291 2.4: what no other row names"),
    ("2001::/23", "reserved", "RFC 2928: protocols of the IETF, such as ORCHID, AMT and AS112"),
    ("2001::/32", PUBLIC, "RFC 4380: as what is packed into it"),
    ("2001:2::/48", "benchmarking", "RFC 5180"),
    ("2001:db8::/32", "documentation", "RFC 3849"),
    ("2620:4f:8000::/48", "reserved", "RFC 7534: AS112"),
    ("3fff::/20", "documentation", "RFC 9637"),
    ("5f00::/16", "reserved", "RFC 9602: segments of routes"),
    ("fc00::/7", "private", "RFC 4193"),
    ("fd00:42::42/128", "metadata", "Scaleway"),
    ("fd00:c1::a9fe:a9fe/128", "metadata", "Oracle Cloud"),
    ("fd00:100::100:200/128", "metadata", "Alibaba Cloud"),
    ("fd00:ec2::/32", "metadata", "AWS: machines, pods"),
    ("fd00:a9fe:a9fe::1/128", "metadata", "Akamai"),
    ("fd20:ce::254/128", "metadata", "Google Cloud"),
    ("fe80::/10", "link-local", "RFC 4291 2.5.6"),
    ("fec0::/10", "reserved", "RFC 3879: site-local, given up"),
    ("ff00::/8", "multicast", "RFC 4291 2.7"),
)
_EACH_BIT = 0xFFFFFFFF
# Forms of IPv6 addresses that carry an IPv4 address. Each row: the bits that identify the form, their mask, and for each
# IPv4 address inside: how many bits to shift, and what to combine it with (exclusive or).
FORMS = (
    (
        "a compatible address",
        "::",
        "ffff:ffff:ffff:ffff:ffff:ffff::",
        ((0, 0),),
    ),  # RFC 4291 2.5.5.1
    ("NAT64", "64:ff9b::", "ffff:ffff:ffff:ffff:ffff:ffff::", ((0, 0),)),  # RFC 6052 2.2
    ("6to4", "2002::", "ffff::", ((80, 0),)),  # RFC 3056 2
    (
        "Teredo",
        "2001::",
        "ffff:ffff::",
        ((64, 0), (0, _EACH_BIT)),
    ),  # RFC 4380 4: the server, the client
    ("ISATAP", "::5efe:0:0", "::fdff:ffff:0:0", ((0, 0),)),  # RFC 5214 6.1, whatever the network
)


def explain_refused_address(address: Address, *, allow_local: bool = False) -> str:
    """Return why hookline must not connect to this address; empty if it may.

    An address is allowed if it is public, and so is each IPv4 address packed into it. `allow_local` opens plain loopback
    and private addresses. It does not open them inside a translator's or tunnel's form: none of these leads to this machine.
    """
    plain = unmap_ipv4(address)
    kind = classify_address(plain)
    if kind and not (allow_local and kind in LOCAL):
        return f"its host is {_with_article(kind)} address"
    hidden = next(
        (
            (kind, form)
            for form, inner in find_packed_ipv4(plain)
            if (kind := classify_address(inner))
        ),
        None,
    )
    return (
        f"its host is {_with_article(hidden[0])} address in the form of {hidden[1]}"
        if hidden
        else ""
    )


def unmap_ipv4(address: Address) -> Address:
    """Return the address to connect to: IPv4 where it is mapped into IPv6 (RFC 4291 2.5.5.2), always without a zone."""
    number = int(address)
    if address.version == 4:  # noqa: PLR2004 - IPv4
        return address
    return IPv4Address(number & _EACH_BIT) if number >> 32 == 0xFFFF else IPv6Address(number)  # noqa: PLR2004 - ::ffff:0:0/96


def classify_address(address: Address) -> str:
    """Return the kind of an address by its row; empty for a public one. It ignores packed IPv4 addresses."""
    begins, kinds = _spans(address.version)
    return kinds[bisect_right(begins, int(address)) - 1]


def find_packed_ipv4(address: Address) -> Iterator[tuple[str, IPv4Address]]:
    """Yield each IPv4 address that an IPv6 address leads to, with the form that packs it."""
    number = int(address)
    if address.version == 4 or number <= 1:  # noqa: PLR2004 - IPv4; and `::` and `::1` are themselves
        return
    for form, wanted, mask, places in _forms():
        if number & mask == wanted:
            for up, other in places:
                yield form, IPv4Address((number >> up & _EACH_BIT) ^ other)


@cache
def _spans(version: int) -> tuple[list[int], list[str]]:
    """Return where each span of the address space begins, and the kind of each span."""
    table = IPV4_ROWS if version == 4 else IPV6_ROWS  # noqa: PLR2004 - IPv4
    rows = [(ip_network(prefix), kind) for prefix, kind, _ in table]
    bounds = [(int(net.network_address), int(net.broadcast_address), kind) for net, kind in rows]
    narrow = sorted(bounds, key=lambda row: row[1] - row[0])
    begins = sorted(
        {first for first, _, _ in bounds}
        | {last + 1 for _, last, _ in bounds if last < narrow[-1][1]}
    )
    return begins, [
        next(kind for first, last, kind in narrow if first <= begin <= last) for begin in begins
    ]


@cache
def _forms() -> list[tuple[str, int, int, tuple[tuple[int, int], ...]]]:
    return [
        (form, int(IPv6Address(wanted)), int(IPv6Address(mask)), places)
        for form, wanted, mask, places in FORMS
    ]


def _with_article(kind: str) -> str:
    return f"an {kind}" if kind.startswith("u") else f"a {kind}"
