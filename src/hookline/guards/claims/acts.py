"""What a tool call does for a claim: it tests, builds, commits, pushes, publishes, sends.

Only a program that would run counts. A word in an argument, a message or a search is no run.
"""

from __future__ import annotations

import re

from hookline.model.tools import families
from hookline.text.script.reading import make_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hookline.text.script.reading import Call

_LONGEST = 64 << 10  # characters of a command line

# Program, the words that have to be among its arguments in this order, and what it does.
_TABLE = """
pytest                            test
py.test                           test
jest                              test
vitest                            test
mocha                             test
ava                               test
tox                               test
nox                               test
rspec                             test
phpunit                           test
ctest                             test
bats                              test
prove                             test
unittest                          test
playwright       test             test
cypress          run              test
go               test             test
cargo            test             test
cargo            nextest          test
deno             test             test
bun              test             test
npm              test             test
npm              t                test
yarn             test             test
pnpm             test             test
mvn              test             test
mvn              verify           test
gradle           test             test
gradle           check            test
gradlew          test             test
gradlew          check            test
dotnet           test             test
mix              test             test
swift            test             test
bazel            test             test
rake             test             test
rake             spec             test
rails            test             test
manage.py        test             test
artisan          test             test
build                             build
hatch            test             test
gh               run watch        test
gh               run view         test
gh               pr checks        test
glab             ci status        test
cargo            build            build
cargo            check            build
cargo            clippy           lint
go               build            build
go               vet              lint
tsc                               types
mypy                              types
pyright                           types
basedpyright                      types
vue-tsc                           types
ruff             check            lint
ruff             format           lint
eslint                            lint
flake8                            lint
pylint                            lint
biome                             lint
shellcheck                        lint
golangci-lint                     lint
rubocop                           lint
prettier         --check          lint
black            --check          lint
pre-commit       run              lint
webpack                           build
rollup                            build
esbuild                           build
vite             build            build
next             build            build
docker           build            build
docker           buildx           build
docker           compose build    build
docker-compose   build            build
podman           build            build
gradle           build            build
gradle           assemble         build
gradlew          build            build
gradlew          assemble         build
mvn              package          build
mvn              compile          build
mvn              install          build
gcc                               build
g++                               build
cc                                build
clang                             build
javac                             build
rustc                             build
cmake            --build          build
ninja                             build
meson            compile          build
dotnet           build            build
swift            build            build
bazel            build            build
xcodebuild                        build
uv               build            build
poetry           build            build
hatch            build            build
hugo                              build
mkdocs           build            build
git              commit           commit
git              merge            commit
git              cherry-pick      commit
git              revert           commit
hg               commit           commit
jj               commit           commit
git              push             push
jj               git push         push
hg               push             push
docker           push             push
docker           push             publish
gh               pr create        request
gh               workflow run     http
glab             mr create        request
hub              pull-request     request
tea              pr create        request
az               repos pr create  request
npm              publish          publish
pnpm             publish          publish
yarn             publish          publish
yarn             npm publish      publish
twine            upload           publish
cargo            publish          publish
poetry           publish          publish
uv               publish          publish
flit             publish          publish
hatch            publish          publish
gem              push             publish
gh               release create   publish
gh-pages                          publish
surge                             publish
mkdocs           gh-deploy        publish
vsce             publish          publish
vercel                            deploy
netlify          deploy           deploy
fly              deploy           deploy
flyctl           deploy           deploy
kubectl          apply            deploy
kubectl          set              deploy
kubectl          rollout          deploy
helm             upgrade          deploy
helm             install          deploy
terraform        apply            deploy
tofu             apply            deploy
pulumi           up               deploy
ansible-playbook                  deploy
cdk              deploy           deploy
sam              deploy           deploy
serverless       deploy           deploy
sls              deploy           deploy
gcloud           deploy           deploy
firebase         deploy           deploy
wrangler         deploy           deploy
wrangler         publish          deploy
railway          up               deploy
kamal            deploy           deploy
eb               deploy           deploy
cap              deploy           deploy
docker           stack deploy     deploy
docker           compose up       deploy
docker-compose   up               deploy
systemctl        restart          deploy
aws              update-service   deploy
aws              update-function-code deploy
aws              sync             deploy
rsync                             deploy
scp                               deploy
git              push heroku      deploy
git              push dokku       deploy
crontab                           schedule
at                                schedule
batch                             schedule
schtasks                          schedule
launchctl        load             schedule
launchctl        bootstrap        schedule
systemctl        enable           schedule
systemd-run                       schedule
mail                              send
mailx                             send
sendmail                          send
mutt                              send
msmtp                             send
swaks                             send
telegram-send                     send
notify-send                       send
gh               pr comment       post
gh               issue comment    post
gh               pr review        post
gh               issue create     post
glab             mr note          post
toot             post             post
"""
_ROWS: dict[str, list[tuple[tuple[str, ...], str]]] = {}
for _line in _TABLE.strip().splitlines():
    _program, *_words, _act = _line.split()
    _ROWS.setdefault(_program, []).append((tuple(_words), _act))

