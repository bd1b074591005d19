"""The house is built as it is drawn: wings import one way, core in reading order, threads cross in one place."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "desktop"
PACKAGE = ROOT / "rillet"

WINGS = ("core", "qt", "widgets", "app")
"""Each may import those before it."""
CORE_ORDER = (
    "errors",
    "types",
    "token_estimate",
    "visible",
    "scripts",
    "key_shapes",
    "wire",
    "net",
    "providers",
    "call",
    "client",
    "tools",
    "attachments",
    "agent",
    "store",
    "chat",
    "config",
)
"""The reading order of ``core``: a module imports only what stands before it."""
HEAVY = ("httpx", "asyncio", "mcp", "pydantic", "markdown_it", "mdit_py_plugins", "pygments", "ziamath", "keyring")
"""What the window paints without."""


@dataclass(frozen=True)
class Import:
    """One import statement that runs (not under TYPE_CHECKING)."""

    file: Path
    line: int
    module: str
    names: tuple[str, ...] = ()
    """What is taken from it, by whole names: members, or modules of a package."""

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT.parent)}:{self.line} imports {self.module}"


def imports() -> list[Import]:
    """Every import of the package, inside functions too."""
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        typing_only = {
            id(node)
            for block in ast.walk(tree)
            if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
            for statement in block.body
            for node in ast.walk(statement)
        }
        for node in ast.walk(tree):
            if id(node) in typing_only:
                continue
            if isinstance(node, ast.Import):
                found += [Import(file, node.lineno, alias.name, (alias.name,)) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{file}:{node.lineno}: write the whole name instead of a relative import"
                module = node.module or ""
                names = tuple(f"{module}.{alias.name}" for alias in node.names)
                found.append(Import(file, node.lineno, module, names))
    return found


IMPORTS = imports()


def wing_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "rillet" and parts[1] in WINGS else None


def module_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_the_scan_sees_the_house() -> None:
    assert len(IMPORTS) > 300
    inner = [each for each in IMPORTS if wing_of(each.module)]
    assert len(inner) > 150
    assert {wing_of(module_of(each.file)) for each in inner} >= set(WINGS)


def test_wings_import_one_way() -> None:
    wrong = [
        each
        for each in IMPORTS
        if (here := wing_of(module_of(each.file)))
        and (there := wing_of(each.module))
        and WINGS.index(there) > WINGS.index(here)
    ]
    assert not wrong, _fix(wrong, "imports run app → widgets → qt → core: pass a value or a callable down instead")


def test_core_imports_only_what_stands_above_it_in_the_reading_order() -> None:
    wrong = []
    for each in IMPORTS:
        here, there = module_of(each.file).split("."), each.module.split(".")
        if here[:2] == there[:2] == ["rillet", "core"] and len(here) > 2 and len(there) > 2:
            for name in (here[2], there[2]):
                assert name in CORE_ORDER, f"{name} has no place in the reading order: give it one in CORE_ORDER"
            if CORE_ORDER.index(there[2]) > CORE_ORDER.index(here[2]):
                wrong.append(each)
    assert not wrong, _fix(wrong, "move the shared part up, or import the type under TYPE_CHECKING")


def test_no_modules_import_each_other_in_a_circle() -> None:
    needs: dict[str, set[str]] = {module_of(file): set() for file in PACKAGE.rglob("*.py")}
    for each in IMPORTS:
        here = module_of(each.file)
        whole = {name if name in needs else each.module for name in each.names}
        needs[here] |= whole & needs.keys() - {here}
    count = 0
    while len(needs) != count:  # whoever imports nobody, or is imported by nobody, stands in no circle
        count = len(needs)
        needed = set().union(*needs.values())
        needs = {module: others & needs.keys() for module, others in needs.items() if others and module in needed}
        needs = {module: others for module, others in needs.items() if others}
    # Hosts look for ``Tool.native`` at the tool; it is made by what builds on tools.
    assert needs.keys() == {f"rillet.core.tools.{name}" for name in ("native", "outputs", "tool")}


@pytest.mark.parametrize(
    ("library", "homes"),
    [
        ("httpx", ("core/net/",)),
        ("PySide6", ("qt/", "widgets/", "app/")),
        ("shiboken6", ("qt/", "widgets/", "app/")),
        ("qasync", ("app/coroutines.py",)),
        ("xllamacpp", ("core/providers/local_child.py",)),
        ("bs4", ("core/tools/readable.py",)),
        ("markdownify", ("core/tools/readable.py",)),
        ("mcp", ("core/tools/mcp/",)),
        ("mcp_types", ("core/tools/mcp/",)),
        ("anyio", ("core/tools/mcp/",)),
        ("pydantic", ("core/tools/mcp/",)),
        ("markdown_it", ("widgets/markdown/",)),
        ("pygments", ("widgets/markdown/",)),
        ("keyring", ("core/config/keychain.py",)),
        ("yaml", ("core/tools/yaml_text.py",)),
        ("pypdf", ("core/attachments/pdf.py",)),
        ("defusedxml", ("core/attachments/words.py",)),
        ("python_calamine", ("core/attachments/sheets.py",)),
        ("charset_normalizer", ("core/attachments/text.py",)),
    ],
)
def test_a_library_is_known_in_its_own_rooms_only(library: str, homes: tuple[str, ...]) -> None:
    users = [each for each in IMPORTS if each.module.split(".")[0] == library]
    assert users, f"nobody imports {library}: drop the dependency, or this line"
    wrong = [each for each in users if not each.file.relative_to(PACKAGE).as_posix().startswith(homes)]
    assert not wrong, _fix(wrong, f"{library} belongs to {', '.join(homes)}")


def test_qt_uses_qtcore_only() -> None:
    wrong = [
        each
        for each in IMPORTS
        if wing_of(module_of(each.file)) == "qt"
        and each.module.startswith("PySide6")
        and each.module != "PySide6.QtCore"
    ]
    assert not wrong, _fix(wrong, "rillet.qt must work in a QCoreApplication")


def test_only_the_engine_starts_threads_and_only_the_mailbox_crosses_them() -> None:
    starters = _files_that_mention("threading.Thread(", "QThread(", "ThreadPoolExecutor(", "start_new_thread")
    assert starters == {"qt/engine.py"}
    crossers = _files_that_mention("QueuedConnection", "invokeMethod", "postEvent")
    assert crossers == {"qt/mailbox.py"}


def test_the_folder_packaging_is_no_package() -> None:
    assert not (ROOT.parent / "packaging" / "__init__.py").exists(), "it would hide the packaging library"


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("rillet", ("PySide6", "httpx", "asyncio", "msgspec")),
        ("rillet.core.client", ("PySide6", "qasync")),
        ("rillet.qt", (*HEAVY, "PySide6.QtGui", "PySide6.QtWidgets")),
        ("rillet.widgets", HEAVY),
        ("rillet.app.main", HEAVY),
    ],
)
def test_importing_a_wing_does_not_load_what_it_does_not_need(module: str, unwanted: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print(*[name for name in {unwanted!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == []


def test_every_module_says_what_it_is() -> None:
    silent = [
        file.relative_to(ROOT).as_posix()
        for file in PACKAGE.rglob("*.py")
        if not ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert not silent, f"open each with a docstring: {silent}"


def _files_that_mention(*needles: str) -> set[str]:
    """Files in whose code, comments and docstrings apart, one of the needles occurs."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        code = ast.unparse(_without_docstrings(ast.parse(file.read_text(encoding="utf-8"))))
        if any(needle in code for needle in needles):
            found.add(file.relative_to(PACKAGE).as_posix())
    return found


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                each for each in body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
            ] or [ast.Pass()]
    return tree


def _fix(wrong: list[Import], advice: str) -> str:
    return "\n".join([*map(str, wrong), f"→ {advice}"])
