"""Checks that the labelled commands are complete, consistent, and readable."""

from __future__ import annotations

from collections import Counter

from tests.guards.commands.corpus import (
    ALARMS,
    EVASIONS,
    FOLDER,
    PARTS,
    RULES,
    TIERS,
    UNDECIDED,
    list_files,
    load_cases,
    load_unverified,
    read_groups,
)

CASES = load_cases()
DANGEROUS = [case for case in CASES if case.tier != "none"]
ORDINARY = [case for case in CASES if case.tier == "none"]


def test_there_are_enough_cases() -> None:
    """A rate below one in a thousand needs more than a thousand ordinary commands."""
    assert len(DANGEROUS) >= 1500
    assert sum(case.source != "templates.yaml" for case in DANGEROUS) >= 1000
    assert len(ORDINARY) >= 2500
    assert len(load_unverified()) >= 40


def test_each_file_is_a_list_of_groups() -> None:
    """A file that does not parse, or a group without a command, is an error of its author."""
    for path in (*list_files("dangerous"), *list_files("ordinary"), FOLDER / "unverified.yaml"):
        groups = read_groups(path)
        assert groups, path
        for group in groups:
            assert {"family", "part"} <= set(group), (path, group)
            assert {"lines", "texts", "classes", "built"} & set(group), (path, group["family"])


def test_a_text_occurs_once() -> None:
    """A text has one label in one folder."""
    texts = Counter((case.text, case.cwd) for case in (*CASES, *load_unverified()))

    assert [text for text, times in texts.items() if times > 1] == []


def test_a_text_is_whole() -> None:
    """A command of several lines stands in `texts`; in `lines` it would be torn apart."""
    torn = [case.text for case in CASES if case.text.startswith(" ") or case.text.endswith("\\")]

    assert torn == []


def test_a_dangerous_case_names_a_rule_of_its_tier() -> None:
    """The rule decides the tier, so the two must agree."""
    assert [case for case in CASES if case.tier not in TIERS] == []
    assert [case for case in DANGEROUS if case.rule not in RULES[case.tier]] == []
    assert [case for case in ORDINARY if case.rule] == []


def test_a_class_is_known() -> None:
    """Evasions name how a dangerous command hides, alarms why an ordinary one looks dangerous."""
    assert [case for case in DANGEROUS if case.class_name not in EVASIONS] == []
    assert [case for case in ORDINARY if case.class_name not in ALARMS] == []
    assert [case for case in load_unverified() if case.class_name not in EVASIONS] == []


def test_every_rule_class_and_depth_has_cases() -> None:
    """An average hides a class without cases."""
    rules = Counter(case.rule for case in DANGEROUS)
    classes = Counter(case.class_name for case in CASES)

    assert [rule for tier in RULES.values() for rule in tier if rules[rule] < 15] == []
    assert [name for name in (*EVASIONS, *ALARMS) if classes[name] < 20] == []
    assert {case.depth for case in DANGEROUS} == {0, 1, 2, 3}


def test_a_family_lies_in_one_part() -> None:
    """Cases of one idea must not be both learned from and measured with."""
    parts: dict[str, set[str]] = {}
    for case in CASES:
        parts.setdefault(case.family, set()).add(case.part)

    assert {family for family, found in parts.items() if len(found) > 1} == set()
    assert {part for found in parts.values() for part in found} == set(PARTS)


def test_an_unverified_case_says_why() -> None:
    """The cause is what a guard has to report; the rule is the row that decides."""
    assert [case.text for case in load_unverified() if not case.why] == []
    assert [case.text for case in load_unverified() if case.rule not in UNDECIDED] == []


def test_the_same_cases_load_each_time() -> None:
    """Templates expand in a fixed order, so that two measurements compare."""
    assert load_cases() == CASES
