"""Finds the calls that send data to another machine, and which of their words they send."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from hookline.guards.commands.arguments import read_arguments
from hookline.text import lazy_re as re
from hookline.text.script.reading import Word, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hookline.text.script.reading import Call


class Sink(NamedTuple):
    """A call that sends data away.

    Attributes:
        name: what sends it, for a message.
        data: words whose own text is sent.
        files: words that name files whose contents are sent.
        reads_stdin: it sends what it reads from standard input.
        is_own: it copies to a machine that the user has an account on.
    """

    name: str
    data: tuple[Word, ...] = ()
    files: tuple[Word, ...] = ()
    reads_stdin: bool = False
    is_own: bool = False


_LOCAL = re.compile(
    r"(?:https?://)?(?:[^@/\s]*@)?(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0"
    r"|host\.docker\.internal|[\w-]+\.(?:local|localhost|test))(?::\d+)?(?:/|$|\?)"
)
_CURL_DATA = ("-d", "--data", "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode",
              "--json", "-F", "--form", "--form-string", "--url-query")  # fmt: skip
_CURL_FILES = ("-T", "--upload-file")
_CURL_OTHER = ("-o", "--output", "-u", "--user", "-E", "--cert", "--key", "--cacert", "-b",
               "--cookie", "-A", "--user-agent", "-e", "--referer", "-X", "--request", "-x",
               "--proxy", "-K", "--config", "-m", "--max-time", "--connect-timeout", "-c",
               "--cookie-jar", "-w", "--write-out", "--retry", "-H", "--header", "--resolve",
               "--netrc-file", "--capath", "--oauth2-bearer", "--aws-sigv4", "-U", "--proxy-user",
               "--pass", "--interface", "--unix-socket", "-D", "--dump-header", "-r", "--range",
               "--limit-rate", "-C", "-y", "-Y", "-z", "--max-redirs", "--url")  # fmt: skip
_WGET_DATA = ("--post-data", "--body-data")
_WGET_FILES = ("--post-file", "--body-file")
_AUTH = re.compile(
    r"^\s*[\w-]*(?:auth|token|api[-_]?key|key|secret|cookie|bearer|credential|password)[\w-]*\s*:",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"login|oauth|/token|auth|session|signin", re.IGNORECASE)
_LOGIN_FIELD = re.compile(
    r"^[\"'{\s]*(?:client_secret|password|passwd|refresh_token|api_?key|token|secret|code"
    r"|access_token|grant_type|username|client_assertion|assertion)[\"']?\s*[=:]", re.IGNORECASE
)  # fmt: skip


def find_sink(call: Call) -> Sink | None:
    """Return what a call sends away; None if it sends nothing."""
    if any(is_network_device(redirect.target.text) for redirect in call.redirects):
        operands = () if call.program in ("", "exec") else call.words[1:]
        return Sink("a network device of the shell", operands, _list_operands(call), True)
    find = _SINKS.get(call.program)
    return find(call) if find is not None else None


def is_network_device(path: str) -> bool:
    """Return whether bash connects to another machine for this path."""
    parts = path.split("/")
    return path.startswith(("/dev/tcp/", "/dev/udp/")) and not _LOCAL.match(parts[3])


# -- HTTP ----------------------------------------------------------------------------------------


def _curl(call: Call) -> Sink | None:
    given = read_arguments(_add_settings(call), (*_CURL_DATA, *_CURL_FILES, *_CURL_OTHER))
    urls = (*given.operands, *given.get("--url"))
    if urls and all(_LOCAL.match(word.text) for word in urls):
        return None
    is_login = any(_LOGIN.search(word.text) for word in urls)
    data: list[Word] = []
    files = [word._replace(text=part) for word in given.get(*_CURL_FILES)
             for part in word.text.strip("{}").split(",")]  # fmt: skip
    for option, value in given.values:
        if option in _CURL_DATA:
            if not (is_login and _LOGIN_FIELD.match(value.text)):
                data.append(value)
            files += _list_attached(option, value)
        elif option in ("-b", "--cookie") and value.calls:
            data.append(value)
        elif option in ("-A", "--user-agent", "-e", "--referer") or (
            option in ("-H", "--header") and not _AUTH.match(value.text)
        ):
            data.append(value)
            if value.text.startswith("@"):  # the headers are in a file
                files.append(value._replace(text=value.text[1:]))
    reads = any(word.text in ("-", ".") for word in files) or any(
        value.text in ("@-", "@/dev/stdin") or value.text.endswith(("=@-", "=<-", "=@/dev/stdin"))
        for option, value in given.values if option in _CURL_DATA
    )  # fmt: skip
    return Sink("curl", (*data, *urls), tuple(files), reads)


_CURL_SETTING = re.compile(r"\s*-{0,2}([\w-]+)(?:\s*[=:]\s*|\s+)(\"(?:[^\"\\]|\\.)*\"|\S+)")


def _add_settings(call: Call) -> Call:
    """Return a call of curl with the options that `-K -` reads from standard input."""
    texts = call.texts
    reads = any(pair in (("-K", "-"), ("--config", "-")) for pair in pairwise(texts))
    reads = reads or "-K-" in texts or "--config=-" in texts
    if not reads or call.stdin is None or not call.stdin.is_known:
        return call
    words = list(call.words)
    for line in call.stdin.text.split("\n"):
        if match := _CURL_SETTING.match(line):
            dashes = "-" if len(match[1]) == 1 else "--"
            value = call.stdin._replace(text=match[2].strip('"').replace('\\"', '"'))
            words += [Word(f"{dashes}{match[1]}"), value]
    return call._replace(words=tuple(words))


def _list_attached(option: str, value: Word) -> Iterator[Word]:
    """Yield the files that a data option reads: `@FILE`, `NAME=@FILE`, `NAME@FILE`."""
    if option in ("--data-raw", "--form-string"):
        return
    text = value.text
    if text.startswith("@"):
        yield value._replace(text=text[1:])
    elif option in ("-F", "--form"):
        for mark in ("=@", "=<"):
            if mark in text:
                yield value._replace(text=text.partition(mark)[2].partition(";")[0])
    elif option in ("--data-urlencode", "--url-query") and "@" in text and "=" not in text:
        yield value._replace(text=text.partition("@")[2])


def _wget(call: Call) -> Sink | None:
    given = read_arguments(call, (*_WGET_DATA, *_WGET_FILES, "-O", "-o", "--header", "-U", "-P",
                                  "--user", "--password", "-i", "-a"))  # fmt: skip
    urls = given.operands
    if urls and all(_LOCAL.match(word.text) for word in urls):
        return None
    headers = [value for value in given.get("--header") if not _AUTH.match(value.text)]
    headers += given.get("-U", "--user-agent")
    return Sink("wget", (*given.get(*_WGET_DATA), *headers, *urls), given.get(*_WGET_FILES))


def _httpie(call: Call) -> Sink | None:
    given = read_arguments(call, ("-a", "--auth", "--session", "-o", "--output", "-A"))
    urls = [word for word in given.operands if "://" in word.text or word.text.startswith(":")]
    if urls and all(_LOCAL.match(word.text) or word.text.startswith(":") for word in urls):
        return None
    files = [word._replace(text=word.text.partition("@")[2]) for word in given.operands
             if "@" in word.text and "://" not in word.text]  # fmt: skip
    data = [word for word in given.operands if not _AUTH.match(word.text)]
    return Sink(call.program, tuple(data), tuple(files), True)


# -- sockets, shells, copies -----------------------------------------------------------------------


def _socket(call: Call) -> Sink | None:
    operands = _list_operands(call)
    if any(_LOCAL.match(word.text) for word in operands) or _has(call, "-l", "-z", "-lk", "-lp"):
        return None
    files = [word._replace(text=word.text.partition(":")[2]) for word in operands
             if word.text.lower().startswith(("file:", "open:", "gopen:"))]  # fmt: skip
    files += [Word(part) for text in _list_started(call) for part in text.split()]
    return Sink(call.program, operands, tuple(files), True)


_STARTS = ("-e", "-c", "--exec", "--sh-exec", "--lua-exec")


def _list_started(call: Call) -> Iterator[str]:
    """Yield the commands whose output a socket sends: `ncat -e TEXT`, `socat EXEC:TEXT`."""
    yield from (value.text for value in read_arguments(call, _STARTS).get(*_STARTS))
    for word in call.words[1:]:
        kind, colon, text = word.text.partition(":")
        if colon and kind.lower() in ("exec", "system", "shell"):
            yield text.replace(",", " ").replace("'", " ").replace('"', " ")


def _tls(call: Call) -> Sink | None:
    return Sink("openssl", (), (), True) if _has(call, "s_client") else None


def _ssh(call: Call) -> Sink | None:
    valued = make_set("-i -p -l -o -F -L -R -D -J -E -c -m -W -b -S -e -I -O -Q -w -B")
    given = read_arguments(call, valued)
    if not given.operands or _LOCAL.match(given.operands[0].text.rpartition("@")[2]):
        return None
    data = given.operands[1:]
    return Sink("ssh", tuple(data), (), True, is_own=True)


_COPY_VALUED = make_set("""
-i -P -l -o -F -J -S -c -e --rsh --exclude --include -f --filter --exclude-from --files-from
--password-file --port --bwlimit
""")


def _copy(call: Call) -> Sink | None:
    given = read_arguments(call, _COPY_VALUED)
    if call.program == "sftp" and given.operands:
        text = call.stdin.text if call.stdin is not None else ""
        puts = [line.split()[1:2] for line in text.splitlines() if line.startswith(("put", "mput"))]
        return Sink("sftp", (), tuple(Word(name) for names in puts for name in names), is_own=True)
    if len(given.operands) < 2 or not _is_remote(given.operands[-1].text):  # noqa: PLR2004
        return None
    return Sink(call.program, (), given.operands[:-1], is_own=True)


def _transfer(call: Call) -> Sink | None:
    texts = call.texts
    return Sink("tftp", (), call.words[texts.index("put") + 1 :]) if "put" in texts else None


def _is_remote(text: str) -> bool:
    host = text.partition(":")[0]
    if "://" in text:
        return not _LOCAL.match(text.partition("://")[2])
    return ":" in text and "/" not in host and not _LOCAL.match(host.rpartition("@")[2] + "/")


def _cloud(call: Call) -> Sink | None:
    texts = call.texts
    if not _begins(texts[1:], _CLOUD[call.program]):
        return None
    operands = _list_operands(call)
    target = operands[-1].text if operands else ""
    files = [word for word in operands[:-1] or operands if "://" not in word.text]
    is_copy = call.program in ("aws", "gsutil", "s3cmd", "gcloud") and "put-object" not in texts
    if is_copy and "://" not in target:
        return None
    values = read_arguments(call, make_set("--file -f --body --source --name")).values
    named = [value for option, value in values if option in ("--file", "-f", "--body", "--source")]
    cleaned = [word._replace(text=word.text.removeprefix("fileb://").removeprefix("file://"))
               for word in named]  # fmt: skip
    return Sink(f"{call.program}", (), (*files, *cleaned), any(t == "-" for t in texts))


_CLOUD: Mapping[str, tuple[frozenset[str], ...]] = {
    "aws": (make_set("s3 s3api"), make_set("cp mv sync put-object")),
    "gsutil": (make_set("cp mv rsync"),),
    "gcloud": (make_set("storage"), make_set("cp mv rsync")),
    "az": (make_set("storage"), make_set("blob file"), make_set("upload upload-batch")),
    "rclone": (make_set("copy copyto sync move moveto rcat"),),
    "s3cmd": (make_set("put sync"),),
    "mc": (make_set("cp mirror pipe put"),),
    "b2": (make_set("upload-file upload_file file"),),
    "ipfs": (make_set("add"),),
    "wormhole": (make_set("send"),),
    "croc": (make_set("send"),),
    "magic-wormhole": (make_set("send"),),
    "transfer": (frozenset(),),
}


def _begins(texts: Sequence[str], words: Sequence[frozenset[str]]) -> bool:
    operands = [text for text in texts if not text.startswith("-")]
    return len(operands) >= len(words) and all(
        not choices or text in choices for text, choices in zip(operands, words, strict=False)
    )


# -- messages, names -------------------------------------------------------------------------------


def _message(call: Call) -> Sink | None:
    given = read_arguments(call, ("-a", "-A", "--attach", "--attachment", "-s", "-r", "-c", "-b"))
    files = given.get("-a", "-A", "--attach", "--attachment")
    return Sink(call.program, given.operands, (*files, *given.operands), True)


def _names(call: Call) -> Sink | None:
    return Sink(f"a DNS name ({call.program})", call.words[1:])


_FORGE_BODY = ("-b", "--body", "-m", "--message", "-t", "--title", "--notes", "-n", "-d",
               "--description", "-f", "--field", "-F", "--raw-field")  # fmt: skip
_FORGE_FILES = ("--body-file", "--notes-file", "--input", "-F")


def _forge(call: Call) -> Sink | None:
    texts = [word.text for word in call.words[1:] if not word.text.startswith("-")]
    given = read_arguments(call, (*_FORGE_BODY, *_FORGE_FILES))
    if texts[:2] in (["gist", "create"], ["snippet", "create"]):
        return Sink(f"{call.program} {texts[0]}", (), given.operands[2:], True)
    if texts[:1] in (["issue"], ["pr"], ["mr"], ["release"], ["api"], ["discussion"]):
        files = [*given.get(*_FORGE_FILES)]
        files += [value._replace(text=value.text.partition("=@")[2])
                  for value in given.get(*_FORGE_BODY) if "=@" in value.text]  # fmt: skip
        assets = given.operands[3:] if texts[:2] == ["release", "upload"] else ()
        reads = any(word.text == "-" for word in files)
        return Sink(call.program, given.get(*_FORGE_BODY), (*files, *assets), reads)
    return None


def _list_operands(call: Call) -> tuple[Word, ...]:
    return tuple(word for word in call.words[1:] if not word.text.startswith("-"))


def _has(call: Call, *texts: str) -> bool:
    return any(word.text in texts for word in call.words[1:])


_SINKS: Mapping[str, Callable[[Call], Sink | None]] = {
    "curl": _curl,
    "wget": _wget,
    **dict.fromkeys(("http", "https", "xh", "httpie"), _httpie),
    **dict.fromkeys(("nc", "ncat", "netcat", "socat", "telnet", "websocat"), _socket),
    "openssl": _tls,
    **dict.fromkeys(("ssh", "autossh", "mosh", "sshpass"), _ssh),
    "tftp": _transfer,
    **dict.fromkeys(("scp", "rsync", "sftp", "pscp", "rcp"), _copy),
    **dict.fromkeys(_CLOUD, _cloud),
    **dict.fromkeys(
        (
            "mail", "mailx", "mutt", "sendmail", "msmtp", "s-nail", "swaks", "pastebinit",
            "termbin", "slackcat", "telegram-send", "ntfy", "sprunge", "ix", "wgetpaste",
            "nopaste", "hastebin", "haste", "pastebin", "slack", "discord", "apprise",
        ),
        _message,
    ),
    **dict.fromkeys(("dig", "nslookup", "host", "drill", "ping", "ping6", "kdig", "dog", "getent",
                     "resolvectl", "traceroute"), _names),
    **dict.fromkeys(("gh", "glab"), _forge),
}  # fmt: skip