# Words in the name of a script, a target or a tool, and what such a thing does.
_NAMES = {
    "test": "test", "tests": "test", "spec": "test", "e2e": "test", "ci": "test", "check": "test",
    "unittest": "test", "build": "build", "compile": "build", "bundle": "build", "lint": "lint",
    "typecheck": "types", "types": "types", "commit": "commit", "push": "push",
    "publish": "publish", "release": "publish", "deploy": "deploy", "ship": "deploy",
    "rollout": "deploy", "send": "send", "mail": "send", "email": "send", "notify": "send",
    "message": "send", "telegram": "send", "wechat": "send", "sms": "send", "post": "post",
    "tweet": "post", "comment": "post", "reply": "post", "agentx": "post", "schedule": "schedule",
    "scheduled": "schedule", "cron": "schedule", "reminder": "schedule", "remind": "schedule",
    "calendar": "schedule", "alarm": "schedule",
}  # fmt: skip
_READERS = make_set(
    "list get read search fetch find view show query status describe history inspect preview help"
)
_RUNNERS = make_set("""
make just task npm npx yarn pnpm bun rake invoke mage ninja ant mise hatch uv uvx poetry pdm pipenv
composer nx turbo lerna sbt zig flutter meson lein stack cabal act
""")
_SCRIPTS = make_set("python python3 node deno ruby perl php bash sh zsh ts-node tsx")
_CLIENTS = make_set("curl wget http https xh gh")
_INSTALLS = make_set("install i add ci update remove init lock sync")
_MOST_GLOBALS = 3  # words before a subcommand, such as the value of `-n`
# An option with which a program only looks.
_NOT_A_RUN_OF = {"crontab": "-l", "bash": "-n", "sh": "-n", "zsh": "-n"}
_NOT_A_RUN = make_set(
    "--help -h --version --dry-run --collect-only --list --list-tests --showlocals-only --fixtures"
)
_PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_SCRIPT_FILE = re.compile(r"(?:^|/)[\w.-]+\.(?:sh|py|js|ts|mjs|rb|pl|php)$|^\.{0,2}/")
_FILTERS = make_set("-k -t --grep -g --filter --lf --last-failed --testNamePattern -run --only")
_TEST_FILE = re.compile(r"^[\w./@-]+\.(?:py|[jt]sx?|rb|go|rs|java|php|exs|cs)$")
_REMOTES = make_set("calendar slack telegram email mail reminders cron scheduler")
_OPEN = make_set("browser click computer skill workflow navigate")
_DATA_FLAGS = make_set(
    "-f --field --raw-field -d --data --data-raw --data-binary --json -F --form -T --upload-file"
)
# What an unknown program, an agent or a request may have done.
UNKNOWN, HTTP, AGENT = "unknown", "http", "agent"


_PATH_FIELDS = ("file_path", "path", "notebook_path", "filename", "file")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.{1,300})$", re.MULTILINE)
_SOURCE = re.compile(
    r"\.(?:py|pyi|js|jsx|ts|tsx|mjs|cjs|vue|svelte|go|rs|java|kt|kts|scala|c|h|cc|cpp|hpp|cs|swift|m"
    r"|rb|php|pl|lua|ex|exs|erl|hs|ml|clj|dart|r|jl|zig|nim|sh|bash|sql|css|scss|html|proto|graphql"
    r"|ipynb)$|(?:^|/)(?:Makefile|Dockerfile)$",
    re.IGNORECASE,
)
_MOST_FILES = 12
_WRITES = (">", ">>", ">|", "&>", "&>>")
# Beside another act: it runs on after the call; it runs some of the tests only.
BACKGROUND, PART = "background", "part"


