"""Modules of hookline import each other in one direction only."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src/hookline"
PACKAGE = "hookline"


def module_name(path: Path) -> str:
    """Return the dotted name of a file of the package."""
    parts = (PACKAGE, *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_names(path: Path) -> set[str]:
    """Return the dotted names that a file imports, in functions and under TYPE_CHECKING too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def import_graph() -> dict[str, set[str]]:
    """Return which modules of the package each of them imports.

    Importing a name from a module counts for that module; importing a module from its package
    counts for the module alone.
    """
    paths = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}
    graph: dict[str, set[str]] = {}
    for module, path in paths.items():
        found = imported_names(path) & set(paths)
        packages = {name.rpartition(".")[0] for name in found}
        graph[module] = {
            name for name in found if name not in packages or paths[name].name != "__init__.py"
        } - {module}
    return graph


def find_cycles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Return the strongly connected components of more than one member (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    cycles: list[set[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            component = set(stack[at:])
            del stack[at:]
            if len(component) > 1:
                cycles.append(component)

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return cycles


def test_cycles_are_found() -> None:
    """A cycle of three modules is one component.

    Modules that only lead to it or follow it are not in it.
    """
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"a"}}

    assert find_cycles(graph) == [{"a", "b", "c"}]


def test_modules_import_each_other_in_one_direction() -> None:
    """No cycle of imports, types and imports inside of functions included."""
    assert [sorted(cycle) for cycle in find_cycles(import_graph())] == []
