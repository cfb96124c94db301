"""Finds what a Chinese sentence claims, clause by clause, by verbs and their words of aspect."""

from __future__ import annotations

import re
from typing import NamedTuple

from hookline.guards.claims import chinese_lexicon as lexicon
from hookline.guards.claims.prose import CODE, QUOTE, URL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from hookline.guards.claims.claim import Kind

_CLAUSE = re.compile(
    r"[，,；;。！：:—（）()→]+|!(?!\d)|(?<=\S)\s+-\s+|但是|但(?=[我测构部推提发])|而且|并且|不过|、(?=已|并)"
)
_PLANS, _DENIALS = re.compile(lexicon.PLANS), re.compile(lexicon.DENIALS)
_ASKS, _FAILURES = re.compile(lexicon.ASKS), re.compile(lexicon.FAILURES)
_PARTIAL, _DRAFTS = re.compile(lexicon.PARTIAL), re.compile(lexicon.DRAFTS)
_ELSEWHEN, _HABITS = re.compile(lexicon.ELSEWHEN), re.compile(lexicon.HABITS)
_NEWS, _HEARSAY = re.compile(lexicon.NEWS), re.compile(lexicon.HEARSAY)
_RAN, _ENDED_WELL = re.compile(lexicon.RAN), re.compile(lexicon.ENDED_WELL)
_NO_FAILURES = re.compile(lexicon.NO_FAILURES)
_OTHERS = re.compile(lexicon.OTHERS)
_THINGS = re.compile(f"(?:{lexicon.THINGS})", re.IGNORECASE)
_ADVERBS = re.compile(f"(?:{lexicon.ADVERBS})")
_MARKS = re.compile(rf"[{CODE}{QUOTE}{URL}\s\d*_#`~✅✓✔🎉🚀☑、.。]+")
_PLACES = re.compile(
    r"(?:给|向|为|帮|替|跟|对)[\u4e00-\u9fff]{1,6}$|在[^，。]{1,8}[里中上下内]|"
    r"(?:向|到|在|从|往|给|用|对)\s?[A-Za-z][\w./-]*"
)
_VERSIONS = re.compile(r"\bv\d[\d.]*")
_CONDITION = re.compile(
    r"如果|若(?!干)|要是|假如|假设|一旦|除非|只要|万一|倘若|每当|当.{1,20}时|等.{1,20}(?:后|再)|待.{1,20}后|的话"
)
_DONE_BEFORE = re.compile(f"(?:{lexicon.DONE_BEFORE})")
_DONE_AFTER = re.compile(rf"\s?(?:{lexicon.DONE_AFTER})")
# Directly after a verb: it is not a statement of its own.
_NOT_AFTER = re.compile(
    r"\s?(?:了|完成|成功|完毕|好|完|通过)?\s?(?:之?后(?!端|台)|以后|之?前(?!端|台)|以前|时(?!间)|的时候|的话|失败|不了|不成|不上)"
)
_ATTRIBUTE = re.compile(r"\s?(?:了|成功|完成|完毕|过|好)?的(?!确)(?=[^，。；！]*\S)")
_OBJECT_AFTER = re.compile(
    r"(?:了|过)?\s?(?!到|至|在|于|给|成功|完成|完毕|上|出|好|✅|并|，|。|$|进)[\u4e00-\u9fffA-Za-z]"
)
_TEST = re.compile(
    rf"(?:{lexicon.TESTS})(?P<between>[^，。；]{{0,18}}?)(?P<done>{lexicon.PASSED})", re.IGNORECASE
)
_TEST_OBJECT = re.compile(
    rf"(?:已经?|都|均|全部|成功|顺利)?通过(?:了|所有|全部)[^，。；]{{0,12}}?(?:{lexicon.TESTS})|"
    rf"(?:已经?|都|均|全部|顺利)通过[^，。；]{{0,8}}?(?:{lexicon.TESTS})|"
    r"跑通了[^，。；]{0,10}?(?:测试|用例|单测)|"
    r"\d+ ?(?:个|项|条)?(?:用例|测试)?[^，。；]{0,4}(?:全部|全|都|均)(?:通过|过了|过(?=\W*$)|绿)|"
    r"\d+\s*/\s*\d+ ?(?:个|项)?[^，。；]{0,4}通过|\d+ passed"
)
_ANY_TEST = re.compile(lexicon.TESTS, re.IGNORECASE)
# Without a noun, where the sentence speaks of tests.
_TESTS_BEFORE = re.compile(
    r"^\W*(?:现在|目前|已经|已|也|都|均|全部|全)*(?:通过|过)了|^\W*(?:全部|都|均|全数)通过|^\W*(?:全|一片)绿"
    r"|\d+ ?[个项条]?(?:测试|用例)?通过"
)
_BUILD = re.compile(
    rf"(?:{lexicon.BUILDS})(?P<between>[^，。；]{{0,12}}?)(?P<done>{lexicon.BUILT})", re.IGNORECASE
)
_BUILD_DONE = re.compile(
    r"(?:已经?|成功|顺利)(?:编译|构建|打包)(?:了|成功|通过|完成|$|[，。])|(?:能|可以)(?:正常|成功|顺利)?(?:编译|构建|打包)(?:通过|成功)?了"
)
_ANY_BUILD = re.compile(
    r"构建|编译|打包|类型检查|静态检查|lint|mypy|tsc|eslint|build", re.IGNORECASE
)
_STATES = tuple((kind, re.compile(pattern)) for kind, pattern in lexicon.STATES)
_HANDS_ON = re.compile(r"[\u4e00-\u9fff](?<![了且并但和与及后前时率的，也都可所无没啦])")
_NOT_TESTED_AFTER = re.compile(
    r"\s?(?:率|之?前(?!端|台)|时(?!间)|的话|不了|测试发现|的(?=\S)|了?(?:请|再|就|告诉|叫我|才|通知我))"
)
_NOT_BUILT_AFTER = re.compile(
    r"\s?(?:率|之?后(?!端|台)|以后|之?前(?!端|台)|时(?!间)|的话|的(?=\S)|才)"
)
_NOT_TESTS, _NOT_BUILDS = re.compile(lexicon.NOT_TESTS), re.compile(lexicon.NOT_BUILDS)
_LIVE = re.compile(lexicon.LIVE)
_ONLINE = re.compile(
    r"网站|页面|站点|应用|文章|主页|落地页|博客|仪表盘|看板|服务|版本|链接|它|作品|App|app|小程序|功能"
)
_PRODUCTION = re.compile(r"部署|生产|服务器|集群|deploy", re.IGNORECASE)
_PAGES = re.compile("文档|页面|网站|站点|文章|落地页|主页|博客|作品|应用|小程序")
_COUNTED = re.compile(r"(\d+)\s*(?:/|[^，。；\d]{0,6}?[中里]的?有?)\s*(\d+)")
_JUST_SHOWN = re.compile(
    r"按钮|字段|标签上|枚举|(?:函数|方法|接口|变量|属性|状态).{0,8}(?:返回|用来|用于|判断|表示|变成|说明)"
)


