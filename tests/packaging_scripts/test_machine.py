"""What ``packaging/machine.py`` finds out about a machine, and what it tells the person who has to act."""

from __future__ import annotations

import re
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


class Debian:
    """A Debian whose apt is ours: what is missing is there once it was installed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, user: int, offered: list[str]) -> None:
        self.installed: list[str] = []
        monkeypatch.setattr(machine, "has_apt", lambda: True)
        monkeypatch.setattr(machine, "refresh_packages", lambda: None)
        monkeypatch.setattr(machine, "offered_packages", lambda _names: offered)
        monkeypatch.setattr(machine, "install_packages", self.installed.extend)
        monkeypatch.setattr(machine, "_loads", lambda soname: bool(self.installed) and soname in GLIB)
        monkeypatch.setattr(machine, "_can_make_venv", lambda _python: bool(self.installed))
        monkeypatch.setattr(machine, "python_version", lambda _python: (3, 11))
        monkeypatch.setattr("os.geteuid", lambda: user)


def test_without_root_one_command_is_named_for_all_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    debian = Debian(monkeypatch, user=1000, offered=["libglib2.0-0t64", "python3.11-venv"])
    command = "sudo apt-get install --no-install-recommends libglib2.0-0t64 python3.11-venv"
    with pytest.raises(machine.Failure, match=re.escape(command)):
        machine.ensure(GLIB, "/usr/bin/python3")
    assert not debian.installed


def test_as_root_what_is_missing_is_installed_and_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    debian = Debian(monkeypatch, user=0, offered=["libglib2.0-0"])
    machine.ensure(GLIB, "/usr/bin/python3")
    assert debian.installed == ["libglib2.0-0", "python3.11-venv"]


def test_what_apt_did_not_bring_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    Debian(monkeypatch, user=0, offered=[])
    monkeypatch.setattr(machine, "_loads", lambda _soname: False)
    with pytest.raises(machine.Failure, match=r"still missing: libglib-2\.0\.so\.0"):
        machine.ensure(GLIB)


def test_without_apt_the_libraries_themselves_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    Debian(monkeypatch, user=0, offered=[])
    monkeypatch.setattr(machine, "has_apt", lambda: False)
    with pytest.raises(machine.Failure, match=r"libglib-2\.0\.so\.0"):
        machine.ensure(GLIB)


def test_where_nothing_is_missing_apt_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    debian = Debian(monkeypatch, user=0, offered=[])
    machine.ensure({})
    assert not debian.installed
