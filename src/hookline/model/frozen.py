"""Frozen value classes: `dataclass(frozen, slots, kw_only)` at a tenth of its import time.

`hookline answer` starts for every tool call of a host. Defining 30 dataclasses takes 24 ms, more
than the rest of that process. Here a class generates its constructor when the first instance is
made, so an unused class costs nothing (decision record 0002).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self, TypeVar, dataclass_transform

    Value = TypeVar("Value", bound="Frozen")
else:

    def dataclass_transform(**_: object) -> Callable[[type], type]:
        return lambda cls: cls


_REQUIRED = object()
NO_FIELDS: frozenset[str] = frozenset()
# So many instances are filled field by field before a class generates its own constructor.
_FEW = 40


@dataclass_transform(kw_only_default=True, frozen_default=True)
class _FrozenMeta(type):
    """Turns annotations into slots, and keeps their defaults."""

    __fields__: tuple[str, ...]
    __defaults__: dict[str, object]
    __required__: frozenset[str]
    __made__: int

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _FrozenMeta:
        inherited = [base for base in bases if isinstance(base, _FrozenMeta)]
        declared = [
            field
            for field, note in namespace.get("__annotations__", {}).items()
            if "ClassVar" not in str(note)
        ]
        defaults: dict[str, object] = {}
        fields: list[str] = []
        for base in inherited:
            fields.extend(base.__fields__)
            defaults |= base.__defaults__
        own = [field for field in declared if field not in fields]
        fields.extend(own)
        defaults |= {field: namespace.pop(field, _REQUIRED) for field in declared}
        body = namespace | {
            "__slots__": tuple(own),
            "__fields__": tuple(fields),
            "__defaults__": defaults,
            "__made__": 0,
        }
        body["__match_args__"] = tuple(fields)
        body["__required__"] = frozenset(
            field for field, value in defaults.items() if value is _REQUIRED
        )
        # Without this a subclass would inherit the constructor that its base generated for itself.
        body.setdefault("__new__", _first_calls)
        return super().__new__(mcs, name, bases, body)


def _first_calls(cls: Any, /, **given: Any) -> Any:
    """Fill the first instances field by field.

    Then, or to report wrong arguments, generate the real constructor.
    """
    values = cls.__defaults__ | given
    if (
        cls.__made__ >= _FEW
        or len(values) > len(cls.__fields__)
        or not given.keys() >= cls.__required__
    ):
        cls.__new__ = constructor = _constructor(cls)
        return constructor(cls, **given)
    cls.__made__ += 1
    self = object.__new__(cls)
    fill = object.__setattr__
    for field, value in values.items():
        fill(self, field, value)
    return self


class Frozen(metaclass=_FrozenMeta):
    """Base of all value classes: keyword-only, immutable, compared and hashed by their fields.

    `UNDECLARED`: fields that no file declares, so that an approval does not cover them.
    """

    UNDECLARED = NO_FIELDS

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; use replace({name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __repr__(self) -> str:
        shown = ", ".join(f"{field}={value!r}" for field, value in self.as_dict().items())
        return f"{type(self).__name__}({shown})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        # Lists take a value to be equal to itself, as tuples of dataclasses do.
        return [*self.as_dict().values()] == [*other.as_dict().values()]

    def __hash__(self) -> int:
        return hash((type(self), *self.as_dict().values()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), self.as_dict())

    def as_dict(self, *names: str) -> dict[str, Any]:
        """Return the values of these fields by their names; without names, of all."""
        return {name: getattr(self, name) for name in names or type(self).__fields__}

    def replace(self, **changes: Any) -> Self:
        """Return a copy of this value with some fields changed.

        Raises:
            TypeError: a name is not a field.
        """
        kept = {
            field: getattr(self, field) for field in type(self).__fields__ if field not in changes
        }
        return type(self)(**kept, **changes)


def _revive(cls: type[Frozen], fields: dict[str, Any]) -> Frozen:
    return cls(**fields)


def _constructor(cls: _FrozenMeta) -> Callable[..., Any]:
    """Build `cls.__new__`: fill a writable twin of the class, then turn it into the frozen class.

    Changing the class once costs less than `object.__setattr__` for each field.
    """
    twin = _open_twin(cls)
    parameters = [
        f"{field}=defaults[{field!r}]" if cls.__defaults__[field] is not _REQUIRED else field
        for field in cls.__fields__
    ]
    lines = [
        f"def __new__(_cls_, /, *, {', '.join(parameters)}):"
        if parameters
        else "def __new__(_cls_):"
    ]
    lines.append("    self = new(twin)")
    lines += [f"    self.{field} = {field}" for field in cls.__fields__]
    lines += ["    self.__class__ = _cls_", "    return self"]
    scope: dict[str, Any] = {"new": object.__new__, "twin": twin, "defaults": cls.__defaults__}
    exec("\n".join(lines), scope)  # noqa: S102 - our own field names, the way dataclasses does it
    constructor: Callable[..., Any] = scope["__new__"]
    constructor.__qualname__ = f"{cls.__qualname__}.__new__"
    return constructor


def make_constructor(cls: type[Value], *fields: str) -> Callable[..., Value]:
    """Return a fast constructor that takes these fields by position.

    All others have their defaults.

    It takes half the time of the general one. It is meant for the few values that every event
    makes.
    """
    made = 0
    build: Callable[..., Value] | None = None

    def make(*values: Any) -> Value:
        nonlocal made, build
        if build is not None:
            return build(*values)
        made += 1
        if made > _FEW:
            build = _filler(cls, fields)
        return cls(**dict(zip(fields, values, strict=True)))

    return make


def _filler(cls: Any, fields: tuple[str, ...]) -> Callable[..., Any]:
    scope: dict[str, Any] = {"new": object.__new__, "twin": _open_twin(cls), "cls": cls}
    scope |= {f"default_{field}": default for field, default in cls.__defaults__.items()}
    lines = [f"def fill({', '.join(fields)}):", "    self = new(twin)"]
    lines += [
        f"    self.{field} = {field if field in fields else f'default_{field}'}"
        for field in cls.__fields__
    ]
    # As above.
    exec("\n".join([*lines, "    self.__class__ = cls", "    return self"]), scope)  # noqa: S102
    filler: Callable[..., Any] = scope["fill"]
    return filler


def _open_twin(cls: _FrozenMeta) -> type:
    """Return a writable class with the memory layout of `cls`, so `__class__` can be assigned."""
    # Python fills one slot of the type for both names; defining only one in Python would slow down
    # each write.
    body = {
        "__slots__": cls.__dict__["__slots__"],
        "__setattr__": object.__setattr__,
        "__delattr__": object.__delattr__,
    }
    return type.__new__(_FrozenMeta, f"_Open{cls.__name__}", cls.__bases__, body)