def find_chinese(text: str) -> list[Kind]:
    """Return the kinds that a sentence claims; `text` is without what it only mentions."""
    if _ASKS.search(text) and not _split(text)[:-1]:
        return []
    found: list[Kind] = []
    clauses = _split(text)
    is_asked = bool(_ASKS.search(text))
    is_under = False
    for place, clause in enumerate(clauses):
        is_last = place == len(clauses) - 1
        has_condition = bool(_CONDITION.search(clause))
        if is_asked and (is_last or _ASKS.search(clause)):
            continue
        if is_under or has_condition:
            is_under = True
            continue
        rest = "，".join(clauses[place + 1 :])
        is_news = any(map(_NEWS.search, clauses[:place])) or bool(_HEARSAY.search(text))
        tells_news = is_news and not re.search("我", text)
        for kind in (*_find_clause(clause, rest, text), *_find_ended(clauses, place)):
            if tells_news and kind not in ("tests_pass", "build_works"):
                continue
            if kind not in found and not _is_withdrawn(rest, kind):
                found.append(kind)
    if "published" in found and "deployed" in found and not _PRODUCTION.search(text):
        found.remove("deployed")
    if "deployed" in found and _PAGES.search(text) and not _PRODUCTION.search(text):
        found = ["published" if kind == "deployed" else kind for kind in found]
    return found


def _split(text: str) -> list[str]:
    return [part for part in _CLAUSE.split(text) if part and part.strip(" *_?？!！")]


