"""The table of addresses: each address has one row, IANA's registries are all in it, and what is packed into another is found."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.text.ip_addresses import (
    LOCAL,
    PREFIXES,
    PUBLIC,
    classify_address,
    explain_refused_address,
    find_packed_ipv4,
    unmap_ipv4,
)

ROWS = [(prefix, kind) for kind, prefixes in PREFIXES.items() for prefix in prefixes]
# The registries as IANA publishes them (2025-10-09), their globally reachable rows included.
REGISTRY_FOUR = [
    "0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32", "192.0.0.170/32", "192.0.0.171/32", "192.0.2.0/24",
    "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.88.99.2/32", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "255.255.255.255/32",
]  # fmt: skip
REGISTRY_SIX = [
    "::1/128", "::/128", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001:1::1/128", "2001:1::2/128", "2001:1::3/128",
    "2001:2::/48", "2001:3::/32", "2001:4:112::/48", "2001:10::/28", "2001:20::/28", "2001:30::/28", "2001:db8::/32",
    "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10",
]  # fmt: skip
# Its rows that lead to an IPv4 address, and count as that. 2001::/23 is in neither list: it begins with Teredo, the others are above.
REGISTRY_PACKED = ["::ffff:0:0/96", "64:ff9b::/96", "2001::/32", "2002::/16"]
BESIDE = ["224.0.0.0/4", "ff00::/8", "fec0::/10"]
METADATA = [
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254",
    "fd00:ec2::23", "fd20:ce::254",
]  # fmt: skip


def edges(prefix: str) -> list[str]:
    """The first and the last address of a prefix, and one amid it."""
    net = ip_network(prefix)
    return [str(net[0]), str(net[-1]), str(net[net.num_addresses // 2])]


@pytest.mark.parametrize("prefix", [*REGISTRY_FOUR, *REGISTRY_SIX, *BESIDE])
def test_what_the_registries_name_is_refused(prefix: str) -> None:
    """From its first address to its last; nobody keeps a web service at the globally reachable ones either."""
    assert [explain_refused_address(ip_address(text)) != "" for text in edges(prefix)] == [True] * 3


@pytest.mark.parametrize("version", [4, 6])
def test_the_table_covers_every_address_once(version: int) -> None:
    """Everywhere where a row begins or ends the kind is that of the narrowest row there, so that it is everywhere."""
    nets = [(ip_network(prefix), kind) for prefix, kind in ROWS]
    nets = [(net, kind) for net, kind in nets if net.version == version]
    whole = next(net for net, _ in nets if net.prefixlen == 0)
    make = type(whole.network_address)
    bounds = {
        at
        for net, _ in nets
        for at in (int(net[0]) - 1, int(net[0]), int(net[-1]), int(net[-1]) + 1)
    }

    for at in sorted(bounds & {bound for bound in bounds if 0 <= bound <= int(whole[-1])}):
        _, kind = max((net.prefixlen, kind) for net, kind in nets if make(at) in net)
        assert classify_address(make(at)) == kind, make(at)


def test_no_prefix_is_in_the_table_twice() -> None:
    """So each has one kind."""
    assert len({ip_network(prefix) for prefix, _ in ROWS}) == len(ROWS)


@given(st.ip_addresses(v=4))
def test_what_the_interpreter_does_not_call_global_is_refused(address: IPv4Address) -> None:
    """The table says no wherever the standard library does, in whichever release; never the other way round by accident."""
    assert explain_refused_address(address) or address.is_global


@given(st.ip_addresses(v=6))
def test_what_is_no_global_unicast_address_is_refused(address: IPv6Address) -> None:
    """But for what leads to a public IPv4 address."""
    inside = [inner for _, inner in find_packed_ipv4(address)]
    mapped = unmap_ipv4(address)

    assert (
        explain_refused_address(address)
        or int(address) >> 125 == 1
        or inside
        or mapped.version == 4
    )


@pytest.mark.parametrize(
    "public",
    [
        "1.1.1.1",
        "93.184.216.34",
        "168.63.129.17",
        "2606:4700::1111",
        "2a00:1450::1",
        "2001:200::1",
        "3fff:1000::",
    ],
)
def test_a_public_address_is_not_refused(public: str) -> None:
    """With the local switch or without."""
    assert [
        explain_refused_address(ip_address(public), allow_local=local) for local in (False, True)
    ] == [
        "",
        "",
    ]


# -- what is packed into another ----------------------------------------------------------------------------------------


def disguises(inner: int) -> dict[str, list[int]]:
    """An IPv4 address in each form; where there is room for another one, beside a public one."""
    public = int(IPv4Address("93.184.216.34"))
    net = int(IPv6Address("2606:4700::"))
    return {
        "a compatible address": [inner],
        "NAT64": [(0x64_FF9B << 96) + inner],
        "6to4": [(0x2002 << 112) + (inner << 80) + 1],
        "Teredo": [
            (0x20010000 << 96) + (inner << 64) + (public ^ 0xFFFFFFFF),
            (0x20010000 << 96) + (public << 64) + (inner ^ 0xFFFFFFFF),
        ],
        "ISATAP": [net + (0x5EFE << 32) + inner, net + (0x2005EFE << 32) + inner],
    }


@pytest.mark.parametrize(
    "inner",
    [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
    ],
)
def test_a_refused_address_is_refused_in_every_form(inner: str) -> None:
    """Also with the local switch: no translator and no tunnel has a way to this machine."""
    kind = classify_address(ip_address(inner))
    for form, numbers in disguises(int(ip_address(inner))).items():
        for number in numbers:
            for local in (False, True):
                why = explain_refused_address(IPv6Address(number), allow_local=local)
                assert f"{kind} address in the form of {form}" in why, IPv6Address(number)


@pytest.mark.parametrize("form", disguises(0))
def test_a_public_address_is_public_in_every_form(form: str) -> None:
    """Networks with IPv6 alone reach the others like this."""
    for number in disguises(int(ip_address("1.1.1.1")))[form]:
        assert explain_refused_address(IPv6Address(number)) == ""


@given(st.ip_addresses(v=4), st.booleans())
def test_a_mapped_address_is_the_address(address: IPv4Address, local: bool) -> None:
    """The kernel connects to it by IPv4, so the local switch is about it as well."""
    mapped = IPv6Address((0xFFFF << 32) + int(address))

    assert unmap_ipv4(mapped) == address
    assert explain_refused_address(mapped, allow_local=local) == explain_refused_address(
        address, allow_local=local
    )


def test_an_address_without_a_disguise_is_itself() -> None:
    """`::` and `::1` are no IPv4 addresses, and a zone is no part of an address."""
    assert [
        list(find_packed_ipv4(ip_address(text)))
        for text in ("::", "::1", "1.2.3.4", "2606:4700::1")
    ] == [[], [], [], []]
    assert unmap_ipv4(ip_address("fe80::1%lo")) == ip_address("fe80::1")
    assert explain_refused_address(ip_address("::1"), allow_local=True) == ""


# -- the local switch ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prefix", "kind"),
    [row for row in ROWS if row[1] != PUBLIC],
)
def test_the_local_switch_opens_loopback_and_private_ones(prefix: str, kind: str) -> None:
    """And nothing else."""
    first = ip_network(prefix)[0]

    assert (explain_refused_address(first, allow_local=True) == "") == (kind in LOCAL)


@pytest.mark.parametrize("address", METADATA)
def test_where_a_cloud_keeps_its_credentials_nobody_calls(address: str) -> None:
    """Not with the local switch either (docs/explanation/security.md 3)."""
    assert (
        explain_refused_address(ip_address(address), allow_local=True)
        == "its host is a metadata address"
    )


@pytest.mark.parametrize("prefix", REGISTRY_PACKED)
def test_what_leads_to_an_ipv4_address_counts_as_that(prefix: str) -> None:
    """So its own row is open."""
    assert classify_address(ip_network(prefix)[0]) == PUBLIC
