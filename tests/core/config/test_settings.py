"""Settings survive crashes, damage and full disks."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from rillet.core.config.settings import EndpointSettings, Settings, SettingsFile, ToolSetup

if TYPE_CHECKING:
    from collections.abc import Callable

SOME = Settings(model="gpt-x", provider="openai", endpoints=(EndpointSettings("http://x/v1", "m"),))


def saved(path: Path) -> SettingsFile:
    file = SettingsFile(path)
    file.settings = SOME
    file.save()
    return file


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.json"
    saved(path)
    assert SettingsFile(path).load() == SOME


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert SettingsFile(tmp_path / "settings.json").load() == Settings()


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b"\0" * 4096,
        b'{"a":' * 100_000,
        b"[" * 100_000,
        b'{"model": "\\ud800", "provider": 3',
    ],
)
def test_a_damaged_file_is_set_aside_and_not_fatal(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(damage)
    file = SettingsFile(path)
    assert file.load() == Settings()
    assert file.set_aside is not None
    assert file.set_aside.read_bytes() == damage
    assert file.set_aside.stat().st_mode & 0o077 == 0
    file.change(model="gpt-x")
    assert file.load() == Settings(model="gpt-x")
    assert file.set_aside is None


def test_each_damaged_file_is_kept_and_none_twice(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    for damage in (b"{one", b"{two"):
        path.write_bytes(damage)
        for _ in range(3):
            SettingsFile(path).load()
    assert sorted(each.read_bytes() for each in tmp_path.glob("*broken*")) == [b"{one", b"{two"]


def test_of_a_file_with_one_wrong_setting_the_others_hold_and_the_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"provider": 3, "titles": "of a newer version", "model": "gpt-x", "shortcuts": {"a": "Ctrl+A"}}')
    file = SettingsFile(path)
    assert file.load() == Settings(model="gpt-x", shortcuts={"a": "Ctrl+A"})
    assert file.lost == ("provider", "titles")
    assert file.set_aside is not None
    assert "of a newer version" in file.set_aside.read_text()
    again = SettingsFile(path)
    assert again.load() == Settings(model="gpt-x", shortcuts={"a": "Ctrl+A"})
    assert again.set_aside is None


def test_a_setting_of_a_newer_version_is_ignored_and_stays_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"provider": "openai", "colour": {"of": "blue"}}', encoding="utf-8")
    file = SettingsFile(path)
    assert file.load() == Settings(provider="openai")
    file.change(provider="mistral")
    assert json.loads(path.read_text()) == {"provider": "mistral", "colour": {"of": "blue"}}


def refuse(error: OSError) -> Callable[..., NoReturn]:
    def refused(*_: object, **__: object) -> NoReturn:
        raise error

    return refused


def test_a_damaged_file_that_cannot_be_set_aside_is_told_and_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b"{")
    file = SettingsFile(path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse(OSError(28, "No space left on device")))
        assert file.load() == Settings()
    assert (file.set_aside, str(file.unread)) == (None, "[Errno 28] No space left on device")
    file.change(model="gpt-x")
    assert file.load() == Settings(model="gpt-x")
    assert [each.read_bytes() for each in tmp_path.glob("*broken*")] == [b"{"]


def test_a_file_that_could_not_be_read_is_kept_when_others_are_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings.json"
    saved(path)
    content = path.read_bytes()
    file = SettingsFile(path)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", refuse(OSError(5, "Input/output error")))
        assert file.load() == Settings()
    assert file.unread is not None
    file.change(welcomed=True)
    assert [each.read_bytes() for each in tmp_path.glob("*broken*")] == [content]
    assert SettingsFile(path).load() == Settings(welcomed=True)


def test_names_of_folders_that_are_no_text_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    folders = ("/tmp/\udcff", "/tmp/a\nb", "/tmp/\u202egnp.exe")
    SettingsFile(path).change(tools=ToolSetup(folders=folders))
    assert SettingsFile(path).load().tools.folders == folders


def test_a_failed_save_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.json"
    file = saved(path)
    file.settings = Settings()
    monkeypatch.setattr(os, "fsync", refuse(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        file.save()
    assert file.load() == SOME
    assert list(tmp_path.iterdir()) == [path]


def test_a_change_that_cannot_be_saved_holds_until_the_end_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = SettingsFile(tmp_path / "settings.json")
    monkeypatch.setattr(os, "fsync", refuse(OSError(28, "No space left on device")))
    file.change(provider="openai")
    assert file.settings.provider == "openai"
