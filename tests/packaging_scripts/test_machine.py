"""What ``packaging/machine.py`` finds out about a machine, and what it tells the person who has to act."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import machine
import pytest

if TYPE_CHECKING:
    from pathlib import Path

GLIB = {"libglib-2.0.so.0": ("libglib2.0-0", "libglib2.0-0t64")}


def test_an_interpreter_tells_its_version() -> None:
    assert machine.python_version(sys.executable) == sys.version_info[:2]


def test_a_program_that_does_not_run_has_no_version(tmp_path: Path) -> None:
    shim = tmp_path / "python3.13"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    assert machine.python_version(str(shim)) is None
    assert machine.python_version(str(tmp_path / "absent")) is None


def test_interpreters_are_listed_newest_first_and_old_ones_are_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    versions = {"python3": (3, 9), "python3.11": (3, 11), "python3.13": (3, 13), "python3.12": None}
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("shutil.which", lambda name: name if name in versions else None)
    monkeypatch.setattr(machine, "python_version", versions.get)
    assert machine.pythons() == [((3, 13), "python3.13"), ((3, 11), "python3.11")]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sonames are looked up on Linux only")
def test_a_library_that_is_not_there_is_found_missing() -> None:
    absent = {"librillet-absent.so.9": ("nothing",)}
    assert machine.missing_libraries({"libc.so.6": ("libc6",), **absent}) == absent


def test_a_renamed_package_is_asked_for_by_the_name_this_release_knows() -> None:
    assert machine.choose_packages(GLIB, ["libglib2.0-0"]) == ["libglib2.0-0"]
    assert machine.choose_packages(GLIB, ["libglib2.0-0t64"]) == ["libglib2.0-0t64"]
    assert machine.choose_packages(GLIB, []) == ["libglib2.0-0"]


def test_without_root_the_exact_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "missing_libraries", lambda _libraries: GLIB)
    monkeypatch.setattr(machine, "has_apt", lambda: True)
    monkeypatch.setattr(machine, "may_install", lambda: False)
    monkeypatch.setattr(machine, "offered_packages", lambda _names: ["libglib2.0-0t64"])
    with pytest.raises(machine.Failure, match=r"sudo apt-get install --no-install-recommends libglib2\.0-0t64"):
        machine.ensure_libraries(GLIB)


def test_without_apt_the_libraries_themselves_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "missing_libraries", lambda _libraries: GLIB)
    monkeypatch.setattr(machine, "has_apt", lambda: False)
    monkeypatch.setattr(machine, "may_install", lambda: False)
    with pytest.raises(machine.Failure, match=r"libglib-2\.0\.so\.0"):
        machine.ensure_libraries(GLIB)


def test_as_root_what_is_missing_is_installed_and_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    installed: list[str] = []
    monkeypatch.setattr(machine, "missing_libraries", lambda libraries: {} if installed else dict(libraries))
    monkeypatch.setattr(machine, "may_install", lambda: True)
    monkeypatch.setattr(machine, "refresh_packages", lambda: None)
    monkeypatch.setattr(machine, "offered_packages", lambda _names: ["libglib2.0-0"])
    monkeypatch.setattr(machine, "install_packages", installed.extend)
    machine.ensure_libraries(GLIB)
    assert installed == ["libglib2.0-0"]


def test_an_interpreter_without_venv_is_told_with_the_package_of_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_can_make_venv", lambda _python: False)
    monkeypatch.setattr(machine, "python_version", lambda _python: (3, 11))
    monkeypatch.setattr(machine, "has_apt", lambda: True)
    monkeypatch.setattr(machine, "may_install", lambda: False)
    with pytest.raises(machine.Failure, match=r"sudo apt-get install --no-install-recommends python3\.11-venv"):
        machine.ensure_venv_module("/usr/bin/python3")
