"""Shell lines that run the harmless program `zap` behind up to four disguises."""

from __future__ import annotations

import base64
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from ruamel.yaml import YAML

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS: dict[str, list[Any]] = YAML(typ="safe").load(Path(__file__).with_name("disguises.yaml"))


def double_quote(text: str) -> str:
    """Return a text in double quotes."""
    return '"' + "".join(f"\\{char}" if char in '$`"\\' else char for char in text) + '"'


QUOTES: tuple[Callable[[str], str], ...] = (shlex.quote, double_quote)


def fill(template: str, line: str, quote: Callable[[str], str]) -> str:
    """Return a template with a line in it."""
    filled = {
        "<TWICE>": shlex.quote(quote(line)),
        "<QUOTED>": quote(line),
        "<BASE64>": base64.b64encode(line.encode()).decode(),
        "<END>": f"END{len(line)}",
        "<LINE>": line,
    }
    for mark, text in filled.items():
        template = template.replace(mark, text)
    return template


def wrap(wrapper: str, line: str, quote: Callable[[str], str]) -> str:
    """Return a line behind a wrapper, which takes a simple command."""
    is_simple = not set(";\n|").intersection(line)
    return f"{wrapper} {line if is_simple else f'bash -c {quote(line)}'}"


def list_single() -> Iterator[str]:
    """Yield each disguise by itself."""
    yield from ROWS["spellings"]
    for before, name in ROWS["names"]:
        yield from (f"{before}; {name} 1", f"{before}\n{name}")
    for wrapper in ROWS["wrappers"]:
        yield from (wrap(wrapper, line, shlex.quote) for line in ("zap 1", "zap; true"))
    for template in ROWS["texts"]:
        yield from (fill(template, line, quote) for line in ("zap 1", "true\nzap")
                    for quote in QUOTES)  # fmt: skip
    for template in ROWS["blocks"]:
        yield from (fill(template, line, shlex.quote) for line in ("zap", "x=zap; $x"))


@st.composite
def shell_lines(draw: st.DrawFn) -> str:
    """Shell lines of several disguises."""
    if draw(st.booleans()):
        line = f"{draw(st.sampled_from(ROWS['spellings']))} 1"
    else:
        before, name = draw(st.sampled_from(ROWS["names"]))
        line = f"{before}{draw(st.sampled_from(('; ', chr(10))))}{name} 1"
    for _ in range(draw(st.integers(0, 3))):
        quote = draw(st.sampled_from(QUOTES))
        kind = draw(st.sampled_from(("wrappers", "texts", "blocks")))
        chosen = draw(st.sampled_from(ROWS[kind]))
        line = wrap(chosen, line, quote) if kind == "wrappers" else fill(chosen, line, quote)
    return line
