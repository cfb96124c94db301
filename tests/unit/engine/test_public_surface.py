"""What `import hookline` promises."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import hookline


def test_public_names_are_sorted_and_unique() -> None:
    """As `ls` would list them: capitals first."""
    assert hookline.__all__ == sorted(set(hookline.__all__))
    assert dir(hookline) == hookline.__all__


@pytest.mark.parametrize("name", hookline.__all__)
def test_a_public_name_can_be_imported(name: str) -> None:
    """Each is loaded from its home, once."""
    found = getattr(hookline, name)

    assert getattr(hookline, name) is found
    assert name in vars(hookline)


@pytest.mark.parametrize("name", [name for name in hookline.__all__ if name != "__version__"])
def test_a_public_name_is_documented(name: str) -> None:
    """In a docstring of its own, which begins with a sentence."""
    documented = inspect.getdoc(getattr(hookline, name)) or ""

    assert documented.partition("\n\n")[0].rstrip().endswith((".", "`."))
    assert getattr(hookline, name).__doc__


@pytest.mark.parametrize(
    "name", [name for name in dir(hookline.Engine) if not name.startswith("_") and name != "host"]
)
def test_a_public_method_of_the_engine_is_documented(name: str) -> None:
    """The class that people hold has no unexplained methods."""
    assert inspect.getdoc(getattr(hookline.Engine, name))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    """As in any module."""
    with pytest.raises(AttributeError, match="has no attribute `Enginee`"):
        hookline.Enginee  # noqa: B018 - looked up, not used


def test_importing_hookline_loads_nothing() -> None:
    """The package itself is a list of names; each is loaded when it is first used."""
    code = (
        "import sys, hookline; print([name for name in sys.modules if "
        "name.startswith('hookline.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
