"""The sentences in which a reply speaks for itself, without code, quotations, drafts and plans.

What is left out is overwritten with marks of the same length, so each place stays where it was.
"""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple

from hookline.guards.claims.links import URLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Stand for inline code, a quotation and a URL.
CODE, QUOTE, URL = "\ue000", "\ue001", "\ue002"

_FENCE = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})")
_LEFT_OUT = re.compile(
    r"""\s*(?:
      >                                    # a block quote
    | \|                                   # a table
    | (?:[-*+]|\d+[.)])\s+\[\s?\]          # an item that is not done
    | (?:(?:[-*+]|\d+[.)])\s+)?[☐⬜⏳🔲◻]   # the same
    )""",
    re.VERBOSE,
)
_TABLE_ROW = re.compile(r"[^|`]*\|[^|`]*\|[^`]*$")
_HEADING = re.compile(r"\s*#{1,6}\s")
_BOLD_LINE = re.compile(r"\s*(?:\*\*[^*]{1,60}\*\*|__[^_]{1,60}__)[:：]?\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)、])\s")
_INLINE = re.compile(r"(`{1,3})([^`\n]+)\1")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK_TARGET = re.compile(r"\]\([^()\s]*\)")
_QUOTATIONS = re.compile(
    r"\"[^\"\n]{1,600}\"|“[^”\n]{1,600}”|「[^」\n]{1,600}」|『[^』\n]{1,600}』|《[^》\n]{1,200}》"
    r"|‘[^’\n]{3,600}’(?!\w)|(?<![\w'])'[^'\n]{2,600}'(?![\w'])|~~[^~\n]{1,600}~~"
)
_TEMPLATE = re.compile(
    r"\{\{|\}\}|\{[A-Za-z_][\w .-]{0,40}\}|\$\{|<[A-Za-z][\w -]{0,40}>(?!\w)"
    r"|\[(?:[A-Z][A-Z_ -]{2,}|(?:your|insert|link|url|name|date|time|id)\b[^\]\n]{0,30})\](?!\()"
    r"|_{3,}|\bYYYY-MM\b|\bXXX+\b"
)
# A line that ends so introduces a text, or a list of things that are not done.
_NOT_DONE = re.compile(
    r"\b(?:drafts?|templates?|examples?|samples?|sketch|proposed|proposal|suggest(?:ed|ions?)"
    r"|plans?|planned|next|to-?dos?|remaining|pending|outstanding|upcoming|roadmap"
    r"|acceptance criteria|definition of done|done when|success criteria|requirements?|goals?"
    r"|(?:could|might|may) (?:say|read|write|look|post|send)|would (?:say|read|look|be)|can say"
    r"|something like|for instance|e\.g|wording|commit message"
    r"|(?:pr|pull request) (?:description|body)"
    r"|left to do|still (?:to do|open|missing)|not (?:yet )?done|options?|what(?:'s| is) left"
    r"|expected (?:output|result)|hypothetical\w*|if (?:it|this|that|everything|all) \w+)\b"
    r"|草稿|模板|示例|例如|样例|例子|建议|计划|下一步|后续|待办|待完成|未完成|剩余|还需|验收标准"
    r"|可以这样|比如|文案|提交信息|可以说|目标|步骤|方案|接下来|完成标准",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(.*?)[:：](.*)")
_ENDS = re.compile(r"[.!?…]{1,8}[\"”’)*_]{0,4}(?=\s|$)|[。！？；…]{1,8}[”’」』）]{0,4}")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|vs|etc|approx|no|cf|dr|mr|ms|st)\.$", re.IGNORECASE)
_CONTINUES = re.compile(r"\s*[a-z]")
_CLOSED = re.compile(r"[.!?:;。！？：；…]\W*$")


class Sentence(NamedTuple):
    """A sentence: its place in the reply, and its text without what it only mentions."""

    start: int
    end: int
    text: str


