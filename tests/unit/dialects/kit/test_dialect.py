"""A dialect's class finds the functions of its folder by name: each exists and fits its call."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from pathlib import Path

import pytest

from hookline.dialects.kit.dialect import FolderDialect
from hookline.engine.catalog import NAMES, make_dialect

# Function of the protocol -> how many values the class hands over.
REQUIRED = {"load": 1, "decode_outcome": 4}
OPTIONAL = {"combine": 1, "export": 1}
# A file in the place of which the class may have a method, `encode_reply`.
REPLY, REPLY_VALUES = "encode_decision", 3
# Functions that take an option of the dialect as well, which the class of that dialect adds.
OF_THE_CLASS = {
    ("docker-agent", "decode_outcome"),
}
# hookline's own dialect is one module, which overrides the functions of the class.
DIALECTS = [
    name for name in NAMES if name != "hookline" and isinstance(make_dialect(name), FolderDialect)
]


def package(name: str) -> str:
    """The package of a dialect."""
    return type(make_dialect(name)).__module__


def optional_files(dialect: FolderDialect) -> dict[str, str]:
    """The optional functions that a dialect has, and the file of each."""
    files = {"combine": dialect.combine_file, "export": dialect.export_file}
    return {each: file for each, file in files.items() if file}


@pytest.mark.parametrize("name", DIALECTS)
def test_each_file_holds_the_function_that_it_is_named_after(name: str) -> None:
    """`load.py` holds `load`, and so on, with the parameters of the protocol."""
    dialect = make_dialect(name)
    assert isinstance(dialect, FolderDialect)
    wanted = [(each, each, count) for each, count in REQUIRED.items()]
    wanted += [(file, each, OPTIONAL[each]) for each, file in optional_files(dialect).items()]
    if type(dialect).encode_reply is FolderDialect.encode_reply:
        wanted.append((REPLY, REPLY, REPLY_VALUES))

    for file, each, count in wanted:
        function = getattr(import_module(f"{package(name)}.{file}"), each)
        given = [
            parameter
            for parameter in inspect.signature(function).parameters.values()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        assert len(given) == count or (name, each) in OF_THE_CLASS, each


@pytest.mark.parametrize("name", DIALECTS)
def test_no_optional_file_is_forgotten(name: str) -> None:
    """The class calls the function of each optional file."""
    dialect = make_dialect(name)
    assert isinstance(dialect, FolderDialect)
    folder = Path(str(sys.modules[package(name)].__file__)).parent
    there = {each for each in OPTIONAL if (folder / f"{each}.py").exists()}

    assert (
        there - optional_files(dialect).keys()
        == {each for of, each in OF_THE_CLASS if of == name} & there
    )
