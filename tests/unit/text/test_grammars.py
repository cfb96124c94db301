"""The grammars of shells: each is loaded once, and each reading has a parser of its own."""

from __future__ import annotations

import pytest

from hookline.text.grammars import make_bash_parser, make_powershell_parser


def test_each_parser_of_bash_is_new() -> None:
    """So that two threads never share one."""
    one, other = make_bash_parser(), make_bash_parser()

    assert one is not other
    assert one.parse(b"ls").root_node.children[0].type == "command"


def test_each_parser_of_powershell_is_new() -> None:
    """Where its grammar is installed."""
    pytest.importorskip("tree_sitter_powershell")
    one, other = make_powershell_parser(), make_powershell_parser()

    assert one is not other
    assert one is not None
    assert not one.parse(b"Get-Item x").root_node.has_error
