"""Follows credentials from where a line reads them to where it sends them away."""

from __future__ import annotations

from typing import NamedTuple

from hookline.guards.commands.arguments import list_dd_targets, read_arguments
from hookline.guards.commands.credentials import (
    Secret,
    find_secret,
    is_secret_variable,
    prints_secret,
)
from hookline.guards.commands.git import find_subcommand
from hookline.guards.commands.hits import Hit
from hookline.guards.commands.places import resolve_path
from hookline.guards.commands.sinks import Sink, find_sink, is_network_device
from hookline.text import lazy_re as re
from hookline.text.script.reading import UNKNOWN, Word, make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hookline.guards.commands.places import Context
    from hookline.text.script.reading import Call, Reading


class Taint(NamedTuple):
    """What secret a piece of data holds. `is_env`: the environment, or what a command prints."""

    what: str
    is_env: bool = False
    is_env_file: bool = False


# Programs that hand on what they read from files or standard input.
_READERS = make_set("""
cat tac head tail less more bat batcat nl rev sort uniq cut paste tr sed awk gawk mawk jq yq
strings base64 gbase64 base32 basenc xxd od hexdump gzip gunzip zcat bzip2 xz zstd lz4 tar zip 7z
openssl gpg gpg2 age sops cp mv ln install dd tee grep egrep fgrep rg ag ack column fold fmt iconv
uuencode perl python python3 ruby node php envsubst split csplit cpio pax rsync ansible-vault
diff comm join xargs vim vi nvim ex view echo printf qrencode qr pv sponge dos2unix expand pr
look ccrypt mcrypt
""")
# Programs whose operands are data, and no files.
_PRINTERS = make_set("echo printf")
# Programs that write what they read to their last operand.
_COPIES = make_set("cp mv ln install rsync")
_OUTPUTS = ("-o", "-out", "--output", "--out", "-O", "--output-file")
# Programs after which nothing of the secret is left.
_DISCARDERS = make_set("""
wc sha256sum sha1sum sha512sum sha224sum sha384sum md5sum md5 shasum b2sum b3sum cksum sum crc32
stat ls file du test [ basename dirname realpath readlink touch mkdir chmod chown rm
""")
_ENCODERS = make_set("base64 gbase64 base32 basenc xxd od hexdump uuencode qrencode qr rev")
# Operands of `tr` that are an encoder.
_ROTATED = frozenset(("N-ZA-Mn-za-m", "n-za-mN-ZA-M", "N-ZA-M", "n-za-m", "[N-ZA-Mn-za-m]"))
# Interpreters whose code reads the files among their words.
_INTERPRETED = make_set("perl ruby python python3 node php awk gawk")
# Programs that write beside the file that they read, and the ends of the names.
_IN_PLACE = {"gzip": (".gz",), "bzip2": (".bz2",), "xz": (".xz",), "zstd": (".zst",),
             "gpg": (".gpg", ".asc"), "age": (".age",)}  # fmt: skip
# Filters that leave the names of variables only.
_NAMES_ONLY = (re.compile(r"s/=\.\*//?|s/\(\.\*\)=|s/=\.\*/"), re.compile(r"print \$1\b"))
_ENV_PRINTERS = make_set("env printenv")
_DUMPS = frozenset((("export",), ("export", "-p"), ("declare", "-p"), ("declare", "-x"),
                    ("declare", "-px"), ("declare", "-xp"), ("typeset", "-p"), ("typeset", "-x"),
                    ("set",), ("compgen", "-e")))  # fmt: skip
_ENV_CODE = re.compile(
    r"os\.environ(?!\s*(?:\[|\.get|\.setdefault|\.pop))|process\.env(?!\s*[.\[])|%ENV"
    r"|ENV\.(?:to_h|inspect|to_a|each|map)|getenv\(\s*\)|\$_ENV|dict\(\s*os\.environ"
)
_NETWORK_CODE = re.compile(
    r"requests\.|urllib|urlopen|http\.client|httpx|aiohttp|socket|fetch\(|axios|https?\.request"
    r"|https?\.get|require\(['\"](?:node:)?(?:https?|net|dns|dgram|tls)['\"]\)|net\.connect|net\.createConnection|dns\.|Net::HTTP|LWP|HTTP::|IO::Socket"
    r"|TCPSocket|file_get_contents\(\s*['\"]https?:|curl_exec|fsockopen|smtplib|ftplib|paramiko"
    r"|boto3|open-uri|URI\.open|HTTParty|Faraday|RestClient|nodemailer|WebSocket|dgram"
)
_LITERALS = re.compile(r"""['"`]([^'"`\n]{1,200})['"`]""")
_ENCODING_CODE = re.compile(
    r"b64encode|base64|hexlify|\.hex\(|btoa|toString\(['\"](?:base64|hex)|unpack|bin2hex|Base64"
)
_PRINTING_CODE = re.compile(r"print|console\.|puts|echo|write\(|\bp\b|say")
_READ_VARIABLE = re.compile(
    r"environ(?:\.get)?[\[(]['\"](\w+)|process\.env\.(\w+)|getenv\(['\"](\w+)|ENV\[['\"](\w+)"
    r"|\$ENV\{(\w+)"
)
_AUTH_CODE = re.compile(r"headers?\b|authorization|bearer|\bauth\s*[=:]|login", re.IGNORECASE)


