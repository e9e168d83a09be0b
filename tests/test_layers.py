"""The order of rooms: what imports what, read from the source.

A room may import itself and earlier ones. An import inside a function counts like any other, and so does one that is
there for type hints alone: who names a later room knows of it. A name of the package itself (`gambol.simulate`) counts
as the module that it comes from, and modules that are imported by a text could be anything, so nobody does that.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import gambol

ROOT = Path(gambol.__file__).parent
LINE = ("root", "geometry", "bodies", "world", "kinematics", "dynamics", "features", "control", "planning", "behaviors",
        "runs", "synthesis", "tuning", "policies", "envs", "reporting", "explain", "studio", "experiments", "cli")
"""Each room may import those before it. Rooms that are planned have their place already."""
BESIDE = {"motion": ("root", "geometry", "bodies", "world"), "optim": ("root",)}
"""Rooms beside the line, with all they may import; who comes later than the last of these may import them."""
DOORS = {"__main__": "cli", "rollout": "runs"}
"""Modules at the root that lead into the house, and the room they count as: nobody below that may use them."""
EVERYWHERE = "root"
FOLDERS = ("jobs",)
"""Folders that belong to the root."""
BY_TEXT = {"import_module", "__import__", "resolve_name"}
"""What imports modules that the source does not name."""
MAY_BY_TEXT = ("gambol", "gambol.moved")
"""Who may: it leads users in, and nobody else into anything."""


def allowed(room: str) -> set[str]:
    """The rooms that a room may import, itself included."""
    if room in BESIDE:
        return {room, *BESIDE[room]}
    before = LINE[:LINE.index(room) + 1]
    return {*before, *(name for name, below in BESIDE.items() if set(below) < set(before))}


def modules(root: Path) -> dict[str, Path]:
    """All modules by their full name; a package by its own."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def room_of(module: str, root: Path) -> str:
    """The folder a module is in; `root` if it is in none."""
    first = module.split(".")[1:2]
    if first and (root / first[0]).is_dir():
        return EVERYWHERE if first[0] in FOLDERS else first[0]
    return DOORS.get(first[0], EVERYWHERE) if first else EVERYWHERE


