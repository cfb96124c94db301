"""Frozen classes keep every promise of a `dataclass(frozen=True, slots=True, kw_only=True)`."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import itertools
import pickle
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookline.model.event import Event, Rewrite, ToolCall
from hookline.model.frozen import Frozen, make_constructor
from hookline.model.spec import HookSpec
from hookline.model.verdict import Failure, Outcome, Stance, Verdict
from tests.laws.strategies import LAW, json_values

if TYPE_CHECKING:
    from typing import Any

NAMES = ("alpha", "beta", "gamma", "delta")
hashables = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.tuples(st.integers())
)
# Field name -> its default, or nothing where it has none.
declarations = st.dictionaries(st.sampled_from(NAMES), st.none() | st.tuples(hashables), min_size=1)
values = st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, hashables))
numbers = itertools.count()
# After so many instances a class has written a constructor for itself.
OLD = 25


class Point(Frozen):
    """A value with two fields, one of which may be left out."""

    x: int
    y: int = 0


class Place(Point):
    """A value that adds a field to its base's, and another default."""

    name: str = "here"
    y: int = 1


def twins(declared: dict[str, tuple[Any] | None]) -> tuple[type, type]:
    """A frozen class and a dataclass of the same fields, defaults and name."""
    name = f"Made{next(numbers)}"
    body = {
        "__annotations__": dict.fromkeys(declared, "object"),
        "__module__": __name__,
        "__qualname__": name,
    }
    defaults = {field: default[0] for field, default in declared.items() if default is not None}
    frozen = type(Frozen)(name, (Frozen,), {**body, **defaults})
    twin = dataclasses.dataclass(frozen=True, slots=True, kw_only=True)(
        type(name, (), {**body, **defaults})
    )
    return frozen, twin


def made(cls: type, given: dict[str, Any], *, after: int = 0) -> Any:
    """An instance, made after some others, or the kind of error that making it is."""
    for _ in range(after):
        with contextlib.suppress(TypeError):
            cls(**given)
    try:
        return cls(**given)
    except TypeError:
        return TypeError


@LAW
@given(declarations, values)
def test_a_class_takes_what_its_twin_takes(
    declared: dict[str, tuple[Any] | None], given: dict[str, Any]
) -> None:
    """The same keywords are required, optional and refused, and the same instance comes of them."""
    frozen, twin_class = twins(declared)
    twin = made(twin_class, given)
    young, old = made(frozen, given), made(frozen, given, after=OLD)

    assert repr(young) == repr(old) == repr(twin)
    assert young == old
    assert {field: getattr(old, field, None) for field in declared} == {
        field: getattr(twin, field, None) for field in declared
    }


@LAW
@given(declarations, values, values)
def test_values_are_equal_where_their_twins_are(
    declared: dict[str, tuple[Any] | None], first: dict[str, Any], second: dict[str, Any]
) -> None:
    """Equality is by the fields, and equal values have equal hashes."""
    one_class, twin_class = twins(declared)
    ones = [made(one_class, given) for given in (first, second)]
    both = [made(twin_class, given) for given in (first, second)]

    assert (ones[0] == ones[1]) is (both[0] == both[1])
    assert ones[0] != ones[1] or hash(ones[0]) == hash(ones[1])


@LAW
@given(values, values)
def test_replacing_is_what_dataclasses_do(given: dict[str, Any], changes: dict[str, Any]) -> None:
    """`replace` makes a new value with some fields changed, and leaves the old one alone."""
    frozen, twin = twins(dict.fromkeys(NAMES, (None,)))
    one, other = frozen(**given), twin(**given)
    before = repr(one)

    assert repr(one.replace(**changes)) == repr(dataclasses.replace(other, **changes))
    assert repr(one) == before


@LAW
@given(st.integers(), st.integers())
def test_a_maker_makes_what_the_constructor_makes(x: int, calls: int) -> None:
    """At its first call as at later ones, when it has written a function for itself."""
    make = make_constructor(Place, "x", "name")

    for _ in range(calls % (2 * OLD) + 1):
        assert make(x, "there") == Place(x=x, name="there")
    assert repr(make(x, "there")) == repr(Place(x=x, name="there"))
    with pytest.raises(AttributeError):
        make(x, "there").x = 3


@given(json_values)
def test_a_value_is_equal_to_itself(value: Any) -> None:
    """Also where it holds NaN, which is equal to nothing, as with dataclasses."""
    one = Rewrite(target="input", value=value)

    assert one == one.replace()


@pytest.mark.parametrize(
    "value",
    [
        Point(x=1),
        Place(x=1),
        Event(kind="tool.before", body=ToolCall(tool="bash", input={"x": [1]})),
        Verdict(stance=Stance.DENY, reason="no"),
        Outcome(failure=Failure.TIMED_OUT),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_travel(value: Frozen) -> None:
    """Pickling and copying give an equal value of the same class."""
    for traveller in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):  # noqa: S301 - our own bytes
        assert traveller == value
        assert type(traveller) is type(value)


def test_nothing_can_be_set_added_or_deleted() -> None:
    """A value is immutable, and says how to get another one."""
    point = Point(x=1)

    with pytest.raises(AttributeError, match=r"frozen; use replace\(x=...\)"):
        point.x = 2
    with pytest.raises(AttributeError):
        point.z = 3
    with pytest.raises(AttributeError):
        del point.x
    assert point == Point(x=1)


def test_a_value_has_no_dictionary() -> None:
    """Slots only: a value takes no more memory than its fields."""
    assert not hasattr(Point(x=1), "__dict__")
    assert not hasattr(Place(x=1), "__dict__")


@pytest.mark.parametrize("given", [{}, {"x": 1, "z": 2}, {"y": 1}])
def test_wrong_keywords_are_refused(given: dict[str, int]) -> None:
    """A missing or unknown field is an error, for the first and for later instances of a class."""

    class Fresh(Frozen):
        x: int
        y: int = 0

    for _ in range(2 * OLD):
        with pytest.raises(TypeError):
            Fresh(**given)
    assert [Fresh(x=x).x for x in range(2 * OLD)] == list(range(2 * OLD))
    with pytest.raises(TypeError):
        Fresh(**given)


def test_positions_are_refused() -> None:
    """Callers name the fields, so their order may change."""
    with pytest.raises(TypeError):
        Point(1)


def test_an_unknown_field_cannot_be_replaced() -> None:
    """A misspelled change is an error, not a new attribute."""
    with pytest.raises(TypeError):
        Point(x=1).replace(z=2)


def test_a_subclass_adds_fields_and_may_change_a_default() -> None:
    """Inherited fields come first.

    A field declared again keeps its place and takes the new default.
    """
    assert Place.__fields__ == ("x", "y", "name")
    assert repr(Place(x=1)) == "Place(x=1, y=1, name='here')"
    assert Point(x=1).y == 0


def test_values_of_different_classes_are_never_equal() -> None:
    """Neither a subclass nor a look-alike equals a value."""
    assert Place(x=1, y=0, name="") != Point(x=1, y=0)
    assert Point(x=1) != (1, 0)


def test_a_class_is_matched_by_its_fields() -> None:
    """Patterns take fields by name."""
    match Place(x=1):
        case Point(x=x, y=y):
            found = (x, y)

    assert found == (1, 1)


def test_defaults_are_shared_and_not_copied() -> None:
    """A default is one object, so it must be immutable.

    The empty ones that the model uses are never written to.
    """
    one = HookSpec(id="a", dialect="d", kind="k", native_event="n", handler=None)
    other = HookSpec(id="b", dialect="d", kind="k", native_event="n", handler=None)

    assert one.facts is other.facts