def judge_flows(reading: Reading, context: Context) -> Iterator[Hit]:
    """Yield each call that sends a secret away, or prints one through an encoder."""
    flow = _Flow(reading, context)
    for number, call in enumerate(reading.calls):
        context.budget.check_now()
        yield from flow.follow(number, call)
    yield from flow.judge_printed()


class _Flow:
    """What holds secrets so far: the outputs of calls, by number, and files, by path."""

    def __init__(self, reading: Reading, context: Context) -> None:
        self.calls = reading.calls
        self.context = context
        self.outputs: dict[int, Taint] = {}
        self.files: dict[str, Taint] = {}
        self.encoded: dict[int, str] = {}
        self.used: set[int] = set()
        self.added = ""  # the credential that a commit was forced to take
        self.sockets: set[str] = set()  # descriptors that lead to another machine

    def follow(self, number: int, call: Call) -> Iterator[Hit]:
        """Judge one call, and remember what its output and the files that it writes hold."""
        given = list(self._list_tainted(call))
        self.sockets.update(
            each.descriptor or "1" for each in call.redirects if is_network_device(each.target.text)
        )
        self.used.update(each for word in _list_words(call) for each in word.calls)
        sink = find_sink(call)
        if sink is not None:
            yield from self._judge_sink(call, sink, given)
        if call.language:
            yield from self._judge_code(call)
        if call.program == "git":
            yield from self._judge_commit(call)
        source = self._find_source(call)
        taint = source or next((taint for _, taint in given), None)
        name = call.program
        if taint is None or name in _DISCARDERS or _drops_values(call):
            return
        if source is None and name and name not in _READERS and not call.language and sink is None:
            return
        self.outputs[number] = taint
        if source is not None and (sink := self._find_device(call)) is not None:
            yield _make_hit(taint, sink)
        if (
            name in _ENCODERS
            or (name == "tr" and _ROTATED.intersection(call.texts))
            or (name == "openssl" and _has_word(call, "base64", "enc"))
            or (name in _INTERPRETED and any(map(_ENCODING_CODE.search, call.texts)))
        ):
            self.encoded[number] = name
        self._write_files(call, taint)

    # -- where secrets come from -------------------------------------------------------------------

    def _find_source(self, call: Call) -> Taint | None:
        texts = call.texts
        name = call.program
        if (name in _ENV_PRINTERS and not _names_variables(texts)) or tuple(texts) in _DUMPS:
            return Taint("the environment", is_env=True)
        if name == "printenv" and any(map(is_secret_variable, texts[1:])):
            return Taint("a secret variable", is_env=True)
        if prints_secret(texts):
            return Taint(f"what `{' '.join(texts[:3])}` prints", is_env=True)
        if name in _READERS and name not in _PRINTERS:
            for word in _list_files(call):
                if taint := self._find_file(word, call):
                    return taint
        return self._find_redirected(call)

    def _find_redirected(self, call: Call) -> Taint | None:
        for redirect in call.redirects:
            if redirect.operator == "<" and (taint := self._find_file(redirect.target, call)):
                return taint
        return None

    def _find_file(self, word: Word, call: Call) -> Taint | None:
        """Return what the file that a word names holds; None for no secret."""
        text = word.text
        if not text or text.startswith("-") or "://" in text:
            return None
        path = resolve_path(word, call.cwd, self.context) or text
        if path in self.files:
            return self.files[path]
        secret = find_secret(path)
        if secret is None:
            return None
        is_env_file = secret is Secret.ENV_FILE
        return Taint(text.replace(UNKNOWN, "?"), is_env_file=is_env_file)

    def _find_output(self, word: Word) -> Taint | None:
        """Return what the outputs of calls in a word hold; None for no secret."""
        return next((self.outputs[each] for each in word.calls if each in self.outputs), None)

    def _list_tainted(self, call: Call) -> Iterator[tuple[Word, Taint]]:
        """Yield the words and the input of a call that hold secrets."""
        for word in _list_words(call):
            for each in word.calls:
                if each in self.outputs:
                    yield word, self.outputs[each]
            secret = next(filter(is_secret_variable, word.names), "")
            if secret:
                yield word, Taint(f"${secret}", is_env=True)
        if taint := self._find_redirected(call):
            yield call.stdin or Word(UNKNOWN), taint

    # -- where they go -----------------------------------------------------------------------------

    def _judge_sink(
        self, call: Call, sink: Sink, given: Sequence[tuple[Word, Taint]]
    ) -> Iterator[Hit]:
        for word in sink.files:
            taint = self._find_file(word, call) or self._find_output(word)
            if taint:
                yield _make_hit(taint, sink)
                return
        for word, taint in given:
            is_input = word is call.stdin and sink.reads_stdin
            if is_input or any(word is each or _shares(word, each) for each in sink.data):
                yield _make_hit(taint, sink)
                return
        if sink.reads_stdin and (taint := self._find_redirected(call)):
            yield _make_hit(taint, sink)

    def _find_device(self, call: Call) -> Sink | None:
        """Return the sink that a call's own output is redirected to."""
        for redirect in call.redirects:
            target = redirect.target.text
            if is_network_device(target) or (
                redirect.operator in (">&", ">") and target.lstrip("&") in self.sockets
            ):
                return Sink("a network device of the shell")
        return None

    def _judge_commit(self, call: Call) -> Iterator[Hit]:
        """Judge that a line forces a credential file into a commit, and pushes it."""
        at = find_subcommand(call.words)
        name = call.words[at].text if at < len(call.words) else ""
        if name in ("add", "stage"):
            given = read_arguments(call, begin=at + 1)
            if given.has("f", "force"):
                found = (word for word in given.operands if self._find_file(word, call))
                self.added = self.added or next((word.text for word in found), "")
        elif name == "push" and self.added:
            reason = f"it pushes the credential file {self.added.replace(UNKNOWN, '?')}"
            yield Hit("exfil.commit", reason, "keep the file out of Git, and commit an example")

    def _judge_code(self, call: Call) -> Iterator[Hit]:
        """Judge code of another language: it sends a secret away, or prints one by an encoder."""
        code = call.code
        sends = bool(_NETWORK_CODE.search(code)) and not _is_local(code)
        if sends and (taint := self._find_sent_by_code(call)):
            yield _make_hit(taint, Sink(f"{call.language} code"))
        prints = not sends and _ENCODING_CODE.search(code) and _PRINTING_CODE.search(code)
        if prints and (taint := self._find_read_by_code(call)):
            yield _make_encoding_hit(taint, "an encoder")

    def _find_sent_by_code(self, call: Call) -> Taint | None:
        """Return the secret that code with a network library gets or reads; None for none."""
        if call.stdin is not None and (taint := self._find_output(call.stdin)):
            return taint
        name = next(filter(is_secret_variable, _list_variables(call.code)), "")
        if name and not _AUTH_CODE.search(call.code):
            return Taint(f"${name}", is_env=True)
        return self._find_read_by_code(call)

    def _find_read_by_code(self, call: Call) -> Taint | None:
        """Return the environment, or the secret file that a literal names; None for neither."""
        if _ENV_CODE.search(call.code):
            return Taint("the environment", is_env=True)
        words = map(Word, _LITERALS.findall(call.code))
        return next(filter(None, (self._find_file(word, call) for word in words)), None)

    def _write_files(self, call: Call, taint: Taint) -> None:
        targets = [each.target for each in call.redirects if ">" in each.operator]
        name = call.program
        given = read_arguments(call, (*_OUTPUTS, "-f", "--file"))
        if name in _COPIES or name == "tee":
            targets += given.operands[-1:] if name in _COPIES else given.operands
        elif name in ("tar", "zip", "7z", "cpio", "gpg", "openssl", "age", "split", "gzip", "xz"):
            targets += [
                value for option, value in given.values if option in (*_OUTPUTS, "-f", "--file")
            ]
            targets += _list_archives(call)
        elif name == "dd":
            targets += list_dd_targets(call)
        sources = given.operands[:-1] if name in _COPIES else ()
        if name in _IN_PLACE:
            targets += [
                word._replace(text=word.text + end)
                for word in given.operands
                for end in _IN_PLACE[name]
            ]
        for word in targets:
            if path := resolve_path(word, call.cwd, self.context):
                self.files[path] = taint
                for source in sources:  # the target may be a folder
                    self.files[f"{path}/{source.text.rstrip('/').rpartition('/')[2]}"] = taint

    def _is_printed(self, number: int) -> bool:
        """Return whether an output reaches the terminal, perhaps by `echo`."""
        users = [
            at
            for at, call in enumerate(self.calls)
            if any(number in word.calls for word in _list_words(call))
        ]
        return all(
            (self.calls[at].program in _PRINTERS or not self.calls[at].words)
            and at not in self.used
            and not any(">" in each.operator for each in self.calls[at].redirects)
            for at in users
        )

    def judge_printed(self) -> Iterator[Hit]:
        """Yield the calls that print a secret through an encoder to the terminal."""
        for number, name in self.encoded.items():
            self.context.budget.check_now()
            call = self.calls[number]
            writes = any(">" in each.operator for each in call.redirects)
            writes = writes or _has_word(call, "-out", "-o", "--output")
            decodes = _has_word(call, "-d", "--decode", "-D", "-r")
            if self._is_printed(number) and not writes and not decodes:
                yield _make_encoding_hit(self.outputs[number], f"`{name}`")


