"""Python: a loader in memory that compiles a script's bytes under the script's own name."""

from __future__ import annotations

from hookline.handlers.sealing.pieces import FDS, before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.handlers.sealing.pieces import Pieces
    from hookline.handlers.sight.contents import Contents

# Python runs this as a file in memory, and not as `-c`: that would make the working folder the first place for imports, of which
# 3.13 does one (`linecache`) before any line of ours.
LOADER = b"""import os,sys
l,n,p=sys.argv[:3];sys.argv[:3]=[p];__file__=os.path.join(os.getcwd(),p)
with os.fdopen(int(n),'rb') as f:b=f.read()
os.close(int(l.rpartition('/')[2]))
if not getattr(sys.flags,'safe_path',0) and not getattr(sys.flags,'isolated',0):sys.path[0]=os.path.dirname(os.path.realpath(p))
if hasattr(globals().get('__loader__'),'path'):__loader__.path=__file__
c=compile(b,__file__,'exec',dont_inherit=True)
del l,n,p,b,f,os,sys
exec(globals().pop('c'))
"""


def sealed(words: Sequence[str], script: Contents, pieces: Pieces) -> list[str] | None:
    """The words that compile the bytes; what is compiled already, or an archive, runs from its place."""
    if b"\0" in script.head or script.head[:2] == b"PK":  # compiled, or an archive
        return None
    return [*before(words), f"{FDS}/{pieces.put(LOADER)}", pieces.take(script), words[-1]]
