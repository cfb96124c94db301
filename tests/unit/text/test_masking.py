"""Masking: what looks like a secret is gone, and what does not is as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.text.masking import (
    find_secret_values,
    mask_secrets,
    mask_text,
    mask_value,
)

SECRETS = [
    ("password=hunter22", "hunter22"),
    ('{"api_key": "abcd-1234"}', "abcd-1234"),
    ("curl -H 'Authorization: Bearer abc.def-123'", "abc.def-123"),
    ("postgres://me:s3cret@db/x", "s3cret"),
    ("mysql --password hunter22 -u me", "hunter22"),
    ("ghp_abcdefghijklmnop", "abcdefghijklmnop"),
    ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "eyJzdWIiOiIxIn0"),
    ("token: 0123456789abcdef0123456789abcdef", "0123456789abcdef"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "MIIE"),
    ("x9f8e7d6c5b4a39281706f5e4", "9f8e7d6c5b4a"),
    ("http://s3cr3ttok@127.0.0.1:1/x", "s3cr3ttok"),
    ("https://me:p@ss@db/x", "ss@"),
    ("http://h/x?key=QUERYSECRET", "QUERYSECRET"),
    ("https://h/x?page=2&sig=abc", "abc"),
    ("curl -u bob:pw http://h", "pw"),
    ('curl --user "bob:pw" http://h', "pw"),
    ('password="first second third"', "second"),
    ("password='first second third'", "third"),
    ('{"password": "first second"}', "second"),
    ("mytool --api-token abcd", "abcd"),
    ("Server=h;Pwd=swordfish", "swordfish"),
    ("Cookie: a=b; session=deadbeef", "deadbeef"),
    ('curl -H "Authorization: Digest a=x, response=deadbeef" h', "deadbeef"),
    (
        (
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMII-E\nbehind\n-----END "
            "RSA "
            "PRIVATE KEY-----"
        ),
        "behind",
    ),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\n-b3Blb", "b3Blb"),
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_a_secret_is_masked(text: str, secret: str) -> None:
    """By its name, its form, or its length; how long it was is left."""
    assert secret not in mask_text(text)
    assert "[masked " in mask_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf build",
        "git push --force origin main",
        "/usr/share/some/long/path/of-a-file.txt",
        "test_a_very_long_name_of_a_function",
        "2026-11-21",
        "for i in 1; do a=2; done",
        "git log --author=me -u",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """A fully masked journal would be useless."""
    assert mask_text(text) == text


def test_keys_stay_and_what_they_say_is_secret_goes() -> None:
    """Whatever its shape."""
    given = {
        "command": "ls",
        "password": "x",
        "auth": {"client_secret": ["a", {"b": 12}], "on": True},
        "n": 3,
    }

    assert mask_value(given) == {
        "command": "ls",
        "password": "[masked 1]",
        "auth": {"client_secret": ["[masked 1]", {"b": "[masked 2]"}], "on": True},
        "n": 3,
    }


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_what_is_masked_stays_as_it_is(text: str, secret: str) -> None:
    """Its length stays true."""
    assert mask_text(mask_text(text)) == mask_text(text)
    assert secret not in mask_text(mask_text(text))


def test_values_of_variables_are_secret_by_the_names_of_these() -> None:
    """Short ones are in many a text by chance, and folders are none."""
    known = find_secret_values(
        {
            "API": "sesame1",
            "GITHUB_TOKEN": "sesame22",
            "DB_PW": "short",
            "HOME": "/home/me",
            "MONKEY": "banana!",
            "PWD": "/srv/work",
        }
    )

    assert known == {"sesame1", "sesame22"}
    assert mask_secrets("sesame22 and sesame1", {"sesame", *known}) == "[masked 8] and [masked 7]"


@given(st.text(max_size=200))
def test_masking_twice_changes_nothing(text: str) -> None:
    """And never fails."""
    once = mask_text(text)

    assert mask_text(once) == once


KEY = "sk-ant-api03-abcdefghijklmnop1234"
