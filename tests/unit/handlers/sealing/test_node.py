"""Does a script that Node runs do what it does from its file, whatever lies there by then, on each Node that is here?

`HOOKLINE_TEST_NODES` names more of them, as `PATH` does programs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from hookline.handlers.sealing.node import format_of
from tests.unit.handlers.sealing.running import Ran, Script, both

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

NODES = [
    path
    for path in (shutil.which("node"), *os.environ.get("HOOKLINE_TEST_NODES", "").split(os.pathsep))
    if path
]
on_each_node = pytest.mark.parametrize(
    "node",
    NODES or [pytest.param("", marks=pytest.mark.skip(reason="node is not on this machine"))],
)
FILES = {
    "lib/x.mjs": "export const says = 'lib';\n",
    "lib/c.cjs": "exports.says = 'cjs';\n",
    "d.json": '{"j": [1]}\n',
    "node_modules/pk/package.json": '{"exports": {"import": "./i.mjs", "require": "./r.cjs"}}',
    "node_modules/pk/i.mjs": "export default 'imported';\n",
    "node_modules/pk/r.cjs": "module.exports = 'required';\n",
}
MODULE = {"package.json": '{"name": "x", "type": "module"}'}
COMMONJS = {"package.json": '{"name": "x", "type": "commonjs"}'}
# What hooks that are ES modules do: name -> text, and what lies beside them.
SCRIPTS = [
    ("x.mjs", "let all = ''; for await (const part of process.stdin) all += part; console.log(all.toUpperCase()); process.exitCode = 2", {}),
    ("x.mjs", "#!/usr/bin/env node\nimport { readFileSync } from 'fs'; console.error(readFileSync(0, 'utf8')); process.exit(2)", {}),
    ("x.mjs", "import { fileURLToPath as f } from 'url';\nif (process.argv[1] === f(import.meta.url)) console.log('main', import.meta.main)", {}),
    ("x.mjs", "console.log(import.meta, process.argv.slice(1), process.execArgv, process.mainModule, Object.keys(globalThis))", {}),
    ("x.mjs", "console.log(typeof require, typeof module, typeof __filename, typeof fs, typeof LOADER, typeof told, typeof start, this)", {}),
    ("x.mjs", (
        "import { createRequire as c } from 'module'; import pk from 'pk'; const require = c(import.meta.url); "
        "console.log(pk, require('pk'), require('./lib/c.cjs'), require('./d.json'), import.meta.resolve?.('pk'))"), {}),
    ("x.mjs", "const { says } = await import('./lib/x.mjs'); console.log(says); try { await import('./none.mjs') } catch (e) { console.log(e.code) }", {}),
    ("x.mjs", "import * as self from './x.mjs'; export const v = 1; console.log(self.v)", {}),
    ("x.mjs", "console.log(1);\nawait new Promise(() => {})", {}),
    ("x.mjs", "\n\nfunction f() { throw new TypeError('no') }\nawait 1;\nf()", {}),
    ("x.mjs", "process.on('uncaughtException', (e, from) => { console.log(e.message, from); process.exit(4) }); throw new Error('no')", {}),
    ("x.mjs", "import { fork } from 'child_process'; fork(new URL('kid.mjs', import.meta.url).pathname, ['a'])", {
        "kid.mjs": "console.log(import.meta.url, process.argv.slice(2), process.execArgv)"}),
    ("x.mjs", "import { Worker } from 'worker_threads'; new Worker(new URL('kid.mjs', import.meta.url))", {
        "kid.mjs": "import { fork } from 'child_process'; if (process.argv[2]) console.log('kid', process.argv[2]);\n"
                   "else fork(new URL(import.meta.url).pathname, ['a'])"}),
    ("x.js", "'use strict'; import { says } from './lib/x.mjs'; console.log(says)", MODULE),
    ("x.js", "console.log(typeof require, (await import('./lib/x.mjs')).says)", MODULE),
    ("x.js", "console.log(require('./lib/c.cjs'), require.main === module, module.id, module.parent, typeof fs)", COMMONJS),
    ("x.cjs", "console.log(require('./lib/c.cjs'), __filename, process.execArgv, Object.keys(require.cache).length)", MODULE),
    ("x.js", "// import a from b\nconsole.log(require.main === module, this === module.exports, require('./lib/c.cjs'))", {}),
    ("x", "#!/usr/bin/env node\nconsole.log(require('./lib/c.cjs'), __dirname)", {}),
    ("x.js", "\ufeffconsole.log(require('./lib/c.cjs'))", {}),
    ("x.js", "exports.a = 1; module.exports = () => 1; if (require.main !== module) console.log('no'); else return console.log('yes')", {}),
]  # fmt: skip
# What only some versions run, each in a way of its own: without a `package.json`.
DETECTED = [
    ("x.js", "import { says } from './lib/x.mjs'; console.log(says, import.meta.url)", {}),
    ("x.js", "const { says } = await import('./lib/x.mjs'); console.log(says)", {}),
    ("x", "#!/usr/bin/env node\nconsole.log(await 1, typeof require)", {}),
    ("x.js", "const require = (await import('module')).createRequire(import.meta.url); console.log(require('./d.json'))", {}),
    ("x.ts", "import { says } from './lib/x.mjs'; const a: string = says; console.log(a, import.meta.url)", {}),
    ("x.ts", "const a: string = require('./lib/c.cjs').says; console.log(a, require.main === module)", {}),
    ("x.mts", "interface A { a: string }\nconst a: A = { a: 'a' };\nconsole.log(a)", {}),
    ("x.cts", "const a: string = __filename; console.log(a)", {}),
    ("x.ts", "const a: number = await 1; console.log(a, typeof require)", MODULE),
]  # fmt: skip


def script(folder: Path, name: str, text: str, beside: dict[str, str]) -> Script:
    """A script, and what lies beside it."""
    for path, content in {**FILES, **beside}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    return Script(folder, name, text + "\n")


@pytest.mark.process
@on_each_node
@pytest.mark.parametrize(("name", "text", "beside"), SCRIPTS)
def test_it_does_what_it_does_from_its_file(
    tmp_path: Path, node: str, name: str, text: str, beside: dict[str, str]
) -> None:
    """Its place, its words, its input, its siblings, its errors and its end; nothing of the loader is left, and no warning comes along."""
    made = script(tmp_path, name, text, beside)
    is_old = (
        made.plain([node, "-e", "process.exit(require('module').register ? 0 : 1)"]).told[0] == 1
    )
    plain, sealed = both(made, "node", [node], ["a", "-b"], reads=is_old)

    assert sealed == plain
    assert plain.told != (0, "", "")


@pytest.mark.process
@on_each_node
@pytest.mark.parametrize(("name", "text", "beside"), DETECTED)
def test_what_does_not_say_what_it_is_runs_as_that_node_takes_it(
    tmp_path: Path, node: str, name: str, text: str, beside: dict[str, str]
) -> None:
    """What a Node does not run may fail otherwise, or run as the next one has it."""
    made = script(tmp_path, name, text, beside)
    plain, sealed = both(made, "node", [node], ["a"])

    assert plain.told[0] == 1 or _less_process(sealed) == _less_process(plain)
    assert sealed.told[0] == 0 or plain.told[0] == 1


def _less_process(ran: Ran) -> Ran:
    """Without the number of the process in front of a warning."""
    return Ran(ran.told[0], ran.told[1], re.sub(r"\(node:\d+\)", "(node)", ran.told[2]))


def _deleted(made: Script) -> None:
    made.path.unlink()


def _linked(made: Script) -> None:
    """As a link to another script."""
    (made.folder / "evil.cjs").write_text("console.log('evil')\n", encoding="utf-8")
    made.path.unlink()
    made.path.symlink_to("evil.cjs")


def _of_another_kind(made: Script) -> None:
    """Another script in a package of another kind."""
    kind = "commonjs" if "import" in made.path.read_text(encoding="utf-8") else "module"
    made.path.write_text("console.log('evil')\n", encoding="utf-8")
    (made.folder / "package.json").write_text(f'{{"type": "{kind}"}}', encoding="utf-8")


@pytest.mark.process
@on_each_node
@pytest.mark.parametrize("change", [_deleted, _linked, _of_another_kind])
@pytest.mark.parametrize(
    ("name", "text", "beside"),
    [
        ("x.mjs", "import os from 'os'; console.log(typeof os.EOL, import.meta.url)", {}),
        ("x.js", "import os from 'os'; console.log(typeof os.EOL, import.meta.url)", MODULE),
        ("x.js", "console.log(typeof require, __filename)", {}),
        ("x.js", "console.log(typeof require, __filename)", COMMONJS),
    ],
)
def test_what_lies_there_by_then_is_not_what_runs(
    tmp_path: Path, node: str, change: object, name: str, text: str, beside: dict[str, str]
) -> None:
    """Not by its bytes, nor by where it leads, nor by what its package says; a Node that can be given no module stops."""
    made = script(tmp_path, name, text, beside)
    sealed = made.sealed("node", [node])
    assert sealed is not None
    plain = made.plain([node])
    assert callable(change)
    change(made)
    ran = made.run(sealed)

    assert ran == plain or (ran.told[0] == 1 and "changed since it was looked at" in ran.told[2])
    assert "evil" not in ran.told[1]


@pytest.mark.process
@on_each_node
@pytest.mark.parametrize(
    ("lacks", "swapped"),
    [
        ("registerHooks", Ran(0, "ours\n")),
        ("registerHooks register", Ran(1, "", "`{path}` changed since it was looked at\n")),
    ],
)
def test_an_older_node_serves_the_bytes_in_another_way_or_stops(
    tmp_path: Path, node: str, lacks: str, swapped: Ran
) -> None:
    """One that has no way to be given a module compares it right before it is read, and says what is wrong."""
    (tmp_path / "old.cjs").write_text(
        f"const M = require('module'); for (const n of '{lacks}'.split(' ')) delete M[n]; if (!M.register) M.register = undefined",
        encoding="utf-8",
    )
    env = {**os.environ, "NODE_OPTIONS": f"--require {tmp_path}/old.cjs"}
    made = script(tmp_path, "x.mjs", "console.log('ours')", {})
    if (
        "register" not in lacks.split()
        and made.plain([node, "-e", "process.exit(+!require('module').register)"]).told[0]
    ):
        pytest.skip("this node has neither")
    sealed = made.sealed("node", [node])
    assert sealed is not None

    assert made.run(sealed, env=env) == made.plain([node], env=env) == Ran(0, "ours\n")
    made.swapped()
    code, stdout, stderr = swapped.told
    assert made.run(sealed, env=env) == Ran(
        code, stdout, stderr.format(path=os.path.realpath(made.path))
    )


@pytest.mark.process
@on_each_node
def test_a_link_to_a_script_is_its_name_and_not_its_place(tmp_path: Path, node: str) -> None:
    """As Node has it."""
    script(tmp_path, "x.mjs", "console.log(process.argv[1], import.meta.url)", {})
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/y").symlink_to("../x.mjs")
    made = Script.__new__(Script)
    made.folder, made.path = tmp_path, tmp_path / "bin/y"
    sealed = made.sealed("node", [node], "bin/y")
    assert sealed is not None

    assert (
        made.run(sealed)
        == made.plain([node], shown="bin/y")
        == Ran(0, f"{tmp_path}/bin/y file://{os.path.realpath(tmp_path)}/x.mjs\n")
    )


@pytest.mark.process
@on_each_node
def test_a_loader_that_the_environment_brings_reads_typescript_as_ever(
    tmp_path: Path, node: str
) -> None:
    """It may be what makes something else of it; the script is compared before it is read."""
    made = script(
        tmp_path,
        "x.cts",
        "console.log(1)",
        {
            "pre.cjs": "require('module')._extensions['.cts'] = m => m._compile('console.log(2)', 'x')"
        },
    )
    env = {**os.environ, "NODE_OPTIONS": f"--require {tmp_path}/pre.cjs"}
    told = subprocess.run(
        [node, "-p", "!!process.features.typescript"],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout
    if told != "true\n":
        pytest.skip("this node reads no TypeScript")
    sealed = made.sealed("node", [node], env=env)
    assert sealed is not None

    assert made.run(sealed, env=env) == made.plain([node], env=env) == Ran(0, "2\n")


@pytest.mark.parametrize(
    ("name", "package", "found"),
    [
        ("x.mjs", None, "module"),
        ("x.cjs", '{"type": "module"}', "commonjs"),
        ("x.mts", None, "module-typescript"),
        ("x.cts", None, "commonjs-typescript"),
        ("x.js", None, ""),
        ("x.js", "{}", ""),
        ("x.js", "[]", ""),
        ("x.js", '{"type": "module"}', "module"),
        ("x.js", '{"type": "commonjs"}', "commonjs"),
        ("x.js", '{"type": "odd"}', ""),
        ("x.js", '{"exports": {"type": "module"}}', ""),
        ("x.js", '{"type": ', None),
        ("x", '{"type": "module"}', "module"),
        ("x.hook", '{"type": "module"}', None),
        ("x.hook", "{}", "commonjs"),
        ("x.ts", "{}", "typescript"),
        ("x.ts", '{"type": "module"}', "module-typescript"),
        ("x.ts", '{"type": "commonjs"}', "commonjs-typescript"),
        ("x.tsx", "{}", None),
        ("x.json", "{}", None),
        ("node_modules/pk/x.js", '{"type": "module"}', ""),
        ("deep/er/x.js", '{"type": "module"}', "module"),
    ],
)
def test_what_a_file_is_its_name_says_or_its_package(
    tmp_path: Path, name: str, package: str | None, found: str | None
) -> None:
    """As Node has it; None is what Node does not run, or not from here."""
    if package is not None:
        (tmp_path / "package.json").write_text(package, encoding="utf-8")
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)

    assert format_of(str(tmp_path / name)) == found


@pytest.mark.parametrize(
    ("options", "is_sealed"),
    [
        (["--no-warnings"], True),
        (["--experimental-vm-modules"], True),
        (["--enable-source-maps", "--"], True),
        (["-r", "./hook.js"], False),
        (["--import=tsx"], False),
        (["--experimental-loader", "./l.mjs"], False),
        (["--experimental-strip-types"], False),
        (["--watch"], False),
        (["--check"], False),
        (["--preserve-symlinks-main"], False),
    ],
)
def test_what_reads_a_script_in_a_way_of_its_own_reads_it_from_its_place(
    tmp_path: Path, options: list[str], is_sealed: bool
) -> None:
    """A loader that an option brings lies at its own place, too; any other option changes nothing."""
    assert (
        Script(tmp_path, "x.js", "1").sealed("node", ["node", *options]) is not None
    ) == is_sealed
    assert (
        Script(tmp_path, "x.ts", "1").sealed("node", ["node", "--experimental-strip-types"])
        is not None
    )
