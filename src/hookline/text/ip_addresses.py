"""Special-purpose IP addresses: which ones hookline refuses to connect to.

The rows follow the IANA registries of special-purpose IPv4 and IPv6 addresses (as of 2025-10-09).
They include addresses of those registries that are globally reachable, multicast, withdrawn ranges,
and the endpoints where clouds hand out credentials. The table is our own, so that a new Python
release changes no verdict. The most specific row counts.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_network

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    Address: TypeAlias = IPv4Address | IPv6Address

PUBLIC = ""
# The kinds that `allow_local` opens. Every other kind stays closed, above all the metadata
# endpoints of clouds.
LOCAL = ("loopback", "private")

# The kind of an address -> its prefixes, each with the document that defines it.
PREFIXES: Mapping[str, tuple[str, ...]] = {
    PUBLIC: (
        "0.0.0.0/0",  # what no other row names
        "::/96",  # RFC 4291 2.5.5.1: as what is packed into it
        "::ffff:0:0/96",  # RFC 4291 2.5.5.2: as what is packed into it
        "64:ff9b::/96",  # RFC 6052: as what is packed into it
        "2000::/3",  # RFC 4291 2.4: what no other row names
        "2001::/32",  # RFC 4380: as what is packed into it
    ),
    "unspecified": (
        "0.0.0.0/8",  # RFC 791 3.2: this network
        "::/128",  # RFC 4291 2.5.2
    ),
    "private": (
        "10.0.0.0/8",  # RFC 1918
        "172.16.0.0/12",  # RFC 1918
        "192.168.0.0/16",  # RFC 1918
        "fc00::/7",  # RFC 4193
    ),
    "carrier-grade NAT": (
        "100.64.0.0/10",  # RFC 6598
    ),
    "metadata": (
        "100.100.100.200/32",  # Alibaba Cloud
        "168.63.129.16/32",  # Azure: WireServer
        "169.254.0.23/32",  # Tencent Cloud
        "169.254.42.42/32",  # Scaleway
        "169.254.169.254/32",  # AWS and most others
        "169.254.170.2/32",  # AWS: tasks
        "169.254.170.23/32",  # AWS: pods
        "192.0.0.192/32",  # Oracle Cloud, the older one
        "fd00:42::42/128",  # Scaleway
        "fd00:c1::a9fe:a9fe/128",  # Oracle Cloud
        "fd00:100::100:200/128",  # Alibaba Cloud
        "fd00:ec2::/32",  # AWS: machines, pods
        "fd00:a9fe:a9fe::1/128",  # Akamai
        "fd20:ce::254/128",  # Google Cloud
    ),
    "loopback": (
        "127.0.0.0/8",  # RFC 1122 3.2.1.3
        "::1/128",  # RFC 4291 2.5.3
    ),
    "link-local": (
        "169.254.0.0/16",  # RFC 3927
        "fe80::/10",  # RFC 4291 2.5.6
    ),
    "reserved": (
        "192.0.0.0/24",  # RFC 6890 2.1: protocols of the IETF
        "192.31.196.0/24",  # RFC 7535: AS112
        "192.52.193.0/24",  # RFC 7450: tunnels of multicast
        "192.88.99.0/24",  # RFC 7526: relays of 6to4
        "192.175.48.0/24",  # RFC 7534: AS112
        "240.0.0.0/4",  # RFC 1112 4: class E, and the broadcast address
        "::/0",  # RFC 4291 2.4: no global unicast address
        "64:ff9b:1::/48",  # RFC 8215: where the IPv4 address stands is each operator's own choice
        "100::/64",  # RFC 6666: discarded
        "100:0:0:1::/64",  # RFC 9780: a dummy
        "2001::/23",  # RFC 2928: protocols of the IETF, such as ORCHID, AMT and AS112
        "2620:4f:8000::/48",  # RFC 7534: AS112
        "5f00::/16",  # RFC 9602: segments of routes
        "fec0::/10",  # RFC 3879: site-local, given up
    ),
    "documentation": (
        "192.0.2.0/24",  # RFC 5737
        "198.51.100.0/24",  # RFC 5737
        "203.0.113.0/24",  # RFC 5737
        "2001:db8::/32",  # RFC 3849
        "3fff::/20",  # RFC 9637
    ),
    "benchmarking": (
        "198.18.0.0/15",  # RFC 2544
        "2001:2::/48",  # RFC 5180
    ),
    "multicast": (
        "224.0.0.0/4",  # RFC 5771
        "ff00::/8",  # RFC 4291 2.7
    ),
}
_EACH_BIT = 0xFFFFFFFF
# Forms of IPv6 addresses that carry an IPv4 address. Each row: the bits that identify the form,
# their mask, and for each IPv4 address inside: how many bits to shift, and what to combine it with
# (exclusive or).
FORMS = (
    # RFC 4291 2.5.5.1
    ("a compatible address", "::", "ffff:ffff:ffff:ffff:ffff:ffff::", ((0, 0),)),
    # RFC 6052 2.2
    ("NAT64", "64:ff9b::", "ffff:ffff:ffff:ffff:ffff:ffff::", ((0, 0),)),
    # RFC 3056 2
    ("6to4", "2002::", "ffff::", ((80, 0),)),
    # RFC 4380 4: the server, the client
    ("Teredo", "2001::", "ffff:ffff::", ((64, 0), (0, _EACH_BIT))),
    # RFC 5214 6.1, whatever the network
    ("ISATAP", "::5efe:0:0", "::fdff:ffff:0:0", ((0, 0),)),
)


def explain_refused_address(address: Address, *, allow_local: bool = False) -> str:
    """Return why hookline must not connect to this address; empty if it may.

    An address is allowed if it is public, and so is each IPv4 address packed into it. `allow_local`
    opens plain loopback and private addresses. It does not open them inside a translator's or
    tunnel's form: none of these leads to this machine.
    """
    plain = unmap_ipv4(address)
    kind = classify_address(plain)
    if kind and not (allow_local and kind in LOCAL):
        return f"its host is {_with_article(kind)} address"
    for form, inner in find_packed_ipv4(plain):
        if kind := classify_address(inner):
            return f"its host is {_with_article(kind)} address in the form of {form}"
    return ""


def unmap_ipv4(address: Address) -> Address:
    """Return the address without a zone; IPv4 where it is mapped into IPv6 (RFC 4291 2.5.5.2)."""
    number = int(address)
    if address.version == 4:  # noqa: PLR2004 - IPv4
        return address
    is_mapped = number >> 32 == 0xFFFF  # noqa: PLR2004 - ::ffff:0:0/96
    return IPv4Address(number & _EACH_BIT) if is_mapped else IPv6Address(number)


def classify_address(address: Address) -> str:
    """Return the kind of an address by its row; empty for a public one.

    It ignores packed IPv4 addresses.
    """
    begins, kinds = _spans(address.version)
    return kinds[bisect_right(begins, int(address)) - 1]


def find_packed_ipv4(address: Address) -> Iterator[tuple[str, IPv4Address]]:
    """Yield each IPv4 address that an IPv6 address leads to, with the form that packs it."""
    number = int(address)
    # IPv4; and `::` and `::1` are themselves.
    if address.version == 4 or number <= 1:  # noqa: PLR2004
        return
    for form, wanted, mask, places in FORMS:
        if number & int(IPv6Address(mask)) == int(IPv6Address(wanted)):
            for up, other in places:
                yield form, IPv4Address((number >> up & _EACH_BIT) ^ other)


@cache
def _spans(version: int) -> tuple[list[int], list[str]]:
    """Return where each span of the address space begins, and the kind of each span."""
    rows = [(ip_network(prefix), kind) for kind in PREFIXES for prefix in PREFIXES[kind]]
    bounds = [
        (int(net.network_address), int(net.broadcast_address), kind)
        for net, kind in rows
        if net.version == version
    ]
    narrow = sorted(bounds, key=lambda row: row[1] - row[0])
    begins = sorted(
        {first for first, _, _ in bounds}
        | {last + 1 for _, last, _ in bounds if last < narrow[-1][1]}
    )
    return begins, [
        next(kind for first, last, kind in narrow if first <= begin <= last) for begin in begins
    ]


def _with_article(kind: str) -> str:
    return f"an {kind}" if kind.startswith("u") else f"a {kind}"
