"""Which addresses hookline refuses: all that are not public, in any spelling of IPv6 too."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.text.ip_addresses import (
    LOCAL,
    classify_address,
    explain_refused_address,
    unmap_ipv4,
)

# Ranges of IANA's registries of special-purpose addresses (2025-10-09), and their kinds.
RANGES = {
    "private": ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
    "loopback": ["127.0.0.0/8", "::1/128"],
    "link-local": ["169.254.0.0/16", "fe80::/10"],
    "multicast": ["224.0.0.0/4", "ff00::/8"],
    "reserved": [
        "0.0.0.1/32", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24",
        "192.52.193.0/24", "192.88.99.0/24",
        "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
        "::2/128", "64:ff9b:1::/48",
        "100::/64", "100:0:0:1::/64", "2001::/32", "2001:2::/48", "2001:10::/28", "2001:20::/28",
        "2001:db8::/32", "2002::/16",
        "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fec0::/10",
    ],
}  # fmt: skip
ROWS = [(prefix, kind) for kind, prefixes in RANGES.items() for prefix in prefixes]
METADATA = [
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "168.63.129.16", "100.100.100.200",
    "192.0.0.192", "fd00:ec2::254",
    "fd00:ec2::23", "fd20:ce::254",
]  # fmt: skip


@pytest.mark.parametrize(("prefix", "kind"), ROWS)
def test_a_special_range_is_refused_from_its_first_address_to_its_last(
    prefix: str, kind: str
) -> None:
    """The option for local targets opens loopback and private ranges, and nothing else."""
    net = ip_network(prefix)
    for address in (net[0], net[-1], net[net.num_addresses // 2]):
        assert classify_address(address) == kind, address
        assert explain_refused_address(address) == f"its host is a {kind} address"
        opened = explain_refused_address(address, allow_local=True) == ""
        assert opened == (kind in LOCAL)


@pytest.mark.parametrize("address", ["0.0.0.0", "::"])
def test_the_unspecified_address_is_refused(address: str) -> None:
    """Some systems connect it to this machine."""
    assert (
        explain_refused_address(ip_address(address), allow_local=True)
        == "its host is an unspecified address"
    )


@pytest.mark.parametrize("address", METADATA)
def test_an_address_where_a_cloud_gives_out_credentials_is_refused(address: str) -> None:
    """The option for local targets does not open it (docs/explanation/security.md 3)."""
    assert (
        explain_refused_address(ip_address(address), allow_local=True)
        == "its host is a metadata address"
    )


@given(st.ip_addresses())
def test_an_address_that_the_interpreter_does_not_call_global_is_refused(
    address: IPv4Address | IPv6Address,
) -> None:
    """Mapped addresses and NAT64 count as the IPv4 address inside."""
    plain = unmap_ipv4(address)

    assert (
        explain_refused_address(address) or plain.is_global or plain in ip_network("64:ff9b::/96")
    )


@pytest.mark.parametrize(
    "public",
    [
        "1.1.1.1",
        "93.184.216.34",
        "168.63.129.17",
        "2606:4700::1111",
        "2a00:1450::1",
        "64:ff9b::1.1.1.1",
    ],
)
def test_a_public_address_is_not_refused(public: str) -> None:
    """With the option for local targets or without."""
    address = ip_address(public)

    assert explain_refused_address(address) == ""
    assert explain_refused_address(address, allow_local=True) == ""


@pytest.mark.parametrize("inner", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "224.0.0.1"])
def test_a_refused_address_is_refused_behind_a_translator(inner: str) -> None:
    """Also with the option for local targets: no translator leads to this machine."""
    assert explain_refused_address(ip_address(f"64:ff9b::{inner}"), allow_local=True)


@given(st.ip_addresses(v=4), st.booleans())
def test_a_mapped_address_is_the_address(address: IPv4Address, local: bool) -> None:
    """The kernel connects to it by IPv4, so the option for local targets is about it as well."""
    mapped = IPv6Address((0xFFFF << 32) + int(address))

    assert unmap_ipv4(mapped) == address
    assert explain_refused_address(mapped, allow_local=local) == explain_refused_address(
        address, allow_local=local
    )


def test_a_zone_is_no_part_of_an_address() -> None:
    """It names an interface."""
    assert unmap_ipv4(ip_address("fe80::1%lo")) == ip_address("fe80::1")
