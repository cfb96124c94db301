"""The guard `runtime_footer`: replaces the costs that a model types under a reply by the true ones.

What the guard must do: docs/formats/starchild.md 10. The template in the environment,
`HOOKLINE_FOOTER`, goes before the option.
"""

from __future__ import annotations

import re

from hookline.guards.finding import Answer
from hookline.guards.usage import format_dollars, read_usage
from hookline.model.event import Rewrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.guards.usage import Usage
    from hookline.guards.world import World
    from hookline.model.event import Event

_WITH_COST = "─ {model} · {cost}"
_WITHOUT_COST = "─ {model} · {tokens} tokens"
_PLACE = re.compile(r"\{(\w*)\}")
_NUDGE = "Do not write what a reply cost or how many tokens it took: a line with it is added."

# A footer is one line of parts with `·` or `|` between them, of which one is a price. Either it
# begins with a rule, as the true line does; or it counts tokens. Items of lists, quotations, rows
# of tables and code begin otherwise, so they stay.
_ITEM = re.compile(r"[-*+•>#] |\||\d+[.)] | {4}|\t")
_OWN_RULE = re.compile(r"[─━]+ *")
_DASHES = re.compile(r"(?:—|\u2013|--+) *")
_PRICE = re.compile(r"(?:(?:turn |total |api )?cost:? *)?~?\$\d[\d,.]*", re.IGNORECASE)
_COUNT = re.compile(
    r"(?:tokens:? *)?~?\d[\d,.]*k?(?: (?:in|out|tokens?)\b| */ *\d[\d,.]*k?)*", re.IGNORECASE
)
_MODEL = re.compile(r"[\w.:@-]*[\d/][\w./:@-]*")
_ONLY_RULE = re.compile(r"[-─━—_*]{3,}")
_LONGEST = 200  # characters of a line


def judge(event: Event, options: Mapping[str, Any], world: World) -> Answer | None:
    """Return the reply with the true line at its end, and without those that the model typed."""
    if event.kind == "model.request":
        return Answer(for_agent=_NUDGE) if options.get("nudge") else None
    text = event.text
    if not text.strip():
        return None
    model = str(event.body.value("model") or "model")
    template = world.environ.get("HOOKLINE_FOOTER") or options.get("template") or ""
    line = _write_line(template, model, read_usage(event))
    own = text.rstrip()
    kept = _strip(own.removesuffix(f"\n{line}").rstrip() if line else own)
    if line:
        kept = f"{kept}\n\n{line}" if kept else line
    if not kept or kept in (text, own):
        return None
    return Answer(rewrite=Rewrite(target="text", value=kept))


def _write_line(template: str, model: str, usage: Usage) -> str:
    """Return the true line; empty if the host reports neither a cost nor tokens."""
    if not usage.cost and not usage.tokens:
        return ""
    values = {
        "model": model,
        "cost": format_dollars(usage.cost) if usage.cost else "cost unknown",
        "tokens": f"{usage.tokens:,}",
        "input": f"{usage.input:,}",
        "output": f"{usage.output:,}",
    }
    if not _is_template(template, values):
        template = _WITH_COST if usage.cost else _WITHOUT_COST
    return _PLACE.sub(lambda found: values[found[1]], template)


def _is_template(template: str, values: Mapping[str, str]) -> bool:
    names = _PLACE.findall(template)
    rest = _PLACE.sub("", template)
    return bool(names) and all(name in values for name in names) and not set("{}") & set(rest)


def _strip(text: str) -> str:
    """Return a text without the footers at its end; unchanged if it has none."""
    lines = text.split("\n")
    if not _is_footer(lines[-1]):
        return text
    while lines and (not lines[-1].strip() or _is_footer(lines[-1])):
        lines.pop()
    if lines and _ONLY_RULE.fullmatch(lines[-1].strip()):  # it stood between text and footer
        lines.pop()
    return "\n".join(lines).rstrip()


def _is_footer(line: str) -> bool:
    """Return whether a line is a footer with a price, such as `─ o3 · $0.01`, and no item."""
    if len(line) > _LONGEST or _ITEM.match(line) or "$" not in line:
        return False
    bare = line.strip().strip("*_()[]")
    if found := _OWN_RULE.match(bare):
        parts = _split(bare[found.end() :])
        return len(parts) > 1 and any(map(_PRICE.fullmatch, parts))
    dashes = _DASHES.match(bare)
    parts = _split(bare[dashes.end() :] if dashes else bare)
    others = [part for part in parts if not _PRICE.fullmatch(part)]
    counts = [part for part in others if _COUNT.fullmatch(part)]
    has_mark = bool(dashes) or any("token" in part.lower() for part in counts)
    models = [part for part in others if part not in counts]
    return has_mark and 0 < len(others) < len(parts) and all(map(_MODEL.fullmatch, models))


def _split(line: str) -> list[str]:
    return [part.strip() for part in line.replace("|", "·").split("·")]
