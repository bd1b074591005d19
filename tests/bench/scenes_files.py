"""Scenes of attachments: while they are read, what came of it, and what will be sent of them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.scenes_look import wait
from rillet.widgets.composer.folder_dialog import FolderDialog
from support.fake_server import FakeServer, answer
from support.office import docx, paragraph, pdf, xlsx
from support.pictures import picture

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from rillet.app.services import Services
    from rillet.app.window import MainWindow

LETTER = "Dear Ms Rivers,\nthank you for the survey of the brook.\nThe water stands 40 cm higher than last year."


def _attach(window: MainWindow, services: Services, files: dict[str, bytes]) -> None:
    openai = next(each for each in services.providers if each.id == "openai")
    window.sessions.current.picker.choose(openai, "gpt-6.2-sol")
    folder = Path(tempfile.mkdtemp())
    for name, data in files.items():
        (folder / name).write_bytes(data)
    window.view.composer.attachFiles([str(folder / name) for name in files])
    window.view.composer.setText("What do these say about the brook?")
    while window.view.composer.isReading():
        wait(50)
    wait(200)


def _chips(window: MainWindow, services: Services) -> None:
    levels: list[list[str | int | float]] = [["date", "cm"]]
    levels += [[f"2026-11-{day}", 40 + day] for day in range(1, 29)]
    files = {
        "survey letter.pdf": pdf(LETTER, LETTER),
        "levels.xlsx": xlsx({"Levels": levels}),
        "brook.jpg": picture(4000, 3000, "#4A7A6A", "JPG"),
    }
    _attach(window, services, files)


def _problems(window: MainWindow, services: Services) -> None:
    files = {
        "minutes.docx": docx(paragraph("The bridge is to be mended in spring. ") * 300),
        "locked.pdf": pdf(LETTER, password="secret"),
        "IMG_2041.HEIC": b"\x00\x00\x00\x18ftypheic" + bytes(2000),
    }
    _attach(window, services, files)
    window.view.composer.send()


def _reading(window: MainWindow, services: Services) -> None:
    _attach(window, services, {"notes.md": b"# The brook\n\nIt rises at the old mill.\n" * 200})
    big = Path(tempfile.mkdtemp()) / "thesis.pdf"
    big.write_bytes(pdf(*["\n".join(["many words on a line"] * 50)] * 2000))
    window.view.composer.attachFiles([str(big)])
    window.view.composer.send()


def _preview(window: MainWindow, services: Services) -> QWidget:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    from rillet.widgets.composer.chip import Chip
    from rillet.widgets.composer.preview import Preview

    _attach(
        window, services, {"survey letter.pdf": pdf(LETTER, LETTER), "levels.csv": b"date,cm\n2026-11-01,41\n" * 80}
    )
    chips = window.view.composer.findChildren(Chip)
    QTest.keyClick(max(chips, key=lambda chip: chip.x()), Qt.Key.Key_Return)
    shown = window.findChild(Preview)
    assert shown is not None
    return shown


def _folder(window: MainWindow, services: Services) -> QWidget:
    root = Path(tempfile.mkdtemp()) / "brook"
    files = {
        ".env": b"TOKEN=x",
        ".gitignore": b"build/\n*.log\n",
        ".git/HEAD": b"x",
        "README.md": b"# The brook\n" * 300,
        "build/index.html": b"x",
        "data/levels.csv": b"2026-11-01,41\n" * 4000,
        "data/survey.pdf": pdf(LETTER),
        "data/photo.jpg": b"\xff\xd8\xff",
        "docs/minutes.docx": docx(paragraph("x")),
        "measure.log": b"x" * 400,
        "node_modules/left/index.js": b"x",
        "src/level.py": b"print(41)\n" * 120,
        "src/plot.py": b"plot()\n" * 400,
        "src/tool": b"\x7fELF\0\0",
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    window.view.composer.attachFolder(str(root))
    dialog = window.findChild(FolderDialog)
    assert dialog is not None
    while dialog.is_looking:
        wait(50)
    dialog.tree.expandAll()
    return dialog


def _folder_attached(window: MainWindow, services: Services) -> None:
    dialog = _folder(window, services)
    dialog.accept()  # type: ignore[attr-defined]  # it is a dialog, whatever scenes return
    window.view.composer.setText("How high did the water stand in November?")
    while window.view.composer.isReading():
        wait(50)
    wait(200)


def _sent(window: MainWindow, services: Services) -> None:
    with FakeServer(
        answer("It stands **40 cm** higher than last year; the bridge is to be mended in spring.")
    ) as server:
        services.choose(services.enter_endpoint(f"{server.url}/v1", None, "example-model"))
        folder = Path(tempfile.mkdtemp())
        (folder / "survey letter.pdf").write_bytes(pdf(LETTER))
        (folder / "brook.jpg").write_bytes(picture(800, 500, "#4A7A6A", "JPG"))
        (folder / "src").mkdir()
        (folder / "src" / "level.py").write_text("print(41)")
        window.view.composer.attachFiles([str(folder / "survey letter.pdf"), str(folder / "brook.jpg")])
        window.view.composer.attachFolder(str(folder / "src"))
        dialog = window.findChild(FolderDialog)
        assert dialog is not None
        while dialog.is_looking:
            wait(50)
        dialog.accept()
        window.view.composer.setText("What do these say about the brook?")
        window.view.composer.send()
        while not window.view.handles() or window.view.composer.isBusy():
            wait(50)


def _opened(window: MainWindow, services: Services) -> QWidget:
    from rillet.widgets.blocks.file_chip import FileChip
    from rillet.widgets.file_viewer import FileViewer

    _sent(window, services)
    next(chip for chip in window.view.findChildren(FileChip) if chip.tile is not None).click()
    shown = window.findChild(FileViewer)
    assert shown is not None
    return shown


SCENES: dict[str, Callable[[MainWindow, Services], QWidget | None]] = {
    "files-chips": _chips,
    "files-problems": _problems,
    "files-reading": _reading,
    "files-preview": _preview,
    "files-sent": _sent,
    "files-opened": _opened,
    "folder": _folder,
    "folder-attached": _folder_attached,
}
