"""The rules that hold between rooms: who may import whom and what, and where chance comes from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("meshes", "sim", "calibration")  # each may import itself and those before it
MODULES = sorted(
    path for room in ROOMS if (ROOT / room).is_dir() for path in (ROOT / room).rglob("*.py")
)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            yield node.module or ""


def modules_that_import(package: str) -> set[str]:
    return {
        name_of(path)
        for path in MODULES
        if any(name.split(".")[0] == package for name in imports(ast.parse(path.read_text())))
    }


def test_there_are_modules_to_check() -> None:
    assert {"meshes/shape.py", "sim/throw.py", "sim/engine/bullet.py"} <= set(map(name_of, MODULES))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_one_way(path: Path) -> None:
    own = ROOMS.index(path.relative_to(ROOT).parts[0])
    for name in imports(ast.parse(path.read_text())):
        room = name.split(".")[0]
        assert room not in ROOMS[own + 1 :], f"{name_of(path)} imports {name}"
        assert room != "tests"


def test_one_module_alone_imports_pybullet() -> None:
    assert modules_that_import("pybullet") == {"sim/engine/bullet_world.py"}


def test_the_fast_engine_alone_imports_its_compiler() -> None:
    assert modules_that_import("numba") == {"sim/engine/fast/compiled.py"}


def test_one_module_alone_imports_mujoco() -> None:
    assert modules_that_import("mujoco") == {"sim/engine/mujoco.py"}


@pytest.mark.parametrize("package", ["trimesh", "manifold3d"])
def test_meshes_alone_imports_mesh_libraries(package: str) -> None:
    found = modules_that_import(package)
    assert found
    assert all(name.startswith("meshes/") for name in found)


def test_nothing_imports_the_generator_of_the_standard_library() -> None:
    assert modules_that_import("random") == set()


SEEDED = {"default_rng", "Generator", "SeedSequence", "BitGenerator", "PCG64", "Philox"}


def attribute_chains(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node, ast.unparse(node)


def draws_from_global_generator(tree: ast.AST) -> list[str]:
    chains = [text for _, text in attribute_chains(tree)]
    found = [
        text
        for text in chains
        if re.fullmatch(r"(np|numpy)\.random\.\w+", text) and text.split(".")[-1] not in SEEDED
    ]
    unseeded = [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).split(".")[-1] in ("default_rng", "SeedSequence")
        and not node.args
        and not node.keywords
    ]
    return found + unseeded


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_chance_comes_from_a_seed(path: Path) -> None:
    assert draws_from_global_generator(ast.parse(path.read_text())) == []


@pytest.mark.parametrize(
    "line",
    ["np.random.rand(4)", "numpy.random.seed(1)", "np.random.default_rng()", "SeedSequence()"],
)
def test_rule_of_chance_finds_what_it_must_refuse(line: str) -> None:
    assert draws_from_global_generator(ast.parse(line))


def unseeded_rotations(tree: ast.AST) -> list[str]:
    """Draws by libraries that fall back to the global generator when not given one."""
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and re.search(r"(Rotation\.random|\.rvs|random_rotation_matrix)$", ast.unparse(node.func))
        and not {"random_state", "rng"} & {keyword.arg for keyword in node.keywords}
    ]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_libraries_draw_from_a_generator_that_they_are_given(path: Path) -> None:
    assert unseeded_rotations(ast.parse(path.read_text())) == []


@pytest.mark.parametrize("line", ["Rotation.random(4)", "stats.norm.rvs(size=3)"])
def test_rule_of_libraries_finds_what_it_must_refuse(line: str) -> None:
    assert unseeded_rotations(ast.parse(line))
    assert not unseeded_rotations(ast.parse(line.replace(")", ", random_state=rng)")))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_engine_state_is_neither_saved_nor_put_to_sleep(path: Path) -> None:
    """Saved states of PyBullet do not mix with sleeping; we use neither."""
    text = path.read_text()
    for word in ("saveState", "restoreState", "enableSleeping", "ACTIVATION_STATE"):
        assert word not in text


def test_python_is_one_that_pybullet_has_wheels_for() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    assert re.search(r'requires-python = ">=3\.10,<3\.12"', text)
