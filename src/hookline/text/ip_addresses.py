"""IP addresses: which ones hookline refuses to connect to.

The standard library knows the special-purpose ranges. The tables here add what its releases miss,
and the addresses at which clouds give out credentials (docs/explanation/security.md 3).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_network

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    Address: TypeAlias = IPv4Address | IPv6Address

# The kinds that `allow_local` opens. All others stay closed, above all the metadata endpoints.
LOCAL = ("loopback", "private")

# The kind of an address -> ranges that the standard library does not know as such.
_RANGES: Mapping[str, tuple[str, ...]] = {
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
    "private": (
        "10.0.0.0/8",  # RFC 1918
        "172.16.0.0/12",  # RFC 1918
        "192.168.0.0/16",  # RFC 1918
        "fc00::/7",  # RFC 4193
    ),
    "reserved": (
        "192.0.0.0/24",  # RFC 6890 2.1: protocols of the IETF
        "192.31.196.0/24",  # RFC 7535: AS112
        "192.52.193.0/24",  # RFC 7450: tunnels of multicast
        "192.88.99.0/24",  # RFC 7526: relays of 6to4
        "192.175.48.0/24",  # RFC 7534: AS112
        "64:ff9b:1::/48",  # RFC 8215: NAT64 of an operator's own
        "100:0:0:1::/64",  # RFC 9780: a dummy
        "2001::/23",  # RFC 2928: Teredo and other protocols of the IETF
        "2001:db8::/32",  # RFC 3849: documentation
        "2002::/16",  # RFC 3056: 6to4
        "2620:4f:8000::/48",  # RFC 7534: AS112
        "3fff::/20",  # RFC 9637: documentation
        "5f00::/16",  # RFC 9602: segments of routes
        "fec0::/10",  # RFC 3879: site-local, given up
    ),
}
_NETWORKS = {kind: tuple(map(ip_network, ranges)) for kind, ranges in _RANGES.items()}
# RFC 6052 2.1: an IPv4 address behind a translator.
_NAT64 = ip_network("64:ff9b::/96")
_IPV4_BITS = 0xFFFFFFFF


def explain_refused_address(address: Address, *, allow_local: bool = False) -> str:
    """Return why hookline must not connect to this address; empty if it may.

    `allow_local` opens loopback and private addresses, but not behind a translator.
    """
    kind = classify_address(address)
    if not kind or (allow_local and kind in LOCAL):
        return ""
    return f"its host is {'an' if kind[0] == 'u' else 'a'} {kind} address"


def unmap_ipv4(address: Address) -> Address:
    """Return the address without a zone; IPv4 where it is mapped into IPv6 (RFC 4291 2.5.5.2)."""
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv6Address(int(address))


def classify_address(address: Address) -> str:
    """Return the kind of an address; empty for a public one."""
    plain = unmap_ipv4(address)
    if plain in _NAT64:
        return "reserved" if classify_address(IPv4Address(int(plain) & _IPV4_BITS)) else ""
    for kind, is_kind in (
        ("metadata", _is_in("metadata", plain)),
        ("unspecified", plain.is_unspecified),
        ("loopback", plain.is_loopback),
        ("link-local", plain.is_link_local),
        ("multicast", plain.is_multicast),
        ("private", _is_in("private", plain)),
        ("reserved", plain.is_reserved or not plain.is_global or _is_in("reserved", plain)),
    ):
        if is_kind:
            return kind
    return ""


def _is_in(kind: str, address: Address) -> bool:
    return any(address in network for network in _NETWORKS[kind])