def split_prose(reply: str) -> tuple[Sentence, ...]:
    """Return the sentences in which the reply itself says something, in order."""
    kept = _drop_blocks(_COMMENT.sub(_blank, reply))
    kept = _drop_introduced(_mask_inline(kept))
    return tuple(_split_sentences(kept))


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _drop_blocks(text: str) -> str:
    """Overwrite code blocks, block quotes, tables and open items with blanks."""
    lines, fence, is_quoted = [], "", False
    for line in text.splitlines(keepends=True):
        found = _FENCE.match(line)
        if fence:
            is_left_out = True
            if found and found[1].startswith(fence) and not line[found.end() :].strip():
                fence = ""
        elif found:
            fence, is_left_out = found[1], True
        else:
            is_lazy = is_quoted and bool(line.strip()) and not _ITEM.match(line)
            is_quoted = line.lstrip().startswith(">") or is_lazy
            is_left_out = is_quoted or bool(_LEFT_OUT.match(line) or _TABLE_ROW.match(line))
        lines.append(" " * (len(line) - 1) + "\n" if is_left_out and line else line)
    return "".join(lines)[: len(text)]


def _mask_inline(text: str) -> str:
    for pattern, mark in ((_INLINE, CODE), (_LINK_TARGET, URL), (URLS, URL), (_QUOTATIONS, QUOTE)):
        text = pattern.sub(partial(_overwrite, mark), text)
    return text


def _overwrite(mark: str, found: re.Match[str]) -> str:
    return mark * len(found[0])


def _drop_introduced(text: str) -> str:
    """Overwrite what follows a heading or a colon that announces a draft, an example or a plan."""
    kept: list[str] = []
    is_section = is_block = False  # what is open: up to the next heading; up to the next gap
    in_block = in_list = False
    for line in text.splitlines(keepends=True):
        is_blank, is_item = not line.strip(), bool(_ITEM.match(line))
        if _HEADING.match(line):
            is_section, is_block = bool(_NOT_DONE.search(line)), False
        elif is_block and is_blank:
            is_block = not in_block or in_list
        elif is_block and in_list and not is_item and line[:1].strip():
            is_block = False
        if (is_section or is_block) and not is_blank:
            in_block, in_list = True, in_list or is_item
            kept.append(_blank_after(line, 0))
            continue
        lead = _LEAD.match(line)
        announced = lead[1] if lead else line if _BOLD_LINE.match(line) else ""
        if _NOT_DONE.search(announced.rpartition(". ")[2]):
            if lead and lead[2].strip(" *_\n"):
                kept.append(_blank_after(line, lead.end(1)))
                continue
            is_block, in_block, in_list = True, False, False
        kept.append(line)
    return "".join(kept)


def _blank_after(line: str, place: int) -> str:
    end = len(line.rstrip("\n"))
    return line[:place] + " " * (end - place) + line[end:]


def _split_sentences(text: str) -> Iterator[Sentence]:
    for start, end in _split_lines(text):
        begin = start
        for found in _ENDS.finditer(text, start, end):
            if _ABBREVIATION.search(text, max(begin, found.end() - 9), found.end()):
                continue
            yield from _make_sentence(text, begin, found.end())
            begin = found.end()
        yield from _make_sentence(text, begin, end)


def _split_lines(text: str) -> Iterator[tuple[int, int]]:
    """Give the places of lines, where a wrapped line is joined with the one before."""
    begin = place = 0
    previous = ""
    for line in text.splitlines(keepends=True):
        is_wrapped = (
            previous.strip() and _CONTINUES.match(line) and not _CLOSED.search(previous[-9:])
        )
        if not is_wrapped and place > begin:
            yield begin, place
            begin = place
        place += len(line)
        previous = line
    yield begin, place


def _make_sentence(text: str, start: int, end: int) -> Iterator[Sentence]:
    part = text[start:end]
    if part.strip() and not _TEMPLATE.search(part):
        start += len(part) - len(part.lstrip())
        yield Sentence(start, start + len(part.strip()), part.strip())
