"""Node's loader: what `-e` runs before a script, which leaves nothing of itself behind and starts the script as Node would.

It is told the number of a descriptor with the script's bytes, what the script is, its name and its real path. Three ways lead there:

- Node 22.15, 23.5 and newer: hooks of this thread (`registerHooks`) serve the bytes to Node's own start of a program.
- Node 18.19, 20.6 and newer: a CommonJS script is compiled as the main module; for an ES module a hook in another thread (`register`)
  serves the bytes. These versions start a program as an ES module only where its name says so, so that they are given such a name, which
  the hook leads back.
- Older ones, which can be given no module: it is compared right before Node reads it, which is all that they allow. The same goes for
  TypeScript where `NODE_OPTIONS` brings a loader that may be what reads it, and for Node 22.6 to 22.14, which cannot be given any.

A script that does not say what it is, is what Node's own rule says: CommonJS if it can be compiled as such, or else an ES module if that
is what it fails by, or if it can be compiled within an asynchronous function; where Node itself can be asked, Node is. `M._findPath` is
what Node asks first for the path of a program, and the one place at which it can be kept from the disk. Whoever forks from a worker thread
inherits this text with other words behind it, and gets the plain start of a program.
"""

from __future__ import annotations

LOADER = r"""(() => {
const M = require('module'), F = require('fs'), P = require('path'), U = require('url').pathToFileURL, V = require('vm');
const a = process.argv, told = /^(\d+):([\w-]*)$/.exec(a[1]), g = globalThis, main = M._findPath;
process.execArgv.splice(process.execArgv.lastIndexOf('-e'), 2);
delete process._eval;
for (const n of M.builtinModules) {
  const d = Object.getOwnPropertyDescriptor(g, n);
  if (d && d.set && d.set.name === 'setReal') delete g[n];
}
for (const n of ['exports', 'require', '__filename', '__dirname']) delete g[n];
Object.defineProperty(g, 'module', {configurable: true, set() { delete g.module; }});

function start(found) {
  M._findPath = () => { M._findPath = main; return found; };
  M.runMain(a[1]);
}
function compiles(text) {
  try { V.compileFunction(text, ['exports', 'require', 'module', '__filename', '__dirname']); } catch (e) { return e.message; }
  return '';
}
function detected(text, [major, minor]) {
  const esm = /^(?:Cannot use import statement outside|Unexpected token 'export'|Cannot use 'import.meta' outside)/;
  const why = compiles(text);
  if (!why || !(M.registerHooks || major > 22 || major == 22 && minor > 6 || major == 20 && minor > 18)) return 'commonjs';
  if (esm.test(why)) return 'module';
  if (M.registerHooks) return '';
  const inside = compiles('(async function() {' + text + '\n})();');
  return !inside || esm.test(inside) ? 'module' : '';
}
function compared(data, real) {
  let same = false;
  try { same = F.realpathSync(a[1]) === real && F.readFileSync(real).equals(data); } catch (e) {}
  if (!same) {
    console.error('`' + real + '` changed since it was looked at');
    process.exit(1);
  }
  M.runMain(a[1]);
}
function hooked(data, url, format) {
  let asked = false;
  const hooks = M.registerHooks({
    resolve(name, context, next) {
      if (name !== url && (asked || context.parentURL)) return next(name, context);
      asked = true;
      return {url, format: format || undefined, shortCircuit: true};
    },
    load(name, context, next) {
      if (name !== url) return next(name, context);
      const imported = [...context.conditions].includes('import');
      if (imported || format.startsWith('commonjs')) hooks.deregister();
      const found = imported && format === 'typescript' ? 'module-typescript' : format || (imported ? 'module' : undefined);
      return {format: found, source: data, shortCircuit: true};
    },
  });
  start(false);
}
function compiled(text, real, format) {
  const m = new M(real, null);
  m.id = '.';
  m.filename = real;
  m.paths = M._nodeModulePaths(P.dirname(real));
  process.mainModule = m;
  M._cache[real] = m;
  if (process.features.require_module) m._compile(text, real, format || undefined);
  else m._compile(text, real);
  m.loaded = true;
}
function registered(source, url, real) {
  const named = real + '.mjs', realpath = F.realpathSync;
  M.register('data:text/javascript,' + encodeURIComponent(`let d; export const initialize = x => { d = x; };
    export const resolve = (n, c, next) => n === d.named || n === d.url ? {url: d.url, format: 'module', shortCircuit: true} : next(n, c);
    export const load = (n, c, next) => n === d.url ? {format: 'module', source: d.source, shortCircuit: true} : next(n, c);`
  ), {data: {named: U(named).href, url, source}});
  F.realpathSync = (...given) => {
    if (given[0] !== named) return realpath(...given);
    F.realpathSync = realpath;
    return named;
  };
  F.realpathSync.native = realpath.native;
  start(named);
}
if (!told) {
  a[1] = P.resolve(a[1]);
  M.runMain(a[1]);
} else {
  const [, path, real] = a.splice(1, 3), data = F.readFileSync(+told[1]), url = U(real).href;
  const text = data.toString().replace(/^\uFEFF/, '').replace(/^#!.*/, ''), options = process.env.NODE_OPTIONS || '';
  const strips = process.features.typescript || /(?:strip|transform)-types/.test(process.execArgv + options);
  const typed = /typescript/.test(told[2]) && strips;
  let format = typed ? told[2] : told[2].replace(/-?typescript/, '');
  a.splice(1, 0, P.resolve(path));
  if (!format) format = detected(text, process.versions.node.split('.'));
  if (typed && (!M.registerHooks || /--import|--require|-r\b|loader/.test(options))) compared(data, real);
  else if (M.registerHooks) hooked(data, url, format);
  else if (format !== 'module') compiled(text, real, format);
  else if (M.register) registered(data, url, real);
  else compared(data, real);
}
})();
"""