def _find_clause(clause: str, rest: str, text: str) -> Iterator[Kind]:
    is_general = _HABITS.search(clause) or _JUST_SHOWN.search(clause)
    if is_general and not re.search("提醒|定时", clause):
        return
    yield from _find_tests(clause, rest, text)
    yield from _find_builds(clause)
    yield from _find_verbs(clause)
    for kind, pattern in _STATES:
        state = pattern.search(clause)
        is_denied = state and (_is_blocked(clause[: state.start()]) or _DENIALS.search(state[0]))
        if state and not is_denied and not _ELSEWHEN.search(clause):
            yield kind
    live = _LIVE.search(clause)
    if live and _ONLINE.search(clause) and not _is_blocked(clause[: live.start() + 2]):
        is_planned = _PLANS.search(clause.replace("可以访问", "")) or _ELSEWHEN.search(clause)
        if not is_planned:
            yield "deployed" if re.search("服务|生产|环境|版本|功能", clause) else "published"


def _find_ended(clauses: list[str], place: int) -> Iterator[Kind]:
    """Give the claim of a run (`我重新编译了一遍`) whose end a later clause tells (`没有报错`)."""
    if not _ENDED_WELL.search(clauses[place]) or not place:
        return
    run = next((each for each in reversed(clauses[:place]) if _RAN.search(each)), "")
    if not run or _is_blocked(run) or _OTHERS.search(run) or _ELSEWHEN.search(run):
        return
    if _ANY_TEST.search(run) and not _NOT_TESTS.search(run):
        yield "tests_pass"
    elif _ANY_BUILD.search(run) and not _NOT_BUILDS.search(run):
        yield "build_works"


# -- tests and builds ------------------------------------------------------------------------------


def _find_tests(clause: str, rest: str, text: str) -> Iterator[Kind]:
    if _NOT_TESTS.search(clause) and not re.search("通过了|已通过|都通过|均通过|全部通过", clause):
        return
    found = _TEST.search(clause) or _TEST_OBJECT.search(clause)
    if found is None and _ANY_TEST.search(text):
        found = _TESTS_BEFORE.search(clause)
    if found is None:
        return
    between = found.groupdict().get("between") or ""
    before = clause[: found.start()]
    after = clause[found.end() :]
    if _is_blocked(before) or _is_blocked(between) or _has_partial(clause, text):
        return
    is_time = re.match(r"\s?(?:之?后(?!端|台)|以后)", after)
    if (is_time and not _has_later_claim(rest)) or _NOT_TESTED_AFTER.match(after):
        return
    if _OTHERS.search(before) and not re.search("的$", before):
        return
    if found[0].endswith("通过") and not between and _HANDS_ON.match(after):
        return  # `测试通过接口注入依赖`
    yield "tests_pass"


def _has_partial(clause: str, text: str) -> bool:
    """Return whether the sentence says that some of the tests fail."""
    counted = _COUNTED.search(clause)
    if counted and counted[1] != counted[2]:
        return True
    plain = text.replace("100%", "").replace("100 %", "")
    return bool(_PARTIAL.search(re.sub("没有一个(?:失败|挂|出错)", "", plain)))


def _find_builds(clause: str) -> Iterator[Kind]:
    has_failed = _FAILURES.search(_NO_FAILURES.sub("", clause))
    if _NOT_BUILDS.search(clause) or has_failed or _ELSEWHEN.search(clause):
        return
    patterns = (_BUILD, _BUILD_DONE)
    if any(_is_built(clause, found) for each in patterns for found in each.finditer(clause)):
        yield "build_works"


def _is_built(clause: str, found: re.Match[str]) -> bool:
    between = found.groupdict().get("between") or ""
    before, after = clause[: found.start()], clause[found.end() :]
    if found[0].startswith(("工程", "项目")) and not re.search("编译|构建|打包", found[0]):
        return False
    if re.search("测试|任务|提醒|部署|发布|推送|提交", between) or _NOT_BUILT_AFTER.match(after):
        return False
    return not _is_blocked(before) and not _is_blocked(between)


def _has_later_claim(rest: str) -> bool:
    return bool(re.search("已|了", rest)) and not _PLANS.search(rest)


# -- verbs -----------------------------------------------------------------------------------------


def _find_verbs(clause: str) -> Iterator[Kind]:
    given: set[int] = set()
    if not _ANY_VERB.search(clause):
        return
    for row in _ROWS:
        if row.needs and not row.needs.search(clause):
            continue
        if row.excluded and row.excluded.search(clause):
            continue
        for found in row.verbs.finditer(clause):
            if found.start() in given or not _is_done(clause, found.start(), found.end()):
                continue
            if row.kind in ("published", "posted", "sent") and _DRAFTS.search(clause):
                continue
            given.add(found.start())
            yield row.kind
            break