def is_source(path: str) -> bool:
    """Return whether a path is code, by its name; documents, data and temporary files are none."""
    return bool(_SOURCE.search(path)) and not path.startswith(("/tmp/", "/dev/"))  # noqa: S108 - a name


def find_edited_files(given: object) -> tuple[str, ...]:
    """Return the source files that a call of an editor or of a shell writes, as far as named."""
    if not isinstance(given, dict):
        return ()
    command = given.get("command", given.get("cmd", ""))
    named = [given[key] for key in _PATH_FIELDS if isinstance(given.get(key), str)]
    patch = given.get("patch") or given.get("input")
    if isinstance(patch, str):
        named += _PATCHED.findall(patch)
    if isinstance(command, str) and command and not named:
        named = _find_written(command)
    return tuple(dict.fromkeys(filter(is_source, named)))[:_MOST_FILES]


def _find_written(command: str) -> list[str]:
    """Return what redirections, `tee`, and `sed` and `perl` in place write."""
    named: list[str] = []
    for call in _read_calls(command):
        words = [word.text for word in call.words[1:]]
        named += [each.target.text for each in call.redirects if each.operator in _WRITES]
        flags = [word for word in words if word.startswith("-")]
        in_place = call.program in ("sed", "gsed", "perl", "ruby") and any(
            flag.startswith(("-i", "--in-place", "-pi", "-p -i")) for flag in flags
        )
        if in_place or call.program == "tee":
            named += [word for word in words if not word.startswith("-")]
    return named


def find_acts(tool: str, given: object, dialect: str = "") -> tuple[str, ...]:
    """Return what a call of a tool does, in its order; empty if that backs no claim.

    `edit` is an edit of a file; `http` a request with data; `agent` another agent; `unknown` a
    script.
    """
    kinds = families(tool, dialect)
    fields = given if isinstance(given, dict) else {}
    command = fields.get("command", fields.get("cmd", fields.get("script", "")))
    if isinstance(command, list):
        command = " ".join(map(str, command))
    if isinstance(command, str) and command and ("shell" in kinds or not kinds):
        acts = find_command_acts(command)
        acts = ("edit", *acts) if find_edited_files(given) else acts
        return (*acts, BACKGROUND) if fields.get("run_in_background") is True else acts
    if {"write", "edit"} & set(kinds):
        return ("edit",)
    if "agent" in kinds:
        return (AGENT,)
    return _find_tool_acts(tool)


def _read_calls(command: str) -> tuple[Call, ...]:
    # The grammar of the shell, which a call of another tool does not need.
    from hookline.text.script.evaluate import read_shell  # noqa: PLC0415

    return read_shell(command[:_LONGEST]).calls


def find_command_acts(command: str) -> tuple[str, ...]:
    """Return what a command line does, in its order."""
    acts = [act for call in _read_calls(command) for act in _find_call_acts(call)]
    return tuple(dict.fromkeys(acts))


def _find_call_acts(call: Call) -> Iterable[str]:
    program, words = call.program, [word.text for word in call.words[1:]]
    if call.language and not program:
        return (UNKNOWN,)
    acts = _find_program_acts(program, words, call.words[0].text if call.words else "")
    runner = call.via[-1].split()[0] if call.via and call.via[-1] else ""
    if not acts and runner in _RUNNERS:  # `hatch run test` names a target, `uv run` has options
        return _find_target_acts(runner, [program, *words], [program, *words])
    return acts


def _find_program_acts(program: str, words: Sequence[str], path: str) -> Sequence[str]:
    if _NOT_A_RUN & set(words) or _NOT_A_RUN_OF.get(program, "") in words:
        return ()
    if program in ("python", "python3", "py") and words[:1] == ["-m"] and len(words) > 1:
        program, words = words[1], words[2:]
    acts = [
        act for needed, act in _ROWS.get(program, ()) if _has_subcommand(program, words, needed)
    ]
    if "test" in acts and _is_part(words):
        acts.append(PART)
    if acts:
        return acts
    if program in _CLIENTS:
        return (HTTP,) if _sends_data(words) else ()
    return _find_named_acts(program, words, path)


