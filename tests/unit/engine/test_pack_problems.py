"""An engine finds packs whose files are not those of their lock files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hookline.engine.approval_service import (
    approve,
    find_statuses,
    get_gate_for,
    list_pack_problems,
)
from hookline.engine.engine import Engine
from hookline.engine.pack_problems import explain_missing, find_pack_problems
from hookline.errors import TrustError
from hookline.packs.lock import list_packs
from hookline.packs.plan import apply, plan_add

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment whose home has a pack."""
    (tmp_path / "my-pack").mkdir()
    text = "version: 1\nhooks:\n  - {on: tool.before, deny: x}\n"
    (tmp_path / "my-pack/hookline.yaml").write_text(text)
    environ = {"HOME": str(tmp_path / "home")}
    apply(plan_add(str(tmp_path / "my-pack"), environ), environ)
    return environ


def test_other_files_have_no_pack(environ: dict[str, str]) -> None:
    """Whatever they are called."""
    assert find_pack_problems(["/x/hookline.yaml", ""], environ) == {}
    assert explain_missing("/x/hookline.yaml", environ) is None


def test_an_intact_pack_has_no_problem(tmp_path: Path, environ: dict[str, str]) -> None:
    """And its hooks can be approved."""
    engine = Engine.discover(tmp_path, environ=environ, trust="approved")
    states = [each.trust for each in find_statuses(engine).values()]
    approve(get_gate_for(engine), states)

    assert list_pack_problems(engine) == []
    assert [each.trust.state for each in find_statuses(engine).values()] == ["approved"]


def test_a_damaged_pack_is_approved_by_no_door(tmp_path: Path, environ: dict[str, str]) -> None:
    """Chat and HTTP ask the same function."""
    (pack,) = list_packs(environ)
    with open(f"{pack.root}/files/hookline.yaml", "a", encoding="utf-8") as file:
        file.write("# edited\n")
    engine = Engine.discover(tmp_path, environ=environ, trust="approved")
    states = [each.trust for each in find_statuses(engine).values()]
    with pytest.raises(TrustError, match="is not as it was installed") as caught:
        approve(get_gate_for(engine), states)

    assert caught.value.name == "pack.changed"
    assert [problem.name for problem in list_pack_problems(engine)] == ["pack.changed"]
