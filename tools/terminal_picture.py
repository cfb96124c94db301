"""The moving picture of the home page: a terminal in which commands of hookline really run.

The picture is an SVG with CSS animations, so that a page shows it without any script. Without
animations it shows the finished screen.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
SCENE = Path(__file__).with_name("terminal_scene.sh")
_COLUMNS = 92
_WIDTH, _HEIGHT, _LEFT, _TOP = 8.4, 20, 16, 58  # of a character, of a line, and of the margins
_TYPING, _READING, _END = 0.035, 0.45, 6.0  # seconds a character, a printed line, at the end
_CONSOLE = Console()
_DURATION = re.compile(r"\b\d+(?:\.\d+)? m?s\b")
_COLORS = {1: "#ff7b72", 2: "#7ee787", 3: "#e3b341", 4: "#79c0ff", 5: "#d2a8ff", 6: "#76e3ea"}
_STYLE = """\
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #e6edf3;
  white-space: pre }
.cover { fill: #0d1117; transform-box: fill-box }
@media (prefers-reduced-motion: reduce) { * { animation: none !important } }
"""


class Line(NamedTuple):
    """One line of the screen, and the seconds at which it begins and is complete."""

    text: Text
    begins: float
    ends: float


def picture() -> str:
    """Run the scene, and return it as SVG."""
    lines, seconds = _play(_run(SCENE.read_text(encoding="utf-8")))
    width = round(_COLUMNS * _WIDTH + 2 * _LEFT)
    height = _TOP + len(lines) * _HEIGHT
    told = escape("\n".join(line.text.plain for line in lines))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>hookline in a terminal</title>\n<desc>{told}</desc>",
        f"<style>\n{_STYLE}{_keyframes(lines, seconds)}</style>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>',
        *(
            f'<circle cx="{x}" cy="20" r="6" fill="{color}"/>'
            for x, color in ((22, "#ff5f57"), (42, "#febc2e"), (62, "#28c840"))
        ),
        *(_draw(number, line, width) for number, line in enumerate(lines)),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _run(scene: str) -> list[tuple[str, list[str]]]:
    """Return each command of the scene, with the lines that it prints."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        program = home / "bin" / "hookline"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -m hookline "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        environ = {
            "HOME": str(home),
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "LANG": "C.UTF-8",
            "COLUMNS": str(_COLUMNS),
            "FORCE_COLOR": "1",
        }
        prepared, _, typed = scene.partition("\n# What is typed:\n")
        _bash(prepared, home, environ)
        return [
            (command, _bash(command, home, environ).replace(str(home), "/home/ann").splitlines())
            for command in typed.strip().split("\n\n")
        ]


def _bash(script: str, home: Path, environ: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-c", script],  # noqa: S607 - the bash on the user's PATH
        cwd=home, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False, timeout=60,
    )  # fmt: skip
    return _DURATION.sub("… ms", done.stdout.decode("utf-8"))


def _play(blocks: list[tuple[str, list[str]]]) -> tuple[list[Line], float]:
    """Return the lines of the screen with their times, and how long the picture lasts."""
    lines: list[Line] = []
    now = 1.0
    for command, printed in blocks:
        for text in command.splitlines():
            prompt = Text.assemble(("$ ", "color(2)"), text)
            lines.append(Line(prompt, now, now := now + len(text) * _TYPING))
        now += 2 * _READING
        for text in (piece for each in printed for piece in _wrap(each)):
            lines.append(Line(text, now, now))
            now += _READING
        lines.append(Line(Text(), now, now))
        now += 2 * _READING
    return lines, now + _END


def _wrap(line: str) -> list[Text]:
    text = Text.from_ansi(line)
    return list(text.divide(range(_COLUMNS, len(text.plain), _COLUMNS))) or [text]


def _keyframes(lines: list[Line], seconds: float) -> str:
    """Return the animations: a line appears; of a typed one, a cover moves away to the right."""
    rules = []
    for number, line in enumerate(lines):
        if not line.text.plain:
            continue
        begins, ends = (100 * each / seconds for each in (line.begins, line.ends))
        rules.append(
            f"#l{number} {{ animation: l{number} {seconds:.1f}s step-end infinite }}\n"
            f"@keyframes l{number} {{ 0% {{ opacity: 0 }} {begins:.2f}%, 100% {{ opacity: 1 }} }}\n"
        )
        if line.ends > line.begins:
            typed = len(line.text.plain) - 2
            rules.append(
                f"#c{number} {{ animation: c{number} {seconds:.1f}s infinite }}\n"
                f"@keyframes c{number} {{ 0%, {begins:.2f}% {{ transform: none;"
                f" animation-timing-function: steps({typed}) }}"
                f" {ends:.2f}% {{ transform: translateX({typed * _WIDTH:.1f}px) }}"
                f" {ends + 0.01:.2f}%, 100% {{ transform: translateX(100%) }} }}\n"
            )
    return "".join(rules)


def _draw(number: int, line: Line, width: int) -> str:
    """Return one line, in its colours, and the cover of what is typed."""
    if not line.text.plain:
        return ""
    y = _TOP + number * _HEIGHT
    spans = "".join(_span(piece) for piece in line.text.divide(_edges(line.text)))
    drawn = f'<text id="l{number}" x="{_LEFT}" y="{y}" xml:space="preserve">{spans}</text>'
    if line.ends == line.begins:
        return drawn
    left = _LEFT + 2 * _WIDTH
    size = f'width="{width - left:.1f}" height="{_HEIGHT}"'
    return (
        f'{drawn}\n<svg x="{left:.1f}" y="{y - 15}" {size}>'
        f'<rect id="c{number}" class="cover" {size} transform="translate({width})"/></svg>'
    )


def _edges(text: Text) -> list[int]:
    edges = {edge for span in text.spans for edge in (span.start, span.end)}
    return sorted(edges - {0, len(text.plain)})


def _span(piece: Text) -> str:
    plain = escape(piece.plain, quote=False)
    if not piece.spans:
        return plain
    style = piece.get_style_at_offset(_CONSOLE, 0)
    looks = []
    if style.color is not None and style.color.number in _COLORS:
        looks.append(f'fill="{_COLORS[style.color.number]}"')
    if style.bold:
        looks.append('font-weight="bold"')
    if style.dim:
        looks.append('opacity="0.6"')
    return f"<tspan {' '.join(looks)}>{plain}</tspan>" if looks else plain