def _find_named_acts(program: str, words: Sequence[str], path: str) -> Sequence[str]:
    """Return the acts of a target such as `make test`, or of a script, by its name."""
    plain = [word for word in words if not word.startswith("-") and "=" not in word]
    if program in _RUNNERS:
        return _find_target_acts(program, words, plain)
    if program in _SCRIPTS and plain:
        name = plain[0].rpartition("/")[2]
        if name in _ROWS:
            return _find_program_acts(name, words[words.index(plain[0]) + 1 :], "")
        return _name_acts((name,)) or (UNKNOWN,)
    if _SCRIPT_FILE.search(path):
        return _name_acts((program,)) or (UNKNOWN,)
    return ()


def _find_target_acts(program: str, words: Sequence[str], plain: Sequence[str]) -> Sequence[str]:
    """Return the acts of `npm run test`, or of `pnpm vitest`, which runs a program."""
    targets = [word for word in plain if word not in ("run", "run-script", "exec", "dlx")]
    if not targets:
        return ("build",) if program in ("make", "ninja", "ant") else ()
    is_target = program == "make" or bool({"run", "run-script"} & set(words[:2]))
    if not is_target and _INSTALLS & set(targets[:3]):
        return ()
    inner = next((word for word in targets[:3] if word in _ROWS), "")
    if inner:
        return _find_program_acts(inner, words[words.index(inner) + 1 :], "")
    return _name_acts(targets[:3])


def _name_acts(names: Iterable[str]) -> tuple[str, ...]:
    parts = [part.lower() for name in names for part in _PARTS.findall(name)]
    return tuple(dict.fromkeys(_NAMES[part] for part in parts if part in _NAMES))


def _find_tool_acts(tool: str) -> tuple[str, ...]:
    """Return what a tool that is no shell and no editor does, by the words of its name."""
    server, _, name = tool.rpartition("__")
    parts = [part.lower() for part in _PARTS.findall(name or tool)]
    if not parts or parts[0] in _READERS:
        return ()
    joined = "_".join(parts)
    if ("pull_request" in joined or "merge_request" in joined) and parts[0] in ("create", "open"):
        return ("request",)
    if joined in ("create_or_update_file", "push_files"):
        return ("commit", "push")
    named = _name_acts((name or tool, *(_REMOTES & set(_PARTS.findall(server)))))
    # A tool of a server, or of a browser, may do what its name does not say.
    is_open = bool(server) or bool(_OPEN & set(parts))
    return named or ((HTTP,) if is_open else ())


def _is_part(words: Sequence[str]) -> bool:
    """Return whether a test run is of chosen tests: by a file, a name or a filter."""
    return any(
        word.partition("=")[0] in _FILTERS or "::" in word or bool(_TEST_FILE.search(word))
        for word in words
    )


def _has_subcommand(program: str, words: Sequence[str], needed: Sequence[str]) -> bool:
    """Return whether words hold a subcommand in its order, options between them aside."""
    if not needed:
        return True
    plain = [word for word in words if not word.startswith("-")]
    if program in ("git", "hg"):
        plain = _drop_git_options(words)
        return tuple(plain[: len(needed)]) == tuple(needed)
    flags = [word for word in words if word.startswith("-")]
    if needed[0].startswith("-"):
        return needed[0] in flags
    if needed[0] not in plain[:_MOST_GLOBALS]:
        return False
    rest = iter(plain)
    return all(any(word == wanted for word in rest) for wanted in needed)


def _drop_git_options(words: Sequence[str]) -> list[str]:
    """Return the words after the options that stand before a subcommand, without further ones."""
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in ("-C", "-c") else 1
    return [word for word in words[place:] if not word.startswith("-")]


def _sends_data(words: Sequence[str]) -> bool:
    joined = " ".join(words)
    method = re.search(r"(?:-X|--request|--method)[ =]?(?:POST|PUT|PATCH)|\bPOST\b|--post-", joined)
    return bool(method) or any(word.partition("=")[0] in _DATA_FLAGS for word in words)
