"""Folders: one variable overrides all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rillet.core.config.paths import paths

if TYPE_CHECKING:
    import pytest


def test_rillet_home_overrides_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RILLET_HOME", str(tmp_path / "home"))
    found = paths()
    assert found.config == found.data == tmp_path / "home"
    assert found.settings == tmp_path / "home" / "settings.json"


def test_a_relative_home_does_not_move_with_the_working_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RILLET_HOME", "here")
    assert paths().data == tmp_path / "here"


def test_without_it_the_folders_are_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RILLET_HOME")
    found = paths()
    assert found.config.is_absolute()
    assert "rillet" in found.settings.parts[-2]
    assert Path.home() in found.data.parents
