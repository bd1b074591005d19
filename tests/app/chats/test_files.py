"""Files go along with a question, are kept with it, and come back with it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QDropEvent, QImage
from PySide6.QtWidgets import QApplication

from rillet.app.window import MainWindow
from rillet.app.window_state import WindowState
from rillet.core.attachments.folder import FolderChoice
from rillet.core.config.paths import paths
from rillet.core.providers.facts import FactBook, ModelFacts
from rillet.core.store import drafts
from rillet.core.types import FilePart, ImagePart
from rillet.widgets.composer.chip import Chip
from rillet.widgets.composer.folder_dialog import FolderDialog
from support.chatting import PATIENCE, ask, talk_to, wait_for_end
from support.drags import drag_enter
from support.fake_server import FakeServer, answer
from support.office import docx, paragraph, pdf

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    import pytest
    from pytestqt.qtbot import QtBot

    from rillet.app.services import Services
    from rillet.widgets.composer.attachment import Attachment

COPY, LEFT, NO_KEYS = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def _drop(window: MainWindow, *paths: Path) -> None:
    """Drop files on the chat, as a file manager does."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    composer = window.view.composer
    QApplication.sendEvent(composer, drag_enter(COPY, data, LEFT, NO_KEYS))
    QApplication.sendEvent(composer, QDropEvent(QPointF(5, 5), COPY, data, LEFT, NO_KEYS))


def _files(tmp_path: Path) -> Sequence[Path]:
    (tmp_path / "letter.pdf").write_bytes(pdf("Dear Ms Rivers"))
    (tmp_path / "minutes.docx").write_bytes(docx(paragraph("The bridge is mended.")))
    return tmp_path / "letter.pdf", tmp_path / "minutes.docx"


def _said(server: FakeServer, request: int = 0) -> Any:
    return server.requests[request].json["messages"][-1]["content"]


def test_what_is_dropped_is_read_and_goes_along_as_data(
    window: MainWindow, services: Services, tmp_path: Path, qtbot: QtBot
) -> None:
    with FakeServer(answer("Read.")) as server:
        talk_to(services, server)
        _drop(window, *_files(tmp_path))
        ask(window, "What is new?")  # at once: it waits for the files
        qtbot.waitUntil(lambda: len(window.view.handles()) == 2, timeout=PATIENCE)
        wait_for_end(window, qtbot)
        said = _said(server)
    assert said == (
        "What is new?\n\n"
        '<file name="letter.pdf">\n[page 1 of 1]\nDear Ms Rivers\n\n\n</file>\n\n'
        '<file name="minutes.docx">\nThe bridge is mended.\n\n\n</file>'
    )


def test_a_model_that_takes_files_is_given_the_file_and_the_next_one_its_text(
    window: MainWindow, services: Services, tmp_path: Path, qtbot: QtBot
) -> None:
    letter, _ = _files(tmp_path)
    with FakeServer(answer("Seen."), answer("Read.")) as server:
        talk_to(services, server)
        provider = services.choice.provider
        services._users_facts = FactBook({provider.id: [ModelFacts(id="m", pdf=True)]})
        window.sessions.current.picker.choose(provider, "m")
        _drop(window, letter)
        ask(window, "What is new?")
        qtbot.waitUntil(lambda: len(window.view.handles()) == 2, timeout=PATIENCE)
        wait_for_end(window, qtbot)
        window.sessions.current.picker.choose(provider, "another")
        ask(window, "And now?")
        qtbot.waitUntil(lambda: len(window.view.handles()) == 4, timeout=PATIENCE)
        wait_for_end(window, qtbot)
        first, second = (request.json["messages"] for request in server.requests[:2])
    assert [part["type"] for part in first[-1]["content"]] == ["text", "file"]
    assert "[page 1 of 1]\nDear Ms Rivers" in second[0]["content"]


def test_a_draft_keeps_its_files_and_an_edited_question_has_its_own(
    window: MainWindow, services: Services, tmp_path: Path, qtbot: QtBot
) -> None:
    letter, minutes = _files(tmp_path)
    with FakeServer(answer("Read."), answer("Read again.")) as server:
        talk_to(services, server)
        _drop(window, letter)
        ask(window, "What is new?")
        qtbot.waitUntil(lambda: len(window.view.handles()) == 2, timeout=PATIENCE)
        wait_for_end(window, qtbot)
        composer = window.view.composer
        _drop(window, minutes)
        qtbot.waitUntil(lambda: len(composer.attachments()) == 1, timeout=PATIENCE)
        window.view.messageActionRequested.emit("edit", window.view.handles()[0])
        assert [each.name for each in composer.attachments()] == ["letter.pdf"]
        composer.send()
        qtbot.waitUntil(lambda: len(server.requests) == 2, timeout=PATIENCE)
        wait_for_end(window, qtbot)
        assert _said(server, 1) == _said(server, 0)
        assert [each.name for each in composer.attachments()] == ["minutes.docx"]
        chat_id = window.sessions.current.chat_id
        assert chat_id is not None

        def kept() -> list[str | None]:
            draft = services.desk.read(drafts.load, chat_id).get(30)
            return [part.name for part in draft.attachments if isinstance(part, FilePart)]

        qtbot.waitUntil(lambda: kept() == ["minutes.docx"], timeout=PATIENCE)
        draft = services.desk.read(drafts.load, chat_id).get(30)
    (part,) = draft.attachments
    assert isinstance(part, FilePart)
    assert (part.data, part.text) == (minutes.read_bytes(), "The bridge is mended.\n\n")


