"""Handlers say where code lives, and nothing of how it runs."""

from __future__ import annotations

from hookline.model.spec import Broken, Builtin, Command, Http, InProcess


def test_a_command_has_no_shell_unless_it_is_named() -> None:
    """An argv is run as it stands."""
    assert Command(argv=("a", "b")).shell == ()


def test_handlers_of_different_classes_are_never_equal() -> None:
    """The runner is chosen by the class."""
    handlers = [
        Builtin(name="x"),
        InProcess(call=print, name="x"),
        Broken(reason="x"),
        Command(script="x"),
        Http(url="x"),
    ]

    assert [[one == other for other in handlers] for one in handlers] == [
        [at == to for to in range(5)] for at in range(5)
    ]
