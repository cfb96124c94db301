"""Our globs match what the library for Python's own engine matches.

Only theirs may take for ever.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from wcmatch import glob

from hookline.text.globs import compile_glob

FLAGS = glob.GLOBSTAR | glob.BRACE | glob.EXTGLOB | glob.DOTGLOB | glob.FORCEUNIX
PIECES = st.sampled_from(["a", "b", "*", "?", "[ab]", "[!a]", "{a,b}", "@(a|b)", ".", "a*"])
FOLDERS = st.one_of(st.just("**"), st.lists(PIECES, min_size=1, max_size=3).map("".join))
GLOBS = st.lists(FOLDERS, min_size=1, max_size=4).map("/".join)
NAMES = st.text("ab.", min_size=1, max_size=3).filter(lambda name: name.strip("."))
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@given(GLOBS, PATHS)
def test_a_glob_matches_what_wcmatch_matches(pattern: str, path: str) -> None:
    """For patterns of names, signs, classes, braces and groups, and paths of plain names."""
    compiled = compile_glob(pattern)

    assert compiled is not None
    assert compiled.is_full_match(path) == glob.globmatch(path, pattern, flags=FLAGS)
