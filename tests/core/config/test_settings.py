"""Settings survive crashes, damage and full disks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rillet.core.config.settings import EndpointSettings, Settings, SettingsFile

if TYPE_CHECKING:
    from pathlib import Path

SOME = Settings(model="gpt-x", provider="openai", endpoints=(EndpointSettings("http://x/v1", "m"),))


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.json"
    SettingsFile(path).save(SOME)
    assert SettingsFile(path).load() == SOME


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert SettingsFile(tmp_path / "settings.json").load() == Settings()


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"provider": 3}', b"\xff\xfe"])
def test_a_damaged_file_is_set_aside_and_not_fatal(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(damage)
    file = SettingsFile(path)
    assert file.load() == Settings()
    assert file.set_aside is not None
    assert file.set_aside.read_bytes() == damage
    file.save(SOME)
    assert file.load() == SOME
    assert file.set_aside is None


def test_a_damaged_file_where_nothing_can_be_written_is_not_fatal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"{")

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(type(path), "replace", refuse)
    file = SettingsFile(path)
    assert file.load() == Settings()
    assert file.set_aside is None


def test_a_setting_of_a_newer_version_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"provider": "openai", "colour": "blue"}', encoding="utf-8")
    assert SettingsFile(path).load() == Settings(provider="openai")


def test_a_failed_save_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.json"
    file = SettingsFile(path)
    file.save(SOME)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        file.save(Settings())
    assert file.load() == SOME
    assert list(tmp_path.iterdir()) == [path]


def test_a_change_that_cannot_be_saved_holds_until_the_end_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = SettingsFile(tmp_path / "settings.json")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    file.change(provider="openai")
    assert file.settings.provider == "openai"