def front_door(root: Path) -> dict[str, str]:
    """The public names of the package itself, and the module that each comes from."""
    for node in ast.parse((root / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOMES":
            return {f"gambol.{name}": home for name, home in ast.literal_eval(node.value).items()}
    return {}


def imports(tree: ast.AST, known: Mapping[str, object], at_once: bool = False) -> Iterator[tuple[int, str]]:
    """Line and name of each import of one of ours; `at_once`: only those that run when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        if at_once and (isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _for_hints(node)):
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if alias.name.split(".")[0] == "gambol")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative imports hide where they go"
            if node.module and node.module.split(".")[0] == "gambol":
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    yield node.lineno, full if full in known else node.module
        elif isinstance(node, ast.Attribute) and (full := f"{_name(node.value)}.{node.attr}") in known:
            yield node.lineno, full
        yield from imports(node, known, at_once)


def by_text(tree: ast.AST) -> list[int]:
    """Lines that name what imports by a text."""
    names = {ast.Name: "id", ast.Attribute: "attr", ast.alias: "name"}
    found = (node for node in ast.walk(tree) if getattr(node, names.get(type(node), "_fields")) in BY_TEXT)
    return list(dict.fromkeys(node.lineno for node in found))  # type: ignore[attr-defined]


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _for_hints(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def upward(root: Path) -> list[str]:
    """A line for each import that goes the wrong way, or who knows where."""
    known, doors, wrong = modules(root), front_door(root), []
    for module, path in known.items():
        room, tree, place = room_of(module, root), ast.parse(path.read_text()), path.relative_to(root.parent)
        for line, name in imports(tree, {**known, **doors}):
            target = doors.get(name, name)
            other = room_of(target, root)
            if target not in known:
                wrong.append(f"{place}:{line}: {room} imports {target}, which is none of ours: an old path?")
            elif other not in allowed(room):
                wrong.append(f"{place}:{line}: {room} imports {target} ({other})")
        if module not in MAY_BY_TEXT:
            wrong += [f"{place}:{line}: {room} imports by a text" for line in by_text(tree)]
    return wrong


def cycles(root: Path) -> list[str]:
    """Modules that cannot be imported without each other, one line a module: what is left when all others are gone."""
    known, doors = modules(root), front_door(root)
    needs = {}
    for module, path in known.items():
        found = {doors.get(name, name) for _, name in imports(ast.parse(path.read_text()), {**known, **doors}, True)}
        needs[module] = {target for target in found if target in known and target != module}
    while free := [module for module, targets in needs.items()
                   if not targets or not any(module in others for others in needs.values())]:
        for module in free:
            del needs[module]
        needs = {module: targets - set(free) for module, targets in needs.items()}
    return [f"{module} needs {', '.join(sorted(targets))}" for module, targets in sorted(needs.items())]


def test_every_room_has_its_place() -> None:
    rooms = {path.name for path in ROOT.iterdir() if (path / "__init__.py").is_file()}
    assert rooms <= {*LINE, *BESIDE, *FOLDERS}, "a new room: say in LINE where it stands"


def test_no_room_imports_a_later_one() -> None:
    assert upward(ROOT) == []


def test_the_front_door_is_known() -> None:
    assert front_door(ROOT) == {f"gambol.{name}": home for name, home in gambol._HOMES.items()} != {}


def test_no_module_needs_itself() -> None:
    assert cycles(ROOT) == []


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small house in good order."""
    root = tmp_path / "gambol"
    front = '_HOMES = {"World": "gambol.world.world", "simulate": "gambol.rollout", "spring": "gambol.control.pd"}\n'
    for name, text in {"__init__.py": front, "errors.py": "", "world/__init__.py": "",
                       "world/world.py": "import gambol.errors\n",
                       "motion/__init__.py": "", "motion/motion.py": "from gambol.world import world\n",
                       "control/__init__.py": "", "control/pd.py": "from gambol.motion.motion import Motion\n",
                       "rollout.py": "from gambol.control import pd\n"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    assert upward(root) == cycles(root) == []
    return root


@pytest.mark.parametrize(("file", "text", "told"), [
    ("world/world.py", "from gambol.control.pd import spring\n", "gambol/world/world.py:1: world imports"),
    ("world/world.py", "def late():\n    from gambol.control import pd\n", "gambol/world/world.py:2: world imports"),
    ("world/world.py", "if TYPE_CHECKING:\n    import gambol.control.pd\n", "gambol/world/world.py:2: world imports"),
    ("world/world.py", "from gambol.motion import motion\n", "world imports gambol.motion.motion"),
    ("motion/motion.py", "from gambol.control import pd\n", "motion imports gambol.control.pd"),
    ("errors.py", "import gambol.world.world\n", "root imports gambol.world.world"),
    ("errors.py", "from gambol import rollout\n", "root imports gambol.rollout (runs)"),
    ("control/pd.py", "from gambol.rollout import simulate\n", "control imports gambol.rollout (runs)"),
    ("world/world.py", "from gambol import simulate\n", "gambol/world/world.py:1: world imports gambol.rollout (runs)"),
    ("world/world.py", "from gambol import World, spring\n", "world imports gambol.control.pd (control)"),
    ("world/world.py", "from gambol.errors import a\nb = gambol.spring\n", "gambol/world/world.py:2: world imports"),
    ("control/pd.py", "from importlib import import_module\n", "gambol/control/pd.py:1: control imports by a text"),
    ("control/pd.py", "import importlib\nimportlib.import_module('gambol.runs')\n", "pd.py:2: control imports by"),
    ("control/pd.py", "import gambol.bench\n", "control imports gambol.bench, which is none of ours"),
    ("control/pd.py", "__import__('gambol.rollout')\n", "gambol/control/pd.py:1: control imports by a text")])
def test_an_import_that_goes_up_is_found(house: Path, file: str, text: str, told: str) -> None:
    (house / file).write_text(text)
    (line,) = upward(house)
    assert told in line


def test_a_circle_is_found_but_not_what_is_imported_late(house: Path) -> None:
    (house / "errors.py").write_text("def late():\n    import gambol.params\n")
    (house / "params.py").write_text("import gambol.errors\n")
    assert cycles(house) == []
    (house / "errors.py").write_text("import gambol.params\n")
    assert cycles(house) == ["gambol.errors needs gambol.params", "gambol.params needs gambol.errors"]
