"""Which programs run code of the folder in which they are started?"""

from __future__ import annotations

import pytest

from hookline.text.runners import is_opaque


@pytest.mark.parametrize(
    "name",
    [
        "bazel", "cargo", "cmake", "composer", "dotnet", "eslint", "go", "go1.22", "grunt", "gulp", "jest", "mix", "mocha", "mypy", "newgrp",
        "ninja", "phpstan", "prettier", "prove", "pydoc3", "pydoc3.11", "pylint", "pytest", "rails", "rubocop", "rye", "tox", "vitest", "webpack",
    ],
)  # fmt: skip
def test_what_loads_a_projects_code_is_known(name: str) -> None:
    """Build tools, test runners, and checkers whose settings or plugins are code; also with a version behind their names."""
    assert is_opaque(name)


@pytest.mark.parametrize(
    "name",
    [
        "black", "cat", "clang-format", "curl", "fd", "gh", "git", "gofmt", "goimports", "grep", "hadolint", "isort", "jq", "markdownlint", "nixfmt",
        "notify-send", "osv-scanner", "pyright", "rg", "ruff", "rustfmt", "say", "sed", "shellcheck", "shfmt", "stylua", "taplo", "tsc", "tsort",
        "yamllint", "yq",
    ],
)  # fmt: skip
def test_what_only_reads_is_not(name: str) -> None:
    """It runs nothing but itself."""
    assert not is_opaque(name)
