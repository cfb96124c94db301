"""What was seen of a hook is a value like any other."""

from __future__ import annotations

from hookline.model.sight import Covered, Piece, Sealed, Sight


def test_two_looks_at_the_same_are_equal() -> None:
    """So a look after a run tells whether something changed."""
    file = Covered(role="script", path="/x", real="/x", digest="d")

    assert Sight(files=(file,)) == Sight(files=(file.replace(),))
    assert Sight(files=(file,)) != Sight(files=(file.replace(digest="e"),))


def test_a_piece_has_a_mark_that_no_argument_can_have() -> None:
    """A zero byte."""
    sealed = Sealed(argv=("sh", Sealed.mark(0)), pieces=(Piece(data=b"x"),))

    assert sealed.argv[1] == "\0000\000"