def test_what_is_still_being_read_is_read_again_after_the_next_start(
    window: MainWindow, services: Services, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def read_slowly(*_: object) -> None:
        await asyncio.Event().wait()

    (tmp_path / "notes.md").write_text("Read me.")
    (tmp_path / "gone.md").write_text("Read me too.")
    with monkeypatch.context() as slow:
        slow.setattr("rillet.core.attachments.reading.read_path", read_slowly)
        _drop(window, tmp_path / "notes.md", tmp_path / "gone.md")
        qtbot.waitUntil(lambda: len(window.view.composer.findChildren(Chip)) == 2, timeout=PATIENCE)
        window.close()
        unread = tuple(str(tmp_path / name) for name in ("notes.md", "gone.md"))
        assert services.desk.write(drafts.load, drafts.NEW_CHAT).get(30).unread == unread
    (tmp_path / "gone.md").unlink()
    again = MainWindow(WindowState(paths().window), window._theme)
    qtbot.addWidget(again)
    again.serve(services)
    again.show()

    def problems() -> dict[str, str]:
        chips = again.view.composer.findChildren(Chip)
        return {each.item.name: each.problem for each in chips if each.attachment is not None or each.problem}

    qtbot.waitUntil(lambda: len(problems()) == 2, timeout=PATIENCE)
    assert problems()["notes.md"] == ""
    assert "cannot be read" in problems()["gone.md"]
    again.close()


def test_what_was_pasted_and_a_folder_that_are_being_read_come_back_too(
    window: MainWindow, services: Services, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def read_slowly(*_: object) -> None:
        await asyncio.Event().wait()

    (tmp_path / "notes.md").write_text("Read me.")
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.darkGreen)
    pasted = QMimeData()
    pasted.setImageData(image)
    text = QMimeData()
    text.setText("word " * 300_000)
    folder = FolderChoice(str(tmp_path), ("notes.md",))
    with monkeypatch.context() as slow:
        slow.setattr("rillet.widgets.composer.incoming._outcome", read_slowly)
        for data in (pasted, text):
            window.view.composer._take(data)
        window.view.composer.attachAgain([(folder, ""), (tmp_path / "notes.md", "notes.md")])
        qtbot.waitUntil(lambda: len(window.view.composer.findChildren(Chip)) == 4, timeout=PATIENCE)
        window.close()
        assert len(services.desk.write(drafts.load, drafts.NEW_CHAT).get(30).unread) == 4
    again = MainWindow(WindowState(paths().window), window._theme)
    qtbot.addWidget(again)
    again.serve(services)
    again.show()

    def read() -> dict[str, Attachment]:
        return {each.name: each for each in again.view.composer.draft().attachments}

    qtbot.waitUntil(lambda: len(read()) == 4, timeout=PATIENCE)
    picture = read()["Image.png"].part
    assert isinstance(picture, ImagePart)
    assert QImage.fromData(picture.data or b"").pixelColor(3, 3) == QColor(Qt.GlobalColor.darkGreen)
    long = read()["Pasted text.txt"].part
    assert isinstance(long, FilePart)
    assert long.data == b"word " * 300_000
    files = read()[f"{tmp_path.name} (1 file)"].part
    assert isinstance(files, FilePart)
    assert b"Read me." in files.data
    assert "notes.md" in read()
    again.close()


def test_what_cannot_be_read_keeps_the_question_back(
    window: MainWindow, services: Services, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "locked.pdf").write_bytes(pdf("x", password="secret"))
    with FakeServer(answer("Read.")) as server:
        talk_to(services, server)
        _drop(window, tmp_path / "locked.pdf")
        ask(window, "What is new?")
        chip = next(each for each in window.view.composer.findChildren(Chip))
        qtbot.waitUntil(lambda: bool(chip.problem), timeout=PATIENCE)
        assert "protected by a password" in chip.problem
        assert window.view.handles() == []
        assert window.view.composer.text() == "What is new?"
        chip._cross.click()
        window.view.composer.send()
        wait_for_end(window, qtbot)
        assert _said(server) == "What is new?"


def test_of_a_folder_goes_along_what_was_chosen(
    window: MainWindow, services: Services, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "brook"
    for name, content in {"README.md": "# Brook", ".env": "KEY=canary", "src/level.py": "print(41)"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    with FakeServer(answer("Read.")) as server:
        talk_to(services, server)
        _drop(window, folder)
        qtbot.waitUntil(lambda: window.findChild(FolderDialog) is not None, timeout=PATIENCE)
        dialog = window.findChild(FolderDialog)
        assert dialog is not None
        qtbot.waitUntil(lambda: not dialog.is_looking, timeout=PATIENCE)
        dialog._attach.click()
        ask(window, "What is it?")
        qtbot.waitUntil(lambda: len(window.view.handles()) == 2, timeout=PATIENCE)
        wait_for_end(window, qtbot)
        question, begin, *inside, end = _said(server).splitlines()
    assert question == "What is it?"
    assert inside[1:] == [
        '<file name="README.md">',
        "# Brook",
        "</file>",
        '<file name="src/level.py">',
        "print(41)",
        "</file>",
        "",
    ]
    assert (begin, inside[0][:32]) == ("", '<folder name="brook (2 files)" i')
    assert end.startswith('</folder id="')