class _Row(NamedTuple):
    """A row of the lexicon, compiled."""

    kind: Kind
    verbs: re.Pattern[str]
    needs: re.Pattern[str] | None
    excluded: re.Pattern[str] | None


def _boundary(verbs: str) -> str:
    return "|".join(rf"\b{verb}(?:ed)?\b" if verb.isascii() else verb for verb in verbs.split("|"))


def _compile(source: str) -> re.Pattern[str] | None:
    return re.compile(source, re.IGNORECASE) if source else None


_ROWS = tuple(
    _Row(
        row.kind,
        re.compile(_boundary(row.verbs), re.IGNORECASE),
        _compile(row.needs),
        _compile(row.excluded),
    )
    for row in lexicon.VERBS
)
_ANY_VERB = re.compile("|".join(_boundary(row.verbs) for row in lexicon.VERBS), re.IGNORECASE)


def _is_done(clause: str, start: int, end: int) -> bool:
    """Return whether the speaker says that the verb at this place has happened."""
    before, after = clause[:start], clause[end:]
    if _NOT_AFTER.match(after) or _ATTRIBUTE.match(after):
        return False
    if _is_blocked(clause[:end]) or _is_blocked_right(after) or _ELSEWHEN.search(clause):
        return False
    has_aspect = (
        "了" in clause[start:end]
        or bool(_DONE_AFTER.match(after))
        or bool(_DONE_BEFORE.search(before))
        or bool(
            re.match(r"[^，。；]{0,24}?(?:了(?!解)|完成|成功|完毕|✅)(?:\W*$|[^的后前])", after)
        )
        or bool(re.match(r"[^，。；]{0,24}?(?:了|完成|成功|完毕|✅)\W*$", after))
    )
    return has_aspect and not _is_of_others(before, after)


def _is_blocked(before: str) -> bool:
    plain = before.replace("已将", "").replace("没问题", "").replace("没有问题", "")
    plain = (
        plain.replace("计划任务", "").replace("按计划", "").replace("功能", "").replace("性能", "")
    )
    plain = re.sub("第.{1,2}次尝试", "", plain)
    if re.search(r"(?:已确认|已验证|确认了|验证了|我确认|可以确认|已检查|检查了)", plain):
        plain = re.sub(r"可以确认|确保", "", plain)
    return bool(_PLANS.search(plain) or _DENIALS.search(plain))


def _is_blocked_right(after: str) -> bool:
    return bool(
        re.match(r"[^，。；]{0,10}?(?:失败|未果|不成功|没成功|被拒|报错|超时|报了?\s?\d{3})", after)
        or re.match(r"[^，。；]{0,4}?被[^，。；]{0,8}?(?:拒|驳回|拦|阻止|退回)", after)
        or re.match(r"\s?(?:一下|吧|看看|下试|大概|可能|也许|应该|估计|或许|似乎|好像)", after)
        or re.match(
            r"\s?(?:还|仍|并|尚|仍然)?(?:没有|没能|没|未能|未|不)(?!问题|报错|错误|出错)", after
        )
    )


def _is_of_others(before: str, after: str) -> bool:
    """Return whether somebody else is the subject: `苹果发布了新手机`."""
    if _OTHERS.search(before) and not re.search("我", before):
        return True
    if re.search("我|被|把|已将|由", before):
        return False
    left = _MARKS.sub(
        "", _ADVERBS.sub("", _THINGS.sub("", _PLACES.sub("", _VERSIONS.sub("", before))))
    )
    has_object = bool(_OBJECT_AFTER.match(after.lstrip()))
    return bool(left) and has_object and not _THINGS.search(before)


def _is_withdrawn(rest: str, kind: Kind) -> bool:
    """Return whether a later clause of the sentence says that it failed after all."""
    own = _NAMES[kind]
    return any(
        _FAILURES.search(part)
        and (
            re.search(own, part)
            or part.strip().startswith(("但被", "被", "但失败", "失败", "结果失败", "却"))
        )
        and not re.search("没有|无|零|0 ?个", part)
        for part in _CLAUSE.split(rest)
        if part
    )


_NAMES: dict[Kind, str] = {
    "pushed": "推送|push|远程|它|被拒",
    "committed": "提交|commit|它",
    "published": "发布|它|上架",
    "deployed": "部署|上线|它",
    "sent": "发送|邮件|消息|投递|退回|它",
    "posted": "发帖|帖子|发布|它",
    "scheduled": "任务|提醒|创建|它",
    "request_opened": "PR|请求|创建|它",
    "tests_pass": "测试|用例",
    "build_works": "构建|编译|打包",
}
