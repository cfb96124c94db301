"""The detector of personal data, on made-up persons and on numbers that name no person."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

from ruamel.yaml import YAML
from stdnum import luhn
from stdnum.cn import ric
from stdnum.iso7064 import mod_97_10

from hookline.text.secrets.finding import mask
from hookline.text.secrets.personal import find_personal_data
from tests.guards.measure import Share

PLACES = (
    "{}", "contact: {}", "please reach me at {} tomorrow", '{{"contact": "{}"}}', "请联系 {} 谢谢",
)  # fmt: skip


def make_personal(rng: random.Random) -> list[str]:
    """Personal data of each kind."""
    names = ("ada.lovelace", "li_wei", "j-doe+news", "m.o'neil", "k2")
    body = "".join(rng.choice("0123456789") for _ in range(14))
    card = "4" + body
    account = "".join(rng.choice("0123456789") for _ in range(18))
    iban = "DE" + mod_97_10.calc_check_digits(account + "DE") + account
    person = f"11010119{rng.randrange(60, 99)}{rng.randrange(1, 12):02d}15{rng.randrange(100, 999)}"
    number = rng.randrange(1000, 9999)
    return [
        f"{rng.choice(names)}@{rng.choice(('gmail.com', 'firma.de', 'uni.edu.cn'))}",
        card + luhn.calc_check_digit(card),
        " ".join((card + luhn.calc_check_digit(card))[at : at + 4] for at in range(0, 16, 4)),
        iban,
        f"{rng.randrange(200, 665)}-{rng.randrange(10, 99)}-{number}",
        person + ric.calc_check_digit(f"{person}0"),
        f"13{rng.randrange(1, 9)}{rng.randrange(10_000_000, 99_999_999)}",
        f"+86 138 {rng.randrange(1000, 9999)} {rng.randrange(1000, 9999)}",
        f"+1 212-736-{number}",
        f"+49 30 {rng.randrange(1_000_000, 9_999_999)}",
        f"+44 20 7946 0{rng.randrange(100, 999)}",
    ]


HARMLESS = (
    "git clone git@github.com:acme/shop.git",
    "scp build.tgz deploy@host.example.com:/srv",
    "postgres://app@db.internal:5432/shop",
    "noreply@github.com",
    "user@example.com",
    "import { x } from '@scope/name'",
    "@app.route('/items')",
    "background@2x.png",
    "version 10.15.7.1234",
    "1732612345678",
    "timestamp: 1732612345",
    "order #4111111111111112",
    "order number 13812345678",
    "192.168.100.200",
    "2026-11-26 22:08:13",
    "0x1234567890abcdef",
    "id: 550e8400-e29b-41d4-a716-446655440000",
    "000-12-3456",
    "5500 requests per 1000 ms",
    "lines 1200-1300-1400",
    "isbn 978-3-16-148410-0",
    "DE00 1234 5678 9012 3456 78",
    "port 8080, pid 12345678",
    "3.14159265358979",
    "sha256 9f86d081884c7d659a2feaa0c55ad015",
)


def test_personal_data_is_found():
    """At least 97 % of made-up personal data is found and masked as a whole."""
    rng = random.Random(7)  # noqa: S311 - cases
    hits = total = 0
    for _ in range(20):
        for value in make_personal(rng):
            for place in PLACES:
                text = place.format(value)
                masked = mask(text, find_personal_data(text))
                hits += value not in masked and value[:6] not in masked
                total += 1
    assert Share(hits, total).per_cent >= 97


def test_other_numbers_pass():
    """At most 1.5 % of numbers and addresses that name no person are flagged."""
    places = ("{}", "see {}", "value: {}", "- {}\n")
    texts = [place.format(text) for text in HARMLESS for place in places]
    flagged = [text for text in texts if find_personal_data(text)]
    assert Share(len(flagged), len(texts)).per_cent <= 1.5, flagged


def test_the_texts_of_a_second_author_are_masked():
    """At least 97 % of the personal data in them is gone."""
    values = left = 0
    for marked in itertools.chain(*_load("second_author").values()):
        text = marked.replace("⟦", "").replace("⟧", "")
        masked = mask(text, find_personal_data(text))
        for part in marked.split("⟦")[1:]:
            values += 1
            left += part.partition("⟧")[0] in masked
    assert Share(values - left, values).per_cent >= 97


def test_the_harmless_texts_of_a_second_author_pass():
    """At most 1.5 % of the texts without personal data are flagged."""
    texts = list(itertools.chain(*_load("second_author_harmless").values()))
    flagged = [text for text in texts if find_personal_data(text)]
    assert Share(len(flagged), len(texts)).per_cent <= 1.5, flagged


def _load(name: str):
    return YAML(typ="safe").load(Path(__file__).parent / f"{name}.yaml")
