"""Runners: programs that run something by rules of their own, often code of the folder in which they are started.

Build tools and test runners do, and so do linters and type checkers whose settings or plugins are code. What only reads code, as
`ruff`, `black`, `gofmt`, `shellcheck` and `tsc` do, is none.
"""

from __future__ import annotations

# What runs what it is told to, elsewhere or later.
_HANDING = frozenset({
    "at", "batch", "bwrap", "chronic", "chroot", "direnv", "doas", "docker", "entr", "firejail", "gdb", "gxargs", "ifne", "ltrace", "mise",
    "newgrp", "nix", "nix-shell", "nsenter", "parallel", "pkexec", "podman", "run-parts", "runuser", "screen", "script", "ssh", "su", "sudo",
    "systemd-run", "tmux", "unbuffer", "watch", "xargs",
})  # fmt: skip
# What builds, tests and starts a project, by files of that project.
_BUILDING = frozenset({
    "ant", "bazel", "bazelisk", "bmake", "buck", "buck2", "bundle", "cabal", "cargo", "clj", "clojure", "cmake", "composer", "corepack", "ctest",
    "dart", "dotnet", "dune", "flutter", "gmake", "go", "gradle", "grunt", "gulp", "hatch", "invoke", "jake", "just", "lein", "lerna",
    "make", "meson", "mix", "msbuild", "mvn", "ng", "nimble", "ninja", "nmake", "nox", "npm", "npx", "nx", "pants", "pdm", "pipenv", "pnpm",
    "pnpx", "poetry", "rails", "rake", "rye", "samu", "sbt", "scons", "stack", "swift", "task", "tox", "turbo", "waf", "xcodebuild", "yarn",
    "zig",
})  # fmt: skip
_TESTING = frozenset({
    "ava", "behave", "bats", "coverage", "cucumber", "cypress", "jasmine", "jest", "karma", "mocha", "nosetests", "pest", "phpunit",
    "playwright", "prove", "py.test", "pytest", "rspec", "stestr", "tap", "vitest",
})  # fmt: skip
_CHECKING = frozenset({
    "babel", "commitlint", "dmypy", "eslint", "eslint_d", "flake8", "husky", "lefthook", "lint-staged", "mypy", "overcommit", "perlcritic",
    "php-cs-fixer", "phpstan", "pre-commit", "prettier", "prettierd", "psalm", "pylint", "rubocop", "stylelint", "xo",
})  # fmt: skip
_SERVING = frozenset({
    "alembic", "ansible-playbook", "astro", "celery", "django-admin", "expo", "flask", "gatsby", "gunicorn", "ipython",
    "jekyll", "jupyter", "mkdocs", "next", "nodemon", "nuxt", "parcel", "pm2", "pulumi", "pydoc", "rackup", "rollup", "rspack", "serverless",
    "sphinx-build", "storybook", "streamlit", "svelte-kit", "uvicorn", "vite", "webpack",
})  # fmt: skip
_OPAQUE = _HANDING | _BUILDING | _TESTING | _CHECKING | _SERVING
_VERSION = "0123456789."


def is_opaque(name: str) -> bool:
    """Whether what a program of that name runs is only known to it."""
    return name in _OPAQUE or name.rstrip(_VERSION).removesuffix("-") in _OPAQUE