def _make_hit(taint: Taint, sink: Sink) -> Hit:
    if sink.is_own and taint.is_env_file:
        # An environment file copied to a machine of the user is not decided in baseline.
        return Hit("exfil.copy", f"it copies {taint.what} to another machine",
                   "ask the user")  # fmt: skip
    rule = "exfil.env" if taint.is_env else "exfil.file"
    instead = "use a secret only for its own service, in its header or its option"
    return Hit(rule, f"it sends {taint.what} away by {sink.name}", instead)


def _make_encoding_hit(taint: Taint, encoder: str) -> Hit:
    reason = f"it prints {taint.what} through {encoder}"
    return Hit("exfil.encode", reason, "show the names only, without the values")


def _list_words(call: Call) -> Iterator[Word]:
    yield from call.words
    if call.stdin is not None:
        yield call.stdin


def _list_files(call: Call) -> Iterable[Word]:
    """Yield the words of a reader that may name files."""
    for word in call.words[1:]:
        text = word.text
        if call.program == "zip" and text in ("-x", "--exclude"):
            return
        if text.startswith("if="):
            yield word._replace(text=text[3:])
        elif text.startswith(("--exclude", "--ignore", "--filter")):
            continue
        elif text.startswith("-") and "=" in text:
            yield word._replace(text=text.partition("=")[2])
        elif not text.startswith("-"):
            yield word


