"""What may be called: hosts as every resolver may read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.text.urls import (
    canonical_host,
    describe_url,
    explain_refused_url,
    is_local,
    parse_ip_literal,
    redact_urls,
)

LOOPBACK = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.1",
    "0x7f.0.0.1",
    "127.0.0.1.",
    "localhost.",
    "a.b.localhost",
]
SIX = [
    "::1",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b:1::127.0.0.1",
    "2002:7f00:1::",
    "::ffff:a9fe:a9fe",
]
REFUSED = [
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.1.1",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "198.18.0.1",
]


@pytest.mark.parametrize(
    "host",
    LOOPBACK
    + REFUSED
    + [f"[{host}]" for host in [*SIX, "fc00::1", "fe80::1", "ff02::1", "::", "fec0::1"]],
)
def test_a_forbidden_host(host: str) -> None:
    """In whatever spelling."""
    assert explain_refused_url(f"http://{host}:8080/x")


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        "1.1.1.1",
        "16843009",
        "[2606:4700::1]",
        "[::ffff:1.1.1.1]",
        "例え.jp",
        "1.example",
    ],
)
def test_a_host_that_may_be_called(host: str) -> None:
    """As far as its text goes."""
    assert explain_refused_url(f"https://{host}/x") == ""


@pytest.mark.parametrize(
    "url",
    [
        "", "example.org", "//example.org/", "ftp://example.org/", "gopher://x/", "http:///x",
        "http://", "http://:80/", "http://a b/",
        "http://a\\@b/", "http://u@example.org/", "http://u:p@example.org/",
        "http://example.org:x/", "http://example.org:99999/",
        "http://[::1", "http://[x]/", "http://%31/", "http://1.2.3.4.5/", "http://999.1.1.1/",
        "http://08.1.1.1/", "http://a.b.7/", "http://x\n/",
        "http://example.org:0/", "http://[2606:4700::1]example.org/", "http://[v1.example]/",
        "http://a..b/", "http://a*b/", "http://x\uff05y/",
        "http://[fe80::1%25lo]/", "http://[2606:4700::1%25lo]/", f"http://{'a.' * 127}org/",
        f"http://{'ü' * 80}.example/",
    ],
)  # fmt: skip
def test_an_address_that_cannot_be_read_is_refused(url: str) -> None:
    """What two programs may read differently is called by neither."""
    assert explain_refused_url(url)


@pytest.mark.parametrize("host", ["127.0.0.1", "10.0.0.1", "[::1]", "[fd00::1]", "localhost"])
def test_the_local_switch_opens_local_targets(host: str) -> None:
    """Loopback and private ones."""
    assert explain_refused_url(f"http://{host}/", allow_local=True) == ""


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "[fd00:ec2::254]",
        "[::ffff:169.254.169.254]",
        "0.0.0.0",
        "100.64.0.1",
        "[fe80::1]",
    ],
)
def test_the_local_switch_opens_nothing_else(host: str) -> None:
    """The metadata address least of all."""
    assert explain_refused_url(f"http://{host}/", allow_local=True)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("loopback", ["localhost", "a.localhost", "localhost.localdomain", "IP6-LOCALHOST",
                      "ip6-loopback."]),
        ("metadata", ["metadata", "metadata.google.internal", "Metadata.Google.Internal.",
                      "instance-data"]),
    ],
)  # fmt: skip
def test_a_name_that_means_the_same_everywhere_is_judged_by_its_text(
    kind: str, names: list[str]
) -> None:
    """No name server is asked, and the local option opens only the names of this machine."""
    for name in names:
        assert (
            explain_refused_url(f"http://{name}:8080/")
            == f"its host is the name of a {kind} address"
        )
        assert (explain_refused_url(f"http://{name}:8080/", allow_local=True) == "") == (
            kind == "loopback"
        )
        assert is_local(f"http://{name}/") == (kind == "loopback")


@pytest.mark.parametrize(
    "host",
    [
        "db.corp.example",
        "metadata.example",
        "my-metadata.internal",
        "localhost.example",
        "nas.local",
    ],
)
def test_any_other_name_is_judged_at_the_call(host: str) -> None:
    """By the addresses that it stands for then."""
    assert explain_refused_url(f"http://{host}/") == ""


@given(st.ip_addresses(v=4))
def test_every_spelling_of_an_address_is_the_same_address(address: object) -> None:
    """Dotted, decimal, hexadecimal and short."""
    number = int(address)  # type: ignore[call-overload]
    first, rest = number >> 24, number & 0xFFFFFF

    for text in (
        str(address),
        str(number),
        hex(number),
        f"{first}.{rest}",
        f"{first:#x}.{rest:#x}",
        f"0{first:o}.0{rest:o}",
    ):
        assert parse_ip_literal(text) == address


@given(
    st.text(max_size=30)
    | st.text("htp:/@[].0123456789abcxf%\\ ", max_size=30).map("http://".__add__)
)
def test_any_text_is_judged(url: str) -> None:
    """Never an exception."""
    assert isinstance(explain_refused_url(url), str)


@pytest.mark.parametrize(
    ("host", "plain"),
    [
        ("example.org", "example.org"),
        ("Example.ORG.", "example.org"),
        ("under_score", "under_score"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("例え。jp。", "xn--r8jz45g.jp"),
        ("loc\u00adalhost", "localhost"),
        ("①②⑦.⓪.⓪.①", "127.0.0.1"),
        ("⒈27.0.1", "1.27.0.1"),
        ("127.1", "127.0.0.1"),
        ("0x5db8d822", "93.184.216.34"),
        ("2606:4700:0:0::1", "2606:4700::1"),
    ],
)
def test_a_host_is_called_in_one_spelling(host: str, plain: str) -> None:
    """The result is the spelling that was checked, so that no later reader differs."""
    assert canonical_host(host) == plain


@pytest.mark.parametrize(
    "host",
    [
        "straße.de",
        "STRAẞE.de",
        "φίλος.example",
        "a\u200db.example",
        "bücher。faß.de",
        "a\u3164b.example",
    ],
)
def test_a_name_that_means_two_hosts_is_refused(host: str) -> None:
    """With what to write instead."""
    assert (
        explain_refused_url(f"https://{host}/x")
        == "programs read its host differently; write it in ASCII, with `xn--`"
    )


@given(st.text(max_size=30))
def test_a_spelling_is_final(host: str) -> None:
    """Read again it is the same, and ASCII."""
    try:
        plain = canonical_host(host)
    except ValueError:
        return
    assert plain.isascii()
    assert canonical_host(plain) == plain


@pytest.mark.parametrize(
    "host",
    [*LOOPBACK, "10.0.0.1", "[fd00::1]", "ollama", "nas.local", "llm.internal.", "box.home.arpa"],
)
def test_some_addresses_say_that_they_are_local(host: str) -> None:
    """As an address, or as a name that no public look-up knows."""
    assert is_local(f"http://{host}:8080/x")


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        "1.1.1.1",
        "[2606:4700::1]",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "metadata.google.internal.example",
        "local.example",
    ],
)
def test_others_do_not(host: str) -> None:
    """Nor does a forbidden one."""
    assert not is_local(f"http://{host}/x")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://me:secret@x.example:8443/secret?key=secret#secret", "`https://x.example`"),
        ("http://[::1]:8/secret", "`http://[::1]`"),
        ("secret", "its address"),
        ("http://[secret", "its address"),
    ],
)
def test_an_address_is_said_without_what_may_be_secret(url: str, said: str) -> None:
    """Its scheme and its host."""
    assert describe_url(url) == said


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://s3cr3t@127.0.0.1:1/x?key=QUERY", "http://***@127.0.0.1:1/x?key=***"),
        ("POST https://u:p@ss@h/x?a=1&b=2#f", "POST https://***@h/x?a=***&b=***#f"),
        ("curl 'https://h/x?sig=abc'; echo a && b=2", "curl 'https://h/x?sig=***'; echo a && b=2"),
        ("https://example.org/a?flag", "https://example.org/a?flag"),
        ("mail me@example.org?x=1", "mail me@example.org?x=1"),
    ],
)
def test_an_address_is_shown_without_its_secrets(text: str, shown: str) -> None:
    """Its user, and the values of its query; where there is no address, nothing is changed."""
    assert redact_urls(text) == shown
    assert redact_urls(shown) == shown