def _names_variables(texts: Sequence[str]) -> bool:
    """Return whether `env` or `printenv` is asked for something narrower than everything."""
    return any(not text.startswith("-") for text in texts[1:])


def _drops_values(call: Call) -> bool:
    """Return whether a filter keeps only the names of variables, or says only whether it found."""
    texts = call.texts[1:]
    name = call.program
    if name == "cut":
        return "-f1" in texts or ("-f" in texts and "1" in texts)
    if name in ("sed", "awk", "gawk"):
        return any(pattern.search(text) for text in texts for pattern in _NAMES_ONLY)
    if name in ("grep", "egrep", "rg"):
        flags = {
            letter for text in texts if text[:1] == "-" and text[1:2] != "-" for letter in text
        }
        wants_names = any(re.match(r"\^?\[?\^?[\[A-Z_a-z=\]*+]+$", text) and text.startswith("^[")
                          for text in texts)  # fmt: skip
        return bool(flags & {"c", "q", "l", "L"}) or ("o" in flags and wants_names)
    if name == "jq":
        return any(text.strip() in ("keys", "keys[]", "length", "keys_unsorted") for text in texts)
    if name == "openssl":
        return any(
            text in ("-pubout", "-pubin", "-noout", "-fingerprint", "dgst", "x509", "verify")
            for text in texts
        )
    return False


def _has_word(call: Call, *wanted: str) -> bool:
    return any(word.text.lstrip("-") in wanted or word.text in wanted for word in call.words[1:])


def _shares(word: Word, data: Word) -> bool:
    return (bool(word.calls) and word.calls == data.calls) or (
        bool(word.names) and word.names == data.names and word.text == data.text
    )


def _list_archives(call: Call) -> list[Word]:
    """Return the archive that `tar czf NAME`, `zip NAME` and `7z a NAME` write."""
    words = call.words[1:]
    if call.program == "tar" and words:
        first = words[0].text.lstrip("-")
        clustered = "f" in first and len(words) > 1 and "=" not in first and "/" not in first
        return [words[1]] if clustered else []
    operands = [word for word in words if not word.text.startswith("-")]
    if call.program == "zip":
        return operands[:1]
    return operands[1:2] if call.program == "7z" else []


def _is_local(code: str) -> bool:
    hosts = re.findall(r"https?://([^/'\"\s:]+)", code)
    return bool(hosts) and all(host in ("localhost", "127.0.0.1", "[::1]") for host in hosts)


def _list_variables(code: str) -> Iterator[str]:
    """Yield the variables of the environment that code reads."""
    for match in _READ_VARIABLE.finditer(code):
        yield next(filter(None, match.groups()))
